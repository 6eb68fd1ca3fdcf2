//! Expressions of Python.

use crate::error::ScriptError;
use std::rc::Rc;

use super::lex::{Token, lines};
use super::parse::Reader;
use super::tree::{Expression, Parameter, Passing, Round};

/// Comparisons; they chain and are all of one strength, with `in` and `is`.
const COMPARISONS: &[&str] = &["==", "!=", "<=", ">=", "<", ">"];

/// Operators by precedence, weakest first; `not` and the comparisons stand before.
const LEVELS: &[&[&str]] = &[
    &["|"],
    &["^"],
    &["&"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "//", "/", "%", "@"],
];

/// Longest chain of operators of one strength.
const LONGEST_CHAIN: usize = 100;
/// Most `for` of one comprehension.
const MOST_ROUNDS: usize = 10;

impl Reader<'_> {
    /// An expression, or several with commas between: a tuple.
    pub fn tuple(&mut self) -> Result<Expression, ScriptError> {
        let first = self.expression()?;
        if !matches!(self.peek(), Some(Token::Sign(","))) {
            return Ok(first);
        }
        let mut all = vec![first];
        while self.take(",") {
            let ends = match self.peek() {
                None => true,
                Some(Token::Sign(sign)) => matches!(*sign, ")" | "=" | "]" | "}" | ":"),
                Some(_) => false,
            };
            if ends {
                break;
            }
            all.push(self.expression()?);
        }
        Ok(Expression::Tuple(all))
    }

    /// One expression.
    pub fn expression(&mut self) -> Result<Expression, ScriptError> {
        self.deeper(|reader| {
            if reader.take_word("lambda") {
                let parameters = reader.parameters(":")?;
                let value = reader.expression()?;
                return Ok(Expression::Lambda(Rc::new(parameters), Rc::new(value)));
            }
            let value = reader.either_or()?;
            if !reader.take_word("if") {
                return Ok(value);
            }
            let condition = reader.either_or()?;
            if !reader.take_word("else") {
                return Err(ScriptError::Syntax(
                    "`if` within an expression has no `else`".into(),
                ));
            }
            let other = reader.expression()?;
            Ok(Expression::Either(Box::new([condition, value, other])))
        })
    }

    fn either_or(&mut self) -> Result<Expression, ScriptError> {
        let mut left = self.both()?;
        let mut links = 0;
        while self.take_word("or") {
            chained(&mut links)?;
            left = Expression::Binary("or", Box::new(left), Box::new(self.both()?));
        }
        Ok(left)
    }

    fn both(&mut self) -> Result<Expression, ScriptError> {
        let mut left = self.negated()?;
        let mut links = 0;
        while self.take_word("and") {
            chained(&mut links)?;
            left = Expression::Binary("and", Box::new(left), Box::new(self.negated()?));
        }
        Ok(left)
    }

    fn negated(&mut self) -> Result<Expression, ScriptError> {
        if self.take_word("not") {
            return self.deeper(|reader| Ok(Expression::Unary("not", Box::new(reader.negated()?))));
        }
        let left = self.level(0)?;
        let mut chain = Vec::new();
        let mut links = 0;
        while let Some(sign) = self.comparison() {
            chained(&mut links)?;
            chain.push((sign, self.level(0)?));
        }
        if chain.is_empty() {
            return Ok(left);
        }
        Ok(Expression::Compare(Box::new(left), chain))
    }

    fn comparison(&mut self) -> Option<&'static str> {
        if let Some(sign) = COMPARISONS.iter().find(|sign| self.take(sign)) {
            return Some(sign);
        }
        if self.take_word("in") {
            return Some("in");
        }
        if self.take_word("is") {
            return Some(if self.take_word("not") {
                "is not"
            } else {
                "is"
            });
        }
        let next = self.tokens.get(self.at + 1);
        if matches!(self.peek(), Some(Token::Name(word)) if word == "not")
            && matches!(next, Some(Token::Name(word)) if word == "in")
        {
            self.at += 2;
            return Some("not in");
        }
        None
    }

    fn level(&mut self, level: usize) -> Result<Expression, ScriptError> {
        let Some(signs) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.level(level + 1)?;
        let mut links = 0;
        while let Some(sign) = signs.iter().find(|sign| self.take(sign)) {
            let right = self.level(level + 1)?;
            left = Expression::Binary(sign, Box::new(left), Box::new(right));
            chained(&mut links)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, ScriptError> {
        for sign in ["-", "+"] {
            if self.take(sign) {
                return self
                    .deeper(|reader| Ok(Expression::Unary(sign, Box::new(reader.unary()?))));
            }
        }
        let base = self.postfix()?;
        if self.take("**") {
            let exponent = self.deeper(Self::unary)?;
            return Ok(Expression::Binary("**", Box::new(base), Box::new(exponent)));
        }
        Ok(base)
    }

    fn postfix(&mut self) -> Result<Expression, ScriptError> {
        let mut value = self.primary()?;
        let mut links = 0;
        loop {
            chained(&mut links)?;
            if self.take(".") {
                value = Expression::Attribute(Box::new(value), self.name()?);
            } else if self.take("(") {
                value = self.call(value)?;
            } else if self.take("[") {
                value = self.index(value)?;
            } else {
                return Ok(value);
            }
        }
    }

    fn call(&mut self, called: Expression) -> Result<Expression, ScriptError> {
        let (mut arguments, mut named) = (Vec::new(), Vec::new());
        while !self.take(")") {
            if self.take("**") {
                named.push((None, self.expression()?));
                if !self.take(",") {
                    self.sign(")")?;
                    break;
                }
                continue;
            }
            let star = self.take("*");
            let keyword = match (self.peek(), self.tokens.get(self.at + 1)) {
                (Some(Token::Name(name)), Some(Token::Sign("="))) => Some(name.clone()),
                _ => None,
            };
            if let Some(name) = keyword {
                self.at += 2;
                named.push((Some(name), self.expression()?));
            } else {
                let value = self.expression()?;
                arguments.push((star, self.comprehension(value)?));
            }
            if !self.take(",") {
                self.sign(")")?;
                break;
            }
        }
        Ok(Expression::Call(Box::new(called), arguments, named))
    }

    fn index(&mut self, list: Expression) -> Result<Expression, ScriptError> {
        let mut parts: [Option<Box<Expression>>; 3] = [None, None, None];
        let mut at = 0;
        let mut slice = false;
        loop {
            if self.take("]") {
                break;
            }
            if self.take(":") {
                slice = true;
                at += 1;
                if at > 2 {
                    return Err(ScriptError::Syntax(
                        "a slice has at most three parts".into(),
                    ));
                }
                continue;
            }
            parts[at] = Some(Box::new(self.tuple()?));
            if !matches!(self.peek(), Some(Token::Sign(":" | "]"))) {
                return Err(ScriptError::Missing("`]`".into()));
            }
        }
        if slice {
            return Ok(Expression::Slice(Box::new(list), parts));
        }
        let [Some(index), ..] = parts else {
            return Err(ScriptError::Missing("an index".into()));
        };
        Ok(Expression::Item(Box::new(list), index))
    }

    /// `… for names in list if condition` after a value.
    fn comprehension(&mut self, value: Expression) -> Result<Expression, ScriptError> {
        let rounds = self.rounds()?;
        if rounds.is_empty() {
            return Ok(value);
        }
        Ok(Expression::Made(Box::new(value), rounds))
    }

    fn rounds(&mut self) -> Result<Vec<Round>, ScriptError> {
        let mut rounds = Vec::new();
        while self.take_word("for") {
            if rounds.len() >= MOST_ROUNDS {
                return Err(ScriptError::Syntax(
                    format!("more than {MOST_ROUNDS} `for` in one expression").into(),
                ));
            }
            let target = self.targets()?;
            if !self.take_word("in") {
                return Err(ScriptError::Missing("`in`".into()));
            }
            let list = self.deeper(Self::either_or)?;
            let mut conditions = Vec::new();
            while self.take_word("if") {
                conditions.push(self.deeper(Self::either_or)?);
            }
            rounds.push(Round {
                target,
                list,
                conditions,
            });
        }
        Ok(rounds)
    }

    /// Parameters of a function up to a sign that ends them.
    pub fn parameters(&mut self, end: &str) -> Result<Vec<Parameter>, ScriptError> {
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut named_only = false;
        while !self.take(end) {
            let mut passing = if named_only {
                Passing::Named
            } else {
                Passing::Either
            };
            if self.take("/") {
                self.take(",");
                continue;
            }
            if self.take("**") {
                passing = Passing::RestNamed;
            } else if self.take("*") {
                named_only = true;
                if self.take(",") {
                    continue;
                }
                passing = Passing::Rest;
            }
            let name = self.name()?;
            if parameters.iter().any(|other| other.name == name) {
                return Err(ScriptError::Syntax(
                    format!("two parameters are called `{name}`").into(),
                ));
            }
            if end == ")" && self.take(":") {
                self.expression()?;
            }
            let default = if self.take("=") {
                Some(self.expression()?)
            } else {
                None
            };
            parameters.push(Parameter {
                name,
                default,
                passing,
            });
            if !self.take(",") && !matches!(self.peek(), Some(Token::Sign(sign)) if *sign == end) {
                return Err(ScriptError::Missing(format!("`{end}`").into()));
            }
        }
        Ok(parameters)
    }

    fn primary(&mut self) -> Result<Expression, ScriptError> {
        let token = self
            .peek()
            .cloned()
            .ok_or(ScriptError::Syntax("the line ends too early".into()))?;
        self.at += 1;
        match token {
            Token::Whole(whole) => Ok(Expression::Whole(whole)),
            Token::Real(real) => Ok(Expression::Real(real)),
            Token::Text(mut text) => {
                while let Some(Token::Text(more)) = self.peek() {
                    text.push_str(more);
                    self.at += 1;
                }
                Ok(Expression::Text(text))
            }
            Token::Formatted(text) => self.deeper(|_| formatted(&text)),
            Token::Name(name) => match name.as_str() {
                "True" => Ok(Expression::Truth(true)),
                "False" => Ok(Expression::Truth(false)),
                "None" => Ok(Expression::Nothing),
                "yield" | "await" | "lambda" => {
                    Err(ScriptError::NotRead(format!("`{name}`").into()))
                }
                _ => Ok(Expression::Name(name)),
            },
            Token::Sign("(") => {
                if self.take(")") {
                    return Ok(Expression::Tuple(Vec::new()));
                }
                let value = self.deeper(Self::tuple)?;
                let value = self.comprehension(value)?;
                self.sign(")")?;
                Ok(value)
            }
            Token::Sign("[") => {
                if self.take("]") {
                    return Ok(Expression::List(Vec::new()));
                }
                let first = self.deeper(Self::expression)?;
                if matches!(self.peek(), Some(Token::Name(word)) if word == "for") {
                    let made = self.comprehension(first)?;
                    self.sign("]")?;
                    return Ok(made);
                }
                let mut all = vec![first];
                while self.take(",") {
                    if matches!(self.peek(), Some(Token::Sign("]"))) {
                        break;
                    }
                    all.push(self.deeper(Self::expression)?);
                }
                self.sign("]")?;
                Ok(Expression::List(all))
            }
            Token::Sign("{") => {
                let mut pairs = Vec::new();
                while !self.take("}") {
                    let key = self.deeper(Self::expression)?;
                    self.sign(":")?;
                    let value = self.deeper(Self::expression)?;
                    if pairs.is_empty()
                        && matches!(self.peek(), Some(Token::Name(word)) if word == "for")
                    {
                        let rounds = self.rounds()?;
                        self.sign("}")?;
                        return Ok(Expression::MadeTable(Box::new((key, value)), rounds));
                    }
                    pairs.push((key, value));
                    if !self.take(",") {
                        self.sign("}")?;
                        break;
                    }
                }
                Ok(Expression::Table(pairs))
            }
            Token::Sign(sign) => Err(ScriptError::Syntax(
                format!("`{sign}` is not expected here").into(),
            )),
        }
    }
}

/// Counts the links of a chain such as a + b + c: it is a tree as deep as it is long.
fn chained(links: &mut usize) -> Result<(), ScriptError> {
    *links += 1;
    if *links > LONGEST_CHAIN {
        return Err(ScriptError::Syntax(
            format!("an expression has more than {LONGEST_CHAIN} links").into(),
        ));
    }
    Ok(())
}

/// The parts of a formatted string; formats after a colon are not read.
fn formatted(text: &str) -> Result<Expression, ScriptError> {
    let mut parts = Vec::new();
    let mut rest = text;
    if text.contains("{{") || text.contains("}}") {
        return Err(ScriptError::Syntax(
            "doubled braces within a formatted string are not read".into(),
        ));
    }
    while let Some(open) = rest.find('{') {
        parts.push(Expression::Text(rest[..open].to_owned()));
        let close = rest[open..]
            .find('}')
            .ok_or(ScriptError::Syntax("a brace has no partner".into()))?
            + open;
        let inside = &rest[open + 1..close];
        if inside.contains([':', '!', '{']) {
            return Err(ScriptError::Syntax(
                "formats within a formatted string are not read".into(),
            ));
        }
        let line = lines(inside)
            .into_iter()
            .next()
            .ok_or(ScriptError::Syntax("an empty brace".into()))?;
        let tokens = line.tokens?;
        let mut reader = Reader {
            tokens: &tokens,
            at: 0,
            depth: 1,
        };
        parts.push(reader.expression()?);
        if reader.peek().is_some() {
            return Err(ScriptError::NotRead(
                "a brace of a formatted string goes on in a way that".into(),
            ));
        }
        rest = &rest[close + 1..];
    }
    parts.push(Expression::Text(rest.to_owned()));
    Ok(Expression::Joined(parts))
}
