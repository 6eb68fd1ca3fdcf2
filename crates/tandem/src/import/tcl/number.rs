//! Numbers of Tcl: whole ones and others are told apart, as division depends on it.

use std::fmt;

/// A value within an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Whole(i64),
    /// Any other.
    Real(f64),
    /// A text, for comparisons.
    Text(String),
}

impl Number {
    /// The number in a text, or the text.
    pub fn of(text: &str) -> Self {
        let trimmed = text.trim();
        if let Ok(whole) = trimmed.parse::<i64>() {
            return Self::Whole(whole);
        }
        if let Some(hex) = trimmed.strip_prefix("0x")
            && let Ok(whole) = i64::from_str_radix(hex, 16)
        {
            return Self::Whole(whole);
        }
        match real(trimmed) {
            Some(value) => Self::Real(value),
            None => match trimmed {
                "true" | "yes" | "on" => Self::Whole(1),
                "false" | "no" | "off" => Self::Whole(0),
                _ => Self::Text(text.to_owned()),
            },
        }
    }

    /// As a real number.
    #[allow(clippy::cast_precision_loss)]
    pub fn real(&self) -> Result<f64, String> {
        match self {
            Self::Whole(whole) => Ok(*whole as f64),
            Self::Real(real) => Ok(*real),
            Self::Text(text) => Err(format!(
                "`{}` is not a number",
                super::super::script::shorten(text)
            )),
        }
    }

    /// Whether it is not zero.
    pub fn truth(&self) -> Result<bool, String> {
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
