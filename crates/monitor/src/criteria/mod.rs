//! After the test: the criteria by which the published benchmark problems are judged. Pure functions over recorded signals.
//!
//! The papers print root-mean-square values; the distributed programs take standard deviations, that is, with the
//! mean removed. [`Spread`] says which, and every result carries both.

mod global;
mod multi_axial;
mod single_actuator;

pub use global::{equivalent_damping_error, global_error};
pub use multi_axial::{Axis, MultiAxial, Node, multi_axial};
pub use single_actuator::{SingleActuator, single_actuator};

pub use tandem_signal::SignalError;

use tandem_signal::correlate;

/// How the size of an error is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Root mean square, as printed in the papers.
    Rms,
    /// Standard deviation with the mean removed, as in the distributed programs.
    Deviation,
}

/// Both forms of one criterion, in %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percent {
    /// Root mean square, as printed.
    pub rms: f64,
    /// Standard deviation, as coded.
    pub deviation: f64,
}

impl Percent {
    /// One of the two forms.
    pub fn of(self, spread: Spread) -> f64 {
        match spread {
            Spread::Rms => self.rms,
            Spread::Deviation => self.deviation,
        }
    }
}

/// Normalised error of a signal against a reference, %.
pub(crate) fn error(signal: &[f64], reference: &[f64]) -> Result<Percent, SignalError> {
    Ok(Percent {
        rms: 100.0 * correlate::nrmse(signal, reference)?,
        deviation: 100.0 * correlate::nstde(signal, reference)?,
    })
}

/// Largest error over largest magnitude of the reference, %.
pub(crate) fn peak(signal: &[f64], reference: &[f64]) -> Result<f64, SignalError> {
    Ok(100.0 * correlate::peak_error(signal, reference)?)
}
