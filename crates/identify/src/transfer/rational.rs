//! A start for the fit: a ratio of polynomials through a frequency response, linear in its unknowns
//! once the lines are weighted by the denominator of the round before (Levy 1959; Sanathanan and
//! Koerner 1963).

use std::f64::consts::PI;

use tandem_signal::Complex;

use super::model::{Path, Shape};
use crate::least_squares::least_squares;

/// One line of a response to a continuous command: Hz, response, weight.
pub(super) type Line = (f64, Complex<f64>, f64);

const ROUNDS: usize = 10;

/// A stable path of that shape behind that delay (s); none where the lines do not determine one.
pub(super) fn rational(lines: &[Line], shape: Shape, delay: f64) -> Option<Path> {
    let (first, last) = (lines.first()?.0, lines.last()?.0);
    // s in units of a frequency in the middle, so that its powers stay near one.
    let unit = 2.0 * PI * (first * last).sqrt();
    let s: Vec<Complex<f64>> = lines
        .iter()
        .map(|(f, ..)| Complex::new(0.0, 2.0 * PI * f / unit))
        .collect();
    let g: Vec<Complex<f64>> = lines
        .iter()
        .map(|(f, h, _)| h * Complex::new(0.0, 2.0 * PI * f * delay).exp())
        .collect();
    let power = |s: Complex<f64>, n: usize| (0..n).fold(Complex::new(1.0, 0.0), |p, _| p * s);
    let (zeros, poles) = (shape.zeros, shape.poles);
    // N(s) − G (D(s) − 1) = G with D = 1 + d₁ s + …
    let mut x = vec![0.0; zeros + 1 + poles];
    for _ in 0..ROUNDS {
        let denominator = |s: Complex<f64>| {
            (1..=poles).fold(Complex::new(1.0, 0.0), |sum, n| {
                sum + power(s, n) * x[zeros + n]
            })
        };
        let weights: Vec<f64> = lines
            .iter()
            .zip(&s)
            .map(|((.., w), s)| w / denominator(*s).norm().max(1e-9))
            .collect();
        let rows = |value: &dyn Fn(usize) -> Complex<f64>| -> Vec<f64> {
            (0..lines.len())
                .flat_map(|k| {
                    let v = value(k) * weights[k];
                    [v.re, v.im]
                })
                .collect()
        };
        let mut columns: Vec<Vec<f64>> = (0..=zeros).map(|n| rows(&|k| power(s[k], n))).collect();
        columns.extend((1..=poles).map(|n| rows(&|k| -g[k] * power(s[k], n))));
        let all: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        x = least_squares(&all, &rows(&|k| g[k])).ok()?.x;
    }
    let gain = x[0];
    let mut coefficients = vec![1.0];
    coefficients.extend(&x[zeros + 1..]);
    let (pairs, single) = factors(&coefficients, unit)?;
    let numerator = (1..=zeros).map(|n| x[n] / gain / unit.powi(i32::try_from(n).unwrap_or(1)));
    let path = Path {
        gain,
        delay,
        zeros: numerator.collect(),
        pairs,
        single,
    };
    let finite = path.gain.is_finite() && path.zeros.iter().all(|z| z.is_finite());
    (finite && path.shape() == shape).then_some(path)
}

/// Pairs (ω, ζ), and the pole that is left over.
type Factors = (Vec<[f64; 2]>, Option<f64>);

/// Factors of 1 + d₁ s + …, with roots of the right half plane mirrored into the left one; s in
/// units of `unit` rad/s.
fn factors(coefficients: &[f64], unit: f64) -> Option<Factors> {
    let mut real = Vec::new();
    let mut pairs = Vec::new();
    for root in roots(coefficients)? {
        let size = root.norm();
        if !(size.is_finite() && size > 0.0) {
            return None;
        }
        if root.im > 1e-6 * size {
            pairs.push([size * unit, (root.re.abs() / size).max(1e-3)]);
        } else if root.im.abs() <= 1e-6 * size {
            real.push(size * unit);
        }
    }
    real.sort_by(f64::total_cmp);
    let single = (real.len() % 2 == 1).then(|| real.pop()).flatten();
    for two in real.chunks_exact(2) {
        let natural = (two[0] * two[1]).sqrt();
        pairs.push([natural, 0.5 * (two[0] + two[1]) / natural]);
    }
    Some((pairs, single))
}

