//! Numbers of Tcl: whole ones and others are told apart, as division depends on it.

use crate::error::ScriptError;
use std::fmt;

/// A value within an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Whole(i64),
    /// Any other.
    Real(f64),
    /// A text as it stands in a variable or in quotes. It may hold a number; `eq` compares it
    /// letter by letter.
    Text(String),
}

impl Number {
    /// The number in a text, or the text. A whole number that begins with 0 is octal, as in Tcl 8.
    pub fn of(text: &str) -> Self {
        let trimmed = text.trim();
        let (negative, digits) = match trimmed.as_bytes() {
            [b'-', ..] => (true, &trimmed[1..]),
            [b'+', ..] => (false, &trimmed[1..]),
            _ => (false, trimmed),
        };
        let lower = digits.to_ascii_lowercase();
        let based = [("0x", 16), ("0o", 8), ("0b", 2), ("0", 8)]
            .iter()
            .find_map(|(prefix, base)| Some((lower.strip_prefix(prefix)?, *base)))
            .filter(|(rest, _)| {
                !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_hexdigit())
            })
            .filter(|(rest, base)| *base == 16 || rest.bytes().all(|byte| byte.is_ascii_digit()));
        if let Some((rest, base)) = based {
            return match i64::from_str_radix(rest, base) {
                Ok(whole) if negative => Self::Whole(-whole),
                Ok(whole) => Self::Whole(whole),
                Err(_) => Self::Text(text.to_owned()),
            };
        }
        if let Ok(whole) = trimmed.parse::<i64>() {
            return Self::Whole(whole);
        }
        match real(trimmed) {
            Some(value) => Self::Real(value),
            None => Self::Text(text.to_owned()),
        }
    }

    /// What a text stands for: the number in it, where it holds one.
    pub fn numeric(&self) -> Self {
        match self {
            Self::Text(text) => Self::of(text),
            number => number.clone(),
        }
    }

    /// As a real number.
    pub fn real(&self) -> Result<f64, ScriptError> {
        match self.numeric() {
            Self::Whole(whole) => Ok(whole as f64),
            Self::Real(real) => Ok(real),
            Self::Text(text) => Err(ScriptError::Value(
                format!("`{}` is not a number", super::super::script::shorten(&text)).into(),
            )),
        }
    }

    /// Whether it is not zero; words such as `yes` and `off` count here and nowhere else.
    pub fn truth(&self) -> Result<bool, ScriptError> {
        if let Self::Text(text) = self {
            match text.trim().to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => return Ok(true),
                "false" | "no" | "off" => return Ok(false),
                _ => {}
            }
        }
        Ok(self.real()?.abs() > 0.0)
    }
}

/// A real number as Tcl and Python write it; words such as `nan` and `inf` are none.
pub fn real(text: &str) -> Option<f64> {
    let starts = text
        .bytes()
        .find(|byte| !matches!(byte, b'+' | b'-'))
        .is_some_and(|byte| byte.is_ascii_digit() || byte == b'.');
    if !starts {
        return None;
    }
    text.parse().ok()
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(whole) => write!(f, "{whole}"),
            Self::Real(real) => write!(f, "{real:?}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}
