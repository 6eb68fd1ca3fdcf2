//! Logical lines of Python into statements.

use crate::error::ScriptError;
use std::rc::Rc;

use super::lex::{Line, Token, lines};
use super::tree::{Act, Expression, Statement, Target};
use crate::script::shorten;

/// How deep blocks and brackets may stand within each other.
const MOST_DEPTH: usize = 40;

/// Reads a script. What cannot be read becomes [`Act::Unread`], with the block that hangs on it.
pub fn parse(text: &str) -> Vec<Statement> {
    let lines = lines(text);
    let mut at = 0;
    let mut statements = Vec::new();
    while at < lines.len() {
        // A line that is indented without reason begins a block of its own.
        let indent = lines[at].indent;
        statements.extend(block(&lines, &mut at, indent, 0));
    }
    statements
}

fn block(lines: &[Line], at: &mut usize, indent: usize, depth: usize) -> Vec<Statement> {
    let mut statements = Vec::new();
    while let Some(line) = lines.get(*at).filter(|line| line.indent >= indent) {
        if line.indent > indent {
            // Deeper than it should be: taken as if it were not.
            let deeper = line.indent;
            if depth < MOST_DEPTH {
                statements.extend(block(lines, at, deeper, depth + 1));
            } else {
                *at += 1;
            }
            continue;
        }
        statements.push(statement(lines, at, depth));
    }
    statements
}

fn statement(lines: &[Line], at: &mut usize, depth: usize) -> Statement {
    let line = &lines[*at];
    *at += 1;
    let act = match &line.tokens {
        Err(reason) => Act::Unread(reason.clone()),
        Ok(tokens) => {
            let mut reader = Reader {
                tokens,
                at: 0,
                depth: 0,
            };
            let start = *at;
            match compound(&mut reader, lines, at, line.indent, depth) {
                Ok(act) => act,
                Err(reason) => {
                    *at = start;
                    skip_block(lines, at, line.indent);
                    Act::Unread(reason)
                }
            }
        }
    };
    Statement {
        act,
        line: line.number,
        source: shorten(&line.source),
    }
}

fn skip_block(lines: &[Line], at: &mut usize, indent: usize) {
    while lines.get(*at).is_some_and(|line| line.indent > indent) {
        *at += 1;
    }
}

/// The conditions and bodies of an `if` with all that belongs to it.
fn condition(
    reader: &mut Reader<'_>,
    lines: &[Line],
    at: &mut usize,
    indent: usize,
    depth: usize,
) -> Result<Act, ScriptError> {
    let condition = reader.expression()?;
    let mut branches = vec![(Some(condition), body(reader, lines, at, indent, depth)?)];
    while let Some(Ok(tokens)) = lines
        .get(*at)
        .filter(|line| line.indent == indent)
        .map(|line| &line.tokens)
    {
        let mut next = Reader {
            tokens,
            at: 1,
            depth: 0,
        };
        let condition = match tokens.first() {
            Some(Token::Name(word)) if word == "elif" => Some(next.expression()?),
            Some(Token::Name(word)) if word == "else" => None,
            _ => break,
        };
        *at += 1;
        let last = condition.is_none();
        branches.push((condition, body(&mut next, lines, at, indent, depth)?));
        if last {
            break;
        }
    }
    Ok(Act::If(branches))
}