/// Roots of a polynomial with real coefficients, lowest power first, all at once (Durand 1960;
/// Kerner 1966).
fn roots(coefficients: &[f64]) -> Option<Vec<Complex<f64>>> {
    let last = coefficients.last().copied().filter(|c| *c != 0.0)?;
    let n = coefficients.len() - 1;
    let monic: Vec<f64> = coefficients.iter().map(|c| c / last).collect();
    let radius = 1.0 + monic[..n].iter().fold(0.0_f64, |m, c| m.max(c.abs()));
    if !radius.is_finite() {
        return None;
    }
    // Each root begins at its own size: |c₀|^(1/n) for all would be far off for poles decades
    // apart.
    let mut z: Vec<Complex<f64>> = (0..n)
        .map(|k| {
            let low = monic[k].abs().max(1e-300);
            let high = monic[k + 1].abs().max(1e-300);
            let angle = 2.0 * PI * crate::real(k) / crate::real(n) + 0.4;
            Complex::from_polar((low / high).clamp(1e-9, radius), angle)
        })
        .collect();
    for _ in 0..500 {
        let mut moved = 0.0_f64;
        for i in 0..n {
            let value = monic
                .iter()
                .rev()
                .fold(Complex::new(0.0, 0.0), |sum, c| sum * z[i] + *c);
            let others = (0..n)
                .filter(|j| *j != i)
                .fold(Complex::new(1.0, 0.0), |p, j| p * (z[i] - z[j]));
            let step = value / others;
            if !(step.re.is_finite() && step.im.is_finite()) {
                return None;
            }
            z[i] -= step;
            moved = moved.max(step.norm() / z[i].norm().max(1e-300));
        }
        if moved < 1e-13 {
            break;
        }
    }
    Some(z)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plant of the multi-axial benchmark from input 1 to output 1, without noise: gain, slow
    /// pole and frame come back.
    #[test]
    fn a_plant_with_poles_decades_apart() {
        let hz = 2.0 * PI;
        let path = Path {
            gain: 0.86,
            delay: 2e-3,
            zeros: vec![
                1.0 / (hz * 120.0) + 1.0 / (hz * 90.0),
                1.0 / (hz * 120.0 * hz * 90.0),
            ],
            pairs: vec![
                [
                    hz * (2.65_f64 * 40.0).sqrt(),
                    42.65 / 2.0 / (2.65_f64 * 40.0).sqrt(),
                ],
                [hz * 80.43, 50.0 / 80.43],
            ],
            single: None,
        };
        let lines: Vec<Line> = (1..200)
            .map(|k| {
                let f = 0.5 * f64::from(k);
                let h = path.response(f);
                (f, h, 1.0 / h.norm())
            })
            .collect();
        let found = rational(&lines, path.shape(), 2e-3).unwrap();
        assert!((found.gain / 0.86 - 1.0).abs() < 1e-6);
        assert_eq!(found.poles().len(), 3);
        for (pole, wanted) in found.poles().iter().zip([2.65, 40.0, 80.43]) {
            assert!((pole.frequency / wanted - 1.0).abs() < 1e-5, "{found:?}");
        }
    }

    #[test]
    fn roots_of_a_cubic() {
        // (s + 1)(s + 100)(s + 10000)
        let mut found: Vec<f64> = roots(&[1e6, 1_010_100.0, 10_101.0, 1.0])
            .unwrap()
            .iter()
            .map(|z| z.re)
            .collect();
        found.sort_by(f64::total_cmp);
        assert_eq!(found.len(), 3);
        for (z, wanted) in found.iter().zip([-1e4, -100.0, -1.0]) {
            assert!((z / wanted - 1.0).abs() < 1e-9, "{found:?}");
        }
    }
}
