//! Operators and items of Python.

use super::builtin::real;
use super::value::Value;
use crate::import::script::{Stop, bounded};

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
