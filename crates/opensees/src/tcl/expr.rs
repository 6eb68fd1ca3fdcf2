//! `expr`: arithmetic and comparisons of Tcl, by precedence climbing.

use super::number::Number;
use super::operators::{combine, function, power};
use crate::script::Stop;

/// Looks up what an expression refers to.
pub trait Lookup {
    /// The value of a variable, with its index where it has one, as it stands.
    fn variable(&mut self, name: &str, index: Option<&str>) -> Result<String, Stop>;
    /// A text in quotes after substitution.
    fn quoted(&mut self, text: &str) -> Result<String, Stop>;
    /// The result of a script in brackets.
    fn script(&mut self, script: &str) -> Result<String, Stop>;
    /// One level down.
    fn enter(&mut self) -> Result<(), Stop>;
    /// And up.
    fn leave(&mut self);
}

/// Works out an expression.
pub fn evaluate(text: &str, lookup: &mut dyn Lookup) -> Result<Number, Stop> {
    let mut reader = Reader {
        text: text.as_bytes(),
        at: 0,
        lookup,
        skipped: 0,
    };
    let value = reader.conditional()?;
    reader.blanks();
    if reader.at < reader.text.len() {
        return Stop::fault_message(format!(
            "expression `{}` goes on after its end",
            crate::script::shorten(text)
        ));
    }
    Ok(value)
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    lookup: &'a mut dyn Lookup,
    /// Above zero: read, but not worked out (the other side of `?:`, `&&`, `||`).
    skipped: usize,
}

