//! Functions of numpy that model scripts use. What has no counterpart here is refused, never
//! guessed.

use super::builtin::{Keywords, real, whole, whole_count};
use super::operators::{axes, combine, each};
use super::value::Value;
use crate::arithmetic;
use crate::script::{Stop, bounded};

/// How deep the lists of an array may stand within each other.
const MOST_AXES: usize = 4;

/// `np.array(list)`: numbers only, of one kind, in rows of one length.
pub fn array(value: &Value) -> Result<Value, Stop> {
    let mut count = 0;
    let mut fractions = false;
    let made = nested(value, 0, &mut count, &mut fractions)?;
    if fractions {
        return each(&made, &|item| real(item.real()?));
    }
    Ok(made)
}

fn nested(
    value: &Value,
    level: usize,
    count: &mut usize,
    fractions: &mut bool,
) -> Result<Value, Stop> {
    match value {
        Value::List(items) | Value::Tuple(items) | Value::Array(items) => {
            if level >= MOST_AXES {
                return Stop::fault_message(format!("an array has more than {MOST_AXES} axes"));
            }
            let mut row = Vec::new();
            for item in items.get().iter() {
                *count += 1;
                bounded(*count)?;
                row.push(nested(item, level + 1, count, fractions)?);
            }
            let same = row
                .windows(2)
                .all(|pair| shape(&pair[0]) == shape(&pair[1]));
            if !same {
                return Stop::fault_message("rows of different length make no array");
            }
            Value::array(row)
        }
        Value::Whole(_) if level > 0 => Ok(value.clone()),
        Value::Real(_) if level > 0 => {
            *fractions = true;
            Ok(value.clone())
        }
        _ => Stop::fault_message(format!("{} in an array is not read", value.describe())),
    }
}

/// Lengths along the axes.
fn shape(value: &Value) -> Vec<usize> {
    let mut shape = Vec::new();
    let mut value = value.clone();
    while let Value::Array(items) = &value {
        shape.push(items.get().len());
        let Some(first) = items.get().first().cloned() else {
            break;
        };
        value = first;
    }
    shape
}

/// All numbers of an array, row after row.
fn flat(value: &Value) -> Result<Vec<Value>, Stop> {
    let mut all = Vec::new();
    let mut waiting = vec![array(value)?];
    while let Some(next) = waiting.pop() {
        match &next {
            Value::Array(items) => waiting.extend(items.get().iter().rev().cloned()),
            _ => all.push(next),
        }
    }
    Ok(all)
}

/// Whether `dtype` asks for whole numbers.
fn wants_whole(keywords: &mut Keywords) -> Result<Option<bool>, Stop> {
    match keywords.take("dtype") {
        None | Some(Value::Nothing) => Ok(None),
        Some(Value::Builtin(name) | Value::Text(name)) => match name.as_str() {
            "float" | "numpy.float64" | "numpy.double" | "float64" => Ok(Some(false)),
            "int" | "numpy.int64" | "numpy.int32" | "numpy.int_" | "int64" => Ok(Some(true)),
            other => Stop::fault_message(format!("the dtype `{other}` is not read")),
        },
        Some(other) => Stop::fault_message(format!("{} as dtype is not read", other.describe())),
    }
}

fn of_kind(made: Value, kind: Option<bool>) -> Result<Value, Stop> {
    match kind {
        None => Ok(made),
        Some(true) => each(&made, &|item| match item {
            Value::Whole(_) => Ok(item.clone()),
            _ => whole(item.real()?.trunc()),
        }),
        Some(false) => each(&made, &|item| real(item.real()?)),
    }
}

fn filled(lengths: &[Value], value: &Value) -> Result<Value, Stop> {
    let [first, rest @ ..] = lengths else {
        return Ok(value.clone());
    };
    let count = usize::try_from(first.whole()?).map_err(|_| Stop::failed("a length below zero"))?;
    let mut all = 1_usize;
    for length in lengths {
        all = all.saturating_mul(usize::try_from(length.whole()?).unwrap_or(0));
    }
    bounded(all)?;
    bounded(count)?;
    if lengths.len() > MOST_AXES {
        return Stop::fault_message(format!("an array has more than {MOST_AXES} axes"));
    }
    // Rows are arrays of their own.
    let rows: Result<Vec<Value>, Stop> = (0..count).map(|_| filled(rest, value)).collect();
    Value::array(rows?)
}

fn lengths(value: &Value) -> Result<Vec<Value>, Stop> {
    match value {
        Value::Whole(_) => Ok(vec![value.clone()]),
        _ => value.items(),
    }
}

fn sum(values: &[Value]) -> Result<Value, Stop> {
    let mut sum = Value::Whole(0);
    for value in values {
        sum = combine("+", &sum, value)?;
    }
    Ok(sum)
}

