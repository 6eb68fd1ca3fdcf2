//! Frequency, damping and mass from a decaying motion.

use std::f64::consts::PI;

use tandem_signal::spectrum::sine_amplitude;

use crate::error::check;
use crate::minimise::levenberg_marquardt;
use crate::{IdentifyError, real};

/// x = x₀ + A e^(−ζωt) cos(ω_d t − φ), fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct FreeVibration {
    /// Undamped natural frequency, Hz.
    pub frequency: f64,
    /// Its standard error, Hz.
    pub frequency_error: f64,
    /// Damping ratio.
    pub damping: f64,
    /// Its standard error.
    pub damping_error: f64,
    /// Amplitude at the first sample.
    pub amplitude: f64,
    /// RMS of what is left over the amplitude.
    pub residual_part: f64,
    /// The fitted motion.
    pub computed: Vec<f64>,
}

impl FreeVibration {
    /// Mass (kg) and damping coefficient (N s/m) of an oscillator with this stiffness (N/m).
    #[must_use]
    pub fn mass_and_damping(&self, stiffness: f64) -> (f64, f64) {
        let w = 2.0 * PI * self.frequency;
        let mass = stiffness / (w * w);
        (mass, 2.0 * self.damping * mass * w)
    }
}

/// Fits one decaying cosine to samples that begin after the release.
///
/// # Errors
/// [`IdentifyError`] for short data or a motion that does not swing.
pub fn fit(motion: &[f64], fs: f64) -> Result<FreeVibration, IdentifyError> {
    const WHAT: &str = "free vibration";
    let n = check(WHAT, &[motion], 32)?;
    let mean = motion[n - n / 4..].iter().sum::<f64>() / real(n / 4);
    let centred: Vec<f64> = motion.iter().map(|x| x - mean).collect();
    let spectrum = sine_amplitude(&centred, 1.0 / fs)?;
    let at = (2..spectrum.amplitude.len())
        .max_by(|a, b| spectrum.amplitude[*a].total_cmp(&spectrum.amplitude[*b]))
        .unwrap_or(2);
    let w = 2.0 * PI * spectrum.frequency[at];
    let amplitude = centred.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    if amplitude <= 0.0 {
        return Err(IdentifyError::undetermined(WHAT, "nothing moves"));
    }
    // Unknowns in units of the amplitude: in phase, out of phase, offset, ln ω, ln ζ.
    let dt = 1.0 / fs;
    let motion_of = |x: &[f64], k: usize| {
        let (w, zeta, t) = (x[3].exp(), x[4].exp(), real(k) * dt);
        let wd = w * (1.0 - zeta * zeta).max(0.0).sqrt() * t;
        amplitude * (x[2] + (-zeta * w * t).exp() * (x[0] * wd.cos() + x[1] * wd.sin()))
    };
    let mut best: Option<crate::minimise::Minimum> = None;
    for zeta in [0.002, 0.02, 0.1] {
        for (a, b) in [(0.7, 0.7), (0.7, -0.7), (-0.7, 0.7), (-0.7, -0.7)] {
            let start = [a, b, 0.0, w.ln(), f64::ln(zeta)];
            let found = levenberg_marquardt(&start, &[1e-7; 5], 60, |x, r| {
                if x[4] > -0.01 || x[3] > (PI * fs).ln() {
                    return false;
                }
                r.clear();
                r.extend((0..n).map(|k| centred[k] - motion_of(x, k)));
                true
            });
            if let Some(found) = found
                && best.as_ref().is_none_or(|b| found.square < b.square)
            {
                best = Some(found);
            }
        }
    }
    let best = best
        .ok_or_else(|| IdentifyError::undetermined(WHAT, "no decaying motion could be fitted"))?;
    let variance = best.square / real(n - 5);
    let error = |k: usize| (variance * best.inverse[k]).sqrt();
    let (frequency, damping) = (best.x[3].exp() / (2.0 * PI), best.x[4].exp());
    Ok(FreeVibration {
        frequency,
        frequency_error: frequency * error(3),
        damping,
        damping_error: damping * error(4),
        amplitude: amplitude * best.x[0].hypot(best.x[1]),
        residual_part: (best.square / real(n)).sqrt() / amplitude,
        computed: (0..n).map(|k| mean + motion_of(&best.x, k)).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decay_comes_back() {
        let fs = 500.0;
        let (f, zeta) = (7.3, 0.013);
        let w = 2.0 * PI * f;
        let motion: Vec<f64> = (0..2500)
            .map(|k| {
                let t = real(k) / fs;
                0.5 + 2.0 * (-zeta * w * t).exp() * (w * (1.0 - zeta * zeta).sqrt() * t - 0.4).cos()
            })
            .collect();
        let found = fit(&motion, fs).unwrap();
        assert!((found.frequency - f).abs() < 1e-6, "{}", found.frequency);
        assert!((found.damping - zeta).abs() < 1e-7);
        assert!((found.amplitude - 2.0).abs() < 1e-6);
        let (mass, damping) = found.mass_and_damping(1000.0);
        assert!((mass - 1000.0 / (w * w)).abs() < 1e-6);
        assert!((damping - 2.0 * zeta * 1000.0 / w).abs() < 1e-6);
        assert!(fit(&[0.0; 100], fs).is_err());
    }
}
