//! How a made motion swells and fades.

use crate::error::real;
use std::f64::consts::PI;

/// Shape of the amplitude over time, at most 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Envelope {
    /// 1 throughout.
    Stationary,
    /// (t/rise)² up to `rise`, 1 for `hold` seconds, then exp(−decay (t − rise − hold)) (Jennings,
    /// Housner & Tsai 1968).
    Jennings {
        /// Time of growth, s.
        rise: f64,
        /// Time at full strength, s.
        hold: f64,
        /// Rate of decay, 1/s.
        decay: f64,
    },
}

impl Envelope {
    /// The factor at time `t`, s.
    #[must_use]
    pub fn at(&self, t: f64) -> f64 {
        match *self {
            Self::Stationary => 1.0,
            Self::Jennings { rise, .. } if t < rise => (t / rise).powi(2),
            Self::Jennings { rise, hold, .. } if t <= rise + hold => 1.0,
            Self::Jennings { rise, hold, decay } => (-decay * (t - rise - hold)).exp(),
        }
    }
}

/// Multiplies both ends, `length` samples each (at most half the signal), by half a cosine wave
/// from 0 to 1.
pub fn cosine_taper(values: &mut [f64], length: usize) {
    let n = values.len();
    let length = length.min(n / 2);
    for index in 0..length {
        let factor = 0.5 - 0.5 * (PI * real(index) / real(length)).cos();
        values[index] *= factor;
        values[n - 1 - index] *= factor;
    }
}