fn extreme(values: &[Value], least: bool) -> Result<Value, Stop> {
    let mut best = values
        .first()
        .cloned()
        .ok_or_else(|| Stop::failed("the array is empty"))?;
    for value in values {
        let order = value.order(&best)?;
        if order
            == (if least {
                std::cmp::Ordering::Less
            } else {
                std::cmp::Ordering::Greater
            })
        {
            best = value.clone();
        }
    }
    Ok(best)
}

/// Functions of all numbers of an array together; `axis` is not read.
fn reduced(name: &str, value: &Value) -> Result<Option<Value>, Stop> {
    let name = match name {
        "amax" => "max",
        "amin" => "min",
        other => other,
    };
    if !matches!(name, "sum" | "mean" | "max" | "min" | "cumsum" | "prod") {
        return Ok(None);
    }
    let all = flat(value)?;
    Ok(Some(match name {
        "sum" => sum(&all)?,
        #[allow(clippy::cast_precision_loss)]
        "mean" => combine("/", &sum(&all)?, &Value::Real(all.len() as f64))?,
        "max" | "min" => extreme(&all, name == "min")?,
        "prod" => {
            let mut product = Value::Whole(1);
            for value in &all {
                product = combine("*", &product, value)?;
            }
            product
        }
        _ => {
            let mut sums = Vec::with_capacity(all.len());
            let mut so_far = Value::Whole(0);
            for value in &all {
                so_far = combine("+", &so_far, value)?;
                sums.push(so_far.clone());
            }
            Value::array(sums)?
        }
    }))
}

/// `np.round`: it multiplies, rounds half to even and divides, other than Python's own.
fn rounded(value: &Value, places: i64) -> Result<Value, Stop> {
    let places = i32::try_from(places.clamp(-300, 300)).unwrap_or(0);
    let factor = 10_f64.powi(places.abs());
    let of = |value: &Value| match value {
        Value::Whole(_) if places >= 0 => Ok(value.clone()),
        _ if places >= 0 => real((value.real()? * factor).round_ties_even() / factor),
        _ => real((value.real()? / factor).round_ties_even() * factor),
    };
    match value {
        Value::List(_) | Value::Tuple(_) => each(&array(value)?, &of),
        _ => each(value, &of),
    }
}

/// The name of a function of one number as the other modules have it.
fn common(name: &str) -> &str {
    match name {
        "arcsin" => "asin",
        "arccos" => "acos",
        "arctan" => "atan",
        "deg2rad" => "radians",
        "rad2deg" => "degrees",
        "absolute" => "abs",
        other => other,
    }
}

/// A function of numpy.
pub fn call(name: &str, values: &[Value], keywords: &mut Keywords) -> Result<Value, Stop> {
    match (name, values) {
        ("array" | "asarray", [list]) => {
            let kind = wants_whole(keywords)?;
            of_kind(array(list)?, kind)
        }
        ("float64" | "double", [value]) => real(value.real()?),
        ("zeros" | "ones" | "empty", [size]) => {
            let kind = wants_whole(keywords)?.unwrap_or(false);
            let value = i64::from(name == "ones");
            let value = if kind {
                Value::Whole(value)
            } else {
                real(Value::Whole(value).real()?)?
            };
            filled(&lengths(size)?, &value)
        }
        ("full", [size, value]) => {
            value.real()?;
            filled(&lengths(size)?, value)
        }
        ("zeros_like" | "ones_like", [like]) => {
            let value = i64::from(name == "ones_like");
            each(&array(like)?, &|item| match item {
                Value::Whole(_) => Ok(Value::Whole(value)),
                _ => real(Value::Whole(value).real()?),
            })
        }
        ("linspace", [from, to, ..]) if values.len() < 4 => {
            let count = keywords.or(values, 2, "num")?;
            let endpoint = keywords
                .take("endpoint")
                .map_or(Ok(true), |value| value.truth())?;
            linspace(from.real()?, to.real()?, count, endpoint)
        }
        ("arange", [..]) if (1..=3).contains(&values.len()) => {
            let kind = wants_whole(keywords)?;
            of_kind(arange(values)?, kind)
        }
        ("diff", [list]) if axes(&array(list)?) == 1 => {
            let all = flat(list)?;
            let differences: Result<Vec<Value>, Stop> = all
                .windows(2)
                .map(|pair| combine("-", &pair[1], &pair[0]))
                .collect();
            Value::array(differences?)
        }
        ("dot", [a, b]) if axes(&array(a)?) == 1 && axes(&array(b)?) == 1 => {
            let products = combine("*", &array(a)?, &array(b)?)?;
            sum(&flat(&products)?)
        }
        ("concatenate" | "hstack", [lists]) => {
            let mut all = Vec::new();
            for list in lists.items()? {
                let list = array(&list)?;
                if axes(&list) != 1 {
                    return Stop::fault_message(format!("`np.{name}` of rows is not read"));
                }
                all.extend(flat(&list)?);
            }
            array(&Value::list(all)?)
        }
        ("append", [list, more]) => {
            let mut all = flat(list)?;
            match more {
                Value::Whole(_) | Value::Real(_) => all.push(more.clone()),
                _ => all.extend(flat(more)?),
            }
            array(&Value::list(all)?)
        }
        ("flip", [list]) if axes(&array(list)?) == 1 => {
            Value::array(flat(list)?.into_iter().rev().collect())
        }
        ("sort", [list]) if axes(&array(list)?) == 1 => sorted(list),
        ("round" | "around", [value, ..]) if values.len() < 3 => {
            let places = keywords
                .or(values, 1, "decimals")?
                .map_or(Ok(0), |places| places.whole())?;
            rounded(value, places)
        }
        ("power", [a, b]) => combine("**", a, b),
        ("arctan2" | "hypot", [a, b]) => {
            let (a, b) = (a.real()?, b.real()?);
            real(if name == "hypot" {
                a.hypot(b)
            } else {
                a.atan2(b)
            })
        }
        (_, [value]) => of_one(name, value),
        _ => Stop::fault_message(format!(
            "the function `numpy.{name}` is not known with {} arguments",
            values.len()
        )),
    }
}

