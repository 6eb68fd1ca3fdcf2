//! Python text into logical lines of tokens, with their indentation.

use crate::error::ScriptError;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// A name or keyword.
    Name(String),
    /// A whole number.
    Whole(i64),
    /// Any other number.
    Real(f64),
    /// A text in quotes.
    Text(String),
    /// A formatted string: what stands between its quotes.
    Formatted(String),
    /// An operator or punctuation.
    Sign(&'static str),
}

/// A logical line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Columns of blanks in front.
    pub indent: usize,
    /// Line in the file, counted from 1.
    pub number: usize,
    /// What stands on it, or why it could not be read.
    pub tokens: Result<Vec<Token>, ScriptError>,
    /// Its text.
    pub source: String,
}

/// Operators, longest first.
const SIGNS: &[&str] = &[
    "**=", "//=", "...", "**", "//", "<<", ">>", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=",
    "%=", ":=", "->", "+", "-", "*", "/", "%", "<", ">", "=", "(", ")", "[", "]", "{", "}", ",",
    ":", ".", "&", "|", "^", "~", "@", ";",
];

/// Splits a script into logical lines: brackets and backslashes go on, `;` separates.
pub fn lines(text: &str) -> Vec<Line> {
    let mut lexer = Lexer {
        text,
        at: 0,
        number: 1,
    };
    let mut lines = Vec::new();
    while lexer.at < text.len() {
        lexer.line(&mut lines);
    }
    lines
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    number: usize,
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn step(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += letter.len_utf8();
        if letter == '\n' {
            self.number += 1;
        }
        Some(letter)
    }

    fn skip_line(&mut self) {
        while let Some(letter) = self.step() {
            if letter == '\n' {
                return;
            }
        }
    }

    fn line(&mut self, lines: &mut Vec<Line>) {
        let mut indent = 0;
        while let Some(blank @ (' ' | '\t' | '\r' | '\u{c}')) = self.peek() {
            indent = if blank == '\t' {
                (indent / 8 + 1) * 8
            } else {
                indent + 1
            };
            self.step();
        }
        let (number, start) = (self.number, self.at);
        let mut tokens = Vec::new();
        let mut depth = 0_usize;
        let outcome = loop {
            let Some(letter) = self.peek() else {
                break Ok(());
            };
            match letter {
                '\n' if depth == 0 => {
                    self.step();
                    break Ok(());
                }
                '#' => {
                    while self.peek().is_some_and(|letter| letter != '\n') {
                        self.step();
                    }
                }
                '\\' => {
                    self.step();
                    while matches!(self.peek(), Some(' ' | '\r')) {
                        self.step();
                    }
                    if self.step() != Some('\n') {
                        break Err(ScriptError::Syntax(
                            "a backslash stands within a line".into(),
                        ));
                    }
                }
                _ if letter.is_whitespace() => {
                    self.step();
                }
                _ => match self.token(&mut depth) {
                    Ok(token) => tokens.push(token),
                    Err(reason) => break Err(reason),
                },
            }
        };
        let source = self
            .text
            .get(start..self.at)
            .unwrap_or("")
            .trim()
            .to_owned();
        if outcome.is_err() {
            self.skip_line();
        }
        let line = |tokens| Line {
            indent,
            number,
            tokens,
            source: source.clone(),
        };
        match outcome {
            Err(reason) => lines.push(line(Err(reason))),
            Ok(()) => {
                for part in tokens.split(|token| *token == Token::Sign(";")) {
                    if !part.is_empty() {
                        lines.push(line(Ok(part.to_vec())));
                    }
                }
            }
        }
    }

    fn token(&mut self, depth: &mut usize) -> Result<Token, ScriptError> {
        let rest = self.rest();
        let letter = rest.chars().next().unwrap_or(' ');
        let number = letter.is_ascii_digit()
            || (letter == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()));
        if number {
            return self.number();
        }
        if matches!(letter, '"' | '\'') {
            return self.quoted(false).map(Token::Text);
        }
        if letter.is_alphabetic() || letter == '_' {
            let end = rest
                .find(|c: char| !(c.is_alphanumeric() || c == '_'))
                .unwrap_or(rest.len());
            let name = rest[..end].to_owned();
            self.at += end;
            if matches!(self.peek(), Some('"' | '\'')) && name.len() <= 2 {
                let kinds = name.to_lowercase();
                if !kinds
                    .chars()
                    .all(|kind| matches!(kind, 'r' | 'f' | 'b' | 'u'))
                {
                    return Err(ScriptError::Syntax(
                        format!("`{name}` stands right before a text").into(),
                    ));
                }
                let text = self.quoted(kinds.contains('r'))?;
                return Ok(if kinds.contains('f') {
                    Token::Formatted(text)
                } else {
                    Token::Text(text)
                });
            }
            return Ok(Token::Name(name));
        }
        let sign = SIGNS
            .iter()
            .find(|sign| rest.starts_with(**sign))
            .ok_or_else(|| ScriptError::Syntax(format!("`{letter}` is not expected").into()))?;
        match *sign {
            "(" | "[" | "{" => *depth += 1,
            ")" | "]" | "}" => *depth = depth.saturating_sub(1),
            _ => {}
        }
        self.at += sign.len();
        Ok(Token::Sign(sign))
    }

    fn number(&mut self) -> Result<Token, ScriptError> {
        let bytes = self.rest().as_bytes();
        let mut end = 0;
        while let Some(byte) = bytes.get(end) {
            let sign =
                matches!(byte, b'+' | b'-') && end > 0 && matches!(bytes[end - 1], b'e' | b'E');
            if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_') || sign {
                end += 1;
            } else {
                break;
            }
        }
        let text = self.rest()[..end].replace('_', "");
        self.at += end;
        if let Ok(whole) = text.parse() {
            return Ok(Token::Whole(whole));
        }
        crate::tcl::number::real(&text)
            .map(Token::Real)
            .ok_or_else(|| ScriptError::Syntax(format!("`{text}` is not a number").into()))
    }

    fn quoted(&mut self, raw: bool) -> Result<String, ScriptError> {
        let quote = self.step().unwrap_or('"');
        let triple: String = std::iter::repeat_n(quote, 2).collect();
        let closing = if self.rest().starts_with(&triple) {
            self.at += 2;
            3
        } else {
            1
        };
        let end: String = std::iter::repeat_n(quote, closing).collect();
        let mut text = String::new();
        loop {
            if self.rest().starts_with(&end) {
                self.at += closing;
                return Ok(text);
            }
            match self.step() {
                None => {
                    return Err(ScriptError::Syntax(
                        "a quotation mark has no partner".into(),
                    ));
                }
                Some('\n') if closing == 1 => {
                    self.at -= 1;
                    self.number -= 1;
                    return Err(ScriptError::Syntax(
                        "a quotation mark has no partner".into(),
                    ));
                }
                Some('\\') if raw => {
                    text.push('\\');
                    text.extend(self.step());
                }
                Some('\\') => match self.step() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some('r') => text.push('\r'),
                    Some(other @ ('x' | 'u' | 'U' | 'N' | 'a' | 'b' | 'f' | 'v' | '0'..='7')) => {
                        return Err(ScriptError::NotRead(
                            format!("`\\{other}` within a text").into(),
                        ));
                    }
                    Some('\n') | None => {}
                    Some(other @ ('\\' | '\'' | '"')) => text.push(other),
                    Some(other) => {
                        text.push('\\');
                        text.push(other);
                    }
                },
                Some(letter) => text.push(letter),
            }
        }
    }
}
