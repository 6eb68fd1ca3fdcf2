//! Comparing signals: delay by cross-correlation, normalised errors, RMS, peak.
//!
//! Two habits exist for "normalised RMS error": with the root mean square, as papers print it, and
//! with the standard deviation (mean removed), as the benchmark scripts compute it. Both are here;
//! say which one you report.

use crate::error::{SignalError, real};
use std::ops::RangeInclusive;

/// Largest magnitude.
#[must_use]
pub fn peak(signal: &[f64]) -> f64 {
    largest([signal], |[x]| [x.abs()])[0]
}

/// Arithmetic mean; zero for an empty signal.
#[must_use]
pub fn mean(signal: &[f64]) -> f64 {
    if signal.is_empty() {
        0.0
    } else {
        total([signal], |[value]| [value])[0] / real(signal.len())
    }
}

/// Terms that are summed side by side.
const LANES: usize = 8;

/// A look over signals, with the widest vectors of the machine at hand; lanes are fixed, so that
/// all machines give the same bits.
#[inline]
fn wide<R>(look: impl pulp::NullaryFnOnce<Output = R>) -> R {
    pulp::Arch::new().dispatch(look)
}

/// Sums of terms of signals of the same length, in interleaved parts: no addition waits for the one
/// before.
#[inline(always)]
fn total<const N: usize, const M: usize>(
    signals: [&[f64]; N],
    term: impl Fn([f64; N]) -> [f64; M],
) -> [f64; M] {
    let length = signals.iter().map(|signal| signal.len()).min().unwrap_or(0);
    let whole = length - length % LANES;
    let mut parts = [[0.0; LANES]; M];
    for start in (0..whole).step_by(LANES) {
        let chunks: [&[f64]; N] = signals.map(|signal| &signal[start..start + LANES]);
        for lane in 0..LANES {
            let terms = term(chunks.map(|chunk| chunk[lane]));
            for (part, term) in parts.iter_mut().zip(terms) {
                part[lane] += term;
            }
        }
    }
    let mut sums = parts.map(|part| part.iter().sum());
    for at in whole..length {
        let terms = term(signals.map(|signal| signal[at]));
        for (sum, term) in sums.iter_mut().zip(terms) {
            *sum += term;
        }
    }
    sums
}

/// Largest terms of signals of the same length, likewise; at least zero.
#[inline(always)]
fn largest<const N: usize, const M: usize>(
    signals: [&[f64]; N],
    term: impl Fn([f64; N]) -> [f64; M],
) -> [f64; M] {
    let length = signals.iter().map(|signal| signal.len()).min().unwrap_or(0);
    let whole = length - length % LANES;
    let mut parts = [[0.0_f64; LANES]; M];
    for start in (0..whole).step_by(LANES) {
        let chunks: [&[f64]; N] = signals.map(|signal| &signal[start..start + LANES]);
        for lane in 0..LANES {
            let terms = term(chunks.map(|chunk| chunk[lane]));
            for (part, term) in parts.iter_mut().zip(terms) {
                part[lane] = term.max(part[lane]);
            }
        }
    }
    let mut found = parts.map(|part| part.into_iter().fold(0.0, f64::max));
    for at in whole..length {
        let terms = term(signals.map(|signal| signal[at]));
        for (found, term) in found.iter_mut().zip(terms) {
            *found = term.max(*found);
        }
    }
    found
}

/// Root mean square; zero for an empty signal.
#[must_use]
pub fn rms(signal: &[f64]) -> f64 {
    if signal.is_empty() {
        return 0.0;
    }
    let [squares] = total([signal], |[value]| [value * value]);
    (squares / real(signal.len())).sqrt()
}

/// Standard deviation with divisor n − 1; zero for fewer than two samples.
#[must_use]
pub fn std(signal: &[f64]) -> f64 {
    if signal.len() < 2 {
        return 0.0;
    }
    let mean = mean(signal);
    let [squares] = total([signal], |[value]| [(value - mean).powi(2)]);
    (squares / real(signal.len() - 1)).sqrt()
}

/// Errors of a signal against a reference, as fractions; times 100 for %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Errors {
    /// RMS of the error over RMS of the reference.
    pub rms: f64,
    /// Standard deviation of the error over standard deviation of the reference.
    pub deviation: f64,
    /// Largest error over largest magnitude of the reference.
    pub peak: f64,
}

/// All of [`Errors`], without writing the error down.
///
/// # Errors
/// [`SignalError`] if the lengths differ, or the reference rests.
pub fn errors(signal: &[f64], reference: &[f64]) -> Result<Errors, SignalError> {
    SignalError::require_same_length(signal, reference)?;
    let [squares, spread, peak, base_squares, base_spread, base_peak] =
        wide(Sizes { signal, reference });
    SignalError::require_positive("RMS of the reference", base_squares)?;
    SignalError::require_positive("standard deviation of the reference", base_spread)?;
    Ok(Errors {
        rms: squares / base_squares,
        deviation: spread / base_spread,
        peak: peak / base_peak,
    })
}

