//! Functions and methods of Python that model scripts use.

use std::cmp::Ordering;

use super::operators::{combine, each, item, set_item};
use super::value::Value;
use crate::arithmetic;
use crate::script::{Stop, bounded};

/// Functions that need no import.
const KNOWN: &[&str] = &[
    "abs",
    "all",
    "any",
    "bool",
    "dict",
    "enumerate",
    "exit",
    "filter",
    "float",
    "int",
    "len",
    "list",
    "map",
    "max",
    "min",
    "pow",
    "print",
    "quit",
    "range",
    "reversed",
    "round",
    "sorted",
    "str",
    "sum",
    "tuple",
    "zip",
];

/// Calls a function of the script, for `key=` and `map`.
pub type Apply<'a> = dyn FnMut(&Value, Vec<Value>) -> Result<Value, Stop> + 'a;

/// Whether a name is a function of Python itself.
pub fn known(name: &str) -> bool {
    KNOWN.contains(&name)
}

/// Whether a function only shows or stores something.
pub fn shows(name: &str) -> bool {
    name == "print"
        || [
            "os.mkdir",
            "os.makedirs",
            "sys.",
            "plt.",
            "matplotlib",
            "opsv.",
            "vfo.",
            "time.",
            "opsvis.",
            "opp.",
            "warnings.",
            "logging.",
        ]
        .iter()
        .any(|module| name.starts_with(module))
}

/// Keyword arguments of a call; what nobody takes is an error.
pub struct Keywords(pub Vec<(String, Value)>);

impl Keywords {
    /// Takes one.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.0.iter().position(|(own, _)| own == name)?;
        Some(self.0.remove(at).1)
    }

    /// The argument at a place, or by its name.
    pub fn or(&mut self, values: &[Value], at: usize, name: &str) -> Result<Option<Value>, Stop> {
        match (values.get(at), self.take(name)) {
            (Some(_), Some(_)) => Stop::fault_message(format!("`{name}` is given twice")),
            (value, named) => Ok(value.cloned().or(named)),
        }
    }

    /// Refuses what is left.
    pub fn end(&self, function: &str) -> Result<(), Stop> {
        match self.0.first() {
            Some((name, _)) => Stop::fault_message(format!(
                "the keyword argument `{name}` of `{function}` is not read"
            )),
            None => Ok(()),
        }
    }
}

/// A whole number out of a real one.
#[allow(clippy::cast_possible_truncation)]
pub fn whole(value: f64) -> Result<Value, Stop> {
    if value.abs() < 9e15 {
        Ok(Value::Whole(value as i64))
    } else {
        Stop::fault_message("a whole number grows too large")
    }
}

/// A finite number.
pub fn real(value: f64) -> Result<Value, Stop> {
    if value.is_finite() {
        Ok(Value::Real(value))
    } else {
        Stop::fault_message("an expression has no finite value")
    }
}

/// A function of Python or `math`; those of numpy are in [`super::numpy`].
pub fn call(
    name: &str,
    values: &[Value],
    keywords: &mut Keywords,
    apply: &mut Apply<'_>,
) -> Result<Value, Stop> {
    let result = match name.split_once('.') {
        Some(("math", function)) => math(function, values),
        Some(("numpy", function)) => super::numpy::call(function, values, keywords),
        Some(("os", "path.join")) => {
            let parts: Result<Vec<String>, Stop> = values.iter().map(Value::text).collect();
            Ok(Value::Text(parts?.join("/")))
        }
        Some(_) => Stop::fault_message(format!("the function `{name}` is not known")),
        None => own(name, values, keywords, apply),
    }?;
    keywords.end(name)?;
    Ok(result)
}

