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

/// Coefficients this close are equal: a wave repeats itself a period later, and then the shorter lag is meant.
const TIE: f64 = 1e-9;

/// Every `step`-th lag between the two, the shortest first.
fn nearest_first((first, last): (i64, i64), step: i64) -> Vec<i64> {
    let start = if first <= 0 && last >= 0 { 0 } else { first };
    let mut lags: Vec<i64> = (0..=(last - start) / step)
        .map(|k| start + k * step)
        .chain((1..=(start - first) / step).map(|k| start - k * step))
        .collect();
    lags.sort_by_key(|k| k.abs());
    lags
}

/// Lag of `signal` behind `reference`, samples within `lags`, by the largest correlation coefficient. A narrow-band correlation is
/// smooth: every 32nd lag is tried on thinned signals, then the surroundings of the best in ever smaller steps.
pub(crate) fn lag(
    reference: &[f64],
    signal: &[f64],
    lags: std::ops::RangeInclusive<i64>,
) -> Result<i64, SignalError> {
    const THIN: usize = 8;
    let (first, last) = (*lags.start(), *lags.end());
    let mut step = ((last - first) / 6).clamp(1, 32);
    let mut best = (first, f64::NEG_INFINITY);
    if step >= 4 * THIN as i64 {
        let thin = |signal: &[f64]| signal.iter().step_by(THIN).copied().collect::<Vec<_>>();
        let (reference, signal) = (thin(reference), thin(signal));
        let n = THIN as i64;
        for k in nearest_first((first / n, last / n), 4) {
            let found = correlate::delay(&reference, &signal, k..=k)?;
            if found.coefficient > best.1 + TIE {
                best = ((k * n).clamp(first, last), found.coefficient);
            }
        }
    } else {
        for k in nearest_first((first, last), step) {
            let found = correlate::delay(reference, signal, k..=k)?;
            if found.coefficient > best.1 + TIE {
                best = (k, found.coefficient);
            }
        }
    }
    best.1 = correlate::delay(reference, signal, best.0..=best.0)?.coefficient;
    while step > 1 {
        step = (step + 1) / 2;
        for k in [best.0 - step, best.0 + step] {
            if k >= first && k <= last {
                let found = correlate::delay(reference, signal, k..=k)?;
                if found.coefficient > best.1 {
                    best = (k, found.coefficient);
                }
            }
        }
    }
    Ok(best.0)
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
