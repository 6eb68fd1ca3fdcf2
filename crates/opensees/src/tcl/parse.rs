//! Tcl text into commands and words. Nothing is evaluated here.

use crate::error::ScriptError;

/// A word before substitution.
#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    /// What it is made of.
    pub text: Text,
    /// Line on which its content begins, counted from the start of the script (0).
    pub line: usize,
    /// `{*}` stands in front: its list becomes several words.
    pub expand: bool,
}

impl Word {
    /// Its text, if nothing in it is substituted.
    pub fn literal(&self) -> Option<&str> {
        match &self.text {
            Text::Braced(text) => Some(text),
            Text::Parts(parts) => match parts.as_slice() {
                [Part::Literal(text)] => Some(text),
                _ => None,
            },
        }
    }
}

/// Content of a word.
#[derive(Clone, Debug, PartialEq)]
pub enum Text {
    /// In braces: taken as it is.
    Braced(String),
    /// Bare or in quotes: parts to substitute.
    Parts(Vec<Part>),
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// As it is.
    Literal(String),
    /// `$name`, `${name}`, or `$name(index)` with the parts of its index.
    Variable(String, Option<Vec<Part>>),
    /// `[script]`, and the line on which it begins.
    Script(String, usize),
}

/// Reads commands from a script, one after another.
pub struct Parser<'a> {
    text: &'a [u8],
    source: &'a str,
    at: usize,
    line: usize,
}

/// One command: its words and the line of the first.
pub struct Command {
    /// Its words.
    pub words: Vec<Word>,
    /// Line of the first word, counted from 0.
    pub line: usize,
    /// Its text.
    pub source: String,
}

type Parsed<T> = Result<T, (usize, ScriptError)>;

impl<'a> Parser<'a> {
    /// At the beginning of a script.
    pub fn new(source: &'a str) -> Self {
        Self {
            text: source.as_bytes(),
            source,
            at: 0,
            line: 0,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn step(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        if byte == b'\n' {
            self.line += 1;
        }
        self.at += 1;
        Some(byte)
    }

    /// A backslash before a line's end (with an optional carriage return).
    fn continuation(&self) -> Option<usize> {
        match &self.text[self.at..] {
            [b'\\', b'\n', ..] => Some(2),
            [b'\\', b'\r', b'\n', ..] => Some(3),
            _ => None,
        }
    }

    /// Blanks between words, and lines that go on.
    fn blanks(&mut self) {
        loop {
            if let Some(length) = self.continuation() {
                for _ in 0..length {
                    self.step();
                }
            } else if matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | 0x0c)) {
                self.step();
            } else {
                return;
            }
        }
    }

