//! Frequency response from command to measured motion.
//!
//! Spectra by Welch's method with the conventions of `scipy.signal`. With several inputs acting at
//! once the responses are solved for together, so that what one actuator does to the other's sensor
//! is told apart from its own lag.

use std::f64::consts::PI;

use faer::linalg::solvers::Solve;
use faer::{Mat, c64};
use tandem_signal::Complex;
use tandem_signal::spectrum::Welch;

use crate::error::check;
use crate::{IdentifyError, real};

/// Which noise is averaged out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Estimator {
    /// H₁ = S_uy/S_uu: noise of the output. The usual one: the command is known exactly.
    #[default]
    H1,
    /// H₂ = S_yy/S_yu: noise of the input.
    H2,
    /// Hᵥ: noise of both, the geometric mean of H₁ and H₂ with the phase they share.
    Hv,
}

/// The frequency response from one input to one output.
#[derive(Debug, Clone, PartialEq)]
pub struct Frf {
    /// Hz.
    pub frequency: Vec<f64>,
    /// Output over input.
    pub response: Vec<Complex<f64>>,
    /// 0 … 1: the share of the output that all inputs explain linearly.
    pub coherence: Vec<f64>,
    /// Power density of the input, for the band that it excites.
    pub input_power: Vec<f64>,
    /// Number of independent segments averaged.
    pub averages: usize,
}

