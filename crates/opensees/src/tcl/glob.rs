//! Patterns of `string match`, `switch -glob`, `lsearch` and `array names`.

use crate::script::Stop;

/// Longest pattern.
const LONGEST: usize = 1000;

/// A pattern that is short enough to be tried on many texts.
pub(super) fn short(pattern: &str) -> Result<&str, Stop> {
    if pattern.len() > LONGEST {
        return Stop::fault_message(format!(
            "a pattern of more than {LONGEST} letters is not read"
        ));
    }
    Ok(pattern)
}

/// Whether a text fits a pattern of `*`, `?`, `[a-z]` and `\x`. One star is tried again at a time,
/// so that the work is bounded by the product of both lengths.
pub(super) fn fits(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut p, mut t) = (0, 0);
    let mut again: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&'*') {
            again = Some((p + 1, t));
            p += 1;
        } else if let Some(next) = one(&pattern, p, text[t]) {
            p = next;
            t += 1;
        } else if let Some((star, from)) = again {
            again = Some((star, from + 1));
            p = star;
            t = from + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|letter| *letter == '*')
}

/// Where the pattern goes on after it took one letter.
fn one(pattern: &[char], at: usize, letter: char) -> Option<usize> {
    match *pattern.get(at)? {
        '?' => Some(at + 1),
        '\\' => (*pattern.get(at + 1)? == letter).then_some(at + 2),
        '[' => {
            let mut next = at + 1;
            let mut found = false;
            while *pattern.get(next)? != ']' {
                let from = pattern[next];
                let range = pattern.get(next + 1) == Some(&'-')
                    && pattern.get(next + 2).is_some_and(|to| *to != ']');
                let to = if range { pattern[next + 2] } else { from };
                found |= (from.min(to)..=from.max(to)).contains(&letter);
                next += if range { 3 } else { 1 };
            }
            found.then_some(next + 1)
        }
        own => (own == letter).then_some(at + 1),
    }
}
