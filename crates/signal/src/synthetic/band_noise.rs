//! Band-limited white noise.

use super::{Sampling, cosine_taper};
use crate::Complex;
use crate::correlate::rms;
use crate::error::{SignalError, real};
use crate::noise::WhiteNoise;
use crate::spectrum::inverse;

/// A band of noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    /// Lower edge, Hz; zero means from the lowest frequency above zero.
    pub low: f64,
    /// Upper edge, Hz, at most half the sampling rate.
    pub high: f64,
    /// Root mean square of the part that is not tapered, in the unit of the result.
    pub rms: f64,
}

/// White noise between two frequencies, with mean zero before tapering and a cosine taper of
/// `taper` seconds at both ends.
///
/// Gaussian amplitudes in every bin of the band and none outside, transformed back: the band has no
/// skirts other than those of the taper. Scaled so that the part between the tapers has exactly the
/// RMS of the band.
///
/// # Errors
/// [`SignalError::Parameter`] for a band without a bin, edges out of order, a negative RMS, or
/// tapers that leave nothing between.
pub fn band_limited_noise(
    sampling: &Sampling,
    band: Band,
    taper: f64,
    seed: u64,
) -> Result<Vec<f64>, SignalError> {
    noise(sampling, &[band], taper, seed)
}

/// The sum of two independent bands of noise, e.g. a strong low one for the displacement and a weak
/// high one for the phase.
///
/// # Errors
/// As [`band_limited_noise`].
pub fn two_band_noise(
    sampling: &Sampling,
    bands: [Band; 2],
    taper: f64,
    seed: u64,
) -> Result<Vec<f64>, SignalError> {
    noise(sampling, &bands, taper, seed)
}

fn noise(
    sampling: &Sampling,
    bands: &[Band],
    taper: f64,
    seed: u64,
) -> Result<Vec<f64>, SignalError> {
    let n = sampling.points();
    SignalError::require(taper >= 0.0, "length of the taper", "at least 0 s", taper)?;
    let expected = "below half the duration";
    SignalError::require(
        taper < 0.5 * sampling.duration(),
        "length of the taper",
        expected,
        taper,
    )?;
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and half the points"
    )]
    let tapered = (taper / sampling.dt()).round() as usize;
    let tapered = tapered.min((n - 1) / 2);
    let mut sum = vec![0.0; n];
    for (stream, band) in (0_u64..).zip(bands) {
        let mut values = one_band(sampling, band, WhiteNoise::with_stream(1.0, seed, stream)?)?;
        let factor = band.rms / rms(&values[tapered..n - tapered]);
        values.iter_mut().for_each(|value| *value *= factor);
        sum.iter_mut()
            .zip(&values)
            .for_each(|(total, value)| *total += value);
    }
    cosine_taper(&mut sum, tapered);
    Ok(sum)
}

fn one_band(
    sampling: &Sampling,
    band: &Band,
    mut source: WhiteNoise,
) -> Result<Vec<f64>, SignalError> {
    let n = sampling.points();
    let spacing = 1.0 / (real(n) * sampling.dt());
    let nyquist = 0.5 / sampling.dt();
    SignalError::require(
        band.low >= 0.0,
        "lower edge of the noise in Hz",
        "at least 0",
        band.low,
    )?;
    let in_order = band.high > band.low && band.high <= nyquist * (1.0 + 1e-9);
    let expected = "above the lower edge, at most half the sampling rate";
    SignalError::require(
        in_order,
        "upper edge of the noise in Hz",
        expected,
        band.high,
    )?;
    SignalError::require(
        band.rms >= 0.0 && band.rms.is_finite(),
        "RMS of the noise",
        "at least 0",
        band.rms,
    )?;
    let mut bins = vec![Complex::default(); n / 2 + 1];
    let mut filled = 0_usize;
    // The Nyquist bin of an even length has no phase: it is left empty.
    for (index, bin) in bins.iter_mut().enumerate().take(n.div_ceil(2)).skip(1) {
        let frequency = spacing * real(index);
        if frequency >= band.low && frequency <= band.high {
            *bin = Complex::new(source.next(), source.next());
            filled += 1;
        }
    }
    let expected = "wider than 1/duration, so that it holds a frequency";
    SignalError::require(
        filled > 0,
        "band of the noise in Hz",
        expected,
        band.high - band.low,
    )?;
    Ok(inverse(bins, n))
}
