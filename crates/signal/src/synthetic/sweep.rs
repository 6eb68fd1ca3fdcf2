//! Sine sweeps and chirps.

use super::Sampling;
use std::f64::consts::PI;

/// Sine from zero whose frequency rises in a straight line from `start` to `end` (Hz) over the
/// whole duration.
#[must_use]
pub fn linear_sweep(sampling: &Sampling, amplitude: f64, start: f64, end: f64) -> Vec<f64> {
    chirp(sampling, amplitude, start, end, ChirpLaw::Linear, -0.5 * PI)
}

/// Sine from zero whose frequency grows by the same factor in equal times, from `start` to `end`
/// (Hz, both above zero).
#[must_use]
pub fn logarithmic_sweep(sampling: &Sampling, amplitude: f64, start: f64, end: f64) -> Vec<f64> {
    chirp(
        sampling,
        amplitude,
        start,
        end,
        ChirpLaw::Logarithmic,
        -0.5 * PI,
    )
}

/// How the frequency of a chirp goes from start to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChirpLaw {
    /// In a straight line.
    Linear,
    /// Along a parabola that is flat at the start.
    Quadratic,
    /// By equal factors in equal times.
    Logarithmic,
}

/// amplitude · cos(φ(t) + phase), with the frequency going from `start` to `end` (Hz) over the
/// duration, as `scipy.signal.chirp`. Phase in rad.
#[must_use]
pub fn chirp(
    sampling: &Sampling,
    amplitude: f64,
    start: f64,
    end: f64,
    law: ChirpLaw,
    phase: f64,
) -> Vec<f64> {
    let duration = sampling.duration();
    let growth = (end / start).ln();
    sampling.map(|t| {
        let share = t / duration;
        // Number of cycles up to t: the integral of the frequency.
        let cycles = match law {
            ChirpLaw::Linear => t * (start + 0.5 * (end - start) * share),
            ChirpLaw::Quadratic => t * (start + (end - start) * share * share / 3.0),
            ChirpLaw::Logarithmic if growth.abs() < 1e-12 => t * start,
            ChirpLaw::Logarithmic => start * duration / growth * (growth * share).exp_m1(),
        };
        amplitude * (2.0 * PI * cycles + phase).cos()
    })
}
