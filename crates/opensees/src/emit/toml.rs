//! Values as the plan file writes them.

use tandem_quantity::Dimension;

use crate::units::Units;

/// A number as a person would write it: without an exponent where it is short.
pub fn number(value: f64) -> String {
    // No minus in front of zero, and no digits that only round-off of the script's arithmetic put
    // there.
    let value = if value.abs() <= 0.0 { 0.0 } else { value };
    let value = format!("{value:.14e}")
        .parse()
        .ok()
        .filter(|short: &f64| (short - value).abs() <= 2.0 * f64::EPSILON * value.abs())
        .unwrap_or(value);
    if value.abs() > 0.0 && !(1e-4..1e7).contains(&value.abs()) {
        format!("{value:e}")
    } else {
        format!("{value}")
    }
}

/// A quantity with its unit.
pub fn quantity(value: f64, dimension: Dimension, units: &Units) -> String {
    match units.of(dimension).as_str() {
        "" => number(value),
        unit => format!("\"{} {unit}\"", number(value)),
    }
}

/// Quantities with one unit for all.
pub fn list(values: &[f64], dimension: Dimension, units: &Units) -> String {
    let mut words: Vec<String> = values.iter().copied().map(number).collect();
    let unit = units.of(dimension);
    if !unit.is_empty() && !words.is_empty() {
        words.push(format!("\"{unit}\""));
    }
    format!("[{}]", words.join(", "))
}

/// A text in quotes.
pub fn text(value: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in value.chars() {
        match letter {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(letter);
            }
            letter if letter.is_control() => quoted.push(' '),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// A list of texts.
pub fn texts(values: impl IntoIterator<Item = String>) -> String {
    let words: Vec<String> = values.into_iter().map(|word| text(&word)).collect();
    format!("[{}]", words.join(", "))
}
