//! Units: `"120 mm"`, `"0.32 g"`, `"1190 kN/m"`, `"114.6 N*s/m"` to SI and back.

use crate::{Dimension, STANDARD_GRAVITY};

/// A unit: its factor to SI and its dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Multiply a value in this unit by `factor` to get SI.
    pub factor: f64,
    /// Dimension of the unit.
    pub dimension: Dimension,
}

/// What is wrong with the text of a quantity.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum QuantityError {
    /// The text does not start with a number.
    #[error("`{text}` does not start with a number")]
    NoNumber {
        /// The offending text.
        text: String,
    },
    /// The number is not finite.
    #[error("`{text}` is not a finite number")]
    NotFinite {
        /// The offending text.
        text: String,
    },
    /// The unit is missing.
    #[error("the unit is missing")]
    MissingUnit,
    /// The unit is not known.
    #[error("unknown unit `{symbol}`")]
    UnknownUnit {
        /// The symbol that was not found.
        symbol: String,
    },
    /// A circular frequency where a frequency in cycles per second is meant.
    #[error("`{text}` is a circular frequency; write it in Hz (divide rad/s by 2π)")]
    Circular {
        /// The offending text.
        text: String,
    },
    /// The unit is known but measures something else.
    #[error("`{text}` has the unit of {got}, not of {expected}")]
    WrongDimension {
        /// The offending text.
        text: String,
        /// Dimension that was found.
        got: Dimension,
        /// Dimension that was expected.
        expected: Dimension,
    },
}

const INCH: f64 = 0.0254;
const POUND: f64 = 0.453_592_37;
const POUND_FORCE: f64 = POUND * STANDARD_GRAVITY;

/// Every symbol we read. `g` is the acceleration of gravity, as the field writes it, never the
/// gram.
const UNITS: &[(&str, f64, Dimension)] = &[
    ("%", 0.01, Dimension::NONE),
    ("rad", 1.0, Dimension::NONE),
    ("mrad", 1e-3, Dimension::NONE),
    ("deg", std::f64::consts::PI / 180.0, Dimension::NONE),
    ("s", 1.0, Dimension::TIME),
    ("ms", 1e-3, Dimension::TIME),
    ("us", 1e-6, Dimension::TIME),
    ("µs", 1e-6, Dimension::TIME),
    ("min", 60.0, Dimension::TIME),
    ("h", 3600.0, Dimension::TIME),
    ("Hz", 1.0, Dimension::FREQUENCY),
    ("kHz", 1e3, Dimension::FREQUENCY),
    ("m", 1.0, Dimension::LENGTH),
    ("cm", 1e-2, Dimension::LENGTH),
    ("mm", 1e-3, Dimension::LENGTH),
    ("um", 1e-6, Dimension::LENGTH),
    ("µm", 1e-6, Dimension::LENGTH),
    ("nm", 1e-9, Dimension::LENGTH),
    ("km", 1e3, Dimension::LENGTH),
    ("in", INCH, Dimension::LENGTH),
    ("ft", 12.0 * INCH, Dimension::LENGTH),
    ("g", STANDARD_GRAVITY, Dimension::ACCELERATION),
    ("gal", 1e-2, Dimension::ACCELERATION),
    ("kg", 1.0, Dimension::MASS),
    ("t", 1e3, Dimension::MASS),
    ("lb", POUND, Dimension::MASS),
    ("N", 1.0, Dimension::FORCE),
    ("kN", 1e3, Dimension::FORCE),
    ("MN", 1e6, Dimension::FORCE),
    ("lbf", POUND_FORCE, Dimension::FORCE),
    ("kip", 1e3 * POUND_FORCE, Dimension::FORCE),
    ("J", 1.0, Dimension::ENERGY),
    ("kJ", 1e3, Dimension::ENERGY),
    ("W", 1.0, Dimension::POWER),
    ("kW", 1e3, Dimension::POWER),
    ("Pa", 1.0, Dimension::STRESS),
    ("kPa", 1e3, Dimension::STRESS),
    ("MPa", 1e6, Dimension::STRESS),
    ("GPa", 1e9, Dimension::STRESS),
    ("bar", 1e5, Dimension::STRESS),
    ("psi", POUND_FORCE / (INCH * INCH), Dimension::STRESS),
    ("ksi", 1e3 * POUND_FORCE / (INCH * INCH), Dimension::STRESS),
];