fn sorted(list: &Value) -> Result<Value, Stop> {
    let mut keyed = Vec::new();
    for value in flat(list)? {
        keyed.push((value.real()?, value));
    }
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    Value::array(keyed.into_iter().map(|(_, value)| value).collect())
}

/// A function of one argument: of all numbers of an array together, else of each.
fn of_one(name: &str, value: &Value) -> Result<Value, Stop> {
    if let Some(found) = match value {
        Value::List(_) | Value::Tuple(_) | Value::Array(_) => reduced(name, value)?,
        _ => None,
    } {
        return Ok(found);
    }
    let own = common(name);
    if arithmetic::function(own, 1.0).is_none() || matches!(name, "fabs") {
        return Stop::fault_message(format!("the function `numpy.{name}` is not known"));
    }
    let of = |value: &Value| match (own, value) {
        ("abs", Value::Whole(whole)) => Ok(Value::Whole(whole.wrapping_abs())),
        _ => real(arithmetic::function(own, value.real()?).unwrap_or(f64::NAN)),
    };
    match value {
        Value::List(_) | Value::Tuple(_) => each(&array(value)?, &of),
        _ => each(value, &of),
    }
}

#[allow(clippy::cast_precision_loss)]
fn linspace(from: f64, to: f64, count: Option<Value>, endpoint: bool) -> Result<Value, Stop> {
    let count = match count {
        Some(count) => {
            usize::try_from(count.whole()?).map_err(|_| Stop::failed("a length below zero"))?
        }
        None => 50,
    };
    bounded(count)?;
    let steps = if endpoint {
        count.saturating_sub(1)
    } else {
        count
    };
    let step = if steps > 0 {
        (to - from) / steps as f64
    } else {
        0.0
    };
    let mut values = Vec::with_capacity(count);
    for at in 0..count {
        values.push(if endpoint && at > 0 && at + 1 == count {
            real(to)?
        } else {
            real(at as f64 * step + from)?
        });
    }
    Value::array(values)
}

#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]
fn arange(values: &[Value]) -> Result<Value, Stop> {
    let zero = Value::Whole(0);
    let one = Value::Whole(1);
    let (from, to, step) = match values {
        [to] => (&zero, to, &one),
        [from, to] => (from, to, &one),
        [from, to, step, ..] => (from, to, step),
        [] => return Stop::fault_message("`np.arange` has no bound"),
    };
    let all_whole = [from, to, step]
        .iter()
        .all(|value| matches!(value, Value::Whole(_)));
    let (start, end, by) = (from.real()?, to.real()?, step.real()?);
    if by.abs() <= 0.0 {
        return Stop::fault_message("`np.arange` with a step of zero");
    }
    let count = ((end - start) / by).ceil().max(0.0);
    if count > 1e9 {
        bounded(usize::MAX)?;
    }
    let count = count as usize;
    bounded(count)?;
    // As numpy: the step is the difference of the first two values.
    let delta = (start + by) - start;
    let made: Result<Vec<Value>, Stop> = (0..count)
        .map(|at| {
            if all_whole {
                whole(start + at as f64 * by)
            } else {
                real(start + at as f64 * delta)
            }
        })
        .collect();
    Value::array(made?)
}

/// An attribute of an array that is no method.
pub fn attribute(object: &Value, name: &str) -> Option<Result<Value, Stop>> {
    let shape = shape(object);
    match name {
        "size" => Some(whole_count(shape.iter().product())),
        "ndim" => Some(whole_count(shape.len())),
        "shape" => Some(
            shape
                .iter()
                .map(|length| whole_count(*length))
                .collect::<Result<Vec<_>, _>>()
                .and_then(Value::tuple),
        ),
        "T" => Some(transposed(object)),
        _ => None,
    }
}

