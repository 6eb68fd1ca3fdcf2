//! A file of Rust as nested tokens with their lines: what stands in comments is not there, what
//! stands in strings is one token.

use std::str::FromStr;

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};

use crate::Result;

/// What a token is.
pub enum Kind {
    /// An identifier or keyword.
    Word(String),
    /// One character of punctuation.
    Mark(char),
    /// Two colons.
    Path,
    /// A number, a string or a character.
    Literal,
    /// What stands between brackets.
    Group(Delimiter, Vec<Token>),
}

/// A token, or a group of them, and where it stands.
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// First line, counted from 1.
    pub line: usize,
    /// Last line.
    pub last: usize,
}

impl Token {
    /// The word that it is.
    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            Kind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Whether it is this word.
    pub fn says(&self, word: &str) -> bool {
        self.word() == Some(word)
    }

    /// Whether it is this character.
    pub fn is(&self, mark: char) -> bool {
        matches!(self.kind, Kind::Mark(found) if found == mark)
    }

    /// What stands between these brackets.
    pub fn group(&self, delimiter: Delimiter) -> Option<&[Token]> {
        match &self.kind {
            Kind::Group(found, inside) if *found == delimiter => Some(inside),
            _ => None,
        }
    }

    /// What stands between brackets of any kind.
    pub fn inside(&self) -> &[Token] {
        match &self.kind {
            Kind::Group(_, inside) => inside,
            _ => &[],
        }
    }
}

/// Tokens of a text.
pub fn read(text: &str) -> Result<Vec<Token>> {
    let stream = TokenStream::from_str(text).map_err(|error| {
        let at = error.span().start();
        format!("line {}: {error}", at.line)
    })?;
    Ok(gather(stream))
}

fn gather(stream: TokenStream) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut joint = false;
    for tree in stream {
        let span = tree.span();
        let mut follows = false;
        let kind = match tree {
            TokenTree::Ident(word) => Kind::Word(word.to_string()),
            TokenTree::Literal(_) => Kind::Literal,
            TokenTree::Group(group) => Kind::Group(group.delimiter(), gather(group.stream())),
            TokenTree::Punct(mark) => {
                let colon = mark.as_char() == ':';
                if colon && joint {
                    if let Some(before) = tokens.last_mut() {
                        before.kind = Kind::Path;
                    }
                    joint = false;
                    continue;
                }
                follows = colon && mark.spacing() == Spacing::Joint;
                Kind::Mark(mark.as_char())
            }
        };
        joint = follows;
        tokens.push(Token {
            kind,
            line: span.start().line,
            last: span.end().line,
        });
    }
    tokens
}

/// Where the item, field or statement ends that begins at `from`, one past its last token.
pub fn item_end(tokens: &[Token], from: usize) -> usize {
    let mut at = from;
    while at + 1 < tokens.len() && tokens[at].is('#') {
        at += 2;
    }
    if at < tokens.len() && tokens[at].says("pub") {
        at += 1;
        if at < tokens.len() && tokens[at].group(Delimiter::Parenthesis).is_some() {
            at += 1;
        }
    }
    let word = tokens.get(at).and_then(Token::word).unwrap_or_default();
    let function = tokens.get(at + 1).is_some_and(|next| next.says("fn"));
    let to_semicolon =
        matches!(word, "use" | "static" | "type" | "let") || word == "const" && !function;
    let item = matches!(
        word,
        "mod"
            | "fn"
            | "impl"
            | "struct"
            | "enum"
            | "trait"
            | "unsafe"
            | "async"
            | "const"
            | "extern"
    );
    while at < tokens.len() {
        let token = &tokens[at];
        at += 1;
        let body = token.group(Delimiter::Brace).is_some() && !to_semicolon;
        if token.is(';') || body || token.is(',') && !item && !to_semicolon {
            break;
        }
    }
    at
}

/// One past the end of what is compiled for tests only, where that begins at `at`.
pub fn test_end(tokens: &[Token], at: usize) -> Option<usize> {
    if !tokens[at].is('#') {
        return None;
    }
    let attribute = tokens.get(at + 1)?.group(Delimiter::Bracket)?;
    is_test(attribute).then(|| item_end(tokens, at + 2))
}

/// Whether the whole file (or module) is compiled for tests only.
pub fn begins_as_test(tokens: &[Token]) -> bool {
    tokens.windows(3).any(|three| {
        three[0].is('#')
            && three[1].is('!')
            && three[2].group(Delimiter::Bracket).is_some_and(is_test)
    })
}

/// Whether it says `cfg(test)` or `cfg(all(test, …))`.
fn is_test(attribute: &[Token]) -> bool {
    let [cfg, condition] = attribute else {
        return false;
    };
    cfg.says("cfg")
        && match condition.inside() {
            [only] => only.says("test"),
            [all, these] => all.says("all") && these.inside().iter().any(|word| word.says("test")),
            _ => false,
        }
}