/// All unit symbols, for messages and the schema.
pub fn unit_symbols() -> impl Iterator<Item = &'static str> {
    UNITS.iter().map(|u| u.0)
}

/// Reads a unit such as `kN/m`, `N*s/m`, `m/s^2` or `m/s²`. An empty text is the unit of a pure
/// number.
pub fn parse_unit(text: &str) -> Result<Unit, QuantityError> {
    let unknown = |symbol: &str| QuantityError::UnknownUnit {
        symbol: symbol.to_owned(),
    };
    let mut unit = Unit {
        factor: 1.0,
        dimension: Dimension::NONE,
    };
    let text = text.trim();
    if text.is_empty() {
        return Ok(unit);
    }
    for (i, part) in text.split('/').enumerate() {
        let sign: i8 = if i == 0 { 1 } else { -1 };
        let mut symbols = 0;
        for token in part.split(['*', '·', ' ']).filter(|t| !t.is_empty()) {
            symbols += 1;
            if token == "1" && i == 0 {
                continue;
            }
            let (symbol, exponent) = split_exponent(token).ok_or_else(|| unknown(token))?;
            let (_, factor, dimension) = UNITS
                .iter()
                .find(|u| u.0 == symbol)
                .ok_or_else(|| unknown(symbol))?;
            unit.factor *= factor.powi(i32::from(sign * exponent));
            unit.dimension = unit
                .dimension
                .times(*dimension, sign * exponent)
                .ok_or_else(|| unknown(token))?;
        }
        if symbols == 0 {
            return Err(unknown(text));
        }
    }
    Ok(unit)
}

/// `mm^2`, `mm2` and `mm²` are all millimetres with exponent two.
fn split_exponent(token: &str) -> Option<(&str, i8)> {
    let token = token.trim();
    for (suffix, exponent) in [("²", 2), ("³", 3), ("⁴", 4)] {
        if let Some(symbol) = token.strip_suffix(suffix) {
            return Some((symbol, exponent));
        }
    }
    if let Some((symbol, exponent)) = token.split_once('^') {
        let exponent: i8 = exponent.parse().ok()?;
        return (-9..=9).contains(&exponent).then_some((symbol, exponent));
    }
    match token.chars().last() {
        Some(digit @ '2'..='6') if token.len() > 1 => Some((
            &token[..token.len() - 1],
            i8::try_from(digit.to_digit(10)?).ok()?,
        )),
        _ => Some((token, 1)),
    }
}

/// Splits `"120 mm"` into 120 and `"mm"`.
pub fn split_quantity(text: &str) -> Result<(f64, &str), QuantityError> {
    let text = text.trim();
    let mut end = 0;
    let bytes = text.as_bytes();
    // The longest prefix that is a number: digits, sign, point, underscore, and an exponent that
    // has digits.
    while end < bytes.len() {
        let c = bytes[end];
        let exponent_follows = (c == b'e' || c == b'E')
            && end > 0
            && bytes[..end].iter().any(u8::is_ascii_digit)
            && bytes.get(end + 1).is_some_and(|n| {
                n.is_ascii_digit()
                    || ((*n == b'+' || *n == b'-')
                        && bytes.get(end + 2).is_some_and(u8::is_ascii_digit))
            });
        let sign = (c == b'+' || c == b'-') && (end == 0 || matches!(bytes[end - 1], b'e' | b'E'));
        if c.is_ascii_digit() || c == b'.' || c == b'_' || sign || exponent_follows {
            end += 1;
        } else {
            break;
        }
    }
    let (number, unit) = text.split_at(end);
    let value: f64 = number
        .replace('_', "")
        .parse()
        .map_err(|_| QuantityError::NoNumber {
            text: text.to_owned(),
        })?;
    if !value.is_finite() {
        return Err(QuantityError::NotFinite {
            text: text.to_owned(),
        });
    }
    Ok((value, unit.trim()))
}

