//! Logarithm, exponential and the Menegotto–Pinto transition, written so that the compiler can run
//! several lanes at once: no table, no branch, no call.
//!
//! The system's `pow` costs some 20 ns and two are needed a fibre. Here the two powers of the curve
//! are taken in one go from ℓ = R ln|x| and t = e^−|ℓ| ≤ 1:
//!
//! (1 + |x|^R)^(−1/R) = (1 + t)^(−1/R)/max(|x|, 1), and 1/(1 + |x|^R) = (t or 1)/(1 + t).
//!
//! Rounding errors of ℓ are divided by R again, so plain double precision gives the answer to a few
//! 1e-16, and
//! |x|^R cannot overflow. The same bits come out on every machine, in one lane or in many.

use std::f64::consts::{LN_2, LOG2_E, SQRT_2};

/// High part of ln 2 with 21 trailing zero bits (multiples up to 2^21 are exact), and the rest.
const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// 1.5 × 2^52: adding it rounds to the nearest integer and leaves that integer in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
const ONE_BITS: u64 = 0x3ff0_0000_0000_0000;
const EXPONENT_BITS: u64 = 0xfff0_0000_0000_0000;
/// Distance from √½ to 1 in bit patterns.
const FOLD: u64 = ONE_BITS - 0x3fe6_a09e_667f_3bcd;

/// s²·P(s²) with ln((1 + s)/(1 − s)) = s(2 + s²P(s²)) for |s| ≤ 0.1716 (√2 folded); minimax, error
/// 2.4e-19.
#[inline(always)]
fn odd_part(s: f64) -> f64 {
    const P: [f64; 7] = [
        0.666_666_666_666_681,
        0.399_999_999_990_147_1,
        0.285_714_288_184_047,
        0.222_221_916_542_111_5,
        0.181_838_908_749_627_33,
        0.153_063_397_919_303_35,
        0.148_679_962_799_287_46,
    ];
    let z = s * s;
    let w = z * z;
    let even = P[0] + w * (P[2] + w * (P[4] + w * P[6]));
    let odd = P[1] + w * (P[3] + w * P[5]);
    z * (even + z * odd)
}

/// Natural logarithm of a normal positive number; relative error below 3e-16.
#[inline(always)]
#[must_use]
pub fn ln(x: f64) -> f64 {
    // x = 2^k m with √½ ≤ m < √2.
    let bits = x.to_bits();
    let folded = bits.wrapping_add(FOLD);
    let mantissa = f64::from_bits(
        bits.wrapping_sub(folded & EXPONENT_BITS)
            .wrapping_add(ONE_BITS),
    );
    // The exponent as a float: put it into the low bits of 2^52, take 2^52 and the bias away.
    let exponent =
        f64::from_bits((folded >> 52) | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0);
    // ln m = f − f²/2 + s(f²/2 + R), s = f/(2 + f), R = 2s²/3 + 2s⁴/5 + …: the large term f is
    // exact.
    let f = mantissa - 1.0;
    let s = f / (2.0 + f);
    let rest = odd_part(s);
    let half_square = 0.5 * f * f;
    exponent * LN_2_HIGH - ((half_square - (s * (half_square + rest) + exponent * LN_2_LOW)) - f)
}

/// Exponential for −700 ≤ x ≤ 700; relative error below 3e-16.
#[inline(always)]
#[must_use]
pub fn exp(x: f64) -> f64 {
    // x = k ln 2 + r, |r| ≤ ½ ln 2.
    let shifted = x * LOG2_E + ROUND;
    let k = shifted - ROUND;
    let r = (x - k * LN_2_HIGH) - k * LN_2_LOW;
    let z = r * r;
    let w = z * z;
    // e^r = 1 + r + r²Q(r), Q minimax with error 3.4e-18, summed in pairs so that the chain is
    // short.
    const Q: [f64; 10] = [
        0.500_000_000_000_001_3,
        0.166_666_666_666_667,
        0.041_666_666_666_515_42,
        0.008_333_333_333_307_202,
        0.001_388_888_894_701_646,
        1.984_126_991_738_903e-4,
        2.480_148_994_177_157_7e-5,
        2.755_721_629_608_352_8e-6,
        2.763_128_046_385_698e-7,
        2.511_786_256_971_574_5e-8,
    ];
    let low = (Q[0] + r * Q[1]) + z * (Q[2] + r * Q[3]);
    let middle = (Q[4] + r * Q[5]) + z * (Q[6] + r * Q[7]);
    let tail = low + w * (middle + w * (Q[8] + r * Q[9]));
    let scale = f64::from_bits((shifted.to_bits() << 52).wrapping_add(ONE_BITS));
    scale * (1.0 + (r + z * tail))
}