/// Rows for columns, as a copy that nothing may be written to.
pub fn transposed(object: &Value) -> Result<Value, Stop> {
    let shape = shape(object);
    let &[_, columns] = shape.as_slice() else {
        return match shape.len() {
            1 => Ok(object.clone()),
            _ => Stop::fault_message("`T` of this array is not read"),
        };
    };
    let rows = object.items()?;
    let mut all = Vec::with_capacity(columns);
    for column in 0..columns {
        let items: Result<Vec<Value>, Stop> = rows
            .iter()
            .map(|row| super::operators::item(row, &whole_count(column)?))
            .collect();
        all.push(Value::array(items?)?);
    }
    let made = Value::array(all)?;
    for array in rows
        .iter()
        .chain([object, &made])
        .chain(made.items()?.iter())
    {
        if let Value::Array(items) = array {
            items.parted.set(true);
        }
    }
    Ok(made)
}

/// A method of an array.
pub fn method(
    object: &Value,
    name: &str,
    values: &[Value],
    keywords: &mut Keywords,
) -> Result<Value, Stop> {
    match (name, values) {
        ("copy", []) => array(object),
        ("flatten", []) => Value::array(flat(object)?),
        ("tolist", []) => {
            fn list(value: &Value) -> Result<Value, Stop> {
                match value {
                    Value::Array(items) => {
                        let items: Result<Vec<Value>, Stop> =
                            items.get().iter().map(list).collect();
                        Value::list(items?)
                    }
                    _ => Ok(value.clone()),
                }
            }
            list(object)
        }
        ("astype", [kind]) => {
            keywords.0.push(("dtype".to_owned(), kind.clone()));
            let kind = wants_whole(keywords)?;
            of_kind(array(object)?, kind)
        }
        (_, []) => reduced(name, object)?
            .ok_or_else(|| Stop::failed(format!("`{name}` of an array is not known"))),
        _ => Stop::fault_message(format!("`{name}` of an array is not known")),
    }
}

/// `np.loadtxt`: numbers in columns.
pub fn loadtxt(text: &str, keywords: &mut Keywords) -> Result<Value, Stop> {
    let skip = keywords
        .take("skiprows")
        .map_or(Ok(0), |rows| rows.whole())?;
    let unpack = keywords
        .take("unpack")
        .map_or(Ok(false), |value| value.truth())?;
    let delimiter = match keywords.take("delimiter") {
        None | Some(Value::Nothing) => None,
        Some(value) => Some(value.text()?),
    };
    let columns: Option<Vec<i64>> = match keywords.take("usecols") {
        None | Some(Value::Nothing) => None,
        Some(columns) => Some(
            lengths(&columns)?
                .iter()
                .map(Value::whole)
                .collect::<Result<_, _>>()?,
        ),
    };
    let single = columns.as_ref().is_some_and(|columns| columns.len() == 1);
    let mut rows = Vec::new();
    for line in text.lines().skip(usize::try_from(skip).unwrap_or(0)) {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let words: Vec<&str> = match &delimiter {
            Some(at) if !at.trim().is_empty() => line.split(at.as_str()).map(str::trim).collect(),
            _ => line.split_whitespace().collect(),
        };
        let chosen: Vec<&str> = match &columns {
            None => words,
            Some(columns) => columns
                .iter()
                .map(|column| {
                    let at = usize::try_from(*column).ok();
                    at.and_then(|at| words.get(at).copied())
                        .ok_or_else(|| Stop::failed(format!("there is no column {column}")))
                })
                .collect::<Result<_, _>>()?,
        };
        let numbers: Result<Vec<Value>, Stop> = chosen
            .iter()
            .map(|word| {
                crate::tcl::number::real(word)
                    .map(Value::Real)
                    .ok_or_else(|| Stop::failed(format!("`{word}` in the file is no number")))
            })
            .collect();
        rows.push(numbers?);
        bounded(rows.len().saturating_mul(chosen.len()))?;
    }
    let width = rows.first().map_or(0, Vec::len);
    if rows.iter().any(|row| row.len() != width) {
        return Stop::fault_message("lines of the file have different numbers of columns");
    }
    // numpy drops axes of length one.
    if width == 1 || single {
        return Value::array(rows.into_iter().flatten().collect());
    }
    if rows.len() == 1 {
        return Value::array(rows.into_iter().flatten().collect());
    }
    let rows: Result<Vec<Value>, Stop> = rows.into_iter().map(Value::array).collect();
    let made = Value::array(rows?)?;
    if unpack { transposed(&made) } else { Ok(made) }
}
