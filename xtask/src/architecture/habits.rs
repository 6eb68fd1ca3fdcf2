//! Habits that are to go, counted in all code of a crate.

use std::path::Path;

use proc_macro2::Delimiter;

use super::tokens::{self, Kind, Token};
use super::tree::{Crate, Place};
use crate::Result;

/// What is counted, in the order of the columns.
const HABITS: [&str; 9] = [
    "match on a flag",
    "paired lets",
    "casts allowed",
    "Result<_, String>",
    ".ok()?",
    "tuples of 3",
    "fn > 100",
    "fn > 60",
    "columns > 100",
];

/// Counts of one crate.
#[derive(Default, PartialEq, Eq, Debug)]
struct Counts([usize; HABITS.len()]);

/// The table of all crates.
pub fn table(root: &Path, crates: &[Crate], long_lines: &[Place]) -> Result<String> {
    let mut rows = Vec::new();
    let mut sum = Counts::default();
    for one in crates {
        let mut counts = Counts::default();
        let mut folders = vec![root.join(&one.folder)];
        while let Some(folder) = folders.pop() {
            let entries = std::fs::read_dir(&folder)
                .map_err(|error| format!("{}: {error}", folder.display()))?;
            for path in entries.flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|kind| kind == "rs") {
                    let read = std::fs::read_to_string(&path).map_err(|error| error.to_string());
                    let read = read.and_then(|text| tokens::read(&text));
                    let read = read.map_err(|error| format!("{}: {error}", path.display()))?;
                    counts.walk(&read);
                }
            }
        }
        let long = long_lines
            .iter()
            .filter(|place| place.file.starts_with(&one.folder));
        counts.0[8] = long.count();
        for (sum, count) in sum.0.iter_mut().zip(counts.0) {
            *sum += count;
        }
        rows.push((one.name.as_str(), counts));
    }
    rows.push(("all", sum));
    let mut table = format!("{:<12}", "crate");
    for habit in HABITS {
        table += &format!("  {habit}");
    }
    for (name, counts) in rows {
        table += &format!("\n{name:<12}");
        for (habit, count) in HABITS.iter().zip(counts.0) {
            table += &format!("  {count:>width$}", width = habit.len());
        }
    }
    Ok(table)
}

impl Counts {
    fn walk(&mut self, tokens: &[Token]) {
        for (at, token) in tokens.iter().enumerate() {
            let rest = &tokens[at..];
            match token.word() {
                Some("match") => self.0[0] += usize::from(is_match_on_flag(rest)),
                Some("let") => self.0[1] += usize::from(is_paired_let(rest)),
                Some("allow" | "expect") => self.0[2] += usize::from(allows_casts(rest)),
                Some("Result") => self.0[3] += usize::from(has_text_for_error(rest)),
                Some("ok") => self.0[4] += usize::from(hides_an_error(tokens, at)),
                Some("fn") => self.function(rest),
                _ => {}
            }
            self.walk(token.inside());
        }
    }

    fn function(&mut self, tokens: &[Token]) {
        if tokens.get(1).and_then(Token::word).is_none() {
            return; // a type of functions
        }
        let is_end = |token: &Token| token.is(';') || token.group(Delimiter::Brace).is_some();
        let Some(end) = tokens.iter().position(is_end) else {
            return;
        };
        self.0[5] += tuples(&tokens[2..end], true);
        let lines = tokens[end].last - tokens[0].line + 1;
        self.0[6] += usize::from(lines > 100);
        self.0[7] += usize::from(lines > 60);
    }
}

/// An arm whose pattern is nothing but `true` or `false`.
fn is_match_on_flag(tokens: &[Token]) -> bool {
    let body = tokens
        .iter()
        .find_map(|token| token.group(Delimiter::Brace));
    body.is_some_and(|body| {
        (0..body.len()).any(|at| {
            let arm = body[at].says("true") || body[at].says("false");
            let begins =
                at == 0 || body[at - 1].is(',') || body[at - 1].group(Delimiter::Brace).is_some();
            arm && begins && body.get(at + 1).is_some_and(|next| next.is('='))
        })
    })
}

/// Commas outside of angle brackets; one at the end does not count.
fn commas(tokens: &[Token]) -> usize {
    let mut depth = 0_i32;
    let mut count = 0;
    for (at, token) in tokens.iter().enumerate() {
        let arrow = at > 0 && tokens[at - 1].is('-');
        if token.is('<') {
            depth += 1;
        } else if token.is('>') && !arrow {
            depth -= 1;
        } else if token.is(',') && depth <= 0 && at + 1 < tokens.len() {
            count += 1;
        }
    }
    count
}

