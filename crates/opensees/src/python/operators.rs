//! Operators and items of Python.

use super::builtin::real;
use super::value::Value;
use crate::script::{Stop, bounded};

/// How deep arrays may stand within each other.
const MOST_AXES: usize = 4;

/// `-x`, `+x`, `not x`
pub fn unary(sign: &str, value: &Value) -> Result<Value, Stop> {
    match (sign, value) {
        ("not", value) => Ok(Value::Truth(!value.truth()?)),
        ("-", Value::Whole(whole)) => whole
            .checked_neg()
            .map(Value::Whole)
            .ok_or_else(|| Stop::failed("a whole number grows too large")),
        (_, Value::Truth(truth)) => unary(sign, &Value::Whole(i64::from(*truth))),
        (_, Value::Array(_)) => each(value, &|item| unary(sign, item)),
        ("-", value) => real(-value.real()?),
        (_, value) => {
            value.real()?;
            Ok(value.clone())
        }
    }
}

/// A function of every number of an array, or of one number.
pub fn each(value: &Value, of: &dyn Fn(&Value) -> Result<Value, Stop>) -> Result<Value, Stop> {
    fn at(
        value: &Value,
        of: &dyn Fn(&Value) -> Result<Value, Stop>,
        level: usize,
    ) -> Result<Value, Stop> {
        match value {
            Value::Array(_) if level >= MOST_AXES => {
                Stop::fault_message(format!("an array has more than {MOST_AXES} axes"))
            }
            Value::Array(items) => {
                let items: Result<Vec<Value>, Stop> = items
                    .get()
                    .iter()
                    .map(|item| at(item, of, level + 1))
                    .collect();
                Value::array(items?)
            }
            _ => of(value),
        }
    }
    at(value, of, 0)
}

/// How many axes an array has; none for a number.
pub fn axes(value: &Value) -> usize {
    let mut value = value.clone();
    let mut axes = 0;
    while let Value::Array(items) = &value {
        axes += 1;
        let Some(first) = items.get().first().cloned() else {
            break;
        };
        if axes > MOST_AXES {
            break;
        }
        value = first;
    }
    axes
}

/// Comparisons, `in` and `is`.
pub fn compare(sign: &str, left: &Value, right: &Value) -> Result<bool, Stop> {
    use std::cmp::Ordering::{Equal, Greater, Less};
    if matches!(left, Value::Array(_))
        || matches!((sign, right), (s, Value::Array(_)) if s != "in" && s != "not in")
    {
        return Stop::fault_message("comparisons of arrays are not read");
    }
    Ok(match sign {
        "==" => left.equals(right)?,
        "!=" => !left.equals(right)?,
        "is" => left.is_same(right)?,
        "is not" => !left.is_same(right)?,
        "in" | "not in" => {
            let mut found = false;
            match (left, right) {
                (Value::Text(part), Value::Text(text)) => found = text.contains(part.as_str()),
                _ => {
                    for item in right.items()? {
                        found |= item.equals(left)?;
                    }
                }
            }
            found == (sign == "in")
        }
        _ => {
            let order = left.order(right)?;
            match sign {
                "<" => order == Less,
                ">" => order == Greater,
                "<=" => matches!(order, Less | Equal),
                ">=" => matches!(order, Greater | Equal),
                _ => return Stop::fault_message(format!("the operator `{sign}` is not known")),
            }
        }
    })
}

/// Two values and an operator between them.
pub fn combine(sign: &str, left: &Value, right: &Value) -> Result<Value, Stop> {
    match (sign, left, right) {
        (_, Value::Array(_), _) | (_, _, Value::Array(_)) => {
            return elementwise(sign, left, right, 0);
        }
        ("+", Value::Text(a), Value::Text(b)) => {
            bounded(a.len() + b.len())?;
            return Ok(Value::Text(format!("{a}{b}")));
        }
        ("*", Value::Text(text), Value::Whole(count))
        | ("*", Value::Whole(count), Value::Text(text)) => {
            let count = usize::try_from(*count).unwrap_or(0);
            bounded(count.saturating_mul(text.len()))?;
            return Ok(Value::Text(text.repeat(count)));
        }
        ("+", Value::List(a), Value::List(b)) => {
            let mut all = a.get().clone();
            all.extend(b.get().iter().cloned());
            return Value::list(all);
        }
        ("+", Value::Tuple(a), Value::Tuple(b)) => {
            let mut all = a.get().clone();
            all.extend(b.get().iter().cloned());
            return Value::tuple(all);
        }
        ("*", list @ (Value::List(_) | Value::Tuple(_)), Value::Whole(count))
        | ("*", Value::Whole(count), list @ (Value::List(_) | Value::Tuple(_))) => {
            let count = usize::try_from(*count).unwrap_or(0);
            let once = list.items()?;
            let length = count.saturating_mul(once.len());
            bounded(length)?;
            let all = once.iter().cloned().cycle().take(length).collect();
            return match list {
                Value::Tuple(_) => Value::tuple(all),
                _ => Value::list(all),
            };
        }
        (_, Value::Truth(truth), _) => {
            return combine(sign, &Value::Whole(i64::from(*truth)), right);
        }
        (_, _, Value::Truth(truth)) => {
            return combine(sign, left, &Value::Whole(i64::from(*truth)));
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
            "%" if *b != 0 => a.checked_rem(*b).map(|rest| {
                // Of the sign of the divisor.
                if rest != 0 && (rest < 0) != (*b < 0) {
                    rest + b
                } else {
                    rest
                }
            }),
            "**" if *b >= 0 => u32::try_from(*b).ok().and_then(|b| a.checked_pow(b)),
            "&" => Some(a & b),
            "|" => Some(a | b),
            "^" => Some(a ^ b),
            "<<" => u32::try_from(*b)
                .ok()
                .filter(|b| *b < 62)
                .and_then(|b| a.checked_mul(1 << b)),
            ">>" => u32::try_from(*b).ok().map(|b| a >> b.min(63)),
            "/" | "//" | "%" | "**" => return reals(sign, left.real()?, right.real()?),
            _ => return Stop::fault_message(format!("the operator `{sign}` is not known")),
        };
        return match result {
            Some(whole) => Ok(Value::Whole(whole)),
            None => Stop::fault_message("a whole number grows too large"),
        };
    }
    reals(sign, left.real()?, right.real()?)
}

