//! Maxima that do not lose what is no number.

/// The larger of two numbers, where what is no number counts as the largest: `f64::max` drops it,
/// and a test that then compares with a bound passes whatever came out.
#[must_use]
pub fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::larger;

    #[test]
    fn nothing_is_larger_than_what_is_no_number() {
        assert!([1.0, f64::NAN, 2.0].into_iter().fold(0.0, larger).is_nan());
        assert!(larger(f64::NAN, f64::INFINITY).is_nan());
        assert!((larger(-3.0, 2.0) - 2.0).abs() < f64::EPSILON);
    }
}
