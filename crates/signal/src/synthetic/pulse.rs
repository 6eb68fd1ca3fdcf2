//! Pulses.

use super::Sampling;
use std::f64::consts::PI;

/// Ricker wavelet (1 − 2π²f²τ²) exp(−π²f²τ²) with τ = t − centre: peak `amplitude` at `centre` (s),
/// spectral peak at `frequency` (Hz), area zero (Ricker 1953).
#[must_use]
pub fn ricker(sampling: &Sampling, amplitude: f64, frequency: f64, centre: f64) -> Vec<f64> {
    sampling.map(|t| {
        let square = (PI * frequency * (t - centre)).powi(2);
        amplitude * (1.0 - 2.0 * square) * (-square).exp()
    })
}

/// Half a sine of `length` seconds from `start`, zero elsewhere.
#[must_use]
pub fn half_sine(sampling: &Sampling, amplitude: f64, start: f64, length: f64) -> Vec<f64> {
    sampling.map(|t| {
        let share = (t - start) / length;
        if (0.0..=1.0).contains(&share) {
            amplitude * (PI * share).sin()
        } else {
            0.0
        }
    })
}

/// Zero before `start`, `amplitude` after `start + rise`, a straight line between (s; rise 0 is a
/// jump at `start`).
#[must_use]
pub fn step(sampling: &Sampling, amplitude: f64, start: f64, rise: f64) -> Vec<f64> {
    // A point that rounding puts just before the jump belongs behind it.
    let slack = 1e-9 * sampling.dt();
    sampling.map(|t| {
        let since = t - start + slack;
        if since < 0.0 {
            0.0
        } else if since >= rise {
            amplitude
        } else {
            amplitude * (t - start).max(0.0) / rise
        }
    })
}