    /// The next command; none at the end. An error names the line, counted from 0.
    pub fn command(&mut self) -> Parsed<Option<Command>> {
        loop {
            self.blanks();
            match self.peek() {
                None => return Ok(None),
                Some(b'\n' | b';') => {
                    self.step();
                }
                Some(b'#') => self.comment(),
                Some(_) => break,
            }
        }
        let (line, start) = (self.line, self.at);
        let mut words = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                None => break,
                Some(b'\n' | b';') => {
                    let end = self.at;
                    self.step();
                    return Ok(Some(self.finish(words, line, start, end)));
                }
                Some(_) => words.push(self.word()?),
            }
        }
        let end = self.at;
        Ok(Some(self.finish(words, line, start, end)))
    }

    fn finish(&self, words: Vec<Word>, line: usize, start: usize, end: usize) -> Command {
        Command {
            words,
            line,
            source: self.source.get(start..end).unwrap_or("").to_owned(),
        }
    }

    fn comment(&mut self) {
        loop {
            if let Some(length) = self.continuation() {
                for _ in 0..length {
                    self.step();
                }
                continue;
            }
            match self.step() {
                None | Some(b'\n') => return,
                Some(_) => {}
            }
        }
    }

    fn word(&mut self) -> Parsed<Word> {
        let expand = self.text[self.at..].starts_with(b"{*}")
            && !matches!(
                self.text.get(self.at + 3),
                None | Some(b' ' | b'\t' | b'\n' | b'\r' | b';')
            );
        if expand {
            self.at += 3;
        }
        match self.peek() {
            Some(b'{') => {
                self.step();
                let line = self.line;
                let text = Text::Braced(self.braced()?);
                Ok(Word { text, line, expand })
            }
            Some(b'"') => {
                self.step();
                let line = self.line;
                let parts = self.parts(|byte| byte == b'"')?;
                if self.step() != Some(b'"') {
                    return Err((
                        line,
                        ScriptError::Syntax("a quotation mark has no partner".into()),
                    ));
                }
                Ok(Word {
                    text: Text::Parts(parts),
                    line,
                    expand,
                })
            }
            _ => {
                let line = self.line;
                let parts =
                    self.parts(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b';' | 0x0c))?;
                Ok(Word {
                    text: Text::Parts(parts),
                    line,
                    expand,
                })
            }
        }
    }

    /// The inside of braces; the opening one is behind.
    fn braced(&mut self) -> Parsed<String> {
        let (start, line) = (self.at, self.line);
        let mut depth = 1;
        while let Some(byte) = self.step() {
            match byte {
                b'\\' => {
                    self.step();
                }
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(self.slice(start, self.at - 1));
            }
        }
        Err((line, ScriptError::Syntax("a brace has no partner".into())))
    }

    fn slice(&self, start: usize, end: usize) -> String {
        String::from_utf8_lossy(&self.text[start..end]).into_owned()
    }

    /// Parts up to a byte that ends them, which is left.
    fn parts(&mut self, ends: fn(u8) -> bool) -> Parsed<Vec<Part>> {
        let mut parts = Vec::new();
        let mut plain: Vec<u8> = Vec::new();
        let flush = |plain: &mut Vec<u8>, parts: &mut Vec<Part>| {
            if !plain.is_empty() {
                parts.push(Part::Literal(String::from_utf8_lossy(plain).into_owned()));
                plain.clear();
            }
        };
        while let Some(byte) = self.peek() {
            if self.continuation().is_some() {
                if ends(b' ') {
                    break;
                }
                self.blanks();
                plain.push(b' ');
                continue;
            }
            match byte {
                b'\\' => {
                    self.step();
                    plain.push(self.escaped());
                }
                b'$' => match self.variable()? {
                    Some(variable) => {
                        flush(&mut plain, &mut parts);
                        parts.push(variable);
                    }
                    None => plain.push(b'$'),
                },
                b'[' => {
                    flush(&mut plain, &mut parts);
                    self.step();
                    let line = self.line;
                    parts.push(Part::Script(self.bracketed()?, line));
                }
                _ if ends(byte) => break,
                _ => {
                    self.step();
                    plain.push(byte);
                }
            }
        }
        flush(&mut plain, &mut parts);
        Ok(parts)
    }

    /// What the letter after a backslash stands for.
    fn escaped(&mut self) -> u8 {
        match self.step() {
            None => b'\\',
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(other) => other,
        }
    }

    /// `$name` in its three forms; a lone `$` is itself.
    fn variable(&mut self) -> Parsed<Option<Part>> {
        self.step();
        if self.peek() == Some(b'{') {
            self.step();
            let (start, line) = (self.at, self.line);
            while let Some(byte) = self.step() {
                if byte == b'}' {
                    let name = self.slice(start, self.at - 1);
                    return Ok(Some(Part::Variable(name, None)));
                }
            }
            return Err((
                line,
                ScriptError::Syntax("`${` has no closing brace".into()),
            ));
        }
        let start = self.at;
        while let Some(byte) = self.peek() {
            if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b':' {
                self.at += 1;
            } else {
                break;
            }
        }
        if self.at == start {
            return Ok(None);
        }
        let name = self.slice(start, self.at);
        if self.peek() != Some(b'(') {
            return Ok(Some(Part::Variable(name, None)));
        }
        self.step();
        let (start, line) = (self.at, self.line);
        while let Some(byte) = self.step() {
            if byte == b')' {
                // An index may hold variables and scripts, but no index within an index: this
                // cannot nest deeply.
                let inside = self.slice(start, self.at - 1);
                let index = index_parts(&inside).map_err(|reason| (line, reason))?;
                return Ok(Some(Part::Variable(name, Some(index))));
            }
        }
        Err((
            line,
            ScriptError::Syntax("`(` has no closing parenthesis".into()),
        ))
    }

    /// The inside of brackets; the opening one is behind.
    fn bracketed(&mut self) -> Parsed<String> {
        let (start, line) = (self.at, self.line);
        let mut depth = 1;
        while let Some(byte) = self.step() {
            match byte {
                b'\\' => {
                    self.step();
                }
                b'[' => depth += 1,
                b']' => depth -= 1,
                b'{' => {
                    self.braced()?;
                }
                _ => {}
            }
            if depth == 0 {
                return Ok(self.slice(start, self.at - 1));
            }
        }
        Err((line, ScriptError::Syntax("a bracket has no partner".into())))
    }
}

