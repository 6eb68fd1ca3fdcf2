//! Numbers from a stranger, for people: an ordinary one as it is, any other in few digits.

/// The number, never longer than some twenty characters: 1e300 would have three hundred.
pub(crate) fn short(x: f64) -> String {
    let size = x.abs();
    if size == 0.0 || (1e-4..1e7).contains(&size) || !size.is_finite() {
        format!("{x}")
    } else {
        format!("{x:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn few_digits_whatever_comes() {
        for (x, text) in [
            (0.0, "0"),
            (77.0, "77"),
            (-4.25, "-4.25"),
            (1e300, "1e300"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(short(x), text);
        }
        for x in [
            f64::MAX,
            f64::MIN_POSITIVE,
            -1.234_567_890_123_456_7e-300,
            1.0 / 3.0,
        ] {
            assert!(short(x).len() <= 25, "{}", short(x));
        }
    }
}
