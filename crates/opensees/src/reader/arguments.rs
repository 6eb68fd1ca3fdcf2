//! Arguments of a command, taken one after another.

use crate::error::ScriptError;
use crate::script::{Argument, Call, shorten};
use crate::tcl::number::real;

/// Arguments of a command. Texts that hold nothing but numbers are those numbers.
pub struct Arguments {
    list: Vec<Argument>,
    at: usize,
}

impl Arguments {
    /// Arguments of a call.
    pub fn of(call: &Call) -> Self {
        let mut list = Vec::with_capacity(call.arguments.len());
        for argument in &call.arguments {
            match argument {
                Argument::Text(text) => {
                    let numbers: Option<Vec<f64>> = text.split_whitespace().map(real).collect();
                    match numbers {
                        Some(numbers) if !numbers.is_empty() => {
                            list.extend(numbers.into_iter().map(Argument::Number));
                        }
                        _ => list.push(argument.clone()),
                    }
                }
                Argument::Number(_) => list.push(argument.clone()),
            }
        }
        Self { list, at: 0 }
    }

    /// Arguments in a text of words.
    pub fn words(text: &str) -> Self {
        let list = text.split_whitespace().map(|word| match real(word) {
            Some(value) => Argument::Number(value),
            None => Argument::Text(word.to_owned()),
        });
        Self {
            list: list.collect(),
            at: 0,
        }
    }

    /// How many are left.
    pub fn left(&self) -> usize {
        self.list.len() - self.at
    }

    /// The next one, without taking it.
    pub fn peek(&self) -> Option<&Argument> {
        self.list.get(self.at)
    }

    /// The next one, whatever it is.
    pub fn any(&mut self) -> Option<Argument> {
        let next = self.list.get(self.at).cloned();
        self.at += usize::from(next.is_some());
        next
    }

    /// A word.
    pub fn text(&mut self, what: &'static str) -> Result<String, ScriptError> {
        match self.any() {
            Some(Argument::Text(text)) => Ok(text),
            Some(Argument::Number(value)) => Ok(format!("{value}")),
            None => Err(ScriptError::Missing(what.into())),
        }
    }

    /// A finite number.
    pub fn number(&mut self, what: &'static str) -> Result<f64, ScriptError> {
        match self.any() {
            Some(Argument::Number(value)) if value.is_finite() => Ok(value),
            Some(Argument::Number(_)) => Err(ScriptError::NotFinite { what: what.into() }),
            Some(Argument::Text(text)) => {
                Err(wrong(what, "be a number", format!("`{}`", shorten(&text))))
            }
            None => Err(ScriptError::Missing(what.into())),
        }
    }

    /// A number, if the next argument is one.
    pub fn optional(&mut self) -> Option<f64> {
        match self.peek() {
            Some(Argument::Number(value)) if value.is_finite() => {
                let value = *value;
                self.at += 1;
                Some(value)
            }
            _ => None,
        }
    }

    /// The number after an option or its default.
    pub fn or(&mut self, default: f64) -> f64 {
        self.optional().unwrap_or(default)
    }

    /// A whole number.
    #[allow(clippy::cast_possible_truncation)]
    pub fn tag(&mut self, what: &'static str) -> Result<i64, ScriptError> {
        let value = self.number(what)?;
        if value.fract().abs() <= 0.0 && value.abs() < 9e15 {
            Ok(value as i64)
        } else {
            Err(wrong(what, "be a whole number", value.to_string()))
        }
    }

    /// A whole number of things, within a bound.
    pub fn count(&mut self, what: &'static str) -> Result<usize, ScriptError> {
        let tag = self.tag(what)?;
        usize::try_from(tag)
            .ok()
            .filter(|count| (1..=100_000).contains(count))
            .ok_or_else(|| wrong(what, "lie between 1 and 100000", tag.to_string()))
    }

    /// So many numbers.
    pub fn numbers<const N: usize>(&mut self, what: &'static str) -> Result<[f64; N], ScriptError> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.number(what)?;
        }
        Ok(values)
    }

    /// All numbers up to the next option or the end.
    pub fn rest(&mut self) -> Vec<f64> {
        std::iter::from_fn(|| self.optional()).collect()
    }

    /// Takes an option such as `-mass` if it is next.
    pub fn take(&mut self, option: &str) -> bool {
        let here = matches!(self.peek(), Some(Argument::Text(text)) if text == option);
        self.at += usize::from(here);
        here
    }

    /// Takes an option out of the arguments that are left, wherever it stands, with the numbers
    /// after it.
    pub fn option(&mut self, option: &str) -> Option<Vec<f64>> {
        let found = self.list[self.at..]
            .iter()
            .position(|argument| matches!(argument, Argument::Text(text) if text == option))?
            + self.at;
        let numbers: Vec<f64> = self.list[found + 1..]
            .iter()
            .map_while(|argument| match argument {
                Argument::Number(value) => Some(*value),
                Argument::Text(_) => None,
            })
            .collect();
        self.list.drain(found..=found + numbers.len());
        Some(numbers)
    }

    /// Takes an option with a text after it.
    pub fn option_text(&mut self, option: &str) -> Option<String> {
        let found = self.list[self.at..]
            .iter()
            .position(|argument| matches!(argument, Argument::Text(text) if text == option))?
            + self.at;
        match self.list.get(found + 1) {
            Some(Argument::Text(text)) => {
                let text = text.clone();
                self.list.drain(found..found + 2);
                Some(text)
            }
            Some(Argument::Number(value)) => {
                let text = format!("{value}");
                self.list.drain(found..found + 2);
                Some(text)
            }
            None => None,
        }
    }

    /// What is left and was not understood.
    pub fn remainder(&self) -> String {
        let words: Vec<String> = self.list[self.at..]
            .iter()
            .map(|argument| match argument {
                Argument::Text(text) => text.clone(),
                Argument::Number(value) => format!("{value}"),
            })
            .collect();
        shorten(&words.join(" "))
    }
}

/// An argument that is not what it should be.
fn wrong(what: &'static str, expected: &'static str, got: String) -> ScriptError {
    ScriptError::Argument {
        what: what.into(),
        expected,
        got: got.into(),
    }
}
