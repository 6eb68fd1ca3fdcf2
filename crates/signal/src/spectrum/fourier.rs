//! Fourier amplitude.

use crate::Complex;
use crate::error::{SignalError, real};
use realfft::RealFftPlanner;

/// One-sided amplitude against frequency.
#[derive(Debug, Clone, PartialEq)]
pub struct FourierSpectrum {
    /// Frequencies, Hz, from 0 to at most 1/(2 dt).
    pub frequency: Vec<f64>,
    /// Amplitudes.
    pub amplitude: Vec<f64>,
}

/// Fourier amplitude spectrum |∫ x(t) e^(−iωt) dt| ≈ dt |FFT|, in the unit of x times seconds, as
/// seismologists draw it.
///
/// # Errors
/// [`SignalError`] for fewer than two samples or a step that is not positive.
pub fn fourier_amplitude(signal: &[f64], dt: f64) -> Result<FourierSpectrum, SignalError> {
    spectrum(signal, dt, |norm, _| dt * norm)
}

/// Amplitude of the sines that make up the signal, 2|FFT|/n (1/n at zero and at the Nyquist
/// frequency), in the unit of x.
///
/// # Errors
/// As [`fourier_amplitude`].
pub fn sine_amplitude(signal: &[f64], dt: f64) -> Result<FourierSpectrum, SignalError> {
    let n = signal.len();
    spectrum(signal, dt, |norm, bin| {
        let single = bin == 0 || 2 * bin == n;
        norm * if single { 1.0 } else { 2.0 } / real(n)
    })
}

fn spectrum(
    signal: &[f64],
    dt: f64,
    scale: impl Fn(f64, usize) -> f64,
) -> Result<FourierSpectrum, SignalError> {
    SignalError::require_length("signal to transform", 2, signal.len())?;
    SignalError::require_positive("time step of the spectrum", dt)?;
    let bins = forward(signal);
    let frequency = (0..bins.len())
        .map(|bin| real(bin) / (real(signal.len()) * dt))
        .collect();
    let amplitude = bins
        .iter()
        .enumerate()
        .map(|(bin, value)| scale(value.norm(), bin))
        .collect();
    Ok(FourierSpectrum {
        frequency,
        amplitude,
    })
}

/// FFT of a real signal: n/2 + 1 bins.
#[must_use]
pub fn forward(signal: &[f64]) -> Vec<Complex<f64>> {
    if signal.is_empty() {
        return Vec::new();
    }
    let plan = RealFftPlanner::<f64>::new().plan_fft_forward(signal.len());
    let mut input = signal.to_vec();
    let mut output = plan.make_output_vec();
    // Fails only for buffers of the wrong length; these were sized for the plan.
    let _sized = plan.process(&mut input, &mut output);
    output
}

/// Inverse of [`forward`] for a signal of length `n`, with the factor 1/n.
#[must_use]
pub fn inverse(mut bins: Vec<Complex<f64>>, n: usize) -> Vec<f64> {
    if n == 0 {
        return Vec::new();
    }
    let plan = RealFftPlanner::<f64>::new().plan_fft_inverse(n);
    bins.resize(n / 2 + 1, Complex::default());
    // A real signal has real bins at zero and at the Nyquist frequency.
    bins[0].im = 0.0;
    if n.is_multiple_of(2) {
        bins[n / 2].im = 0.0;
    }
    let mut output = plan.make_output_vec();
    // Fails only for buffers of the wrong length or bins that are not real where they must be.
    let _sized = plan.process(&mut bins, &mut output);
    output.iter_mut().for_each(|value| *value /= real(n));
    output
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn a_sine_has_its_amplitude_at_its_frequency() {
        let dt = 0.01;
        let wave: Vec<f64> = (0..500)
            .map(|k| 1.5 + 0.7 * (2.0 * PI * 4.0 * f64::from(k) * dt).sin())
            .collect();
        let spectrum = sine_amplitude(&wave, dt).unwrap();
        assert!((spectrum.frequency[20] - 4.0).abs() < 1e-12);
        assert!((spectrum.amplitude[20] - 0.7).abs() < 1e-12);
        assert!((spectrum.amplitude[0] - 1.5).abs() < 1e-12);
        assert!(
            spectrum
                .amplitude
                .iter()
                .enumerate()
                .all(|(bin, value)| bin == 0 || bin == 20 || *value < 1e-12)
        );
        let fourier = fourier_amplitude(&wave, dt).unwrap();
        assert!((fourier.amplitude[20] - 0.7 * 5.0 / 2.0).abs() < 1e-12);
        assert!((spectrum.frequency.last().unwrap() - 50.0).abs() < 1e-12);
    }

    #[test]
    fn the_inverse_undoes_the_transform() {
        for n in [2, 3, 16, 35] {
            let wave: Vec<f64> = (0..n)
                .map(|k| (1.3 * real(k)).sin() + 0.2 * real(k))
                .collect();
            for (value, wanted) in inverse(forward(&wave), n).iter().zip(&wave) {
                assert!((value - wanted).abs() < 1e-12);
            }
        }
        assert!(sine_amplitude(&[1.0], 0.1).is_err());
        assert!(fourier_amplitude(&[1.0, 2.0], 0.0).is_err());
    }
}