/// Root of the sum of squares, the same without the mean, and the largest: of the error, then of
/// the reference.
struct Sizes<'a> {
    signal: &'a [f64],
    reference: &'a [f64],
}

impl pulp::NullaryFnOnce for Sizes<'_> {
    type Output = [f64; 6];

    #[inline(always)]
    fn call(self) -> [f64; 6] {
        let both = [self.signal, self.reference];
        let length = real(self.signal.len().max(1));
        let [error, wanted] = total(both, |[x, r]| [x - r, r]).map(|sum| sum / length);
        let [squares, spread, base_squares, base_spread] = total(both, |[x, r]| {
            let e = x - r;
            [e * e, (e - error).powi(2), r * r, (r - wanted).powi(2)]
        })
        .map(f64::sqrt);
        let [peak, base_peak] = largest(both, |[x, r]| [(x - r).abs(), r.abs()]);
        [squares, spread, peak, base_squares, base_spread, base_peak]
    }
}

/// How far a signal lags behind its reference.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Delay {
    /// Whole samples; positive when the signal comes later.
    pub samples: i64,
    /// Samples with the top of a parabola through the three highest values; equals `samples` at an
    /// end of the range.
    pub refined: f64,
    /// Correlation coefficient at `samples` over the overlap, means removed: 1 is the same shape.
    pub coefficient: f64,
}

/// Delay of `signal` behind `reference`, by the largest correlation coefficient over `lags`
/// (samples).
///
/// At each lag k the overlapping parts reference\[i\] and signal\[i + k\] are compared with their
/// means removed. The first of equal maxima wins. Times dt it is the delay in seconds.
///
/// ```
/// use tandem_signal::correlate::delay;
/// let wave: Vec<f64> = (0..400).map(|k| (0.07 * f64::from(k)).sin()).collect();
/// let found = delay(&wave[20..380], &wave[13..373], 0..=49)?;
/// assert_eq!(found.samples, 7);
/// # Ok::<(), tandem_signal::SignalError>(())
/// ```
///
/// # Errors
/// [`SignalError`] if the lengths differ, the range is empty, or a lag leaves fewer than 8 samples
/// of overlap.
pub fn delay(
    reference: &[f64],
    signal: &[f64],
    lags: RangeInclusive<i64>,
) -> Result<Delay, SignalError> {
    SignalError::require_same_length(reference, signal)?;
    let (first, last) = (*lags.start(), *lags.end());
    SignalError::require(
        first <= last,
        "range of lags",
        "from a lower to a higher lag",
        lag(first),
    )?;
    let longest = first.unsigned_abs().max(last.unsigned_abs());
    let longest = usize::try_from(longest).unwrap_or(usize::MAX);
    SignalError::require_length("signal", longest.saturating_add(8), signal.len())?;
    let mut best: Option<(i64, f64)> = None;
    for k in lags {
        let value = coefficient(reference, signal, k);
        if best.is_none_or(|(_, highest)| value > highest) {
            best = Some((k, value));
        }
    }
    let (samples, coefficient_there) = best.unwrap_or((first, 0.0));
    let mut refined = lag(samples);
    if samples > first && samples < last {
        let before = coefficient(reference, signal, samples - 1);
        let after = coefficient(reference, signal, samples + 1);
        let curvature = before - 2.0 * coefficient_there + after;
        if curvature < 0.0 {
            refined += 0.5 * (before - after) / curvature;
        }
    }
    Ok(Delay {
        samples,
        refined,
        coefficient: coefficient_there,
    })
}

#[expect(
    clippy::cast_precision_loss,
    reason = "lags are sample counts, far below 2^52"
)]
fn lag(samples: i64) -> f64 {
    samples as f64
}

/// Correlation coefficient of reference\[i\] and signal\[i + lag\]; zero where one of them does not
/// move.
fn coefficient(reference: &[f64], signal: &[f64], lag: i64) -> f64 {
    let shift = usize::try_from(lag.unsigned_abs())
        .unwrap_or(usize::MAX)
        .min(signal.len());
    let kept = signal.len() - shift;
    let (reference, signal) = if lag >= 0 {
        (&reference[..kept], &signal[shift..])
    } else {
        (&reference[shift..], &signal[..kept])
    };
    wide(Coefficient { reference, signal })
}

/// Of signals that overlap.
struct Coefficient<'a> {
    reference: &'a [f64],
    signal: &'a [f64],
}

