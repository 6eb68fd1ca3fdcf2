//! Operators, functions and methods of Python that model scripts use.

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

fn real(value: f64) -> Result<Value, Stop> {
    if value.is_finite() {
        Ok(Value::Real(value))
    } else {
        Stop::trouble("an expression has no finite value")
    }
}

/// `-x`, `+x`, `not x`
pub fn unary(sign: &str, value: &Value) -> Result<Value, Stop> {
    match (sign, value) {
        ("not", value) => Ok(Value::Truth(!value.truth())),
        ("-", Value::Whole(whole)) => Ok(Value::Whole(whole.wrapping_neg())),
        ("-", Value::List(items)) => {
            let items = items.borrow();
            Value::list(
                items
                    .iter()
                    .map(|item| Ok(Value::Real(-item.real()?)))
                    .collect::<Result<_, Stop>>()?,
            )
        }
        ("-", value) => real(-value.real()?),
        (_, value) => {
            value.real()?;
            Ok(value.clone())
        }
    }
}

/// Two values and an operator between them.
pub fn combine(sign: &str, left: &Value, right: &Value) -> Result<Value, Stop> {
    match (sign, left, right) {
        ("==", ..) => return Ok(Value::Truth(left.equals(right))),
        ("!=", ..) => return Ok(Value::Truth(!left.equals(right))),
        ("in", ..) => {
            let found = match (left, right) {
                (Value::Text(part), Value::Text(text)) => text.contains(part.as_str()),
                _ => right.items()?.iter().any(|item| item.equals(left)),
            };
            return Ok(Value::Truth(found));
        }
        ("+", Value::Text(a), Value::Text(b)) => {
            bounded(a.len() + b.len())?;
            return Ok(Value::Text(format!("{a}{b}")));
        }
        ("+", Value::List(a), Value::List(b)) => {
            let mut all = a.borrow().clone();
            all.extend(b.borrow().iter().cloned());
            return Value::list(all);
        }
        ("*", Value::List(items), Value::Whole(count))
        | ("*", Value::Whole(count), Value::List(items)) => {
            let count = usize::try_from(*count).unwrap_or(0);
            let once = items.borrow().clone();
            bounded(count.saturating_mul(once.len()))?;
            return Value::list(
                once.iter()
                    .cloned()
                    .cycle()
                    .take(count * once.len())
                    .collect(),
            );
        }
        _ => {}
    }
    if let (Value::Whole(a), Value::Whole(b)) = (left, right) {
        let result = match sign {
            "+" => a.checked_add(*b),
            "-" => a.checked_sub(*b),
            "*" => a.checked_mul(*b),
            "//" if *b != 0 => a.checked_div_euclid(*b).map(|quotient| {
                // Towards minus infinity also for a divisor below zero.
                if *b < 0 && a.checked_rem_euclid(*b) != Some(0) {
                    quotient - 1
                } else {
                    quotient
                }
            }),
            "%" if *b > 0 => a.checked_rem_euclid(*b),
            "**" if *b >= 0 => u32::try_from(*b).ok().and_then(|b| a.checked_pow(b)),
            "&" => Some(a & b),
            "|" => Some(a | b),
            "^" => Some(a ^ b),
            "<" => return Ok(Value::Truth(a < b)),
            ">" => return Ok(Value::Truth(a > b)),
            "<=" => return Ok(Value::Truth(a <= b)),
            ">=" => return Ok(Value::Truth(a >= b)),
            "/" | "//" | "%" | "**" => return reals(sign, left.real()?, right.real()?),
            _ => return Stop::trouble(format!("the operator `{sign}` is not known")),
        };
        return match result {
            Some(whole) => Ok(Value::Whole(whole)),
            None => Stop::trouble("a whole number grows too large"),
        };
    }
    if let (Value::Text(a), Value::Text(b)) = (left, right) {
        return Ok(Value::Truth(match sign {
            "<" => a < b,
            ">" => a > b,
            "<=" => a <= b,
            ">=" => a >= b,
            _ => return Stop::trouble(format!("`{sign}` between texts is not read")),
        }));
    }
    reals(sign, left.real()?, right.real()?)
}