#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The transition of the Menegotto–Pinto curve at x with exponent R and its inverse: (D^(−1/R),
/// D^(−1−1/R)) with D = 1 + |x|^R, lane by lane. Each stage runs over all lanes, so that their long
/// chains of operations overlap.
#[inline(always)]
#[must_use]
pub fn transition<const N: usize>(
    x: &[f64; N],
    exponent: &[f64; N],
    inverse_exponent: &[f64; N],
) -> ([f64; N], [f64; N]) {
    let mut level = [0.0; N];
    for i in 0..N {
        level[i] = exponent[i] * ln(larger(x[i].abs(), 1e-300));
    }
    let mut small = [0.0; N];
    for i in 0..N {
        // Below e^−60 nothing is left of the smaller term.
        small[i] = exp(larger(-level[i].abs(), -60.0));
    }
    let mut argument = [0.0; N];
    for i in 0..N {
        // ln(1 + t) = ln √2 + ln((1 + t)/√2): needed to 1e-16 absolute only.
        let sum = 1.0 + small[i];
        let s = (sum - SQRT_2) / (sum + SQRT_2);
        argument[i] = -(0.5 * LN_2 + s * (2.0 + odd_part(s))) * inverse_exponent[i];
    }
    let mut secant = [0.0; N];
    let mut slope = [0.0; N];
    for i in 0..N {
        let sum = 1.0 + small[i];
        let bound = larger(x[i].abs(), 1.0);
        // One division for both 1/max(|x|, 1) and 1/(1 + t).
        let inverse = 1.0 / (bound * sum);
        secant[i] = exp(larger(argument[i], -700.0)) * (sum * inverse);
        let share = if level[i] > 0.0 { small[i] } else { 1.0 };
        slope[i] = secant[i] * (share * bound * inverse);
    }
    (secant, slope)
}

/// The |x| below which |x|^R is under half a rounding error, so that the transition is exactly (1,
/// 1).
#[inline]
#[must_use]
pub fn straight_below(inverse_exponent: f64) -> f64 {
    // ln 1e-16 = −36.84; half a rounding error is 1.11e-16.
    exp(-36.841_361_487_904_73 * inverse_exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transition(x: f64, r: f64, inverse: f64) -> (f64, f64) {
        let ([secant], [slope]) = super::transition(&[x], &[r], &[inverse]);
        (secant, slope)
    }

    fn worst(range: std::ops::Range<f64>, error: impl Fn(f64) -> f64) -> f64 {
        let count = 100_000;
        (0..=count)
            .map(|i| {
                error(range.start + (range.end - range.start) * f64::from(i) / f64::from(count))
            })
            .fold(0.0, f64::max)
    }

    #[test]
    fn logarithm_agrees_with_the_system() {
        assert!(
            worst(1e-3..4.0, |x| (ln(x) - x.ln()).abs()
                / x.ln().abs().max(1e-300))
                < 4e-16
        );
        assert!(worst(4.0..1e6, |x| (ln(x) - x.ln()).abs() / x.ln()) < 4e-16);
        assert!((ln(1e-300) - 1e-300_f64.ln()).abs() < 1e-12);
        assert_eq!(ln(1.0).to_bits(), 0.0_f64.to_bits());
    }

    #[test]
    fn exponential_agrees_with_the_system() {
        assert!(worst(-60.0..60.0, |x| (exp(x) / x.exp() - 1.0).abs()) < 4e-16);
        assert!(worst(-700.0..700.0, |x| (exp(x) / x.exp() - 1.0).abs()) < 4e-16);
        assert_eq!(exp(0.0).to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn transition_agrees_with_two_powers() {
        for r in [1.5, 2.0, 3.7, 7.0, 12.0, 18.5, 20.0] {
            let error = worst(0.0..8.0, |x: f64| {
                let d = 1.0 + x.powf(r);
                let (secant, tangent) = transition(x, r, 1.0 / r);
                let secant_error = (secant / d.powf(-1.0 / r) - 1.0).abs();
                secant_error.max((tangent - d.powf(-1.0 - 1.0 / r)).abs())
            });
            assert!(error < 1e-15, "R = {r}: {error:e}");
        }
    }

    #[test]
    fn transition_does_not_overflow() {
        let (secant, tangent) = transition(1e40, 20.0, 0.05);
        assert!((secant * 1e40 - 1.0).abs() < 1e-13 && tangent < 1e-60);
    }

    #[test]
    fn transition_is_straight_below_its_limit() {
        for r in [1.5, 5.0, 18.5] {
            let limit = straight_below(1.0 / r);
            assert_eq!(transition(limit, r, 1.0 / r), (1.0, 1.0));
            assert_eq!(transition(0.0, r, 1.0 / r), (1.0, 1.0));
            assert!(transition(limit * 1e2, r, 1.0 / r).1 < 1.0);
        }
    }
}
