//! Sine and square wave.

use super::Sampling;
use std::f64::consts::PI;

/// amplitude · sin(2π f t + phase); frequency in Hz, phase in rad.
#[must_use]
pub fn sine(sampling: &Sampling, amplitude: f64, frequency: f64, phase: f64) -> Vec<f64> {
    sampling.map(|t| amplitude * (2.0 * PI * frequency * t + phase).sin())
}

/// +amplitude in the first half of each period, −amplitude in the second; frequency in Hz.
#[must_use]
pub fn square_wave(sampling: &Sampling, amplitude: f64, frequency: f64) -> Vec<f64> {
    sampling.map(|t| {
        // A point that rounding puts just before an edge belongs behind it.
        let cycle = frequency * t + 1e-9;
        if cycle - cycle.floor() < 0.5 {
            amplitude
        } else {
            -amplitude
        }
    })
}