/// The parts of a text in quotes within an expression.
pub fn text_parts(text: &str) -> Result<Vec<Part>, ScriptError> {
    Parser::new(text)
        .parts(|_| false)
        .map_err(|(_, reason)| reason)
}

/// The parts of an index.
pub fn index_parts(text: &str) -> Result<Vec<Part>, ScriptError> {
    if !text.contains(['$', '[', '\\']) {
        return Ok(vec![Part::Literal(text.to_owned())]);
    }
    if text.matches('(').count() > 0 {
        return Err(ScriptError::NotRead("an index within an index".into()));
    }
    text_parts(text)
}

/// Splits a Tcl list into its items.
pub fn split_list(text: &str) -> Result<Vec<String>, ScriptError> {
    Ok(split_lines(text)?
        .into_iter()
        .map(|(item, _)| item)
        .collect())
}

/// Splits a Tcl list into its items and the lines on which their content begins, counted from 0.
pub fn split_lines(text: &str) -> Result<Vec<(String, usize)>, ScriptError> {
    let mut items = Vec::new();
    let mut parser = Parser::new(text);
    loop {
        // A backslash before the end of a line is a blank, also within braces.
        while parser.continuation().is_some()
            || matches!(parser.peek(), Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0c))
        {
            parser.step();
        }
        let line = parser.line;
        match parser.peek() {
            None => return Ok(items),
            Some(b'{') => {
                parser.step();
                items.push((parser.braced().map_err(|(_, reason)| reason)?, line));
                if parser
                    .peek()
                    .is_some_and(|byte| !byte.is_ascii_whitespace())
                    && parser.continuation().is_none()
                {
                    return Err(ScriptError::Syntax(
                        "a list goes on right after a closing brace".into(),
                    ));
                }
            }
            Some(b'"') => {
                parser.step();
                let mut item = Vec::new();
                loop {
                    match parser.step() {
                        Some(b'"') => break,
                        Some(b'\\') => item.push(parser.escaped()),
                        Some(byte) => item.push(byte),
                        None => {
                            return Err(ScriptError::Syntax(
                                "a quotation mark has no partner".into(),
                            ));
                        }
                    }
                }
                items.push((String::from_utf8_lossy(&item).into_owned(), line));
            }
            Some(_) => {
                let mut item = Vec::new();
                while let Some(byte) = parser.peek().filter(|byte| !byte.is_ascii_whitespace()) {
                    if parser.continuation().is_some() {
                        break;
                    }
                    parser.step();
                    item.push(if byte == b'\\' {
                        parser.escaped()
                    } else {
                        byte
                    });
                }
                items.push((String::from_utf8_lossy(&item).into_owned(), line));
            }
        }
    }
}

/// Makes one item of a list out of a text.
pub fn list_item(text: &str) -> String {
    let plain = !text.is_empty()
        && !text.contains([
            ' ', '\t', '\n', '\r', '{', '}', '"', '[', ']', '$', ';', '\\',
        ]);
    if plain {
        text.to_owned()
    } else {
        format!("{{{text}}}")
    }
}