fn own(
    name: &str,
    values: &[Value],
    keywords: &mut Keywords,
    apply: &mut Apply<'_>,
) -> Result<Value, Stop> {
    match (name, values) {
        ("exit" | "quit", _) => Err(Stop::Exit),
        ("range", [..]) if (1..=3).contains(&values.len()) => {
            let (from, to, step) = match values {
                [to] => (0, to.whole()?, 1),
                [from, to] => (from.whole()?, to.whole()?, 1),
                [from, to, step, ..] => (from.whole()?, to.whole()?, step.whole()?),
                [] => return Stop::fault_message("`range` has no bound"),
            };
            range(from, to, step)
        }
        ("len", [list]) => match list {
            Value::Text(text) => whole_count(text.chars().count()),
            _ => whole_count(list.items()?.len()),
        },
        ("float", [Value::Text(text)]) => crate::tcl::number::real(text.trim())
            .map(Value::Real)
            .ok_or_else(|| Stop::failed(format!("`{text}` is not a number"))),
        ("float", [value]) => real(value.real()?),
        ("int", [Value::Text(text)]) => text
            .trim()
            .parse()
            .map(Value::Whole)
            .map_err(|_| Stop::failed(format!("`{text}` is not a whole number"))),
        ("int", [Value::Whole(value)]) => Ok(Value::Whole(*value)),
        ("int", [value]) => whole(value.real()?.trunc()),
        ("str", [value]) => value.text().map(Value::Text),
        ("bool", [value]) => Ok(Value::Truth(value.truth()?)),
        ("round", [Value::Array(_), ..]) => Stop::fault_message("write np.round for an array"),
        ("round", [value, ..]) if values.len() < 3 => match keywords.or(values, 1, "ndigits")? {
            None | Some(Value::Nothing) => match value {
                Value::Whole(_) => Ok(value.clone()),
                _ => whole(value.real()?.round_ties_even()),
            },
            Some(places) => rounded(value, places.whole()?),
        },
        ("abs", [Value::Whole(value)]) => Ok(Value::Whole(value.wrapping_abs())),
        ("abs", [value]) => each(value, &|item| match item {
            Value::Whole(value) => Ok(Value::Whole(value.wrapping_abs())),
            _ => real(item.real()?.abs()),
        }),
        ("list", [list]) => Value::list(list.items()?),
        ("list", []) => Value::list(Vec::new()),
        ("tuple", [list]) => Value::tuple(list.items()?),
        ("tuple", []) => Value::tuple(Vec::new()),
        ("reversed", [list]) => Value::list(list.items()?.into_iter().rev().collect()),
        ("sorted", [list]) => Value::list(sorted(&list.items()?, keywords, apply)?),
        ("map", [function, lists @ ..]) if !lists.is_empty() => {
            let mut made = Vec::new();
            for row in rows(lists)? {
                made.push(apply(function, row)?);
            }
            Value::list(made)
        }
        ("filter", [function, list]) => {
            let mut kept = Vec::new();
            for value in list.items()? {
                if apply(function, vec![value.clone()])?.truth()? {
                    kept.push(value);
                }
            }
            Value::list(kept)
        }
        ("all" | "any", [list]) => {
            for value in list.items()? {
                if value.truth()? == (name == "any") {
                    return Ok(Value::Truth(name == "any"));
                }
            }
            Ok(Value::Truth(name == "all"))
        }
        ("min" | "max", [..]) if !values.is_empty() => {
            let all = match values {
                [list] => list.items()?,
                _ => values.to_vec(),
            };
            best(&all, name == "min", keywords, apply)
        }
        ("sum", [list, ..]) if values.len() < 3 => {
            let mut sum = keywords.or(values, 1, "start")?.unwrap_or(Value::Whole(0));
            for item in list.items()? {
                sum = combine("+", &sum, &item)?;
            }
            Ok(sum)
        }
        ("enumerate", [list, ..]) if values.len() < 3 => {
            let first = keywords.or(values, 1, "start")?;
            let first = first.map_or(Ok(0), |first| first.whole())?;
            enumerated(list.items()?, first)
        }
        ("zip", lists) => {
            let rows = rows(lists)?.into_iter().map(Value::tuple);
            Value::list(rows.collect::<Result<_, Stop>>()?)
        }
        ("dict", []) => dictionary(None, keywords),
        ("dict", [of]) => dictionary(Some(of), keywords),
        ("pow", [a, b]) => combine("**", a, b),
        _ => Stop::fault_message(format!(
            "the function `{name}` is not known with {} arguments",
            values.len()
        )),
    }
}

fn enumerated(items: Vec<Value>, first: i64) -> Result<Value, Stop> {
    let pairs = items.into_iter().enumerate().map(|(index, item)| {
        let index = i64::try_from(index).unwrap_or(i64::MAX);
        Value::tuple(vec![Value::Whole(first.saturating_add(index)), item])
    });
    Value::list(pairs.collect::<Result<_, Stop>>()?)
}

