//! Power spectra by averaged periodograms (Welch 1967), with the conventions of `scipy.signal`.

use super::fourier::forward;
use crate::Complex;
use crate::error::{SignalError, real};
use std::f64::consts::PI;

/// What is taken out of each segment first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detrend {
    /// Nothing.
    None,
    /// The mean.
    Mean,
}

/// Averaged periodograms: Hann window (periodic), one-sided density.
///
/// A signal shorter than the segment is taken whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Welch {
    /// Samples of a segment.
    pub segment: usize,
    /// Samples that neighbours share; below `segment`.
    pub overlap: usize,
    /// What is taken out of each segment first.
    pub detrend: Detrend,
    /// Each segment is followed by zeros up to this many times its length, at least 1 (`nfft` of
    /// scipy). With 2 the lines belong to a correlation whose ends do not overlap.
    pub padding: usize,
}

impl Welch {
    /// Segments of that length, half overlapping, means removed: the defaults of scipy.
    #[must_use]
    pub fn new(segment: usize) -> Self {
        Self {
            segment,
            overlap: segment / 2,
            detrend: Detrend::Mean,
            padding: 1,
        }
    }

    /// Frequencies (Hz) and one-sided power density (unit²/Hz) of a signal sampled at `fs`, Hz.
    ///
    /// # Errors
    /// [`SignalError`] for a signal or a segment under two samples, an overlap that is not below
    /// the segment, or a bad `fs`.
    pub fn psd(&self, signal: &[f64], fs: f64) -> Result<(Vec<f64>, Vec<f64>), SignalError> {
        let (frequency, density) = self.csd(signal, signal, fs)?;
        Ok((frequency, density.iter().map(|value| value.re).collect()))
    }

    /// Frequencies (Hz) and cross-spectral density of x and y: the average of conj(X) Y, as
    /// `scipy.signal.csd`. Its phase is negative where y lags x.
    ///
    /// # Errors
    /// As [`Welch::psd`], and for signals of different lengths.
    pub fn csd(
        &self,
        x: &[f64],
        y: &[f64],
        fs: f64,
    ) -> Result<(Vec<f64>, Vec<Complex<f64>>), SignalError> {
        SignalError::require_same_length(x, y)?;
        SignalError::require_length("signal of the spectrum", 2, x.len())?;
        SignalError::require_length("segment of the spectrum", 2, self.segment)?;
        SignalError::require_positive("sampling frequency", fs)?;
        let length = self.segment.min(x.len());
        // A signal taken whole has one segment; its overlap does not matter.
        let overlap = if length < self.segment {
            length / 2
        } else {
            self.overlap
        };
        let expected = "below the segment";
        SignalError::require(
            overlap < length,
            "overlap of the segments",
            expected,
            real(self.overlap),
        )?;
        let window: Vec<f64> = (0..length)
            .map(|k| 0.5 - 0.5 * (2.0 * PI * real(k) / real(length)).cos())
            .collect();
        let power: f64 = window.iter().map(|w| w * w).sum();

        let padded = length * self.padding.max(1);
        let mut sum = vec![Complex::default(); padded / 2 + 1];
        let mut count = 0_usize;
        let mut start = 0;
        while start + length <= x.len() {
            let first = self.segment_bins(&x[start..start + length], &window);
            let second = self.segment_bins(&y[start..start + length], &window);
            for ((total, a), b) in sum.iter_mut().zip(&first).zip(&second) {
                *total += a.conj() * b;
            }
            count += 1;
            start += length - overlap;
        }
        let bins = sum.len();
        for (bin, value) in sum.iter_mut().enumerate() {
            // Both sides folded into one, but zero and Nyquist have no other side.
            let sides = if bin == 0 || (padded.is_multiple_of(2) && bin == bins - 1) {
                1.0
            } else {
                2.0
            };
            *value *= sides / (fs * power * real(count));
        }
        Ok((
            (0..bins).map(|bin| real(bin) * fs / real(padded)).collect(),
            sum,
        ))
    }

    /// Frequencies (Hz) and magnitude-squared coherence |Pxy|²/(Pxx Pyy), 0 to 1. One where y
    /// follows linearly from x without noise. With a single segment it is one everywhere and says
    /// nothing.
    ///
    /// # Errors
    /// As [`Welch::csd`].
    pub fn coherence(
        &self,
        x: &[f64],
        y: &[f64],
        fs: f64,
    ) -> Result<(Vec<f64>, Vec<f64>), SignalError> {
        let (frequency, cross) = self.csd(x, y, fs)?;
        let (_, power_x) = self.psd(x, fs)?;
        let (_, power_y) = self.psd(y, fs)?;
        let coherence = cross
            .iter()
            .zip(power_x.iter().zip(&power_y))
            .map(|(xy, (xx, yy))| xy.norm_sqr() / (xx * yy));
        Ok((frequency, coherence.collect()))
    }

    /// Frequencies (Hz) and transfer function from x to y by the H₁ estimate Pxy/Pxx: noise on y
    /// averages out.
    ///
    /// # Errors
    /// As [`Welch::csd`].
    pub fn transfer_function(
        &self,
        x: &[f64],
        y: &[f64],
        fs: f64,
    ) -> Result<(Vec<f64>, Vec<Complex<f64>>), SignalError> {
        let (frequency, mut cross) = self.csd(x, y, fs)?;
        let (_, power) = self.psd(x, fs)?;
        cross
            .iter_mut()
            .zip(&power)
            .for_each(|(value, xx)| *value /= xx);
        Ok((frequency, cross))
    }

    fn segment_bins(&self, segment: &[f64], window: &[f64]) -> Vec<Complex<f64>> {
        let mean = match self.detrend {
            Detrend::None => 0.0,
            Detrend::Mean => crate::correlate::mean(segment),
        };
        let mut tapered: Vec<f64> = segment
            .iter()
            .zip(window)
            .map(|(value, weight)| (value - mean) * weight)
            .collect();
        tapered.resize(segment.len() * self.padding.max(1), 0.0);
        forward(&tapered)
    }
}

/// [`Welch::psd`] with half-overlapping segments, means removed (as `scipy.signal.welch(x, fs,
/// nperseg=segment)`).
///
/// # Errors
/// As [`Welch::psd`].
pub fn welch(signal: &[f64], fs: f64, segment: usize) -> Result<(Vec<f64>, Vec<f64>), SignalError> {
    Welch::new(segment).psd(signal, fs)
}

/// [`Welch::csd`] with half-overlapping segments, means removed (as `scipy.signal.csd(x, y, fs,
/// nperseg=segment)`).
///
/// # Errors
/// As [`Welch::csd`].
pub fn cross_spectral_density(
    x: &[f64],
    y: &[f64],
    fs: f64,
    segment: usize,
) -> Result<(Vec<f64>, Vec<Complex<f64>>), SignalError> {
    Welch::new(segment).csd(x, y, fs)
}

/// [`Welch::coherence`] with half-overlapping segments, means removed (as
/// `scipy.signal.coherence`).
///
/// # Errors
/// As [`Welch::csd`].
pub fn coherence(
    x: &[f64],
    y: &[f64],
    fs: f64,
    segment: usize,
) -> Result<(Vec<f64>, Vec<f64>), SignalError> {
    Welch::new(segment).coherence(x, y, fs)
}