/// `let (a, b) = (x, y);`
fn is_paired_let(tokens: &[Token]) -> bool {
    match tokens {
        [_, names, equals, values, end, ..] => {
            let tuple = |token: &Token| {
                token
                    .group(Delimiter::Parenthesis)
                    .is_some_and(|inside| commas(inside) > 0)
            };
            tuple(names) && equals.is('=') && tuple(values) && end.is(';')
        }
        _ => false,
    }
}

fn allows_casts(tokens: &[Token]) -> bool {
    let lints = tokens
        .get(1)
        .and_then(|lints| lints.group(Delimiter::Parenthesis));
    let is_cast = |lint: &Token| lint.word().is_some_and(|word| word.starts_with("cast_"));
    lints.is_some_and(|lints| lints.iter().any(is_cast))
}

/// `Result<…, String>`
fn has_text_for_error(tokens: &[Token]) -> bool {
    if !tokens.get(1).is_some_and(|open| open.is('<')) {
        return false;
    }
    let mut depth = 0_i32;
    for (at, token) in tokens.iter().enumerate().skip(1) {
        let arrow = tokens[at - 1].is('-');
        if token.is('<') {
            depth += 1;
        } else if token.is('>') && !arrow {
            depth -= 1;
        } else if token.is(',') && depth == 1 {
            return tokens.get(at + 1).is_some_and(|word| word.says("String"))
                && tokens.get(at + 2).is_some_and(|close| close.is('>'));
        }
        if depth == 0 {
            break;
        }
    }
    false
}

/// `.ok()?`
fn hides_an_error(tokens: &[Token], at: usize) -> bool {
    let empty = |token: &Token| {
        token
            .group(Delimiter::Parenthesis)
            .is_some_and(<[_]>::is_empty)
    };
    at > 0
        && tokens[at - 1].is('.')
        && tokens.get(at + 1).is_some_and(empty)
        && tokens.get(at + 2).is_some_and(|mark| mark.is('?'))
}

/// Tuples of three and more among types; the list of arguments itself is none.
fn tuples(tokens: &[Token], with_arguments: bool) -> usize {
    let mut count = 0;
    let mut arguments = with_arguments;
    for (at, token) in tokens.iter().enumerate() {
        if let Kind::Group(delimiter, inside) = &token.kind {
            let before = at.checked_sub(1).and_then(|before| tokens[before].word());
            let called = matches!(before, Some("Fn" | "FnMut" | "FnOnce" | "fn"));
            let tuple = *delimiter == Delimiter::Parenthesis && !arguments && !called;
            arguments &= *delimiter != Delimiter::Parenthesis;
            count += usize::from(tuple && commas(inside) >= 2) + tuples(inside, false);
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(text: &str) -> [usize; 9] {
        let mut counts = Counts::default();
        counts.walk(&tokens::read(text).unwrap());
        counts.0
    }

    #[test]
    fn each_habit_is_counted_and_what_looks_like_it_is_not() {
        assert_eq!(counts("fn f() { match a { true => 1, false => 2 } }")[0], 1);
        assert_eq!(
            counts("fn f() { match a { (true, _) => 1, _ => 2 } }")[0],
            0
        );
        assert_eq!(counts("fn f() { let (a, b) = (x, y); }")[1], 1);
        assert_eq!(
            counts("fn f() { let (a, b) = x; let (a, b) = (x).f(); }")[1],
            0
        );
        assert_eq!(
            counts("#[allow(clippy::cast_possible_wrap)] fn f() {}")[2],
            1
        );
        assert_eq!(counts("#[allow(clippy::float_cmp)] fn f() {}")[2], 0);
        assert_eq!(counts("fn f() -> Result<Vec<(u8, u8)>, String> {}")[3], 1);
        assert_eq!(counts("fn f() -> Result<String, Error> {}")[3], 0);
        assert_eq!(counts("fn f() { g().ok()?; g().ok(); }")[4], 1);
        assert_eq!(counts("fn f(a: (u8, u8, u8)) -> Vec<(A, B, C)> {}")[5], 2);
        assert_eq!(
            counts("fn f(a: u8, b: u8, c: impl Fn(u8, u8, u8) -> (u8, u8)) {}")[5],
            0
        );
        let long = format!(
            "fn f() {{\n{}}}\nfn g() {{\n{}}}",
            "a();\n".repeat(99),
            "\n".repeat(60)
        );
        assert_eq!(counts(&long)[6..8], [1, 2]);
    }
}
