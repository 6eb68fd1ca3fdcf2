//! J1 … J9 of the single-actuator benchmark (Silva et al. 2020).

use super::{Percent, SignalError, errors, lag};

/// Lags that the distributed program looks at for J1, samples.
const LAGS: i64 = 49;

/// J1 … J9, in the order of the paper's table and of the distributed program (the paper's equations
/// list the three RMS errors first, then the three peaks).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SingleActuator {
    /// Delay of the measured behind the target displacement, ms: the whole number of samples, 0 to
    /// 49, of the largest correlation.
    pub j1_ms: f64,
    /// Tracking error.
    pub j2: Percent,
    /// Largest tracking error over largest target, %.
    pub j3: f64,
    /// Measured displacement against the reference, floor 1.
    pub j4: Percent,
    /// Its peak version, %.
    pub j5: f64,
    /// Numerical displacement against the reference, floor 2.
    pub j6: Percent,
    /// The same, floor 3.
    pub j7: Percent,
    /// Peak version of J6, %.
    pub j8: f64,
    /// Peak version of J7, %.
    pub j9: f64,
}

/// The criteria of a run.
///
/// `target`, `measured`: displacement of the actuator, m; `upper`: numerical displacement of floors
/// 2 and 3; `reference`: displacement of floors 1 to 3 of the undivided structure; all relative to
/// the ground, sampled every `period` seconds.
///
/// # Errors
/// [`SignalError`] where lengths differ, a signal is too short or a reference is zero throughout.
pub fn single_actuator(
    target: &[f64],
    measured: &[f64],
    upper: [&[f64]; 2],
    reference: [&[f64]; 3],
    period: f64,
) -> Result<SingleActuator, SignalError> {
    let lag = lag(target, measured, 0..=LAGS)? as f64;
    let (j2, j3) = errors(measured, target)?;
    let (j4, j5) = errors(measured, reference[0])?;
    let (j6, j8) = errors(upper[0], reference[1])?;
    let (j7, j9) = errors(upper[1], reference[2])?;
    Ok(SingleActuator {
        j1_ms: 1e3 * period * lag,
        j2,
        j3,
        j4,
        j5,
        j6,
        j7,
        j8,
        j9,
    })
}
