//! Functions and methods of Python that model scripts use.

use super::operators::{combine, item};
use super::value::Value;
use crate::import::arithmetic;
use crate::import::script::{Stop, bounded};

/// Functions that need no import.
const KNOWN: &[&str] = &[
    "abs",
    "bool",
    "enumerate",
    "float",
    "int",
    "len",
    "list",
    "max",
    "min",
    "pow",
    "print",
    "range",
    "reversed",
    "round",
    "sorted",
    "str",
    "sum",
    "tuple",
    "zip",
];

/// Whether a name is a function of Python itself.
pub fn known(name: &str) -> bool {
    KNOWN.contains(&name)
}

/// Whether a function only shows or stores something.
pub fn shows(name: &str) -> bool {
    name == "print"
        || [
            "os.",
            "sys.",
            "plt.",
            "matplotlib",
            "opsv.",
            "vfo.",
            "time.",
            "opsvis.",
            "opp.",
        ]
        .iter()
        .any(|module| name.starts_with(module))
}

/// A whole number out of a real one.
#[allow(clippy::cast_possible_truncation)]
pub fn whole(value: f64) -> Result<Value, Stop> {
    if value.abs() < 9e15 {
        Ok(Value::Whole(value as i64))
    } else {
        Stop::trouble("a whole number grows too large")
    }
}

/// A finite number.
pub fn real(value: f64) -> Result<Value, Stop> {
    if value.is_finite() {
        Ok(Value::Real(value))
    } else {
        Stop::trouble("an expression has no finite value")
    }
}

/// A function of Python, `math` or `numpy`.
pub fn call(name: &str, values: &[Value]) -> Result<Value, Stop> {
    match (name, values) {
        ("range", [..]) if (1..=3).contains(&values.len()) => {
            let (from, to, step) = match values {
                [to] => (0, to.whole()?, 1),
                [from, to] => (from.whole()?, to.whole()?, 1),
                [from, to, step, ..] => (from.whole()?, to.whole()?, step.whole()?),
                [] => return Stop::trouble("`range` has no bound"),
            };
            range(from, to, step)
        }
        ("len", [list]) => match list {
            Value::Text(text) => whole_count(text.chars().count()),
            _ => whole_count(list.items()?.len()),
        },
        ("float" | "float64", [Value::Text(text)]) => crate::import::tcl::number::real(text.trim())
            .map(Value::Real)
            .ok_or_else(|| Stop::Trouble(format!("`{text}` is not a number"))),
        ("float" | "float64", [value]) => real(value.real()?),
        ("int", [Value::Text(text)]) => text
            .trim()
            .parse()
            .map(Value::Whole)
            .map_err(|_| Stop::Trouble(format!("`{text}` is not a whole number"))),
        ("int", [value]) => whole(value.real()?.trunc()),
        ("str", [value]) => value.text().map(Value::Text),
        ("bool", [value]) => Ok(Value::Truth(value.truth())),
        ("round", [value]) => whole(value.real()?.round_ties_even()),
        ("round", [value, places]) => {
            let factor = 10_f64.powi(i32::try_from(places.whole()?.clamp(-300, 300)).unwrap_or(0));
            real((value.real()? * factor).round_ties_even() / factor)
        }
        ("abs", [Value::Whole(value)]) => Ok(Value::Whole(value.wrapping_abs())),
        ("list" | "tuple" | "array" | "asarray" | "reversed" | "sorted", [list]) => {
            let mut items = list.items()?;
            match name {
                "reversed" => items.reverse(),
                "sorted" => {
                    let keys: Result<Vec<f64>, Stop> = items.iter().map(Value::real).collect();
                    let keys = keys?;
                    let mut order: Vec<usize> = (0..items.len()).collect();
                    order.sort_by(|a, b| keys[*a].total_cmp(&keys[*b]));
                    items = order.into_iter().map(|at| items[at].clone()).collect();
                }
                _ => {}
            }
            Value::list(items)
        }
        ("list" | "tuple", []) => Value::list(Vec::new()),
        ("min" | "max", [..]) if !values.is_empty() => {
            let all = match values {
                [list @ Value::List(_)] => list.items()?,
                _ => values.to_vec(),
            };
            let mut best = all.first().cloned().unwrap_or(Value::Nothing);
            for value in &all {
                let (a, b) = (value.real()?, best.real()?);
                if (name == "min" && a < b) || (name == "max" && a > b) {
                    best = value.clone();
                }
            }
            Ok(best)
        }
        ("sum", [list]) => {
            let mut sum = Value::Whole(0);
            for item in list.items()? {
                sum = combine("+", &sum, &item)?;
            }
            Ok(sum)
        }
        ("enumerate", [list, rest @ ..]) => {
            let first = rest.first().map_or(Ok(0), Value::whole)?;
            let pairs = list.items()?.into_iter().enumerate().map(|(index, item)| {
                let index = i64::try_from(index).unwrap_or(i64::MAX);
                Value::list(vec![Value::Whole(first.saturating_add(index)), item])
            });
            Value::list(pairs.collect::<Result<_, Stop>>()?)
        }
        ("zip", lists) => {
            let lists: Vec<Vec<Value>> =
                lists.iter().map(Value::items).collect::<Result<_, _>>()?;
            let rounds = lists.iter().map(Vec::len).min().unwrap_or(0);
            let rows = (0..rounds)
                .map(|round| Value::list(lists.iter().map(|list| list[round].clone()).collect()));
            Value::list(rows.collect::<Result<_, Stop>>()?)
        }
        ("pow" | "power", [a, b]) => combine("**", a, b),
        ("atan2" | "arctan2", [y, x]) => real(y.real()?.atan2(x.real()?)),
        ("hypot", [x, y]) => real(x.real()?.hypot(y.real()?)),
        ("floor" | "ceil", [value]) => {
            let value = value.real()?;
            whole(if name == "floor" {
                value.floor()
            } else {
                value.ceil()
            })
        }
        ("zeros", [Value::Whole(count)]) => {
            let count = usize::try_from(*count).unwrap_or(0);
            bounded(count)?;
            Value::numbers(vec![0.0; count])
        }
        ("linspace", [from, to, count]) => {
            let (from, to) = (from.real()?, to.real()?);
            let count = usize::try_from(count.whole()?).unwrap_or(0);
            bounded(count)?;
            let step = (to - from) / (count.max(2) - 1) as f64;
            Value::numbers((0..count).map(|i| from + step * i as f64))
        }
        (_, [value]) if arithmetic::function(name, 1.0).is_some() => {
            let of =
                |value: &Value| real(arithmetic::function(name, value.real()?).unwrap_or(f64::NAN));
            match value {
                Value::List(items) => {
                    Value::list(items.borrow().iter().map(of).collect::<Result<_, _>>()?)
                }
                _ => of(value),
            }
        }
        _ => Stop::trouble(format!("the function `{name}` is not known")),
    }
}

