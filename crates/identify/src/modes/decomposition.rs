//! Enhanced frequency domain decomposition.
//!
//! Singular values of the spectral density matrix at each frequency: the first one peaks at every
//! mode, its vector is the shape. Around a peak the part with the same shape is the spectrum of one
//! oscillator; back in the time domain it decays, which gives frequency and damping (Brincker,
//! Zhang and Andersen 2001; Brincker, Ventura and Andersen 2001).

use faer::{Mat, Side, c64};
use tandem_signal::Complex;
use tandem_signal::spectrum::{Welch, forward, inverse};

use super::{Mode, mac, peaks, unit};
use crate::error::check;
use crate::least_squares::least_squares;
use crate::{IdentifyError, real};

/// What the decomposition shows.
#[derive(Debug, Clone)]
pub struct Decomposition {
    /// Hz.
    pub frequency: Vec<f64>,
    /// Singular values at each frequency, largest first: `singular[k][line]`.
    pub singular: Vec<Vec<f64>>,
    /// Modes, lowest first.
    pub modes: Vec<Mode>,
}

/// Lines of the spectra for each one that the segment itself would have.
const PADDING: usize = 2;
/// Shapes this alike belong to the same mode's bell.
const SAME: f64 = 0.8;

/// Decomposes the motion of all sensors (columns of equal length, any unit) with segments of that
/// length.
///
/// # Errors
/// [`IdentifyError`] for short data or values that are not finite.
pub fn decompose(
    motions: &[&[f64]],
    fs: f64,
    segment: usize,
    most_modes: usize,
) -> Result<Decomposition, IdentifyError> {
    const WHAT: &str = "frequency domain decomposition";
    let length = check(WHAT, motions, 256)?;
    let n = motions.len();
    let segment = segment.clamp(64, length);
    // Zeros behind each segment: the spectrum then is that of a correlation whose ends do not
    // overlap.
    let welch = Welch {
        padding: PADDING,
        ..Welch::new(segment)
    };
    let mut density: Vec<Vec<Complex<f64>>> = vec![Vec::new(); n * n];
    let mut frequency = Vec::new();
    for i in 0..n {
        for j in i..n {
            let (f, s) = welch.csd(motions[i], motions[j], fs)?;
            density[j * n + i] = s.iter().map(|s| s.conj()).collect();
            density[i * n + j] = s;
            frequency = f;
        }
    }
    let lines = frequency.len();
    let mut singular = vec![vec![0.0; lines]; n];
    let mut shapes: Vec<Vec<Complex<f64>>> = Vec::with_capacity(lines);
    for k in 0..lines {
        // S_ij is the average of conj(X_i) X_j; the shape is a vector of the matrix of X_i
        // conj(X_j).
        let matrix = Mat::from_fn(n, n, |i, j| {
            let s = density[j * n + i][k];
            c64::new(s.re, s.im)
        });
        let Ok(eigen) = matrix.self_adjoint_eigen(Side::Lower) else {
            return Err(IdentifyError::undetermined(
                WHAT,
                "a spectral matrix has no eigenvalues",
            ));
        };
        for m in 0..n {
            singular[m][k] = eigen.S()[n - 1 - m].re.max(0.0);
        }
        let vector = (0..n).map(|i| {
            let u = eigen.U()[(i, n - 1)];
            Complex::new(u.re, u.im)
        });
        shapes.push(vector.collect());
    }
    let mut modes = Vec::new();
    for peak in peaks(&singular[0], 10.0, 3 * PADDING)
        .into_iter()
        .take(most_modes)
    {
        if let Some(mode) = bell(peak, &singular[0], &shapes, fs, segment) {
            modes.push(mode);
        }
    }
    modes.sort_by(|a, b| a.frequency.total_cmp(&b.frequency));
    Ok(Decomposition {
        frequency,
        singular,
        modes,
    })
}

/// The oscillator behind a peak.
fn bell(
    peak: usize,
    first: &[f64],
    shapes: &[Vec<Complex<f64>>],
    fs: f64,
    segment: usize,
) -> Option<Mode> {
    let same = |k: usize| mac(&shapes[k], &shapes[peak]) > SAME && first[k] > 1e-4 * first[peak];
    let low = (1..=peak).rev().take_while(|&k| same(k)).last()?;
    let high = (peak..first.len()).take_while(|&k| same(k)).last()?;
    let mut bins = vec![Complex::new(0.0, 0.0); first.len()];
    for k in low..=high {
        bins[k] = Complex::new(first[k], 0.0);
    }
    let correlation = inverse(bins, PADDING * segment);
    // The Hann window of the segments multiplies the correlation by its own: taken out again, else
    // it looks like damping.
    let window: Vec<f64> = (0..segment)
        .map(|k| 0.5 - 0.5 * (2.0 * std::f64::consts::PI * real(k) / real(segment)).cos())
        .collect();
    let mut padded = window.clone();
    padded.resize(PADDING * segment, 0.0);
    let power = forward(&padded)
        .iter()
        .map(|w| Complex::new(w.norm_sqr(), 0.0))
        .collect();
    let own = inverse(power, PADDING * segment);
    let half = segment / 2;
    let decay: Vec<f64> = (0..half)
        .map(|k| correlation[k] / own[k] * own[0])
        .collect();
    // Extremes between 95 and 20 % of the start, refined by parabolas.
    let mut extremes: Vec<Extreme> = Vec::new();
    for k in 1..half.saturating_sub(1) {
        let [a, b, c] = [decay[k - 1], decay[k], decay[k + 1]].map(|x| x * decay[k].signum());
        if b > a && b >= c && own[k] > 0.2 * own[0] {
            let bend = a - 2.0 * b + c;
            let shift = 0.5 * (a - c) / bend;
            let height = (b - 0.25 * (a - c) * shift) / decay[0];
            if height < 0.2 {
                break;
            }
            if height < 0.95 {
                extremes.push(Extreme {
                    time: (real(k) + shift) / fs,
                    height,
                    weight: height * own[k] / own[0],
                });
            }
        }
    }
    if extremes.len() < 4 {
        return None;
    }
    // Extremes follow each other by half a period of the damped motion; their logarithms fall by
    // ζω. A correlation from finite data is about equally uncertain at all lags: late extremes,
    // small and under a low window, count less.
    let column = |of: &dyn Fn(usize, &Extreme) -> f64| -> Vec<f64> {
        let each = extremes.iter().enumerate();
        each.map(|(i, e)| e.weight * of(i, e)).collect()
    };
    let (ones, times) = (column(&|_, _| 1.0), column(&|_, e| e.time));
    let counts = column(&|i, _| real(i));
    let half_period = least_squares(&[&counts, &ones], &times).ok()?.x[0];
    let logs = column(&|_, e| e.height.ln());
    let rate = -least_squares(&[&times, &ones], &logs).ok()?.x[0];
    let damped = std::f64::consts::PI / half_period;
    let natural = damped.hypot(rate);
    let mode = Mode {
        frequency: natural / (2.0 * std::f64::consts::PI),
        damping: rate / natural,
        shape: unit(shapes[peak].clone()),
    };
    (mode.frequency.is_finite() && mode.damping > 0.0 && mode.damping < 0.3).then_some(mode)
}

/// A maximum or minimum of the decaying correlation.
struct Extreme {
    /// Lag, s.
    time: f64,
    /// Share of the start.
    height: f64,
    /// What it counts.
    weight: f64,
}
