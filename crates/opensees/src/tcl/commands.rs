//! Commands of Tcl that give a value: variables, lists, texts.

use super::format::format;
use super::glob;
use super::number::Number;
use super::parse::{list_item, split_list};
use super::{Tcl, Value};
use crate::script::{Place, Stop, Weight};

impl Tcl<'_> {
    /// The result of a command of Tcl itself; none if it is not one.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        arguments: &[Value],
        place: Place,
    ) -> Result<Option<String>, Stop> {
        let texts: Vec<&str> = arguments.iter().map(|value| value.text.as_str()).collect();
        let result = match (name, texts.as_slice()) {
            ("set", [variable]) => self.get(variable)?.to_owned(),
            ("set", [variable, value]) => {
                self.set(variable, (*value).to_owned())?;
                (*value).to_owned()
            }
            ("unset", names) => {
                for name in names.iter().filter(|name| !name.starts_with('-')) {
                    self.unset(name);
                }
                String::new()
            }
            ("expr", parts) => self.expression(&parts.join(" "), place)?.to_string(),
            ("incr", [variable, by @ ..]) => self.increase(variable, by.first().copied())?,
            ("append", [variable, parts @ ..]) => {
                let mut text = self.get(variable).unwrap_or("").to_owned();
                parts.iter().for_each(|part| text.push_str(part));
                self.set(variable, text.clone())?;
                text
            }
            ("lappend", [variable, items @ ..]) => self.append_items(variable, items)?,
            ("list", items) => join(items.iter().copied()),
            ("concat", items) => items
                .iter()
                .map(|item| item.trim())
                .filter(|item| !item.is_empty())
                .collect::<Vec<_>>()
                .join(" "),
            ("split", [text, rest @ ..]) => {
                let at = rest.first().copied().unwrap_or(" \t\n\r");
                let items: Vec<String> = if at.is_empty() {
                    text.chars().map(String::from).collect()
                } else {
                    text.split(|c| at.contains(c)).map(str::to_owned).collect()
                };
                join(items.iter().map(String::as_str))
            }
            ("join", [list, rest @ ..]) => {
                split_list(list)?.join(rest.first().copied().unwrap_or(" "))
            }
            ("format", [pattern, values @ ..]) => format(pattern, values)?,
            ("string", [action, rest @ ..]) => string(action, rest)?,
            ("info", ["procs", name]) => {
                let known = self.procedures.contains_key(*name);
                (if known { *name } else { "" }).to_owned()
            }
            ("info", ["exists", variable]) => i32::from(self.get(variable).is_ok()).to_string(),
            ("info", ["script"]) => self.files.name(place.file).to_owned(),
            ("array", [action, variable, rest @ ..]) => self.array(action, variable, rest)?,
            ("dict", [action, rest @ ..]) => self.dictionary(action, rest)?,
            ("file", ["join", parts @ ..]) => parts.join("/"),
            ("file", ["tail", path]) => path.rsplit('/').next().unwrap_or("").to_owned(),
            ("file", ["dirname", path]) => path
                .rsplit_once('/')
                .map_or(".".to_owned(), |(folder, _)| folder.to_owned()),
            ("pi", []) => format!("{:?}", std::f64::consts::PI),
            // Output, time and packages: of no use to a plan.
            (
                "puts" | "file" | "close" | "flush" | "package" | "namespace" | "after" | "update"
                | "logFile" | "clock",
                _,
            ) => {
                self.receiver.remark(
                    Weight::Ignored,
                    place,
                    name,
                    "output and settings of the interpreter are left out",
                );
                if name == "clock" {
                    "0".to_owned()
                } else {
                    String::new()
                }
            }
            ("exec" | "open" | "socket" | "gets" | "read" | "cd" | "glob", _) => {
                return Stop::fault_message(format!(
                    "`{name}` is not carried out: an import runs no programs and reads no other \
                    files"
                ));
            }
            _ => return self.list(name, &texts),
        };
        Ok(Some(result))
    }

    fn increase(&mut self, variable: &str, by: Option<&str>) -> Result<String, Stop> {
        let by = by.map_or(Ok(1), whole)?;
        let old = self.get(variable).map_or(Ok(0), whole)?;
        let new = old
            .checked_add(by)
            .ok_or_else(|| Stop::failed(format!("`{variable}` grows too large")))?;
        self.set(variable, new.to_string())?;
        Ok(new.to_string())
    }

    fn append_items(&mut self, variable: &str, items: &[&str]) -> Result<String, Stop> {
        let mut text = self.get(variable).unwrap_or("").to_owned();
        for item in items {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&list_item(item));
        }
        self.set(variable, text.clone())?;
        Ok(text)
    }
}

pub(super) fn join<'a>(items: impl Iterator<Item = &'a str>) -> String {
    items.map(list_item).collect::<Vec<_>>().join(" ")
}

pub(super) fn whole(text: &str) -> Result<i64, Stop> {
    match Number::of(text) {
        Number::Whole(whole) => Ok(whole),
        _ => Stop::fault_message(format!("`{text}` is not a whole number")),
    }
}

/// `3`, `end`, `end-1`; none where it lies before the list.
pub(super) fn position(text: &str, length: usize) -> Result<Option<usize>, Stop> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix("end") {
        let back = match rest.strip_prefix('-') {
            Some(count) => usize::try_from(whole(count)?).unwrap_or(usize::MAX),
            None if rest.is_empty() => 0,
            None => return Stop::fault_message(format!("`{text}` is not a place in a list")),
        };
        return Ok(length
            .checked_sub(1)
            .and_then(|last| last.checked_sub(back)));
    }
    Ok(usize::try_from(whole(text)?).ok())
}

fn string(action: &str, rest: &[&str]) -> Result<String, Stop> {
    Ok(match (action, rest) {
        ("length", [text]) => text.chars().count().to_string(),
        ("equal", [a, b]) => i32::from(a == b).to_string(),
        ("equal", ["-nocase", a, b]) => i32::from(a.to_lowercase() == b.to_lowercase()).to_string(),
        ("compare", [a, b]) => (a.cmp(b) as i32).to_string(),
        ("compare", ["-nocase", a, b]) => {
            (a.to_lowercase().cmp(&b.to_lowercase()) as i32).to_string()
        }
        ("match", [pattern, text]) => {
            i32::from(glob::fits(glob::short(pattern)?, text)).to_string()
        }
        ("tolower", [text]) => text.to_lowercase(),
        ("toupper", [text]) => text.to_uppercase(),
        ("trim", [text]) => text.trim().to_owned(),
        ("first", [part, text]) => text
            .find(part)
            .map_or("-1".to_owned(), |at| text[..at].chars().count().to_string()),
        ("index", [text, at]) => {
            let count = text.chars().count();
            position(at, count)?
                .and_then(|at| text.chars().nth(at))
                .map_or_else(String::new, String::from)
        }
        ("range", [text, from, to]) => {
            let letters: Vec<char> = text.chars().collect();
            let from = position(from, letters.len())?.unwrap_or(0);
            let to = position(to, letters.len())?.map_or(0, |to| to + 1);
            letters
                .get(from..to.min(letters.len()))
                .map_or_else(String::new, |part| part.iter().collect())
        }
        _ => return Stop::fault_message(format!("`string {action}` is not known")),
    })
}
