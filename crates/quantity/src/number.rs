//! Numbers as people read them, and as places and counts.

/// The place or the count that a number stands for, without its fraction: 0 for what is below zero
/// or no number, the largest there is for what is beyond it (a cast saturates: Rust reference,
/// numeric casts). Counts are exact both ways up to 2^53, which no test reaches.
#[allow(clippy::cast_possible_truncation)] // as above, which is meant
#[inline]
#[must_use]
pub const fn index(value: f64) -> usize {
    value as usize
}

/// The same for counts of ticks, steps and rows, which have 64 bits on every machine.
#[allow(clippy::cast_possible_truncation)] // as above
#[inline]
#[must_use]
pub const fn whole(value: f64) -> u64 {
    value as u64
}

/// Typographic minus.
const MINUS: char = '\u{2212}';

/// Four significant figures, or all before the point; from 10⁶ up and 10⁻³ down with an exponent
/// that is a multiple of three. A dash where the value is not finite.
#[must_use]
pub fn format_number(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if (999.95..999_999.5).contains(&value.abs()) {
        // All figures before the point: a count of ticks is not rounded.
        return fixed(value, 0);
    }
    // Rounded by the formatter first: 999.96 has four places before the point once it has four
    // figures.
    let rounded = format!("{value:.3e}");
    let (mantissa, decade) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let (mantissa, decade): (f64, i32) =
        (mantissa.parse().unwrap_or(0.0), decade.parse().unwrap_or(0));
    if mantissa.abs() < 1.0 {
        return "0".to_owned();
    }
    let exponent = if (-3..6).contains(&decade) {
        0
    } else {
        decade.div_euclid(3) * 3
    };
    let scaled = mantissa * 10f64.powi(decade - exponent);
    let places = usize::try_from(3 - (decade - exponent)).unwrap_or(0);
    let mut text = fixed(scaled, places);
    if text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    if exponent == 0 {
        text
    } else {
        format!("{text}·10{}", superscript(exponent))
    }
}

/// `value` with `decimals` places and a typographic minus; never "−0".
#[must_use]
pub fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.chars().all(|c| matches!(c, '0' | '.')) => rest.to_owned(),
        Some(rest) => format!("{MINUS}{rest}"),
        None => text,
    }
}

/// `3` as ³, `-12` as ⁻¹².
#[must_use]
pub fn superscript(exponent: i32) -> String {
    exponent
        .to_string()
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            '4' => '⁴',
            '5' => '⁵',
            '6' => '⁶',
            '7' => '⁷',
            '8' => '⁸',
            '9' => '⁹',
            _ => '⁰',
        })
        .collect()
}

/// The unit in which people read what is recorded in this SI unit, and the factor to it.
#[must_use]
pub fn readable_unit(unit: &str) -> (&str, f64) {
    match unit {
        "m" => ("mm", 1e3),
        "N" => ("kN", 1e-3),
        "rad" => ("mrad", 1e3),
        "N*m" => ("kN*m", 1e-3),
        other => (other, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_places_and_counts() {
        for (value, count) in [
            (0.0, 0),
            (2.9, 2),
            (-3.0, 0),
            (f64::NAN, 0),
            (1e15, 10_u64.pow(15)),
        ] {
            assert_eq!(whole(value), count);
            assert_eq!(index(value) as u64, count);
        }
        assert_eq!(index(f64::INFINITY), usize::MAX);
        assert_eq!(whole(f64::INFINITY), u64::MAX);
    }

    #[test]
    fn numbers_have_four_figures() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (-12.3456, "−12.35"),
            (999.96, "1000"),
            (999_999.0, "999999"),
            (999_999.9, "1·10⁶"),
            (123_456.4, "123456"),
            (40_961.0, "40961"),
            (0.001_234_56, "0.001235"),
            (0.000_123_456, "123.5·10⁻⁶"),
            (-4.2e7, "−42·10⁶"),
            (f64::NAN, "–"),
            (f64::INFINITY, "–"),
            (5e-324, "4.941·10⁻³²⁴"),
            (f64::MAX, "179.8·10³⁰⁶"),
        ] {
            assert_eq!(format_number(value), text, "{value:e}");
        }
    }

    #[test]
    fn fixed_has_no_negative_zero() {
        assert_eq!(fixed(-0.04, 1), "0.0");
        assert_eq!(fixed(-0.06, 1), "−0.1");
    }
}