fn compound(
    reader: &mut Reader<'_>,
    lines: &[Line],
    at: &mut usize,
    indent: usize,
    depth: usize,
) -> Result<Act, ScriptError> {
    if depth >= MOST_DEPTH {
        return Err(ScriptError::Syntax(
            "blocks stand too deep within each other".into(),
        ));
    }
    let Some(Token::Name(word)) = reader.peek().cloned() else {
        return reader.simple();
    };
    match word.as_str() {
        "if" => {
            reader.at += 1;
            condition(reader, lines, at, indent, depth)
        }
        "for" => {
            reader.at += 1;
            let target = reader.targets()?;
            reader.word("in")?;
            let list = reader.tuple()?;
            Ok(Act::For(
                target,
                list,
                body(reader, lines, at, indent, depth)?,
            ))
        }
        "while" => {
            reader.at += 1;
            let condition = reader.expression()?;
            Ok(Act::While(
                condition,
                body(reader, lines, at, indent, depth)?,
            ))
        }
        "def" => {
            reader.at += 1;
            let name = reader.name()?;
            reader.sign("(")?;
            let parameters = reader.parameters(")")?;
            if reader.take("->") {
                reader.expression()?;
            }
            let body = body(reader, lines, at, indent, depth)?;
            Ok(Act::Define(name, Rc::new(parameters), Rc::new(body)))
        }
        "try" if matches!(reader.tokens.get(1), Some(Token::Sign(":"))) => {
            reader.at += 1;
            let mut parts = vec![body(reader, lines, at, indent, depth)?];
            while let Some(Ok(tokens)) = lines
                .get(*at)
                .filter(|line| line.indent == indent)
                .map(|line| &line.tokens)
            {
                let mut next = Reader {
                    tokens,
                    at: 1,
                    depth: 0,
                };
                match tokens.first() {
                    Some(Token::Name(word)) if word == "except" => {
                        *at += 1;
                        skip_block(lines, at, indent);
                    }
                    Some(Token::Name(word)) if word == "else" || word == "finally" => {
                        *at += 1;
                        parts.push(body(&mut next, lines, at, indent, depth)?);
                    }
                    _ => break,
                }
            }
            Ok(Act::Try(parts))
        }
        "try" | "with" | "class" | "async" | "match" | "lambda" | "except" | "finally" | "else"
        | "elif"
            if !matches!(reader.tokens.get(1), Some(Token::Sign("=" | "." | "("))) =>
        {
            Err(ScriptError::NotRead(format!("`{word}`").into()))
        }
        _ => reader.simple(),
    }
}

/// The block after a colon: on the same line or indented below.
fn body(
    reader: &mut Reader<'_>,
    lines: &[Line],
    at: &mut usize,
    indent: usize,
    depth: usize,
) -> Result<Vec<Statement>, ScriptError> {
    reader.sign(":")?;
    if reader.peek().is_some() {
        let line = &lines[*at - 1];
        let of = |act: Act| Statement {
            act,
            line: line.number,
            source: shorten(&line.source),
        };
        let mut statements = vec![of(reader.simple()?)];
        // What follows after semicolons belongs to the block as well.
        while let Some(next) = lines.get(*at).filter(|next| next.number == line.number) {
            *at += 1;
            let act = match &next.tokens {
                Err(reason) => Act::Unread(reason.clone()),
                Ok(tokens) => Reader {
                    tokens,
                    at: 0,
                    depth: 0,
                }
                .simple()
                .unwrap_or_else(Act::Unread),
            };
            statements.push(of(act));
        }
        return Ok(statements);
    }
    match lines.get(*at) {
        Some(line) if line.indent > indent => Ok(block(lines, at, line.indent, depth + 1)),
        _ => Err(ScriptError::Missing("a block".into())),
    }
}

/// Reads tokens of one line.
pub(super) struct Reader<'a> {
    pub tokens: &'a [Token],
    pub at: usize,
    pub depth: usize,
}