/// `dict`: from a table or pairs, and from keyword arguments.
fn dictionary(of: Option<&Value>, keywords: &mut Keywords) -> Result<Value, Stop> {
    let table = Value::table();
    match of {
        Some(other @ Value::Table(_)) => {
            for key in other.items()? {
                set_item(&table, &key, item(other, &key)?)?;
            }
        }
        Some(pairs) => {
            for pair in pairs.items()? {
                match pair.items()?.as_slice() {
                    [key, value] => set_item(&table, key, value.clone())?,
                    _ => return Stop::fault_message("`dict` takes pairs of key and value"),
                }
            }
        }
        None => {}
    }
    for (key, value) in keywords.0.drain(..) {
        set_item(&table, &Value::Text(key), value)?;
    }
    Ok(table)
}

/// Items of several lists side by side, as far as the shortest goes.
fn rows(lists: &[Value]) -> Result<Vec<Vec<Value>>, Stop> {
    let lists: Vec<Vec<Value>> = lists.iter().map(Value::items).collect::<Result<_, _>>()?;
    let rounds = lists.iter().map(Vec::len).min().unwrap_or(0);
    Ok((0..rounds)
        .map(|round| lists.iter().map(|list| list[round].clone()).collect())
        .collect())
}

fn keys(
    items: &[Value],
    keywords: &mut Keywords,
    apply: &mut Apply<'_>,
) -> Result<Vec<Value>, Stop> {
    match keywords.take("key") {
        None | Some(Value::Nothing) => Ok(items.to_vec()),
        Some(key) => items
            .iter()
            .map(|item| apply(&key, vec![item.clone()]))
            .collect(),
    }
}

fn sorted(
    items: &[Value],
    keywords: &mut Keywords,
    apply: &mut Apply<'_>,
) -> Result<Vec<Value>, Stop> {
    let reverse = keywords
        .take("reverse")
        .map_or(Ok(false), |value| value.truth())?;
    let keys = keys(items, keywords, apply)?;
    // Whatever cannot be compared with the first cannot be sorted.
    for pair in keys.windows(2) {
        pair[0].order(&pair[1])?;
    }
    let mut order: Vec<usize> = (0..items.len()).collect();
    let compare = |a: &usize, b: &usize| keys[*a].order(&keys[*b]).unwrap_or(Ordering::Equal);
    // Stable in both directions: equal ones keep their order.
    order.sort_by(|a, b| {
        if reverse {
            compare(b, a)
        } else {
            compare(a, b)
        }
    });
    Ok(order.into_iter().map(|at| items[at].clone()).collect())
}

fn best(
    items: &[Value],
    least: bool,
    keywords: &mut Keywords,
    apply: &mut Apply<'_>,
) -> Result<Value, Stop> {
    let default = keywords.take("default");
    let keys = keys(items, keywords, apply)?;
    if items.is_empty() {
        return default.ok_or_else(|| Stop::failed("the list is empty"));
    }
    let wanted = if least {
        Ordering::Less
    } else {
        Ordering::Greater
    };
    let mut best = 0;
    for (at, key) in keys.iter().enumerate().skip(1) {
        if key.order(&keys[best])? == wanted {
            best = at;
        }
    }
    Ok(items[best].clone())
}

/// `round(value, places)`: to the nearest decimal of the exact binary value, ties to even, as
/// CPython rounds.
fn rounded(value: &Value, places: i64) -> Result<Value, Stop> {
    if let (Value::Whole(_), 0..) = (value, places) {
        return Ok(value.clone());
    }
    if let Ok(places) = usize::try_from(places) {
        // Decimal texts of a fixed number of places are rounded exactly, and half to even.
        let text = format!("{:.*}", places.min(340), value.real()?);
        return text
            .parse()
            .map_err(|_| Stop::failed("an expression has no finite value"))
            .and_then(real);
    }
    let exact = match value {
        Value::Whole(whole) => (i128::from(*whole), false),
        _ => {
            let value = value.real()?;
            if value.abs() >= 1e30 {
                return Stop::fault_message("a number of this size is not rounded");
            }
            #[allow(clippy::cast_possible_truncation)]
            let floor = value.floor() as i128;
            (floor, value.fract().abs() > 0.0)
        }
    };
    let unit = u32::try_from(-places)
        .ok()
        .filter(|places| *places <= 30)
        .map(|places| 10_i128.pow(places))
        .ok_or_else(|| Stop::failed("so many places are not rounded"))?;
    let (steps, rest) = (exact.0.div_euclid(unit), exact.0.rem_euclid(unit));
    let up = match (2 * rest).cmp(&unit) {
        Ordering::Greater => true,
        Ordering::Equal => exact.1 || steps % 2 != 0,
        Ordering::Less => false,
    };
    let result = (steps + i128::from(up)) * unit;
    match value {
        Value::Whole(_) => i64::try_from(result)
            .map(Value::Whole)
            .map_err(|_| Stop::failed("a whole number grows too large")),
        #[allow(clippy::cast_precision_loss)]
        _ => real(result as f64),
    }
}

