//! Lists of Tcl.

use std::cmp::Ordering;

use super::Tcl;
use super::commands::{join, position, whole};
use super::glob;
use super::number::Number;
use super::parse::{list_item, split_list};
use crate::script::{Stop, bounded};

impl Tcl<'_> {
    /// The result of a command on lists; none if it is not one.
    pub(super) fn list(&mut self, name: &str, texts: &[&str]) -> Result<Option<String>, Stop> {
        let result = match (name, texts) {
            ("llength", [list]) => split_list(list)?.len().to_string(),
            ("lindex", [list, indices @ ..]) => {
                let mut text = (*list).to_owned();
                for index in indices {
                    let items = split_list(&text)?;
                    text = position(index, items.len())?
                        .and_then(|at| items.get(at).cloned())
                        .unwrap_or_default();
                }
                text
            }
            ("lrange", [list, from, to]) => {
                let items = split_list(list)?;
                let from = position(from, items.len())?.unwrap_or(0);
                match position(to, items.len())? {
                    Some(to) if from < items.len() && to >= from => {
                        let to = to.min(items.len() - 1);
                        join(items[from..=to].iter().map(String::as_str))
                    }
                    _ => String::new(),
                }
            }
            ("lset", [variable, index, value]) => {
                let mut items = split_list(self.get(variable)?)?;
                let at = position(index, items.len())?
                    .filter(|at| *at < items.len())
                    .ok_or_else(|| Stop::failed("the list has no such item"))?;
                items[at] = (*value).to_owned();
                let text = join(items.iter().map(String::as_str));
                self.set(variable, text.clone())?;
                text
            }
            ("linsert", [list, index, more @ ..]) => {
                let mut items = split_list(list)?;
                let at = match position(index, items.len() + 1)? {
                    Some(at) => at.min(items.len()),
                    None => 0,
                };
                items.splice(at..at, more.iter().map(|item| (*item).to_owned()));
                join(items.iter().map(String::as_str))
            }
            ("lrepeat", [count, items @ ..]) => {
                let count = usize::try_from(whole(count)?)
                    .map_err(|_| Stop::failed("a count below zero"))?;
                let once = join(items.iter().copied());
                bounded(count.saturating_mul(once.len() + 1))?;
                vec![once; count].join(" ")
            }
            ("lreverse", [list]) => {
                let items = split_list(list)?;
                join(items.iter().rev().map(String::as_str))
            }
            ("lassign", [list, names @ ..]) => {
                let items = split_list(list)?;
                for (at, name) in names.iter().enumerate() {
                    self.set(name, items.get(at).cloned().unwrap_or_default())?;
                }
                let rest = items.get(names.len()..).unwrap_or(&[]);
                join(rest.iter().map(String::as_str))
            }
            ("lsearch", [options @ .., list, wanted]) => {
                let mut exact = false;
                for option in options {
                    match *option {
                        "-exact" => exact = true,
                        "-glob" => exact = false,
                        other => {
                            return Stop::fault_message(format!("`lsearch {other}` is not read"));
                        }
                    }
                }
                if !exact {
                    glob::short(wanted)?;
                }
                split_list(list)?
                    .iter()
                    .position(|item| item == wanted || (!exact && glob::fits(wanted, item)))
                    .map_or("-1".to_owned(), |at| at.to_string())
            }
            ("lsort", [options @ .., list]) => sorted(options, list)?,
            _ => return Ok(None),
        };
        Ok(Some(result))
    }
}

fn sorted(options: &[&str], list: &str) -> Result<String, Stop> {
    let (mut numbers, mut whole_only, mut decreasing, mut unique) = (false, false, false, false);
    for option in options {
        match *option {
            "-real" => (numbers, whole_only) = (true, false),
            "-integer" => (numbers, whole_only) = (true, true),
            "-ascii" => numbers = false,
            "-increasing" => decreasing = false,
            "-decreasing" => decreasing = true,
            "-unique" => unique = true,
            other => return Stop::fault_message(format!("`lsort {other}` is not read")),
        }
    }
    let mut keyed = Vec::new();
    for item in split_list(list)? {
        let key = match (numbers, whole_only) {
            (true, true) => Number::Whole(whole(&item)?),
            (true, false) => Number::Real(Number::of(&item).real()?),
            _ => Number::Text(String::new()),
        };
        keyed.push((key, item));
    }
    let order = |a: &(Number, String), b: &(Number, String)| match (&a.0, &b.0) {
        (Number::Whole(a), Number::Whole(b)) => a.cmp(b),
        (Number::Real(a), Number::Real(b)) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
        _ => a.1.cmp(&b.1),
    };
    keyed.sort_by(|a, b| if decreasing { order(b, a) } else { order(a, b) });
    if unique {
        // Of equal ones the last is kept.
        keyed.reverse();
        keyed.dedup_by(|a, b| order(a, b) == Ordering::Equal);
        keyed.reverse();
    }
    let items: Vec<String> = keyed.iter().map(|(_, item)| list_item(item)).collect();
    Ok(items.join(" "))
}