fn whole_count(count: usize) -> Result<Value, Stop> {
    Ok(Value::Whole(i64::try_from(count).unwrap_or(i64::MAX)))
}

fn range(from: i64, to: i64, step: i64) -> Result<Value, Stop> {
    if step == 0 {
        return Stop::trouble("`range` with a step of zero");
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

/// A method of a list, dictionary or text.
pub fn method(object: &Value, name: &str, values: &[Value]) -> Result<Value, Stop> {
    match (object, name, values) {
        (Value::List(items), "append", [value]) => {
            bounded(items.borrow().len())?;
            let value = value.clone();
            items.borrow_mut().push(value);
            Ok(Value::Nothing)
        }
        (Value::List(items), "extend", [list]) => {
            let more = list.items()?;
            bounded(items.borrow().len() + more.len())?;
            items.borrow_mut().extend(more);
            Ok(Value::Nothing)
        }
        (Value::List(_), "copy" | "tolist", []) => Value::list(object.items()?),
        (Value::Table(_), "keys", []) => Value::list(object.items()?),
        (Value::Table(pairs), "values" | "items", []) => {
            let pairs = pairs.borrow().clone();
            let of = |(key, value): (Value, Value)| match name {
                "values" => Ok(value),
                _ => Value::list(vec![key, value]),
            };
            Value::list(pairs.into_iter().map(of).collect::<Result<_, Stop>>()?)
        }
        (Value::Table(_), "get", [key, rest @ ..]) => {
            Ok(item(object, key)
                .unwrap_or_else(|_| rest.first().cloned().unwrap_or(Value::Nothing)))
        }
        (Value::Text(text), "lower", []) => Ok(Value::Text(text.to_lowercase())),
        (Value::Text(text), "upper", []) => Ok(Value::Text(text.to_uppercase())),
        (Value::Text(text), "strip", []) => Ok(Value::Text(text.trim().to_owned())),
        _ => Stop::trouble(format!("`{name}` of {} is not known", object.describe())),
    }
}