fn reals(sign: &str, a: f64, b: f64) -> Result<Value, Stop> {
    real(match sign {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" | "//" | "%" if b.abs() <= 0.0 => return Stop::trouble("division by zero"),
        "/" => a / b,
        "//" => (a / b).floor(),
        "%" => a - b * (a / b).floor(),
        "**" => a.powf(b),
        "<" => return Ok(Value::Truth(a < b)),
        ">" => return Ok(Value::Truth(a > b)),
        "<=" => return Ok(Value::Truth(a <= b)),
        ">=" => return Ok(Value::Truth(a >= b)),
        _ => return Stop::trouble(format!("the operator `{sign}` is not known")),
    })
}

fn place(index: i64, length: usize) -> Option<usize> {
    let at = usize::try_from(index.unsigned_abs()).ok()?;
    if index < 0 {
        length.checked_sub(at)
    } else {
        (at < length).then_some(at)
    }
}

/// `list[index]`
pub fn item(list: &Value, index: &Value) -> Result<Value, Stop> {
    let missing = || Stop::Trouble("the list has no such item".to_owned());
    match list {
        Value::Table(pairs) => pairs
            .borrow()
            .iter()
            .find(|(key, _)| key.equals(index))
            .map(|(_, value)| value.clone())
            .ok_or_else(missing),
        // `array[i, j]` of a table of numbers.
        Value::List(_) if matches!(index, Value::List(_)) => {
            let mut value = list.clone();
            for index in index.items()? {
                if matches!(index, Value::List(_)) {
                    return Err(missing());
                }
                value = item(&value, &index)?;
            }
            Ok(value)
        }
        _ => {
            let items = list.items()?;
            place(index.whole()?, items.len())
                .and_then(|at| items.get(at).cloned())
                .ok_or_else(missing)
        }
    }
}

/// `list[index] = value`
pub fn set_item(list: &Value, index: &Value, value: Value) -> Result<(), Stop> {
    match list {
        Value::Table(pairs) => {
            let mut pairs = pairs.borrow_mut();
            bounded(pairs.len())?;
            match pairs.iter_mut().find(|(key, _)| key.equals(index)) {
                Some(pair) => pair.1 = value,
                None => pairs.push((index.clone(), value)),
            }
            Ok(())
        }
        Value::List(items) => {
            let index = index.whole()?;
            let mut items = items.borrow_mut();
            match place(index, items.len()) {
                Some(at) => items[at] = value,
                None => return Stop::trouble("the list has no such item"),
            }
            Ok(())
        }
        _ => Stop::trouble(format!("{} has no items to set", list.describe())),
    }
}

/// `list[from:to:step]`
pub fn slice(list: &Value, [from, to, step]: [Option<i64>; 3]) -> Result<Value, Stop> {
    let items = list.items()?;
    let bound = |index: i64| {
        let at = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
        if index < 0 {
            items.len().saturating_sub(at)
        } else {
            at.min(items.len())
        }
    };
    let mut part: Vec<Value> = match step.unwrap_or(1) {
        -1 if from.is_none() && to.is_none() => items.iter().rev().cloned().collect(),
        step => {
            let step = usize::try_from(step)
                .ok()
                .filter(|step| *step > 0)
                .ok_or_else(|| Stop::Trouble("this slice is not read".to_owned()))?;
            let (from, to) = (from.map_or(0, bound), to.map_or(items.len(), bound));
            items
                .get(from..to)
                .unwrap_or(&[])
                .iter()
                .step_by(step)
                .cloned()
                .collect()
        }
    };
    if let Value::Text(_) = list {
        let letters: Result<Vec<String>, Stop> = part.drain(..).map(|item| item.text()).collect();
        return Ok(Value::Text(letters?.concat()));
    }
    Value::list(part)
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