impl pulp::NullaryFnOnce for Coefficient<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let Self { reference, signal } = self;
        // Means are removed from the sums; counted from the first values, they are small against
        // what moves.
        let (Some(&first_r), Some(&first_s)) = (reference.first(), signal.first()) else {
            return 0.0;
        };
        let [sum_r, sum_s, cross, power_r, power_s] = total([reference, signal], |[r, s]| {
            let (r, s) = (r - first_r, s - first_s);
            [r, s, r * s, r * r, s * s]
        });
        let n = real(signal.len());
        let cross = cross - sum_r * sum_s / n;
        let (power_r, power_s) = (power_r - sum_r * sum_r / n, power_s - sum_s * sum_s / n);
        let scale = (power_r.max(0.0) * power_s.max(0.0)).sqrt();
        if scale > 0.0 { cross / scale } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::WhiteNoise;

    #[test]
    fn sizes_of_a_known_row() {
        let row = [3.0, -4.0, 0.0, 5.0];
        assert!((peak(&row) - 5.0).abs() < 1e-15);
        assert!((rms(&row) - 12.5_f64.sqrt()).abs() < 1e-15);
        // Mean 1: deviations 2, -5, -1, 4, sum of squares 46.
        assert!((std(&row) - (46.0_f64 / 3.0).sqrt()).abs() < 1e-15);
        assert!(std(&[1.0]).abs() < 1e-15 && rms(&[]).abs() < 1e-15);
    }

    #[test]
    fn errors_are_normalised_by_the_reference() {
        let reference = [1.0, -1.0, 1.0, -1.0];
        let signal = [1.1, -0.9, 1.1, -0.9];
        let found = errors(&signal, &reference).unwrap();
        assert!((found.rms - 0.1).abs() < 1e-12 && (found.peak - 0.1).abs() < 1e-12);
        assert!(
            found.deviation < 1e-12,
            "an offset has no standard deviation"
        );
        assert!(errors(&signal, &[0.0; 4]).is_err() && errors(&signal, &[1.0; 4]).is_err());
        assert!(errors(&signal, &reference[..3]).is_err() && errors(&[], &[]).is_err());
    }

    /// Against the plain formulas, on a signal longer than the lanes and no multiple of them.
    #[test]
    fn errors_are_those_of_the_formulas() {
        let reference: Vec<f64> = (0..43).map(|k| 0.3 + (0.4 * f64::from(k)).sin()).collect();
        let signal: Vec<f64> = (0..43).map(|k| 0.2 + (0.41 * f64::from(k)).cos()).collect();
        let error: Vec<f64> = signal.iter().zip(&reference).map(|(x, r)| x - r).collect();
        let found = errors(&signal, &reference).unwrap();
        assert!((found.rms - rms(&error) / rms(&reference)).abs() < 1e-14);
        assert!((found.deviation - std(&error) / std(&reference)).abs() < 1e-14);
        assert!((found.peak - peak(&error) / peak(&reference)).abs() < 1e-14);
    }

    #[test]
    fn an_integer_delay_is_found_exactly_either_way() {
        let mut noise = WhiteNoise::new(1.0, 7).unwrap();
        let wave: Vec<f64> = (0..600).map(|_| noise.next()).collect();
        for shift in [0_usize, 1, 17, 49] {
            let (late, early) = (&wave[50 - shift..550 - shift], &wave[50..550]);
            let expected = i64::try_from(shift).unwrap();
            let found = delay(early, late, -60..=60).unwrap();
            assert_eq!(found.samples, expected);
            assert!((found.coefficient - 1.0).abs() < 1e-12);
            assert_eq!(delay(late, early, -60..=60).unwrap().samples, -expected);
        }
    }

    #[test]
    fn a_fraction_of_a_sample_is_refined() {
        let wave = |shift: f64| -> Vec<f64> {
            (0..2000)
                .map(|k| {
                    (0.05 * (f64::from(k) - shift)).sin()
                        + 0.3 * (0.11 * (f64::from(k) - shift)).cos()
                })
                .collect()
        };
        let found = delay(&wave(0.0), &wave(3.4), 0..=49).unwrap();
        assert_eq!(found.samples, 3);
        assert!((found.refined - 3.4).abs() < 0.02, "{}", found.refined);
    }

    #[test]
    fn bad_ranges_are_refused() {
        let row = [0.0; 20];
        #[expect(clippy::reversed_empty_ranges, reason = "the point of the test")]
        let empty = 3..=2;
        assert!(delay(&row, &row, empty).is_err());
        assert!(delay(&row, &row, 0..=15).is_err());
        assert!(delay(&row, &row, i64::MIN..=i64::MAX).is_err());
        assert!(delay(&row, &row[1..], 0..=3).is_err());
    }
}
