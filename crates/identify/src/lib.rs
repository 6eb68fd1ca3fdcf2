#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! | module | from | gives |
//! |---|---|---|
//! | [`frf`] | command and measured displacement of one or several actuators | frequency response (H₁, H₂, Hᵥ), coherence, bandwidth |
//! | [`transfer`] | the same | gain, delay, poles and zeros with standard errors; the order by cross-validation |
//! | [`step`] | a step of command, real or computed | overshoot, rise and settling time |
//! | [`quiet`] | sensors at rest | noise of each sensor |
//! | [`ats`] | command, measured displacement, acceleration where there is one | a₀, a₁, a₂ of the adaptive time series compensator |
//! | [`pid`] | a plant | gains of the servo with margins |
//! | [`stiffness`] | forces and displacements of slow cycles | stiffness matrix with standard errors; gaps of the connections |
//! | [`free_vibration`] | a decaying motion | frequency, damping, mass |
//! | [`modes`] | hammer and ambient tests | frequencies, damping ratios and shapes, by three methods |
//! | [`update`] | measured frequencies and a model with an unknown | the unknown, such as the rotational spring of a base |
//!
//! Units are SI. Data are columns of equally spaced samples. [`outcome`] puts the methods together
//! as `tandem identify` does: data from files and runs, a fragment of a plan, a page.

pub mod ats;
mod error;
pub mod free_vibration;
pub mod frf;
pub mod least_squares;
mod minimise;
pub mod modes;
pub mod outcome;
pub mod pid;
pub mod quiet;
pub mod step;
pub mod stiffness;
pub mod transfer;
pub mod update;

pub use error::IdentifyError;
pub use tandem_signal::Complex;

/// An index or a count as a real number.
#[expect(clippy::cast_precision_loss, reason = "indices stay far below 2^52")]
pub(crate) fn real(index: usize) -> f64 {
    index as f64
}

/// A non-negative real number, rounded, as an index.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rounded and bounded by the caller"
)]
pub(crate) fn index(value: f64) -> usize {
    value.round().max(0.0) as usize
}
