//! What every uniaxial law is: parameters, a plain state, and a trial that starts from the
//! committed state.
//!
//! ```text
//!             ┌────────────────────────────┐
//!  strain ──▶ │ law (parameters, immutable) │ ──▶ stress
//!  rate   ──▶ │                            │ ──▶ ∂stress/∂strain   (tangent)
//!  dt     ──▶ │ committed state ─▶ trial   │ ──▶ ∂stress/∂rate     (damping)
//!             └────────────────────────────┘
//! ```
//!
//! Tension and elongation are positive. "Strain" and "stress" stand for any work-conjugate pair:
//! strain and stress of a fibre, displacement and force of a spring, rotation and moment of a
//! hinge.

use std::fmt;

use tandem_quantity::Snapshot;

/// The number below which a strain increment counts as none, for the laws that keep their committed
/// stress then.
pub(crate) const NO_INCREMENT: f64 = f64::EPSILON;

/// What drives a law over one step: the strain at its end, and for laws with a memory of time the
/// strain rate there and the length of the step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drive {
    /// Total strain at the end of the step.
    pub strain: f64,
    /// Strain rate at the end of the step, 1/s.
    pub rate: f64,
    /// Time since the committed state, s.
    pub dt: f64,
}

impl Drive {
    /// A strain reached without regard to time.
    #[inline]
    #[must_use]
    pub fn at(strain: f64) -> Self {
        Self {
            strain,
            rate: 0.0,
            dt: 0.0,
        }
    }
}

/// What a law answers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Response {
    /// Stress.
    pub stress: f64,
    /// Derivative of the stress with respect to the strain, within the step from the committed
    /// state.
    pub tangent: f64,
    /// Derivative of the stress with respect to the strain rate; zero for laws that do not look at
    /// it.
    pub damping: f64,
}

tandem_quantity::snapshot!(Response {
    stress,
    tangent,
    damping
});

impl Response {
    /// An answer that does not depend on the strain rate.
    #[inline]
    #[must_use]
    pub fn of(stress: f64, tangent: f64) -> Self {
        Self {
            stress,
            tangent,
            damping: 0.0,
        }
    }
}

/// A uniaxial material law: its own parameters, and a function from a committed state to a trial
/// state.
pub trait Law: Copy + fmt::Debug + PartialEq {
    /// What the law remembers. Plain numbers.
    type State: Copy + fmt::Debug + PartialEq + Snapshot;

    /// The state of the untouched material.
    fn virgin(&self) -> Self::State;

    /// Stiffness of the untouched material at zero strain.
    fn initial_tangent(&self) -> f64;

    /// The state and the answer at the end of a step that starts at `committed`. Never from an
    /// earlier trial.
    fn trial(&self, committed: &Self::State, drive: Drive) -> (Self::State, Response);
}
