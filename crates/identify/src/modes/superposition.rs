//! Modes from frequency responses with a known force: superimposed, so that every mode shows
//! whatever the sensor, then fitted one by one.
//!
//! Around a peak all responses share the roots of one oscillator:
//! H_o (s² + a s + b) = p_o + q_o s + r_o s², linear in the unknowns once the lines are weighted by
//! the denominator of the round before (Levy 1959; Sanathanan and Koerner 1963).

use tandem_signal::Complex;
use tandem_signal::spectrum::forward;

use super::{Mode, peaks, unit};
use crate::error::check;
use crate::least_squares::least_squares;
use crate::{IdentifyError, index, real};

/// What the responses show.
#[derive(Debug, Clone)]
pub struct Superposition {
    /// Hz.
    pub frequency: Vec<f64>,
    /// Responses of each sensor: `response[sensor][line]`.
    pub response: Vec<Vec<Complex<f64>>>,
    /// √Σ|H|² over the sensors.
    pub sum: Vec<f64>,
    /// Modes, lowest first.
    pub modes: Vec<Mode>,
    /// Number of impacts used.
    pub impacts: usize,
}

/// Samples at which the hammer hits: above a third of its largest blow, half a second apart.
#[must_use]
pub fn impacts(force: &[f64], fs: f64) -> Vec<usize> {
    let most = force.iter().fold(0.0, |m: f64, f| m.max(f.abs()));
    let apart = index(0.5 * fs).max(1);
    let mut found: Vec<usize> = Vec::new();
    let mut k = 0;
    while k < force.len() {
        if force[k].abs() > most / 3.0 && most > 0.0 {
            found.push(k);
            k += apart;
        } else {
            k += 1;
        }
    }
    found
}

/// Finds modes below `highest` (Hz) from one force and the motions it causes, averaged over its
/// impacts.
///
/// # Errors
/// [`IdentifyError`] where data are short, not finite, or without an impact.
pub fn superimpose(
    force: &[f64],
    motions: &[&[f64]],
    fs: f64,
    highest: f64,
    most_modes: usize,
) -> Result<Superposition, IdentifyError> {
    const WHAT: &str = "frequency responses of impacts";
    let mut all = vec![force];
    all.extend(motions);
    let length = check(WHAT, &all, 256)?;
    let hits = impacts(force, fs);
    let before = index(0.02 * fs);
    let mut spans: Vec<usize> = hits.windows(2).map(|p| p[1] - p[0]).collect();
    spans.push(length - hits.last().copied().unwrap_or(length));
    // An impact counts when its decay was recorded about as long as that of the others.
    let mut sorted = spans.clone();
    sorted.sort_unstable();
    let usual = sorted.get(sorted.len() / 2).copied().unwrap_or(0);
    let (used, kept): (Vec<usize>, Vec<usize>) = hits
        .iter()
        .zip(&spans)
        .filter(|(hit, span)| **hit >= before && **span * 10 >= usual * 8)
        .map(|(hit, span)| (hit - before, *span))
        .unzip();
    let segment = kept.into_iter().min().unwrap_or(0);
    if used.is_empty() || segment < 128 {
        return Err(IdentifyError::undetermined(
            WHAT,
            "no impact stands out of the force, or too little was recorded after it",
        ));
    }
    let lines = index(highest / fs * real(segment)).min(segment / 2);
    let mut input = vec![0.0; lines + 1];
    let mut cross = vec![vec![Complex::new(0.0, 0.0); lines + 1]; motions.len()];
    let take = |signal: &[f64], from: usize| {
        let part = &signal[from..(from + segment).min(length)];
        let mean = tandem_signal::correlate::mean(&part[..before.max(1)]);
        let mut part: Vec<f64> = part.iter().map(|x| x - mean).collect();
        part.resize(segment, 0.0);
        forward(&part)
    };
    for &from in &used {
        let f = take(force, from);
        for k in 0..=lines {
            input[k] += f[k].norm_sqr();
        }
        for (sensor, motion) in motions.iter().enumerate() {
            let y = take(motion, from);
            for k in 0..=lines {
                cross[sensor][k] += f[k].conj() * y[k];
            }
        }
    }
    for sensor in &mut cross {
        for (h, power) in sensor.iter_mut().zip(&input) {
            *h /= power.max(f64::MIN_POSITIVE);
        }
    }
    let frequency: Vec<f64> = (0..=lines).map(|k| real(k) * fs / real(segment)).collect();
    let sum: Vec<f64> = (0..=lines)
        .map(|k| cross.iter().map(|h| h[k].norm_sqr()).sum::<f64>().sqrt())
        .collect();
    let mut found = peaks(&sum, 3.0, 3);
    found.truncate(most_modes);
    found.sort_unstable();
    let modes: Vec<Mode> = (0..found.len())
        .filter_map(|i| {
            let window = around(&found, i, &sum);
            one_mode(found[i], window, &frequency, &cross)
        })
        .collect();
    Ok(Superposition {
        frequency,
        response: cross,
        sum,
        modes,
        impacts: used.len(),
    })
}

