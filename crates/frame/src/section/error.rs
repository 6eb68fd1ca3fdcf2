//! What can be wrong with a section.

use crate::material::MaterialError;

/// A section cannot be made from this description.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SectionError {
    /// A dimension or a stiffness has an impossible value.
    #[error("{quantity} must be {expected}, got {got}")]
    OutOfRange {
        /// What the number is.
        quantity: &'static str,
        /// The range in words.
        expected: &'static str,
        /// The value given.
        got: f64,
    },
    /// A patch or layer was asked for without any division.
    #[error("a patch or layer needs at least one fibre in each direction")]
    NoDivision,
    /// The section has no fibres.
    #[error("a fibre section needs at least one fibre")]
    NoFibres,
    /// The same component of force was given two laws.
    #[error("{component} has two laws in one section")]
    Twice {
        /// The component.
        component: super::Component,
    },
    /// A component of force that the member needs has no law.
    #[error("{component} has no law in this section")]
    Missing {
        /// The component.
        component: super::Component,
    },
    /// A component of force that the member does not have.
    #[error("{component} is no force of such a member")]
    Surplus {
        /// The component.
        component: super::Component,
    },
    /// A material of the section is wrong.
    #[error(transparent)]
    Material(#[from] MaterialError),
}

/// `got` is finite and above zero.
pub(super) fn positive(quantity: &'static str, got: f64) -> Result<(), SectionError> {
    if got.is_finite() && got > 0.0 {
        Ok(())
    } else {
        Err(SectionError::OutOfRange {
            quantity,
            expected: "above zero",
            got,
        })
    }
}

/// `got` is finite.
pub(super) fn finite(quantity: &'static str, got: f64) -> Result<(), SectionError> {
    if got.is_finite() {
        Ok(())
    } else {
        Err(SectionError::OutOfRange {
            quantity,
            expected: "a finite number",
            got,
        })
    }
}
