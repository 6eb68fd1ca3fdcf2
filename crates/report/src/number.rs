//! Units, sizes and decades as a page shows them.

/// A unit as people write it: `m/s^2` is m/s², `N*m` is N·m.
pub(super) fn pretty(unit: &str) -> String {
    let mut text = unit.replace('*', "·");
    for (plain, raised) in [("^2", "²"), ("^3", "³"), ("^4", "⁴")] {
        text = text.replace(plain, raised);
    }
    text
}

/// A number of bytes: `734 B`, `12.6 kB`, `3.4 MB` (powers of ten).
#[must_use]
pub fn file_size(bytes: u64) -> String {
    let mut unit = "B";
    let mut factor = 1u64;
    for (next, f) in [
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
    ] {
        if bytes >= f {
            (unit, factor) = (next, f);
        }
    }
    if factor == 1 {
        return format!("{bytes} {unit}");
    }
    format!("{}.{} {unit}", bytes / factor, bytes % factor * 10 / factor)
}

/// The power of ten below |value|; `value` is finite and not zero.
pub(super) fn decade(value: f64) -> i32 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a binary64 exponent is within ±330"
    )]
    let d = value.abs().log10().floor() as i32;
    d
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(file_size(734), "734 B");
        assert_eq!(file_size(12_680), "12.6 kB");
        assert_eq!(file_size(3_400_000), "3.4 MB");
        assert_eq!(file_size(u64::MAX), "18446744.0 TB");
    }
}