/// Reads a quantity of the given dimension and returns its value in SI.
///
/// ```
/// use tandem_quantity::{parse_quantity, Dimension};
/// assert_eq!(parse_quantity("120 mm", Dimension::LENGTH), Ok(0.12));
/// assert!(parse_quantity("120", Dimension::LENGTH).is_err());
/// ```
pub fn parse_quantity(text: &str, expected: Dimension) -> Result<f64, QuantityError> {
    let (value, symbol) = split_quantity(text)?;
    if symbol.is_empty() && expected != Dimension::NONE {
        return Err(QuantityError::MissingUnit);
    }
    let unit = parse_unit(symbol)?;
    if unit.dimension != expected {
        return Err(QuantityError::WrongDimension {
            text: text.trim().to_owned(),
            got: unit.dimension,
            expected,
        });
    }
    if expected == Dimension::FREQUENCY && (symbol.contains("rad") || symbol.contains("deg")) {
        // 10 rad/s is 1.59 Hz: the radian has no dimension, but here it makes a factor of 2π.
        return Err(QuantityError::Circular {
            text: text.trim().to_owned(),
        });
    }
    let si = scale(value, unit.factor);
    if si.is_finite() {
        Ok(si)
    } else {
        Err(QuantityError::NotFinite {
            text: text.trim().to_owned(),
        })
    }
}

/// Multiplies by the factor so that decimal prefixes round as a person expects: 4 ms is the double
/// nearest to 0.004, which `4.0 * 1e-3` gives only by luck; dividing by the exact integer 1000
/// always does.
fn scale(value: f64, factor: f64) -> f64 {
    let inverse = (1.0 / factor).round();
    if factor < 1.0 && inverse <= 9.0e15 && (1.0 / inverse - factor).abs() <= f64::EPSILON * factor
    {
        value / inverse
    } else {
        value * factor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_read_to_si() {
        let cases = [
            ("120 mm", Dimension::LENGTH, 0.12),
            ("4ms", Dimension::TIME, 0.004),
            ("0.32 g", Dimension::ACCELERATION, 0.32 * 9.806_65),
            ("1190 kN/m", Dimension::STIFFNESS, 1.19e6),
            ("1.19e6 N/m", Dimension::STIFFNESS, 1.19e6),
            ("114.6 N*s/m", Dimension::DAMPING, 114.6),
            ("114.6 N s/m", Dimension::DAMPING, 114.6),
            ("3 m/s^2", Dimension::ACCELERATION, 3.0),
            ("3 m/s²", Dimension::ACCELERATION, 3.0),
            ("3 m/s2", Dimension::ACCELERATION, 3.0),
            ("3 m/s/s", Dimension::ACCELERATION, 3.0),
            ("5 %", Dimension::NONE, 0.05),
            ("0.6", Dimension::NONE, 0.6),
            ("1024 Hz", Dimension::FREQUENCY, 1024.0),
            ("-2.5e-1 m", Dimension::LENGTH, -0.25),
            ("432 cm^4", Dimension::INERTIA, 432e-8),
            ("12 kN*m", Dimension::ENERGY, 12e3),
            ("1 kip/in", Dimension::STIFFNESS, 175_126.835_246_476_36),
        ];
        for (text, dimension, si) in cases {
            let got = parse_quantity(text, dimension).unwrap();
            assert!(
                (got - si).abs() <= 1e-15 * si.abs(),
                "{text}: {got} is not {si}"
            );
        }
    }

    #[test]
    fn wrong_quantities_say_what_is_wrong() {
        assert_eq!(
            parse_quantity("4", Dimension::TIME),
            Err(QuantityError::MissingUnit)
        );
        assert!(matches!(
            parse_quantity("4 parsec", Dimension::LENGTH),
            Err(QuantityError::UnknownUnit { .. })
        ));
        assert!(matches!(
            parse_quantity("4 mm", Dimension::TIME),
            Err(QuantityError::WrongDimension { .. })
        ));
        assert!(matches!(
            parse_quantity("10 rad/s", Dimension::FREQUENCY),
            Err(QuantityError::Circular { .. })
        ));
        assert!(matches!(
            parse_quantity("four ms", Dimension::TIME),
            Err(QuantityError::NoNumber { .. })
        ));
        assert!(matches!(
            parse_quantity("1e999 s", Dimension::TIME),
            Err(QuantityError::NotFinite { .. })
        ));
        for text in [
            "", "/", "1 /", "1 m//s", "1 m^99", "1 m^x", "--1 m", "1e m", "1 m^-128", "nan s",
            "inf s",
        ] {
            assert!(parse_quantity(text, Dimension::TIME).is_err(), "{text}");
        }
    }

    #[test]
    fn decimal_prefixes_give_the_nearest_double() {
        for ms in 1..2000_u32 {
            let exact: f64 = format!("{ms}e-3").parse().unwrap();
            assert_eq!(
                parse_quantity(&format!("{ms} ms"), Dimension::TIME)
                    .unwrap()
                    .to_bits(),
                exact.to_bits()
            );
        }
    }
}