/// Operators by precedence, longest first within a level.
const LEVELS: &[&[&str]] = &[
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["in", "ni"],
    &["eq", "ne"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Reader<'_> {
    fn blanks(&mut self) {
        while self
            .text
            .get(self.at)
            .is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'\\')
        {
            self.at += 1;
        }
    }

    fn peek(&mut self) -> Option<u8> {
        self.blanks();
        self.text.get(self.at).copied()
    }

    fn take(&mut self, sign: &str) -> bool {
        self.blanks();
        let here = self.text[self.at..].starts_with(sign.as_bytes());
        if here {
            self.at += sign.len();
        }
        here
    }

    fn operator(&mut self, level: &[&'static str]) -> Option<&'static str> {
        self.blanks();
        let rest = &self.text[self.at..];
        let sign = level
            .iter()
            .copied()
            .find(|sign| rest.starts_with(sign.as_bytes()))?;
        let next = rest.get(sign.len()).copied();
        let other = match (sign, next) {
            // Longer operators and words that only begin like this one.
            ("|", Some(b'|')) | ("&", Some(b'&')) | ("*", Some(b'*')) => true,
            ("<", Some(b'<')) | (">", Some(b'>')) => true,
            ("eq" | "ne" | "in" | "ni", Some(byte)) => byte.is_ascii_alphanumeric(),
            _ => false,
        };
        if other {
            return None;
        }
        self.at += sign.len();
        Some(sign)
    }

    fn conditional(&mut self) -> Result<Number, Stop> {
        self.lookup.enter()?;
        let result = self.conditional_inside();
        self.lookup.leave();
        result
    }

    fn conditional_inside(&mut self) -> Result<Number, Stop> {
        let condition = self.binary(0)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let holds = self.skipped > 0 || condition.truth()?;
        let first = self.aside(!holds)?;
        if !self.take(":") {
            return Stop::fault_message("`?` has no `:`");
        }
        let second = self.aside(holds)?;
        Ok(if holds { first } else { second })
    }

    fn aside(&mut self, skip: bool) -> Result<Number, Stop> {
        self.skipped += usize::from(skip);
        let value = self.conditional();
        self.skipped -= usize::from(skip);
        value
    }

    fn binary(&mut self, level: usize) -> Result<Number, Stop> {
        let Some(signs) = LEVELS.get(level) else {
            return self.power();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(sign) = self.operator(signs) {
            let settled = match sign {
                "&&" => self.skipped == 0 && !left.truth()?,
                "||" => self.skipped == 0 && left.truth()?,
                _ => false,
            };
            self.skipped += usize::from(settled);
            let right = self.binary(level + 1);
            self.skipped -= usize::from(settled);
            let right = right?;
            if self.skipped == 0 {
                left = if settled {
                    Number::Whole(i64::from(sign == "||"))
                } else {
                    combine(sign, &left, &right)?
                };
            }
        }
        Ok(left)
    }

    fn power(&mut self) -> Result<Number, Stop> {
        let base = self.unary()?;
        if !self.take("**") {
            return Ok(base);
        }
        self.lookup.enter()?;
        let exponent = self.power();
        self.lookup.leave();
        let exponent = exponent?;
        if self.skipped > 0 {
            return Ok(base);
        }
        Ok(power(&base, &exponent)?)
    }

    fn unary(&mut self) -> Result<Number, Stop> {
        let mut signs = Vec::new();
        while let Some(sign @ (b'-' | b'+' | b'!' | b'~')) = self.peek() {
            signs.push(sign);
            self.at += 1;
        }
        let mut value = self.primary()?;
        if self.skipped > 0 {
            return Ok(value);
        }
        for sign in signs.into_iter().rev() {
            value = match (sign, value.numeric()) {
                (b'-', Number::Whole(whole)) => Number::Whole(whole.wrapping_neg()),
                (b'-', other) => Number::Real(-other.real()?),
                (b'!', other) => Number::Whole(i64::from(!other.truth()?)),
                (b'~', Number::Whole(whole)) => Number::Whole(!whole),
                (b'~', _) => return Stop::fault_message("`~` needs a whole number"),
                (_, other) => {
                    other.real()?;
                    other
                }
            };
        }
        Ok(value)
    }

    fn primary(&mut self) -> Result<Number, Stop> {
        match self.peek() {
            None => Stop::fault_message("an expression ends too early"),
            Some(b'(') => {
                self.at += 1;
                let value = self.conditional()?;
                if self.take(")") {
                    Ok(value)
                } else {
                    Stop::fault_message("a parenthesis has no partner")
                }
            }
            Some(b'$') => self.variable(),
            Some(b'[') => {
                let script = self.enclosed(b'[', b']')?;
                if self.skipped > 0 {
                    return Ok(Number::Whole(0));
                }
                Ok(Number::Text(self.lookup.script(&script)?))
            }
            Some(b'{') => Ok(Number::Text(self.enclosed(b'{', b'}')?)),
            Some(b'"') => {
                self.at += 1;
                let start = self.at;
                while self.text.get(self.at).is_some_and(|byte| *byte != b'"') {
                    self.at += 1;
                }
                let text = self.slice(start, self.at);
                self.at += 1;
                if self.skipped > 0 {
                    return Ok(Number::Whole(0));
                }
                Ok(Number::Text(self.lookup.quoted(&text)?))
            }
            Some(byte) if byte.is_ascii_digit() || byte == b'.' => self.number(),
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => self.word(),
            Some(byte) => Stop::fault_message(format!(
                "`{}` is not expected in an expression",
                char::from(byte)
            )),
        }
    }

    fn slice(&self, start: usize, end: usize) -> String {
        String::from_utf8_lossy(&self.text[start..end.min(self.text.len())]).into_owned()
    }

    fn enclosed(&mut self, open: u8, close: u8) -> Result<String, Stop> {
        self.at += 1;
        let start = self.at;
        let mut depth = 1;
        while let Some(byte) = self.text.get(self.at).copied() {
            self.at += 1;
            if byte == open {
                depth += 1;
            } else if byte == close {
                depth -= 1;
                if depth == 0 {
                    return Ok(self.slice(start, self.at - 1));
                }
            }
        }
        Stop::fault_message("a bracket has no partner")
    }

    fn variable(&mut self) -> Result<Number, Stop> {
        self.at += 1;
        let mut index = None;
        let name = if self.text.get(self.at) == Some(&b'{') {
            self.enclosed(b'{', b'}')?
        } else {
            let start = self.at;
            while self
                .text
                .get(self.at)
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':'))
            {
                self.at += 1;
            }
            let name = self.slice(start, self.at);
            if self.text.get(self.at) == Some(&b'(') {
                index = Some(self.enclosed(b'(', b')')?);
            }
            name
        };
        if self.skipped > 0 {
            return Ok(Number::Whole(0));
        }
        Ok(Number::Text(self.lookup.variable(&name, index.as_deref())?))
    }

    fn number(&mut self) -> Result<Number, Stop> {
        let start = self.at;
        let hex = self.text[self.at..].starts_with(b"0x");
        while let Some(byte) = self.text.get(self.at) {
            let exponent_sign = matches!(byte, b'+' | b'-')
                && !hex
                && matches!(self.text[self.at - 1], b'e' | b'E')
                && self.at > start;
            if byte.is_ascii_alphanumeric() || *byte == b'.' || exponent_sign {
                self.at += 1;
            } else {
                break;
            }
        }
        let text = self.slice(start, self.at);
        match Number::of(&text) {
            Number::Text(_) => Stop::fault_message(format!("`{text}` is not a number")),
            number => Ok(number),
        }
    }

    fn word(&mut self) -> Result<Number, Stop> {
        let start = self.at;
        while self
            .text
            .get(self.at)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        {
            self.at += 1;
        }
        let name = self.slice(start, self.at);
        if self.peek() != Some(b'(') {
            let number = Number::Text(name);
            return match number.truth() {
                Ok(_) => Ok(number),
                Err(_) => {
                    Stop::fault_message(format!("`{number}` is not a number; is a `$` missing?"))
                }
            };
        }
        self.at += 1;
        let mut arguments = Vec::new();
        while !self.take(")") {
            arguments.push(self.conditional()?);
            self.take(",");
            if self.peek().is_none() {
                return Stop::fault_message("a parenthesis has no partner");
            }
        }
        if self.skipped > 0 {
            return Ok(Number::Whole(0));
        }
        Ok(function(&name, &arguments)?)
    }
}