/// numpy's arithmetic: number by number; of two arrays the one with fewer axes counts for every row
/// of the other.
fn elementwise(sign: &str, left: &Value, right: &Value, level: usize) -> Result<Value, Stop> {
    if level > MOST_AXES {
        return Stop::fault_message(format!("an array has more than {MOST_AXES} axes"));
    }
    if !matches!(sign, "+" | "-" | "*" | "/" | "//" | "%" | "**") {
        return Stop::fault_message(format!("`{sign}` between arrays is not read"));
    }
    // A list beside an array is taken as an array.
    let as_array = |value: &Value| match value {
        Value::List(_) | Value::Tuple(_) => super::numpy::array(value),
        _ => Ok(value.clone()),
    };
    let (left, right) = (as_array(left)?, as_array(right)?);
    let of = |a: &Value, b: &Value| match (a, b) {
        (Value::Array(_), _) | (_, Value::Array(_)) => elementwise(sign, a, b, level + 1),
        // The operators of numbers; of whole ones below zero numpy refuses the power.
        _ => combine(sign, a, b),
    };
    let made: Result<Vec<Value>, Stop> = match (&left, &right, axes(&left).cmp(&axes(&right))) {
        (Value::Array(a), Value::Array(b), std::cmp::Ordering::Equal) => {
            let (a, b) = (a.get(), b.get());
            if a.len() != b.len() {
                return Stop::fault_message(format!(
                    "arrays of {} and {} items cannot be combined",
                    a.len(),
                    b.len()
                ));
            }
            a.iter().zip(b.iter()).map(|(a, b)| of(a, b)).collect()
        }
        (Value::Array(a), b, std::cmp::Ordering::Greater) => {
            a.get().iter().map(|a| of(a, b)).collect()
        }
        (a, Value::Array(b), _) => b.get().iter().map(|b| of(a, b)).collect(),
        (a, b, _) => return of(a, b),
    };
    Value::array(made?)
}

/// `a += b`: lists and arrays change where they are, so that other names of theirs see it.
pub fn change(sign: &str, old: &Value, by: &Value) -> Result<Value, Stop> {
    match (sign, old) {
        ("+", Value::List(items)) => {
            let more = by.items()?;
            bounded(items.get().len() + more.len())?;
            items.change()?.extend(more);
            Ok(old.clone())
        }
        ("*", Value::List(items)) => {
            let new = combine(sign, old, by)?.items()?;
            *items.change()? = new;
            Ok(old.clone())
        }
        (_, Value::Array(items)) => {
            let new = combine(sign, old, by)?;
            if axes(&new) != axes(old) {
                return Stop::fault_message("an array changes its shape");
            }
            let new = new.items()?;
            for (old, new) in items.get().iter().zip(&new) {
                keeps_kind(old, new)?;
            }
            if axes(old) > 1 {
                // Rows are arrays that others may share.
                for (row, new) in items.get().iter().zip(&new) {
                    if let Value::Array(row) = row {
                        *row.change()? = new.items()?;
                    }
                }
            } else {
                *items.change()? = new;
            }
            Ok(old.clone())
        }
        _ => combine(sign, old, by),
    }
}

/// An array of whole numbers keeps whole numbers: numpy cuts off what comes in.
fn keeps_kind(old: &Value, new: &Value) -> Result<(), Stop> {
    match (old, new) {
        (Value::Whole(_), Value::Real(_)) => Stop::fault_message(
            "an array of whole numbers cannot take this number; give it dtype=float",
        ),
        _ => Ok(()),
    }
}

