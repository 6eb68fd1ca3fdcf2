//! Fourier amplitude of the tracking error over the last seconds, as laboratories watch it to find
//! oil-column and structural resonances in the loop.

use tandem_signal::spectrum::sine_amplitude;

/// Highest frequency that is shown, Hz.
const HIGHEST_HZ: f64 = 100.0;
/// Rows that are transformed.
const ROWS: usize = 4096;

/// The last rows of the error of every actuator.
pub struct ErrorSpectrum {
    rate_hz: f64,
    rings: Vec<Vec<f64>>,
    at: usize,
    filled: usize,
}

impl ErrorSpectrum {
    /// For `actuators` errors at `rate_hz` rows a second of wall time.
    pub fn new(actuators: usize, rate_hz: f64) -> Self {
        Self {
            rate_hz,
            rings: vec![vec![0.0; ROWS]; actuators],
            at: 0,
            filled: 0,
        }
    }

    /// Takes the errors of one row.
    pub fn push(&mut self, errors: impl Iterator<Item = f64>) {
        for (ring, error) in self.rings.iter_mut().zip(errors) {
            ring[self.at] = if error.is_finite() { error } else { 0.0 };
        }
        self.at = (self.at + 1) % ROWS;
        self.filled = (self.filled + 1).min(ROWS);
    }

    /// Spacing of the frequencies and the amplitude of a sine at each of them, in the unit of the
    /// rows, up to 100 Hz.
    ///
    /// A Hann window keeps the ends of the piece from smearing over the whole axis; twice that
    /// window has a mean of one.
    // a few thousand; a picture
    #[allow(clippy::cast_possible_truncation)]
    pub fn amplitudes(&self) -> Option<(f64, Vec<Vec<f32>>)> {
        if self.filled < ROWS || self.rings.is_empty() {
            return None;
        }
        let mut spacing = 0.0;
        let mut all = Vec::new();
        for ring in &self.rings {
            let (late, early) = ring.split_at(self.at);
            let ordered = early.iter().chain(late);
            let mean = ring.iter().sum::<f64>() / ROWS as f64;
            let windowed: Vec<f64> = ordered
                .enumerate()
                .map(|(k, x)| {
                    let phase = std::f64::consts::TAU * k as f64 / ROWS as f64;
                    (x - mean) * (1.0 - phase.cos())
                })
                .collect();
            let found = sine_amplitude(&windowed, 1.0 / self.rate_hz).ok()?;
            spacing = found.frequency.get(1).copied()?;
            let kept = found.frequency.iter().zip(&found.amplitude);
            all.push(
                kept.take_while(|(f, _)| **f <= HIGHEST_HZ)
                    .map(|(_, a)| *a as f32)
                    .collect(),
            );
        }
        Some((spacing, all))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A sine of 12 Hz and 0.3 mm shows as 0.3 mm at 12 Hz, also when the ring has turned.
    #[test]
    fn a_sine_has_its_amplitude_at_its_frequency() {
        let rate = 1024.0;
        let mut spectrum = ErrorSpectrum::new(1, rate);
        for k in 0..6000 {
            let t = f64::from(k) / rate;
            let x = 0.3e-3 * (std::f64::consts::TAU * 12.0 * t).sin() + 1e-3;
            spectrum.push(std::iter::once(x));
        }
        let (spacing, all) = spectrum.amplitudes().unwrap();
        let peak = (0..all[0].len()).max_by(|a, b| all[0][*a].total_cmp(&all[0][*b]));
        let frequency = spacing * peak.unwrap() as f64;
        assert!((frequency - 12.0).abs() < 0.13, "{frequency} Hz");
        assert!((f64::from(all[0][peak.unwrap()]) / 0.3e-3 - 1.0).abs() < 0.02);
    }
}
