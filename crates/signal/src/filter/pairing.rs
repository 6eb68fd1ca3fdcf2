//! Zeros and poles to second-order sections.

use super::butterworth::Zpk;
use crate::Complex;

/// Sections b₀, b₁, b₂, 1, a₁, a₂ of a digital filter whose zeros and poles come in conjugate
/// pairs.
///
/// The pole nearest the unit circle takes the zeros nearest to it and goes last, then the next one,
/// and so on: resonant sections stay short of overflow, and the order is that of scipy's `zpk2sos`
/// with nearest pairing. The gain goes to the first section.
pub(super) fn sections(filter: &Zpk) -> Vec<[f64; 6]> {
    let (mut poles, mut zeros) = (halves(&filter.poles), halves(&filter.zeros));
    if filter.poles.len() % 2 == 1 {
        // An odd filter gets a pole and a zero at the origin, which cancel.
        poles.push(Complex::default());
        zeros.push(Complex::default());
    }
    let mut rows = Vec::new();
    while let Some(first) = take(&mut poles, |pole| (1.0 - pole.norm()).abs()) {
        let second = if is_real(first) {
            take(&mut poles, |pole| {
                if is_real(*pole) {
                    (1.0 - pole.norm()).abs()
                } else {
                    f64::INFINITY
                }
            })
        } else {
            Some(first.conj())
        };
        let near = |zero: &Complex<f64>| (zero - first).norm();
        let near_real = |zero: &Complex<f64>| {
            if is_real(*zero) {
                near(zero)
            } else {
                f64::INFINITY
            }
        };
        let zero = take(&mut zeros, near).unwrap_or_default();
        let partner = if is_real(zero) {
            take(&mut zeros, near_real).unwrap_or_default()
        } else {
            zero.conj()
        };
        let [b1, b2] = quadratic(zero, partner);
        let [a1, a2] = quadratic(first, second.unwrap_or_default());
        rows.push([1.0, b1, b2, 1.0, a1, a2]);
    }
    rows.reverse();
    if let Some(row) = rows.first_mut() {
        row[..3].iter_mut().for_each(|b| *b *= filter.gain);
    }
    rows
}

/// One of each conjugate pair (the upper), then the real ones; each kind by rising real part.
fn halves(all: &[Complex<f64>]) -> Vec<Complex<f64>> {
    let snapped = all.iter().map(|&value| {
        if is_real(value) {
            Complex::from(value.re)
        } else {
            value
        }
    });
    let mut kept: Vec<_> = snapped.filter(|value| value.im >= 0.0).collect();
    kept.sort_by(|a, b| {
        is_real(*a)
            .cmp(&is_real(*b))
            .then(a.re.total_cmp(&b.re))
            .then(a.im.total_cmp(&b.im))
    });
    kept
}

fn is_real(value: Complex<f64>) -> bool {
    value.im.abs() <= 100.0 * f64::EPSILON * value.norm()
}

/// Removes the element of least `distance`, the first of equals.
fn take(
    from: &mut Vec<Complex<f64>>,
    distance: impl Fn(&Complex<f64>) -> f64,
) -> Option<Complex<f64>> {
    let mut best: Option<(usize, f64)> = None;
    for (index, value) in from.iter().enumerate() {
        let here = distance(value);
        if here.is_finite() && best.is_none_or(|(_, least)| here < least) {
            best = Some((index, here));
        }
    }
    best.map(|(index, _)| from.remove(index))
}

/// c₁ and c₂ of (1 − r₁z⁻¹)(1 − r₂z⁻¹).
fn quadratic(first: Complex<f64>, second: Complex<f64>) -> [f64; 2] {
    [-(first + second).re, (first * second).re]
}