fn math(name: &str, values: &[Value]) -> Result<Value, Stop> {
    match (name, values) {
        ("floor", [value]) => whole(value.real()?.floor()),
        ("ceil", [value]) => whole(value.real()?.ceil()),
        ("trunc", [value]) => whole(value.real()?.trunc()),
        ("pow", [a, b]) => real(a.real()?.powf(b.real()?)),
        ("fmod", [a, b]) => real(a.real()? % b.real()?),
        ("atan2", [y, x]) => real(y.real()?.atan2(x.real()?)),
        ("hypot", [x, y]) => real(x.real()?.hypot(y.real()?)),
        ("log", [x, base]) => real(x.real()?.ln() / base.real()?.ln()),
        ("log2", [x]) => real(x.real()?.log2()),
        (_, [value]) if name != "abs" => match arithmetic::function(name, value.real()?) {
            Some(value) => real(value),
            None => Stop::fault_message(format!("the function `math.{name}` is not known")),
        },
        _ => Stop::fault_message(format!(
            "the function `math.{name}` is not known with {} arguments",
            values.len()
        )),
    }
}

pub(super) fn whole_count(count: usize) -> Result<Value, Stop> {
    Ok(Value::Whole(i64::try_from(count).unwrap_or(i64::MAX)))
}

fn range(from: i64, to: i64, step: i64) -> Result<Value, Stop> {
    if step == 0 {
        return Stop::fault_message("`range` with a step of zero");
    }
    let span = i128::from(to) - i128::from(from);
    let count = (span / i128::from(step) + i128::from(span % i128::from(step) != 0)).max(0);
    let forward = (span > 0) == (step > 0);
    let count = if forward {
        usize::try_from(count).unwrap_or(usize::MAX)
    } else {
        0
    };
    bounded(count)?;
    let values = (0..count).scan(from, |next, _| {
        let value = *next;
        *next = next.saturating_add(step);
        Some(Value::Whole(value))
    });
    Value::list(values.collect())
}

/// A method of a list, array, dictionary or text.
pub fn method(
    object: &Value,
    name: &str,
    values: &[Value],
    keywords: &mut Keywords,
    apply: &mut Apply<'_>,
) -> Result<Value, Stop> {
    let result = match object {
        Value::List(_) => of_list(object, name, values, keywords, apply),
        Value::Tuple(_) if matches!(name, "index" | "count") => {
            of_list(object, name, values, keywords, apply)
        }
        Value::Array(_) => super::numpy::method(object, name, values, keywords),
        Value::Table(_) => of_table(object, name, values),
        Value::Text(text) => of_text(text, name, values),
        _ => Stop::fault_message(format!("`{name}` of {} is not known", object.describe())),
    }?;
    keywords.end(name)?;
    Ok(result)
}

