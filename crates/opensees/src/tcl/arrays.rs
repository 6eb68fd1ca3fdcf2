//! Arrays and dictionaries of Tcl.

use super::Tcl;
use super::commands::{join, whole};
use super::glob;
use super::parse::split_list;
use crate::script::Stop;

/// How deep dictionaries may stand within each other.
const MOST_LEVELS: usize = 20;

impl Tcl<'_> {
    /// Removes a variable, with all elements where it is an array.
    pub(super) fn unset(&mut self, name: &str) {
        let (frame, own) = self.scope(name);
        let element = format!("{own}(");
        let mut freed = 0;
        self.frames[frame].retain(|key, value| {
            let stays = *key != own && !key.starts_with(&element);
            freed += if stays { 0 } else { key.len() + value.len() };
            stays
        });
        // It can only grow less.
        let _ = self.budget.hold(0, freed);
    }

    /// The elements of an array, by the order of their names: Tcl's own order is that of its hash
    /// table.
    fn elements(&self, variable: &str) -> Vec<(String, String)> {
        let (frame, own) = self.scope(variable);
        let element = format!("{own}(");
        let mut found: Vec<(String, String)> = self.frames[frame]
            .iter()
            .filter_map(|(key, value)| {
                let index = key.strip_prefix(&element)?.strip_suffix(')')?;
                Some((index.to_owned(), value.clone()))
            })
            .collect();
        found.sort();
        found
    }

    pub(super) fn array(
        &mut self,
        action: &str,
        variable: &str,
        rest: &[&str],
    ) -> Result<String, Stop> {
        let chosen = |tcl: &Self, pattern: &[&str]| -> Result<Vec<_>, Stop> {
            let pattern = pattern.first().map(|own| glob::short(own)).transpose()?;
            let mut all = tcl.elements(variable);
            all.retain(|(index, _)| pattern.is_none_or(|own| glob::fits(own, index)));
            Ok(all)
        };
        Ok(match (action, rest) {
            ("set", [list]) => {
                for (index, value) in pairs(list)? {
                    self.set(&format!("{variable}({index})"), value)?;
                }
                String::new()
            }
            ("names", [] | [_]) => {
                let chosen = chosen(self, rest)?;
                join(chosen.iter().map(|(index, _)| index.as_str()))
            }
            ("get", [] | [_]) => {
                let chosen = chosen(self, rest)?;
                join(
                    chosen
                        .iter()
                        .flat_map(|(index, value)| [index.as_str(), value.as_str()]),
                )
            }
            ("size", []) => self.elements(variable).len().to_string(),
            ("exists", []) => i32::from(!self.elements(variable).is_empty()).to_string(),
            ("unset", []) => {
                self.unset(variable);
                String::new()
            }
            _ => return Stop::fault_message(format!("`array {action}` is not read in this form")),
        })
    }

    pub(super) fn dictionary(&mut self, action: &str, rest: &[&str]) -> Result<String, Stop> {
        Ok(match (action, rest) {
            ("create", items) => written(&pairs(&join(items.iter().copied()))?),
            ("get", [dictionary, keys @ ..]) => {
                let mut value = (*dictionary).to_owned();
                for key in keys {
                    value = find(&value, key)?.ok_or_else(|| {
                        Stop::failed(format!("the dictionary has no key `{key}`"))
                    })?;
                }
                value
            }
            ("exists", [dictionary, keys @ ..]) if !keys.is_empty() => {
                let mut value = Some((*dictionary).to_owned());
                for key in keys {
                    value = match value {
                        Some(value) => find(&value, key)?,
                        None => None,
                    };
                }
                i32::from(value.is_some()).to_string()
            }
            ("keys", [dictionary, pattern @ ..]) if pattern.len() < 2 => {
                let pattern = pattern.first().map(|own| glob::short(own)).transpose()?;
                let mut all = pairs(dictionary)?;
                all.retain(|(key, _)| pattern.is_none_or(|own| glob::fits(own, key)));
                join(all.iter().map(|(key, _)| key.as_str()))
            }
            ("values", [dictionary]) => {
                let all = pairs(dictionary)?;
                join(all.iter().map(|(_, value)| value.as_str()))
            }
            ("size", [dictionary]) => pairs(dictionary)?.len().to_string(),
            ("set", [variable, keys @ .., value]) if !keys.is_empty() => {
                let old = self.get(variable).unwrap_or("").to_owned();
                let new = with(&old, keys, value)?;
                self.set(variable, new.clone())?;
                new
            }
            ("incr", [variable, key, by @ ..]) if by.len() < 2 => {
                let old = self.get(variable).unwrap_or("").to_owned();
                let count = find(&old, key)?.map_or(Ok(0), |text| whole(&text))?;
                let by = by.first().map_or(Ok(1), |by| whole(by))?;
                let sum = count
                    .checked_add(by)
                    .ok_or_else(|| Stop::failed(format!("`{key}` grows too large")))?;
                let new = with(&old, &[key], &sum.to_string())?;
                self.set(variable, new.clone())?;
                new
            }
            ("lappend", [variable, key, items @ ..]) => {
                let old = self.get(variable).unwrap_or("").to_owned();
                let mut list = split_list(&find(&old, key)?.unwrap_or_default())?;
                list.extend(items.iter().map(|item| (*item).to_owned()));
                let new = with(&old, &[key], &join(list.iter().map(String::as_str)))?;
                self.set(variable, new.clone())?;
                new
            }
            ("unset", [variable, key]) => {
                let mut all = pairs(self.get(variable).unwrap_or(""))?;
                all.retain(|(own, _)| own != key);
                let new = written(&all);
                self.set(variable, new.clone())?;
                new
            }
            _ => return Stop::fault_message(format!("`dict {action}` is not read in this form")),
        })
    }
}