impl Reader<'_> {
    pub fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    pub fn take(&mut self, sign: &str) -> bool {
        let here = matches!(self.peek(), Some(Token::Sign(own)) if *own == sign);
        self.at += usize::from(here);
        here
    }

    pub fn take_word(&mut self, word: &str) -> bool {
        let here = matches!(self.peek(), Some(Token::Name(own)) if own == word);
        self.at += usize::from(here);
        here
    }

    pub fn sign(&mut self, sign: &str) -> Result<(), ScriptError> {
        if self.take(sign) {
            Ok(())
        } else {
            Err(ScriptError::NotRead(
                format!("`{sign}` is missing, or something before it").into(),
            ))
        }
    }

    fn word(&mut self, word: &str) -> Result<(), ScriptError> {
        if self.take_word(word) {
            Ok(())
        } else {
            Err(ScriptError::Missing(format!("`{word}`").into()))
        }
    }

    pub fn name(&mut self) -> Result<String, ScriptError> {
        match self.peek().cloned() {
            Some(Token::Name(name)) => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(ScriptError::Missing("a name".into())),
        }
    }

    fn dotted(&mut self) -> Result<String, ScriptError> {
        let mut name = self.name()?;
        while self.take(".") {
            name.push('.');
            name.push_str(&self.name()?);
        }
        Ok(name)
    }

    fn end(&self, act: Act) -> Result<Act, ScriptError> {
        if self.at == self.tokens.len() {
            Ok(act)
        } else {
            Err(ScriptError::NotRead(
                "the line goes on in a way that".into(),
            ))
        }
    }

    fn simple(&mut self) -> Result<Act, ScriptError> {
        let act = match self.peek().cloned() {
            Some(Token::Name(word)) => match word.as_str() {
                "pass" => {
                    self.at += 1;
                    Act::Pass
                }
                "break" => {
                    self.at += 1;
                    Act::Break
                }
                "continue" => {
                    self.at += 1;
                    Act::Continue
                }
                "return" => {
                    self.at += 1;
                    let value = match self.peek() {
                        Some(_) => Some(self.tuple()?),
                        None => None,
                    };
                    Act::Return(value)
                }
                "global" | "nonlocal" => {
                    self.at += 1;
                    let mut names = vec![self.name()?];
                    while self.take(",") {
                        names.push(self.name()?);
                    }
                    Act::Elsewhere(names, word == "global")
                }
                "import" => {
                    self.at += 1;
                    let mut modules = Vec::new();
                    loop {
                        let module = self.dotted()?;
                        let name = if self.take_word("as") {
                            self.name()?
                        } else {
                            module.clone()
                        };
                        modules.push((module, name));
                        if !self.take(",") {
                            break;
                        }
                    }
                    Act::Import(modules)
                }
                "from" => {
                    self.at += 1;
                    let module = self.dotted()?;
                    self.word("import")?;
                    let mut names = Vec::new();
                    if !self.take("*") {
                        let brackets = self.take("(");
                        while let Some(Token::Name(_)) = self.peek() {
                            let name = self.name()?;
                            let own = if self.take_word("as") {
                                self.name()?
                            } else {
                                name.clone()
                            };
                            names.push((name, own));
                            self.take(",");
                        }
                        if brackets {
                            self.sign(")")?;
                        }
                    }
                    Act::From(module, names)
                }
                _ => self.assignment()?,
            },
            _ => self.assignment()?,
        };
        self.end(act)
    }

    fn assignment(&mut self) -> Result<Act, ScriptError> {
        const CHANGES: [(&str, &str); 7] = [
            ("+=", "+"),
            ("-=", "-"),
            ("*=", "*"),
            ("/=", "/"),
            ("//=", "//"),
            ("%=", "%"),
            ("**=", "**"),
        ];
        let first = self.tuple()?;
        for (sign, operator) in CHANGES {
            if self.take(sign) {
                return Ok(Act::Change(target(first)?, operator, self.tuple()?));
            }
        }
        let mut chain = vec![first];
        while self.take("=") {
            chain.push(self.tuple()?);
        }
        let value = chain.pop().unwrap_or(Expression::Nothing);
        if chain.is_empty() {
            return Ok(Act::Expression(value));
        }
        let targets = chain.into_iter().map(target).collect::<Result<_, _>>()?;
        Ok(Act::Assign(targets, value))
    }

    /// Names on the left of `in`, in brackets within each other where they are.
    pub fn targets(&mut self) -> Result<Target, ScriptError> {
        let first = self.one_target()?;
        if !matches!(self.peek(), Some(Token::Sign(","))) {
            return Ok(first);
        }
        let mut several = vec![first];
        while self.take(",") {
            if !matches!(self.peek(), Some(Token::Name(_) | Token::Sign("(" | "[")))
                || matches!(self.peek(), Some(Token::Name(word)) if word == "in")
            {
                break;
            }
            several.push(self.one_target()?);
        }
        Ok(Target::Several(several))
    }

    fn one_target(&mut self) -> Result<Target, ScriptError> {
        for (open, close) in [("(", ")"), ("[", "]")] {
            if self.take(open) {
                let inner = self.deeper(Self::targets)?;
                self.sign(close)?;
                return Ok(inner);
            }
        }
        self.name().map(Target::Name)
    }

    pub fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, ScriptError>,
    ) -> Result<T, ScriptError> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(ScriptError::Syntax(
                "an expression stands too deep within others".into(),
            ));
        }
        let value = read(self);
        self.depth -= 1;
        value
    }
}

fn target(expression: Expression) -> Result<Target, ScriptError> {
    match expression {
        Expression::Name(name) => Ok(Target::Name(name)),
        Expression::Item(list, index) => Ok(Target::Item(*list, *index)),
        Expression::List(several) | Expression::Tuple(several) => several
            .into_iter()
            .map(target)
            .collect::<Result<_, _>>()
            .map(Target::Several),
        _ => Err(ScriptError::Syntax("this cannot be assigned to".into())),
    }
}
