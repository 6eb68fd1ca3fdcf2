//! `format`: as much of it as tags and file names need.

use super::commands::whole;
use super::number::Number;
use crate::import::script::{Stop, bounded};

/// Widest field.
const WIDEST: usize = 200;

/// Fills `%d`, `%s`, `%f`, `%e`, `%g` with flags `0` and `-`, width and precision.
pub(super) fn format(pattern: &str, values: &[&str]) -> Result<String, Stop> {
    let mut text = String::new();
    let mut values = values.iter();
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            text.push(letter);
            continue;
        }
        let (mut zero, mut left) = (false, false);
        while let Some(flag @ ('0' | '-' | '+' | ' ')) = letters.peek().copied() {
            zero |= flag == '0';
            left |= flag == '-';
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
            .ok_or_else(|| Stop::Trouble("`format` has too few values".to_owned()))?;
        let places = precision.unwrap_or(6);
        let field = match kind {
            Some('d' | 'i' | 'u') => match Number::of(value) {
                Number::Real(real) if real.abs() < 9e15 => format!("{:.0}", real.trunc()),
                _ => whole(value)?.to_string(),
            },
            Some('s') => (*value).to_owned(),
            Some('f') => format!("{:.places$}", Number::of(value).real()?),
            Some('e') => format!("{:.places$e}", Number::of(value).real()?),
            Some('g') => Number::of(value).to_string(),
            _ => return Stop::trouble(format!("the pattern `{pattern}` is not known")),
        };
        let missing = width.saturating_sub(field.chars().count());
        let pad = if zero && !left { "0" } else { " " }.repeat(missing);
        match field.strip_prefix('-') {
            _ if left => text.push_str(&format!("{field}{pad}")),
            Some(digits) if zero => text.push_str(&format!("-{pad}{digits}")),
            _ => text.push_str(&format!("{pad}{field}")),
        }
        bounded(text.len())?;
    }
    Ok(text)
}
