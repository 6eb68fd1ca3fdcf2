//! Natural frequencies, damping ratios and mode shapes from hammer and ambient tests.
//!
//! Three methods that share nothing but the data: superimposed frequency responses
//! ([`superposition`], the hammer's force is known), enhanced frequency domain decomposition
//! ([`decomposition`]) and stochastic subspace identification with canonical variates
//! ([`subspace`]), both from the motion alone. Modes that all of them find are modes of the
//! specimen.

pub mod decomposition;
pub mod subspace;
pub mod superposition;

use tandem_signal::Complex;
use tandem_signal::filter::{Butterworth, FilterKind};

use crate::error::check;
use crate::{IdentifyError, index};

/// One mode.
#[derive(Debug, Clone, PartialEq)]
pub struct Mode {
    /// Undamped natural frequency, Hz.
    pub frequency: f64,
    /// Damping ratio.
    pub damping: f64,
    /// Shape at the sensors, the largest entry one.
    pub shape: Vec<Complex<f64>>,
}

/// Modal assurance criterion |aᴴb|²/(aᴴa bᴴb): 1 for the same shape, 0 for orthogonal ones
/// (Allemang and Brown 1982).
#[must_use]
pub fn mac(a: &[Complex<f64>], b: &[Complex<f64>]) -> f64 {
    let cross: Complex<f64> = a.iter().zip(b).map(|(a, b)| a.conj() * b).sum();
    let square = |x: &[Complex<f64>]| x.iter().map(|x| x.norm_sqr()).sum::<f64>();
    cross.norm_sqr() / (square(a) * square(b)).max(f64::MIN_POSITIVE)
}

/// Scaled so that the largest entry is one.
pub(crate) fn unit(mut shape: Vec<Complex<f64>>) -> Vec<Complex<f64>> {
    let largest = shape
        .iter()
        .copied()
        .max_by(|a, b| a.norm().total_cmp(&b.norm()))
        .unwrap_or_default();
    if largest.norm() > 0.0 {
        shape.iter_mut().for_each(|x| *x /= largest);
    }
    shape
}

/// Columns without their means, low-passed and thinned out so that `highest` (Hz) lies at two
/// fifths of the new sampling rate; the new rate. Modes above are of no interest and would only
/// need longer models.
///
/// # Errors
/// [`IdentifyError`] for short data or values that are not finite.
pub fn thin_out(
    columns: &[&[f64]],
    fs: f64,
    highest: f64,
) -> Result<(Vec<Vec<f64>>, f64), IdentifyError> {
    const WHAT: &str = "modes";
    check(WHAT, columns, 256)?;
    let every = index((fs / (2.5 * highest)).floor()).max(1);
    let mut thinned = Vec::with_capacity(columns.len());
    for column in columns {
        let mean = tandem_signal::correlate::mean(column);
        let centred: Vec<f64> = column.iter().map(|x| x - mean).collect();
        thinned.push(if every == 1 {
            centred
        } else {
            let cutoff = 0.45 * fs / every as f64;
            let filter = Butterworth {
                kind: FilterKind::Lowpass(cutoff),
                order: 6,
                fs,
            };
            let smooth = filter.design()?.filtfilt(&centred)?;
            smooth.into_iter().step_by(every).collect()
        });
    }
    let rate = fs / every as f64;
    Ok((thinned, rate))
}

/// Local maxima that stand out of their surroundings, highest first: above `factor` times the
/// median of the lines around.
pub(crate) fn peaks(values: &[f64], factor: f64, apart: usize) -> Vec<usize> {
    let around = (values.len() / 12).max(20);
    let floor = |k: usize| {
        let (from, to) = (k.saturating_sub(around), (k + around).min(values.len() - 1));
        let mut near = values[from..=to].to_vec();
        near.sort_by(f64::total_cmp);
        near[near.len() / 2] * factor
    };
    let mut found: Vec<usize> = (2..values.len().saturating_sub(2))
        .filter(|&k| {
            let (from, to) = (k.saturating_sub(apart), (k + apart).min(values.len() - 1));
            // More than a ripple on the flank of a higher one: on both sides it falls before it
            // rises again.
            let next = |j: &usize| values[*j] < 0.7 * values[k] || values[*j] > values[k];
            let falls = |found: Option<usize>| found.is_some_and(|j| values[j] < values[k]);
            (from..=to).all(|j| values[j] <= values[k])
                && falls((0..k).rev().find(next))
                && falls((k + 1..values.len()).find(next))
                && values[k] > floor(k)
        })
        .collect();
    found.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
    found
}
