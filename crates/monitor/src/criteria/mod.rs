//! After the test: the criteria by which the published benchmark problems are judged. Pure
//! functions over recorded signals.
//!
//! The papers print root-mean-square values; the distributed programs take standard deviations,
//! that is, with the mean removed. [`Spread`] says which, and every result carries both.

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

/// Coefficients this close are equal: a wave repeats itself a period later, and then the shorter
/// lag is meant.
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

/// Lag of `signal` behind `reference`, samples within `lags`, by the largest correlation
/// coefficient. A narrow-band correlation is smooth: some lags are tried on thinned signals, then
/// the surroundings of the best in ever smaller steps.
pub(crate) fn lag(
    reference: &[f64],
    signal: &[f64],
    lags: std::ops::RangeInclusive<i64>,
) -> Result<i64, SignalError> {
    let (first, last) = (*lags.start(), *lags.end());
    let mut step = ((last - first) / 6).clamp(1, 32);
    let mut best = (first, f64::NEG_INFINITY);
    // Four samples of the thinned signals from one lag to the next, where enough of them are left.
    let every = usize::try_from(step / 4).unwrap_or(1).max(1);
    let longest = usize::try_from(first.abs().max(last.abs())).unwrap_or(usize::MAX);
    let enough = signal.len() >= longest.saturating_add(16 * every);
    let every = if enough { every } else { 1 };
    let thin = i64::try_from(every).unwrap_or(1);
    let thinned = |signal: &[f64]| signal.iter().step_by(every).copied().collect::<Vec<_>>();
    let (few_reference, few) = (thinned(reference), thinned(signal));
    for k in nearest_first((first / thin, last / thin), step / thin) {
        let found = correlate::delay(&few_reference, &few, k..=k)?;
        if found.coefficient > best.1 + TIE {
            best = ((k * thin).clamp(first, last), found.coefficient);
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

/// Error of a signal against a reference, and its largest value over the largest magnitude of the
/// reference, %.
pub(crate) fn errors(signal: &[f64], reference: &[f64]) -> Result<(Percent, f64), SignalError> {
    let found = correlate::errors(signal, reference)?;
    let percent = Percent {
        rms: 100.0 * found.rms,
        deviation: 100.0 * found.deviation,
    };
    Ok((percent, 100.0 * found.peak))
}
