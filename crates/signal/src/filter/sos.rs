//! Second-order sections.

use crate::Complex;
use crate::error::SignalError;
use std::f64::consts::PI;

/// A cascade of second-order sections, validated and immutable.
///
/// Ports: in x, out y, same unit, one sample each 1/fs. A section is
/// H(z) = (b₀ + b₁z⁻¹ + b₂z⁻²)/(1 + a₁z⁻¹ + a₂z⁻²), run in transposed direct form II.
#[derive(Debug, Clone, PartialEq)]
pub struct Sos {
    rows: Vec<[f64; 6]>,
    fs: f64,
}

/// The memory of a cascade: two numbers a section.
#[derive(Debug, Clone, PartialEq)]
pub struct SosState {
    delays: Vec<[f64; 2]>,
}

impl Sos {
    /// A cascade from rows b₀, b₁, b₂, a₀, a₁, a₂ at sampling frequency `fs`, Hz. Rows are divided
    /// by their a₀.
    ///
    /// # Errors
    /// [`SignalError::Parameter`] if a coefficient is not finite, a₀ is zero, a section is not
    /// stable (a pole on or outside the unit circle), there is no section, or `fs` is not positive.
    pub fn new(rows: &[[f64; 6]], fs: f64) -> Result<Self, SignalError> {
        SignalError::require_positive("sampling frequency", fs)?;
        SignalError::require(
            !rows.is_empty(),
            "number of filter sections",
            "at least 1",
            0.0,
        )?;
        let mut normal = Vec::with_capacity(rows.len());
        for row in rows {
            let a0 = row[3];
            let scaled = row.map(|coefficient| coefficient / a0);
            for (&given, &coefficient) in row.iter().zip(&scaled) {
                SignalError::require(
                    coefficient.is_finite(),
                    "filter coefficient",
                    "finite, with a0 not 0",
                    given,
                )?;
            }
            let [.., a1, a2] = scaled;
            // Jury's conditions for a polynomial of second order.
            let stable = a2.abs() < 1.0 && a1.abs() < 1.0 + a2;
            SignalError::require(
                stable,
                "filter section (a2 shown)",
                "stable: |a2| < 1 and |a1| < 1 + a2",
                a2,
            )?;
            normal.push(scaled);
        }
        Ok(Self { rows: normal, fs })
    }

    /// Rows b₀, b₁, b₂, 1, a₁, a₂.
    #[must_use]
    pub fn rows(&self) -> &[[f64; 6]] {
        &self.rows
    }

    /// Sampling frequency, Hz.
    #[must_use]
    pub fn fs(&self) -> f64 {
        self.fs
    }

    /// The state of a filter that has always seen zero.
    #[must_use]
    pub fn state(&self) -> SosState {
        SosState {
            delays: vec![[0.0; 2]; self.rows.len()],
        }
    }

    /// The state of a filter that has always seen `value`: a constant passes from the first sample
    /// on, with the gain at zero frequency.
    #[must_use]
    pub fn steady_state(&self, value: f64) -> SosState {
        let mut state = self.state();
        self.settle(&mut state, value);
        state
    }

    /// Sets a state to that of [`Sos::steady_state`] without allocating.
    pub fn settle(&self, state: &mut SosState, value: f64) {
        let mut input = value;
        for ([b0, b1, b2, _, a1, a2], delay) in self.rows.iter().zip(&mut state.delays) {
            let output = input * (b0 + b1 + b2) / (1.0 + a1 + a2);
            delay[1] = b2 * input - a2 * output;
            delay[0] = output - b0 * input;
            input = output;
        }
    }

    /// Takes the next sample, gives the filtered one.
    pub fn step(&self, state: &mut SosState, input: f64) -> f64 {
        let mut signal = input;
        for ([b0, b1, b2, _, a1, a2], delay) in self.rows.iter().zip(&mut state.delays) {
            let output = b0 * signal + delay[0];
            delay[0] = b1 * signal - a1 * output + delay[1];
            delay[1] = b2 * signal - a2 * output;
            signal = output;
        }
        signal
    }

    /// Filters a whole signal from rest at zero.
    #[must_use]
    pub fn filter(&self, signal: &[f64]) -> Vec<f64> {
        let mut state = self.state();
        signal
            .iter()
            .map(|&value| self.step(&mut state, value))
            .collect()
    }

    /// Complex frequency response at `frequency`, Hz.
    #[must_use]
    pub fn response(&self, frequency: f64) -> Complex<f64> {
        let z = self.delay_operator(frequency);
        let unit = Complex::new(1.0, 0.0);
        self.rows
            .iter()
            .fold(unit, |product, &[b0, b1, b2, _, a1, a2]| {
                product * quadratic(b0, b1, b2, z) / quadratic(1.0, a1, a2, z)
            })
    }

    /// Group delay at `frequency` (Hz), s: how much later the envelope of a narrow-band signal
    /// comes out.
    ///
    /// −dφ/dω, section by section, from Re(z dN/dz / N) of numerator and denominator. Not defined
    /// (not finite) at a zero on the unit circle.
    #[must_use]
    pub fn group_delay(&self, frequency: f64) -> f64 {
        let z = self.delay_operator(frequency);
        let delay = |c0: f64, c1: f64, c2: f64| {
            let weighted = z * c1 + z * z * (2.0 * c2);
            (weighted / quadratic(c0, c1, c2, z)).re
        };
        let samples: f64 = self
            .rows
            .iter()
            .map(|&[b0, b1, b2, _, a1, a2]| delay(b0, b1, b2) - delay(1.0, a1, a2))
            .sum();
        samples / self.fs
    }

    /// z⁻¹ at `frequency`.
    fn delay_operator(&self, frequency: f64) -> Complex<f64> {
        Complex::from_polar(1.0, -2.0 * PI * frequency / self.fs)
    }
}

/// c₀ + c₁z + c₂z².
fn quadratic(c0: f64, c1: f64, c2: f64, z: Complex<f64>) -> Complex<f64> {
    (z * c2 + c1) * z + c0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unstable_or_broken_sections_are_refused() {
        let good = [1.0, 2.0, 1.0, 1.0, -0.5, 0.2];
        assert!(Sos::new(&[good], 100.0).is_ok());
        assert!(Sos::new(&[], 100.0).is_err());
        assert!(Sos::new(&[good], 0.0).is_err());
        assert!(Sos::new(&[[1.0, 2.0, 1.0, 0.0, -0.5, 0.2]], 100.0).is_err());
        assert!(Sos::new(&[[f64::NAN, 2.0, 1.0, 1.0, -0.5, 0.2]], 100.0).is_err());
        assert!(Sos::new(&[[1.0, 2.0, 1.0, 1.0, -0.5, 1.0]], 100.0).is_err());
        assert!(Sos::new(&[[1.0, 2.0, 1.0, 1.0, -1.3, 0.2]], 100.0).is_err());
    }

    #[test]
    fn rows_are_divided_by_a0() {
        let sos = Sos::new(&[[2.0, 4.0, 2.0, 2.0, -1.0, 0.4]], 100.0).unwrap();
        assert_eq!(sos.rows(), [[1.0, 2.0, 1.0, 1.0, -0.5, 0.2]]);
    }
}