/// Frequency responses from every input to one output: `result[input]`.
///
/// # Errors
/// [`IdentifyError`] for data under two segments, values that are not finite, or inputs that move
/// together; [`Estimator::H2`] and [`Estimator::Hv`] take one input.
pub fn frequency_response(
    inputs: &[&[f64]],
    output: &[f64],
    fs: f64,
    segment: usize,
    estimator: Estimator,
) -> Result<Vec<Frf>, IdentifyError> {
    const WHAT: &str = "frequency response";
    let mut all = vec![output];
    all.extend(inputs);
    let length = check(WHAT, &all, 64)?;
    if inputs.is_empty() {
        return Err(IdentifyError::undetermined(WHAT, "there is no input"));
    }
    if inputs.len() > 1 && estimator != Estimator::H1 {
        return Err(IdentifyError::undetermined(
            WHAT,
            "H2 and Hv are for one input; take H1 for several",
        ));
    }
    let segment = segment.clamp(16, length / 2);
    let welch = Welch::new(segment);
    let n = inputs.len();
    let mut between = Vec::with_capacity(n * n);
    let mut to_output = Vec::with_capacity(n);
    for x in inputs {
        for y in inputs {
            between.push(welch.csd(x, y, fs)?.1);
        }
        to_output.push(welch.csd(x, output, fs)?.1);
    }
    let (frequency, power) = welch.psd(output, fs)?;
    let lines = frequency.len();
    let averages = (length - segment) / (segment - segment / 2) + 1;
    let mut found: Vec<Frf> = (0..n)
        .map(|j| Frf {
            frequency: frequency.clone(),
            response: Vec::with_capacity(lines),
            coherence: Vec::with_capacity(lines),
            input_power: between[j * n + j].iter().map(|s| s.re).collect(),
            averages,
        })
        .collect();
    for k in 0..lines {
        // S_uy,i = Σ_j S_uu,ij H_j with S_xy the average of conj(X) Y.
        let h: Vec<Complex<f64>> = if n == 1 {
            let (xx, xy, yy) = (between[0][k].re, to_output[0][k], power[k]);
            let first = xy / xx.max(f64::MIN_POSITIVE);
            vec![match estimator {
                Estimator::H1 => first,
                Estimator::H2 => yy / xy.conj(),
                Estimator::Hv => {
                    xy / xy.norm().max(f64::MIN_POSITIVE) * (yy / xx.max(f64::MIN_POSITIVE)).sqrt()
                }
            }]
        } else {
            let matrix = Mat::from_fn(n, n, |i, j| {
                let s = between[i * n + j][k];
                c64::new(s.re, s.im)
            });
            let right = Mat::from_fn(n, 1, |i, _| {
                let s = to_output[i][k];
                c64::new(s.re, s.im)
            });
            let solved = matrix.partial_piv_lu().solve(&right);
            (0..n)
                .map(|j| Complex::new(solved[(j, 0)].re, solved[(j, 0)].im))
                .collect()
        };
        let explained: f64 = if n == 1 {
            to_output[0][k].norm_sqr() / between[0][k].re.max(f64::MIN_POSITIVE)
        } else {
            (0..n).map(|j| (to_output[j][k].conj() * h[j]).re).sum()
        };
        let coherence = (explained / power[k].max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        for (j, frf) in found.iter_mut().enumerate() {
            let value = if h[j].re.is_finite() && h[j].im.is_finite() {
                h[j]
            } else {
                Complex::new(0.0, 0.0)
            };
            frf.response.push(value);
            frf.coherence.push(if coherence.is_finite() {
                coherence
            } else {
                0.0
            });
        }
    }
    Ok(found)
}

impl Frf {
    /// Lines that say something: coherent, excited, below 0.4 of the sampling rate, above zero.
    #[must_use]
    pub fn trusted(&self, least_coherence: f64) -> Vec<usize> {
        let most = self.input_power.iter().copied().fold(0.0, f64::max);
        let nyquist = self.frequency.last().copied().unwrap_or(0.0);
        (1..self.frequency.len())
            .filter(|&k| {
                self.coherence[k] >= least_coherence
                    && self.input_power[k] > 1e-4 * most
                    && self.frequency[k] < 0.8 * nyquist
            })
            .collect()
    }

    /// Gain in dB.
    #[must_use]
    pub fn gain_db(&self) -> Vec<f64> {
        self.response
            .iter()
            .map(|h| 20.0 * h.norm().max(1e-30).log10())
            .collect()
    }

    /// Phase in degrees, without jumps over the lines given.
    #[must_use]
    pub fn phase_degrees(&self, lines: &[usize]) -> Vec<f64> {
        let mut last = 0.0;
        lines
            .iter()
            .map(|&k| {
                let raw = self.response[k].arg();
                let turns = ((last - raw) / (2.0 * PI)).round();
                last = raw + 2.0 * PI * turns;
                last.to_degrees()
            })
            .collect()
    }

    /// Delay −φ/ω (s) over the lines given.
    #[must_use]
    pub fn delay(&self, lines: &[usize]) -> Vec<f64> {
        self.phase_degrees(lines)
            .iter()
            .zip(lines)
            .map(|(phase, &k)| -phase.to_radians() / (2.0 * PI * self.frequency[k]))
            .collect()
    }

    /// Gain at low frequency: the mean over the first tenth of the trusted lines (at least three).
    #[must_use]
    pub fn static_gain(&self) -> Option<f64> {
        let lines = self.trusted(0.8);
        let few = (lines.len() / 10).max(3).min(lines.len());
        (few > 0).then(|| {
            let sum: f64 = lines[..few].iter().map(|&k| self.response[k].norm()).sum();
            sum / real(few)
        })
    }

    /// First frequency (Hz) at which the gain has fallen by 3 dB below its static value; none
    /// within the trusted band.
    #[must_use]
    pub fn bandwidth(&self) -> Option<f64> {
        let limit = self.static_gain()? / 2.0_f64.sqrt();
        let lines = self.trusted(0.5);
        lines.windows(2).find_map(|pair| {
            let [a, b] = [pair[0], pair[1]].map(|k| self.response[k].norm());
            (a >= limit && b < limit).then(|| {
                let [fa, fb] = [pair[0], pair[1]].map(|k| self.frequency[k]);
                fa + (fb - fa) * (a - limit) / (a - b)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_signal::noise::WhiteNoise;

    fn noise(seed: u64, n: usize) -> Vec<f64> {
        let mut source = WhiteNoise::new(1.0, seed).unwrap();
        (0..n).map(|_| source.next()).collect()
    }

    /// y = x delayed by three samples, half as large: gain −6.02 dB, delay 3/fs, coherence one.
    #[test]
    fn a_pure_delay() {
        let x = noise(1, 20_000);
        let y: Vec<f64> = (0..x.len())
            .map(|k| if k < 3 { 0.0 } else { 0.5 * x[k - 3] })
            .collect();
        for estimator in [Estimator::H1, Estimator::H2, Estimator::Hv] {
            let frf = &frequency_response(&[&x], &y, 100.0, 512, estimator).unwrap()[0];
            let lines = frf.trusted(0.9);
            assert!(lines.len() > 150);
            let delays = frf.delay(&lines);
            assert_eq!(delays.len(), lines.len());
            for (delay, k) in delays.iter().zip(&lines) {
                assert!((frf.response[*k].norm() - 0.5).abs() < 0.02);
                // A fixed error of the phase is a large delay at low frequency.
                assert!(*k < 10 || (delay - 0.03).abs() < 2e-3, "{delay}");
            }
        }
    }

    /// Noise on the output spoils H₂ by 1/γ² and leaves H₁ alone; noise on the input the other way
    /// round (Bendat and Piersol 2010).
    #[test]
    fn each_estimator_removes_its_noise() {
        let x = noise(1, 200_000);
        let n = noise(2, x.len());
        let y: Vec<f64> = x.iter().zip(&n).map(|(x, n)| 2.0 * x + n).collect();
        let mean = |estimator, u: &[f64], y: &[f64]| {
            let frf = &frequency_response(&[u], y, 100.0, 256, estimator).unwrap()[0];
            let sum: f64 = frf.response[1..100].iter().map(|h| h.norm()).sum();
            sum / 99.0
        };
        assert!((mean(Estimator::H1, &x, &y) - 2.0).abs() < 0.02);
        assert!((mean(Estimator::H2, &x, &y) - 2.5).abs() < 0.02);
        assert!((mean(Estimator::Hv, &x, &y) - 5.0_f64.sqrt()).abs() < 0.02);
        let u: Vec<f64> = x.iter().zip(&n).map(|(x, n)| x + n).collect();
        assert!((mean(Estimator::H2, &u, &x) - 1.0).abs() < 0.02);
        assert!((mean(Estimator::H1, &u, &x) - 0.5).abs() < 0.02);
    }

    /// Two inputs that share noise: the responses are told apart.
    #[test]
    fn two_inputs_at_once() {
        let (a, b) = (noise(1, 60_000), noise(2, 60_000));
        let second: Vec<f64> = a.iter().zip(&b).map(|(a, b)| 0.5 * a + b).collect();
        let y: Vec<f64> = a.iter().zip(&second).map(|(a, b)| 3.0 * a - b).collect();
        let found = frequency_response(&[&a, &second], &y, 100.0, 256, Estimator::H1).unwrap();
        for k in 5..100 {
            assert!((found[0].response[k] - 3.0).norm() < 1e-9);
            assert!((found[1].response[k] + 1.0).norm() < 1e-9);
            assert!((found[0].coherence[k] - 1.0).abs() < 1e-9);
        }
    }
}