/// Keys and values of a list of both; the last value of a key counts, at the place of the first.
pub(super) fn pairs(text: &str) -> Result<Vec<(String, String)>, Stop> {
    let items = split_list(text)?;
    if items.len() % 2 != 0 {
        return Stop::fault_message("a key has no value");
    }
    let mut all: Vec<(String, String)> = Vec::with_capacity(items.len() / 2);
    let mut known = std::collections::HashMap::new();
    for pair in items.chunks_exact(2) {
        match known.get(&pair[0]) {
            Some(at) => {
                let own: &mut (String, String) = &mut all[*at];
                own.1.clone_from(&pair[1]);
            }
            None => {
                known.insert(pair[0].clone(), all.len());
                all.push((pair[0].clone(), pair[1].clone()));
            }
        }
    }
    Ok(all)
}

fn written(all: &[(String, String)]) -> String {
    join(
        all.iter()
            .flat_map(|(key, value)| [key.as_str(), value.as_str()]),
    )
}

fn find(dictionary: &str, key: &str) -> Result<Option<String>, Stop> {
    Ok(pairs(dictionary)?
        .into_iter()
        .find(|(own, _)| own == key)
        .map(|(_, value)| value))
}

/// The dictionary with a value set, through dictionaries within it.
fn with(dictionary: &str, keys: &[&str], value: &str) -> Result<String, Stop> {
    if keys.len() > MOST_LEVELS {
        return Stop::fault_message("dictionaries stand too deep within each other");
    }
    let [key, deeper @ ..] = keys else {
        return Ok(value.to_owned());
    };
    let inner = find(dictionary, key)?.unwrap_or_default();
    let inner = with(&inner, deeper, value)?;
    let mut all = pairs(dictionary)?;
    match all.iter_mut().find(|(own, _)| own == key) {
        Some(pair) => pair.1 = inner,
        None => all.push(((*key).to_owned(), inner)),
    }
    Ok(written(&all))
}
