//! `format`: as much of it as tags and file names need.

use super::commands::whole;
use super::number::Number;
use crate::script::{Stop, bounded};

/// Widest field.
const WIDEST: usize = 200;

/// Fills `%d`, `%s`, `%f`, `%e`, `%g` with flags `0`, `-`, `+` and blank, width and precision.
pub(super) fn format(pattern: &str, values: &[&str]) -> Result<String, Stop> {
    let mut text = String::new();
    let mut values = values.iter();
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            text.push(letter);
            continue;
        }
        let (mut zero, mut left, mut sign) = (false, false, "");
        while let Some(flag @ ('0' | '-' | '+' | ' ')) = letters.peek().copied() {
            zero |= flag == '0';
            left |= flag == '-';
            sign = match flag {
                '+' => "+",
                ' ' if sign.is_empty() => " ",
                _ => sign,
            };
            letters.next();
        }
        let mut number = || {
            let mut digits = String::new();
            while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            digits.parse::<usize>().ok().map(|count| count.min(WIDEST))
        };
        let width = number().unwrap_or(0);
        let precision = letters.next_if_eq(&'.').map(|_| {
            let mut digits = String::new();
            while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            digits.parse::<usize>().unwrap_or(0).min(WIDEST)
        });
        while letters.next_if(|c| matches!(c, 'l' | 'h')).is_some() {}
        let kind = letters.next();
        if kind == Some('%') {
            text.push('%');
            continue;
        }
        let value = values
            .next()
            .ok_or_else(|| Stop::failed("`format` has too few values"))?;
        let places = precision.unwrap_or(6);
        let field = match kind {
            Some('d' | 'i') if precision.is_none() => whole(value)?.to_string(),
            Some('s') => match precision {
                Some(most) => value.chars().take(most).collect(),
                None => (*value).to_owned(),
            },
            Some('f') => format!("{:.places$}", Number::of(value).real()?),
            Some('e') => exponential(Number::of(value).real()?, places),
            Some('g') => general(Number::of(value).real()?, places.max(1)),
            _ => return Stop::fault_message(format!("the pattern `{pattern}` is not known")),
        };
        let field = if kind != Some('s') && !field.starts_with('-') {
            format!("{sign}{field}")
        } else {
            field
        };
        let missing = width.saturating_sub(field.chars().count());
        let pad = if zero && !left { "0" } else { " " }.repeat(missing);
        let signed = usize::from(field.starts_with(['-', '+', ' ']));
        match field.split_at(signed) {
            _ if left => text.push_str(&format!("{field}{pad}")),
            (sign, digits) if zero => text.push_str(&format!("{sign}{pad}{digits}")),
            _ => text.push_str(&format!("{pad}{field}")),
        }
        bounded(text.len())?;
    }
    if values.next().is_some() {
        return Stop::fault_message("`format` has too many values");
    }
    Ok(text)
}

/// As C writes it: at least two digits of exponent, with a sign.
fn exponential(value: f64, places: usize) -> String {
    let text = format!("{value:.places$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, exponent) = match exponent.strip_prefix('-') {
                Some(exponent) => ('-', exponent),
                None => ('+', exponent),
            };
            format!("{digits}e{sign}{exponent:0>2}")
        }
        None => text,
    }
}

/// `%g`: so many significant digits, without the zeros after them.
fn general(value: f64, digits: usize) -> String {
    let text = exponential(value, digits - 1);
    let exponent = text
        .split_once('e')
        .and_then(|(_, exponent)| exponent.parse::<i32>().ok());
    let shortened = |text: &str| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text.to_owned()
        }
    };
    match exponent {
        Some(exponent) if exponent < -4 || exponent >= i32::try_from(digits).unwrap_or(0) => {
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
            format!("{}e{exponent}", shortened(mantissa))
        }
        Some(exponent) => {
            let places = i32::try_from(digits).unwrap_or(0) - 1 - exponent;
            let places = usize::try_from(places).unwrap_or(0);
            shortened(&format!("{value:.places$}"))
        }
        None => text,
    }
}