fn reals(sign: &str, a: f64, b: f64) -> Result<Value, Stop> {
    // Of the sign of the divisor, as in CPython (float_divmod).
    let rest = || {
        let rest = a % b;
        if rest.abs() > 0.0 && (rest < 0.0) != (b < 0.0) {
            rest + b
        } else {
            rest
        }
    };
    real(match sign {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" | "//" | "%" if b.abs() <= 0.0 => return Stop::fault_message("division by zero"),
        "/" => a / b,
        "//" => {
            let quotient = (a - rest()) / b;
            let floor = quotient.floor();
            if quotient - floor > 0.5 {
                floor + 1.0
            } else {
                floor
            }
        }
        "%" => rest(),
        "**" => a.powf(b),
        _ => return Stop::fault_message(format!("the operator `{sign}` is not known")),
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
    let missing = || Stop::failed("the list has no such item");
    match list {
        Value::Table(pairs) => {
            for (key, value) in pairs.0.borrow().iter() {
                if key.equals(index)? {
                    return Ok(value.clone());
                }
            }
            Err(missing())
        }
        // `array[i, j]` of a table of numbers.
        Value::Array(_) if matches!(index, Value::Tuple(_)) => {
            let mut value = list.clone();
            for index in index.items()? {
                value = item(&value, &Value::Whole(index.whole()?))?;
            }
            Ok(value)
        }
        _ => {
            let index = index.whole()?;
            let items = list.items()?;
            place(index, items.len())
                .and_then(|at| items.get(at).cloned())
                .ok_or_else(missing)
        }
    }
}

/// `list[index] = value`
pub fn set_item(list: &Value, index: &Value, value: Value) -> Result<(), Stop> {
    match list {
        Value::Table(pairs) => {
            if matches!(index, Value::List(_) | Value::Array(_) | Value::Table(_)) {
                return Stop::fault_message(format!("{} cannot be a key", index.describe()));
            }
            let mut at = None;
            for (own, (key, _)) in pairs.0.borrow().iter().enumerate() {
                if key.equals(index)? {
                    at = Some(own);
                    break;
                }
            }
            let mut pairs = pairs.0.borrow_mut();
            bounded(pairs.len())?;
            match at {
                Some(at) => pairs[at].1 = value,
                None => pairs.push((index.clone(), value)),
            }
            Ok(())
        }
        Value::Array(_) if matches!(index, Value::Tuple(_)) => {
            let mut indices = index.items()?;
            let Some(last) = indices.pop() else {
                return Stop::fault_message("an index is missing");
            };
            let row = item(list, &Value::tuple(indices)?)?;
            set_item(&row, &Value::Whole(last.whole()?), value)
        }
        Value::List(items) | Value::Array(items) => {
            let index = index.whole()?;
            let Some(at) = place(index, items.get().len()) else {
                return Stop::fault_message("the list has no such item");
            };
            let mut value = value;
            if let Value::Array(_) = list {
                let old = items.get()[at].clone();
                if matches!(old, Value::Array(_)) {
                    return Stop::fault_message(
                        "a whole row of an array is written to: this is not read",
                    );
                }
                value.real()?;
                keeps_kind(&old, &value)?;
                if let Value::Real(_) = old {
                    value = Value::Real(value.real()?);
                }
            }
            items.change()?[at] = value;
            Ok(())
        }
        _ => Stop::fault_message(format!("{} has no items to set", list.describe())),
    }
}

/// `list[from:to:step]`
pub fn slice(list: &Value, [from, to, step]: [Option<i64>; 3]) -> Result<Value, Stop> {
    let items = list.items()?;
    if let Value::Table(_) = list {
        return Stop::fault_message("a dictionary has no parts");
    }
    let step = step.unwrap_or(1);
    if step == 0 {
        return Stop::fault_message("a step of zero");
    }
    // As CPython (PySlice_AdjustIndices): the bounds are those of the items, or one beyond.
    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let (lowest, highest) = if step > 0 {
        (0, length)
    } else {
        (-1, length - 1)
    };
    let bound = |index: Option<i64>, usual: i64| match index {
        None => usual,
        Some(index) if index < 0 => index.saturating_add(length).max(lowest),
        Some(index) => index.min(highest),
    };
    let (from, to) = if step > 0 {
        (bound(from, lowest), bound(to, highest))
    } else {
        (bound(from, highest), bound(to, lowest))
    };
    let mut part = Vec::new();
    let mut at = from;
    while (step > 0 && at < to) || (step < 0 && at > to) {
        if let Some(item) = usize::try_from(at).ok().and_then(|at| items.get(at)) {
            part.push(item.clone());
        }
        at = at.saturating_add(step);
    }
    match list {
        Value::Text(_) => {
            let letters: Result<Vec<String>, Stop> =
                part.drain(..).map(|item| item.text()).collect();
            Ok(Value::Text(letters?.concat()))
        }
        Value::Tuple(_) => Value::tuple(part),
        Value::Array(whole) => {
            let part = Value::array(part)?;
            whole.parted.set(true);
            if let Value::Array(items) = &part {
                items.parted.set(true);
            }
            Ok(part)
        }
        _ => Value::list(part),
    }
}