/// Lines that belong to a peak (of all, in order): down to a fifth of it, at least four on either
/// side, but never past the valley to the next one, behind which another mode speaks.
fn around(peaks: &[usize], i: usize, sum: &[f64]) -> (usize, usize) {
    let peak = peaks[i];
    let level = 0.2 * sum[peak];
    let valley = |from: usize, to: usize| {
        (from..=to)
            .min_by(|a, b| sum[*a].total_cmp(&sum[*b]))
            .unwrap_or(from)
    };
    let lowest = match i.checked_sub(1) {
        Some(below) => valley(peaks[below], peak),
        None => 1,
    };
    let highest = match peaks.get(i + 1) {
        Some(above) => valley(peak, *above),
        None => sum.len() - 1,
    };
    let down = (1..peak).rev().take_while(|&k| sum[k] > level).count();
    let up = (peak + 1..sum.len())
        .take_while(|&k| sum[k] > level)
        .count();
    (
        peak.saturating_sub(down.max(4)).max(lowest),
        (peak + up.max(4)).min(highest),
    )
}

fn one_mode(
    peak: usize,
    (from, to): (usize, usize),
    frequency: &[f64],
    response: &[Vec<Complex<f64>>],
) -> Option<Mode> {
    let lines: Vec<usize> = (from..=to).collect();
    let unit_frequency = 2.0 * std::f64::consts::PI * frequency[peak];
    // s in units of the peak's circular frequency.
    let s = |k: usize| {
        Complex::new(
            0.0,
            2.0 * std::f64::consts::PI * frequency[k] / unit_frequency,
        )
    };
    let sensors = response.len();
    let rows = 2 * lines.len() * sensors;
    let (mut a, mut b) = (0.02, 1.0);
    let mut residues = Vec::new();
    for _ in 0..8 {
        let mut columns = vec![vec![0.0; rows]; 2 + 3 * sensors];
        let mut right = vec![0.0; rows];
        let mut row = 0;
        for (o, h) in response.iter().enumerate() {
            for &k in &lines {
                let s = s(k);
                let weight = 1.0 / (s * s + s * a + b).norm().max(1e-6);
                let put = |value: Complex<f64>, column: &mut [f64]| {
                    column[row] = weight * value.re;
                    column[row + 1] = weight * value.im;
                };
                // a H s + b H − p − q s − r s² = −H s²
                put(h[k] * s, &mut columns[0]);
                put(h[k], &mut columns[1]);
                put(Complex::new(-1.0, 0.0), &mut columns[2 + 3 * o]);
                put(-s, &mut columns[3 + 3 * o]);
                put(-s * s, &mut columns[4 + 3 * o]);
                put(-h[k] * s * s, &mut right);
                row += 2;
            }
        }
        let all: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let fit = least_squares(&all, &right).ok()?;
        (a, b) = (fit.x[0], fit.x[1]);
        if b <= 0.0 {
            return None;
        }
        residues = fit.x[2..].to_vec();
    }
    let natural = b.sqrt();
    let damping = a / (2.0 * natural);
    if !(damping > 0.0 && damping < 0.3) {
        return None;
    }
    // Residue at the root: numerator there.
    let root = Complex::new(
        -damping * natural,
        natural * (1.0 - damping * damping).sqrt(),
    );
    let shape = residues
        .chunks_exact(3)
        .map(|c| Complex::new(c[0], 0.0) + root * c[1] + root * root * c[2])
        .collect();
    Some(Mode {
        frequency: natural * frequency[peak],
        damping,
        shape: unit(shape),
    })
}