fn of_list(
    object: &Value,
    name: &str,
    values: &[Value],
    keywords: &mut Keywords,
    apply: &mut Apply<'_>,
) -> Result<Value, Stop> {
    let (Value::List(items) | Value::Tuple(items)) = object else {
        return Stop::fault_message(format!("`{name}` of {} is not known", object.describe()));
    };
    let position = |value: &Value| -> Result<usize, Stop> {
        for (at, own) in items.get().iter().enumerate() {
            if own.equals(value)? {
                return Ok(at);
            }
        }
        Stop::fault_message("the list has no such item")
    };
    let bound = |index: &Value, length: usize| -> Result<usize, Stop> {
        let index = index.whole()?;
        let at = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
        Ok(if index < 0 {
            length.saturating_sub(at)
        } else {
            at.min(length)
        })
    };
    match (name, values) {
        ("append", [value]) => {
            bounded(items.get().len())?;
            items.change()?.push(value.clone());
        }
        ("extend", [list]) => {
            let more = list.items()?;
            bounded(items.get().len() + more.len())?;
            items.change()?.extend(more);
        }
        ("insert", [index, value]) => {
            let at = bound(index, items.get().len())?;
            items.change()?.insert(at, value.clone());
        }
        ("pop", [] | [_]) => {
            let last = Value::Whole(-1);
            let index = values.first().unwrap_or(&last);
            let value = item(object, index)?;
            let at = bound(index, items.get().len())?;
            items.change()?.remove(at);
            return Ok(value);
        }
        ("remove", [value]) => {
            let at = position(value)?;
            items.change()?.remove(at);
        }
        ("clear", []) => {
            let old = std::mem::take(&mut *items.change()?);
            drop(old);
        }
        ("reverse", []) => items.change()?.reverse(),
        ("sort", []) => {
            let all = sorted(&object.items()?, keywords, apply)?;
            *items.change()? = all;
        }
        ("index", [value]) => return whole_count(position(value)?),
        ("count", [value]) => {
            let mut count = 0;
            for own in items.get().iter() {
                count += usize::from(own.equals(value)?);
            }
            return whole_count(count);
        }
        ("copy", []) => return Value::list(object.items()?),
        _ => return Stop::fault_message(format!("`{name}` of {} is not known", object.describe())),
    }
    Ok(Value::Nothing)
}

fn of_table(object: &Value, name: &str, values: &[Value]) -> Result<Value, Stop> {
    let Value::Table(pairs) = object else {
        return Stop::fault_message(format!("`{name}` of {} is not known", object.describe()));
    };
    match (name, values) {
        ("keys", []) => Value::list(object.items()?),
        ("values" | "items", []) => {
            let pairs = pairs.0.borrow().clone();
            let of = |(key, value): (Value, Value)| match name {
                "values" => Ok(value),
                _ => Value::tuple(vec![key, value]),
            };
            Value::list(pairs.into_iter().map(of).collect::<Result<_, Stop>>()?)
        }
        ("get", [key] | [key, _]) => match super::operators::compare("in", key, object)? {
            true => item(object, key),
            false => Ok(values.get(1).cloned().unwrap_or(Value::Nothing)),
        },
        ("setdefault", [key, value]) => {
            if !super::operators::compare("in", key, object)? {
                set_item(object, key, value.clone())?;
            }
            item(object, key)
        }
        ("update", [other @ Value::Table(_)]) => {
            for key in other.items()? {
                set_item(object, &key, item(other, &key)?)?;
            }
            Ok(Value::Nothing)
        }
        ("copy", []) => {
            let copy = Value::table();
            for key in object.items()? {
                set_item(&copy, &key, item(object, &key)?)?;
            }
            Ok(copy)
        }
        _ => Stop::fault_message(format!("`{name}` of {} is not known", object.describe())),
    }
}

fn of_text(text: &str, name: &str, values: &[Value]) -> Result<Value, Stop> {
    match (name, values) {
        ("lower", []) => Ok(Value::Text(text.to_lowercase())),
        ("upper", []) => Ok(Value::Text(text.to_uppercase())),
        ("strip", []) => Ok(Value::Text(text.trim().to_owned())),
        ("startswith", [Value::Text(part)]) => Ok(Value::Truth(text.starts_with(part.as_str()))),
        ("endswith", [Value::Text(part)]) => Ok(Value::Truth(text.ends_with(part.as_str()))),
        ("replace", [Value::Text(old), Value::Text(new)]) if !old.is_empty() => {
            bounded(text.len().saturating_mul(new.len() + 1))?;
            Ok(Value::Text(text.replace(old.as_str(), new)))
        }
        ("split", []) => Value::list(
            text.split_whitespace()
                .map(|word| Value::Text(word.to_owned()))
                .collect(),
        ),
        ("split", [Value::Text(at)]) if !at.is_empty() => Value::list(
            text.split(at.as_str())
                .map(|word| Value::Text(word.to_owned()))
                .collect(),
        ),
        ("join", [list]) => {
            let mut joined = String::new();
            for (at, part) in list.items()?.iter().enumerate() {
                let Value::Text(part) = part else {
                    return Stop::fault_message("`join` takes texts");
                };
                if at > 0 {
                    joined.push_str(text);
                }
                joined.push_str(part);
                bounded(joined.len())?;
            }
            Ok(Value::Text(joined))
        }
        _ => Stop::fault_message(format!("`{name}` of a text is not known")),
    }
}
