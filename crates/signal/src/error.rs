//! What can be wrong with a parameter or a signal.

/// A parameter or a signal that a block cannot work with.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SignalError {
    /// A parameter is out of its range.
    #[error("{what} must be {expected}, found {found}")]
    Parameter {
        /// The parameter.
        what: &'static str,
        /// Its range.
        expected: &'static str,
        /// What was given.
        found: f64,
    },
    /// A signal has too few samples.
    #[error("{what} must have at least {expected} samples, found {found}")]
    TooShort {
        /// The signal.
        what: &'static str,
        /// Fewest samples.
        expected: usize,
        /// Samples given.
        found: usize,
    },
    /// Two signals that belong together have different lengths.
    #[error("both signals must have the same length, found {first} and {second} samples")]
    Lengths {
        /// Samples of the first.
        first: usize,
        /// Samples of the second.
        second: usize,
    },
}

impl SignalError {
    /// The error, unless `holds`.
    pub(crate) fn require(
        holds: bool,
        what: &'static str,
        expected: &'static str,
        found: f64,
    ) -> Result<(), Self> {
        if holds {
            Ok(())
        } else {
            Err(Self::Parameter {
                what,
                expected,
                found,
            })
        }
    }

    pub(crate) fn require_positive(what: &'static str, found: f64) -> Result<(), Self> {
        Self::require(
            found > 0.0 && found.is_finite(),
            what,
            "above 0 and finite",
            found,
        )
    }

    pub(crate) fn require_length(
        what: &'static str,
        expected: usize,
        found: usize,
    ) -> Result<(), Self> {
        if found >= expected {
            Ok(())
        } else {
            Err(Self::TooShort {
                what,
                expected,
                found,
            })
        }
    }

    pub(crate) fn require_same_length(first: &[f64], second: &[f64]) -> Result<(), Self> {
        let (first, second) = (first.len(), second.len());
        if first == second {
            Ok(())
        } else {
            Err(Self::Lengths { first, second })
        }
    }
}

/// An index or a count as a real number.
#[expect(clippy::cast_precision_loss, reason = "indices stay far below 2^52")]
pub(crate) fn real(index: usize) -> f64 {
    index as f64
}
