//! Coefficients of the adaptive time series compensator from characterisation data.
//!
//! u = a₀ x + a₁ ẋ + a₂ ẍ by least squares of the command u on the measured motion x (Tekeste,
//! Correia and Costa 2025, section 3.2; Chae, Kazemibidokhti and Ricles 2013). Delay a₁/a₀,
//! amplitude 1/a₀.
//!
//! A command is held from sample to sample. What moves the actuator is therefore the mean of the
//! command over the sample before, half a sample late; the fit takes that one, so that the
//! coefficients are those of the transfer system whatever the rate ([`Coefficients::for_next_tick`]
//! says what a compensator must take).

use std::f64::consts::PI;

use tandem_signal::Complex;

use crate::error::check;
use crate::least_squares::least_squares;
use crate::transfer::holding;
use crate::{IdentifyError, index, real};

/// How the data are prepared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Edge of the Fourier low-pass on all signals, Hz; the paper takes 20.
    pub cutoff: f64,
    /// Below this frequency (Hz) velocity comes from displacement, above from acceleration; the
    /// paper takes 4.
    pub crossover: f64,
    /// Seconds cut off at both ends, where the Fourier filter rings.
    pub crop: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cutoff: 20.0,
            crossover: 4.0,
            crop: 2.0,
        }
    }
}

/// The coefficients, and what they mean.
#[derive(Debug, Clone, PartialEq)]
pub struct Coefficients {
    /// a₀, a₁ (s), a₂ (s²) of the transfer system: the inverse of its response to a continuous
    /// command.
    pub a: [f64; 3],
    /// Standard errors. Samples of a filtered signal depend on each other: they are counted as
    /// twice the cutoff times the duration.
    pub standard_error: [f64; 3],
    /// a₁/a₀, s; positive where the measured motion lags.
    pub delay: f64,
    /// 100 (1/a₀ − 1): positive where the motion overshoots.
    pub gain_error_percent: f64,
    /// Condition number of the columns x, ẋ, ẍ, scaled to unit length.
    pub condition: f64,
    /// RMS of what is left of the command, m.
    pub residual_rms: f64,
    /// Samples used.
    pub samples: usize,
    /// Whether a measured acceleration took part.
    pub fused: bool,
}

impl Coefficients {
    /// The same for a compensator whose command is wanted for the next tick, `period` seconds
    /// later, and held until then: such a command acts half a period before the instant it is
    /// wanted for, and what comes out of the coefficients is wanted half a period less early.
    #[must_use]
    pub fn for_next_tick(&self, period: f64) -> [f64; 3] {
        let [a0, a1, a2] = self.a;
        let early = 0.5 * period;
        [
            a0,
            a1 - early * a0,
            a2 - early * a1 + 0.5 * early * early * a0,
        ]
    }
}

/// Fits the coefficients. Acceleration in m/s² where it was measured; else all derivatives come
/// from the displacement.
///
/// # Errors
/// [`IdentifyError`] for short data, values that are not finite, and a motion that leaves the
/// coefficients undetermined.
pub fn coefficients(
    command: &[f64],
    measured: &[f64],
    acceleration: Option<&[f64]>,
    fs: f64,
    options: &Options,
) -> Result<Coefficients, IdentifyError> {
    const WHAT: &str = "ATS coefficients";
    let mut all = vec![command, measured];
    all.extend(acceleration);
    let crop = index(options.crop * fs);
    let length = check(WHAT, &all, 2 * crop + 64)?;
    let low = |f: f64| if f <= options.cutoff { 1.0 } else { 0.0 };
    let filter = |x: &[f64], gain: &dyn Fn(f64) -> Complex<f64>| shaped(x, fs, gain);
    let plain = |f: f64| Complex::new(low(f), 0.0);
    let first = |f: f64| Complex::new(0.0, 2.0 * PI * f) * low(f);
    let second = |f: f64| Complex::new(-(2.0 * PI * f).powi(2), 0.0) * low(f);
    let held = |f: f64| holding(f, 1.0 / fs) * low(f);
    let u = filter(command, &held);
    let x = filter(measured, &plain);
    let (v, a) = match acceleration {
        None => (filter(measured, &first), filter(measured, &second)),
        Some(acceleration) => {
            // Complementary shares: s²/(s² + ω²) of the integrated acceleration, the rest of the
            // differentiated displacement.
            let share = |f: f64| {
                let r = (f / options.crossover).powi(2);
                r * r / (1.0 + r * r)
            };
            let slow = filter(measured, &|f| first(f) * (1.0 - share(f)));
            let quick = filter(acceleration, &|f| {
                if f > 0.0 {
                    Complex::new(0.0, -1.0 / (2.0 * PI * f)) * low(f) * share(f)
                } else {
                    Complex::new(0.0, 0.0)
                }
            });
            let bent = filter(measured, &|f| second(f) * (1.0 - share(f)));
            let felt = filter(acceleration, &|f| Complex::new(low(f) * share(f), 0.0));
            let sum =
                |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<_>>();
            (sum(&slow, &quick), sum(&bent, &felt))
        }
    };
    let window = crop..length - crop;
    let constant = vec![1.0; window.len()];
    let fit = least_squares(
        &[
            &x[window.clone()],
            &v[window.clone()],
            &a[window.clone()],
            &constant,
        ],
        &u[window.clone()],
    )?;
    let condition = least_squares(
        &[&x[window.clone()], &v[window.clone()], &a[window.clone()]],
        &u[window.clone()],
    )?
    .condition;
    if fit.x[0].abs() < 1e-3 {
        return Err(IdentifyError::undetermined(
            WHAT,
            "the measured displacement does not follow the command",
        ));
    }
    let independent = (2.0 * options.cutoff / fs).min(1.0);
    let widen = 1.0 / independent.sqrt();
    Ok(Coefficients {
        a: [fit.x[0], fit.x[1], fit.x[2]],
        standard_error: std::array::from_fn(|k| widen * fit.standard_error[k]),
        delay: fit.x[1] / fit.x[0],
        gain_error_percent: 100.0 * (1.0 / fit.x[0] - 1.0),
        condition,
        residual_rms: fit.residual_rms,
        samples: window.len(),
        fused: acceleration.is_some(),
    })
}

/// A signal whose Fourier coefficients are multiplied by `gain` of their frequency (Hz). Its mean
/// is treated apart: kept by a gain of one at zero.
fn shaped(x: &[f64], fs: f64, gain: &dyn Fn(f64) -> Complex<f64>) -> Vec<f64> {
    use tandem_signal::spectrum::{forward, inverse};
    let n = x.len();
    let mean = x.iter().sum::<f64>() / real(n.max(1));
    let centred: Vec<f64> = x.iter().map(|x| x - mean).collect();
    let mut bins = forward(&centred);
    for (k, bin) in bins.iter_mut().enumerate() {
        *bin *= gain(real(k) * fs / real(n));
    }
    let kept = gain(0.0).re * mean;
    let mut y = inverse(bins, n);
    y.iter_mut().for_each(|y| *y += kept);
    y
}
