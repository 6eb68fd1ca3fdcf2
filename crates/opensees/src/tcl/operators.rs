//! What operators and functions of `expr` make of numbers.

use super::number::Number;
use super::parse::split_list;
use crate::error::ScriptError;

pub(super) fn combine(sign: &str, left: &Number, right: &Number) -> Result<Number, ScriptError> {
    use std::cmp::Ordering;
    let truth = |holds: bool| Ok(Number::Whole(i64::from(holds)));
    if matches!(sign, "eq" | "ne") {
        return truth((left.to_string() == right.to_string()) == (sign == "eq"));
    }
    if matches!(sign, "in" | "ni") {
        let found = split_list(&right.to_string())?.contains(&left.to_string());
        return truth(found == (sign == "in"));
    }
    if let "&&" | "||" = sign {
        let (a, b) = (left.truth()?, right.truth()?);
        return truth(if sign == "&&" { a && b } else { a || b });
    }
    let texts = (left, right);
    let (left, right) = (&left.numeric(), &right.numeric());
    if let "==" | "!=" | "<" | ">" | "<=" | ">=" = sign {
        let order = match (left, right) {
            (Number::Text(_), _) | (_, Number::Text(_)) => {
                Some(texts.0.to_string().cmp(&texts.1.to_string()))
            }
            (Number::Whole(a), Number::Whole(b)) => Some(a.cmp(b)),
            _ => left.real()?.partial_cmp(&right.real()?),
        };
        return truth(match sign {
            "==" => order == Some(Ordering::Equal),
            "!=" => order != Some(Ordering::Equal),
            "<" => order == Some(Ordering::Less),
            ">" => order == Some(Ordering::Greater),
            "<=" => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            _ => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        });
    }
    if let (Number::Whole(a), Number::Whole(b)) = (left, right) {
        let over = || ScriptError::Value("a whole number grows too large".into());
        let shift = |b: i64| u32::try_from(b).map_err(|_| over());
        return Ok(Number::Whole(match sign {
            "+" => a.checked_add(*b).ok_or_else(over)?,
            "-" => a.checked_sub(*b).ok_or_else(over)?,
            "*" => a.checked_mul(*b).ok_or_else(over)?,
            // Tcl rounds towards minus infinity.
            "/" => floor_divide(*a, *b)?,
            "%" => a
                .checked_sub(floor_divide(*a, *b)?.checked_mul(*b).ok_or_else(over)?)
                .ok_or_else(over)?,
            "|" => a | b,
            "^" => a ^ b,
            "&" => a & b,
            "<<" => a.checked_shl(shift(*b)?).ok_or_else(over)?,
            _ => a.checked_shr(shift(*b)?).ok_or_else(over)?,
        }));
    }
    let (a, b) = (left.real()?, right.real()?);
    let value = match sign {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" if b.abs() > 0.0 => a / b,
        "/" => return Err(ScriptError::Value("division by zero".into())),
        _ => {
            return Err(ScriptError::Value(
                format!("`{sign}` needs whole numbers").into(),
            ));
        }
    };
    finite(value)
}

fn floor_divide(a: i64, b: i64) -> Result<i64, ScriptError> {
    if b == 0 {
        return Err(ScriptError::Value("division by zero".into()));
    }
    let quotient = a
        .checked_div(b)
        .ok_or(ScriptError::Value("a whole number grows too large".into()))?;
    let exact = quotient.wrapping_mul(b) == a;
    Ok(if !exact && ((a < 0) != (b < 0)) {
        quotient - 1
    } else {
        quotient
    })
}

fn finite(value: f64) -> Result<Number, ScriptError> {
    if value.is_finite() {
        Ok(Number::Real(value))
    } else {
        Err(ScriptError::Value(
            "an expression has no finite value".into(),
        ))
    }
}

pub(super) fn power(base: &Number, exponent: &Number) -> Result<Number, ScriptError> {
    let (base, exponent) = (base.numeric(), exponent.numeric());
    if let (Number::Whole(a), Number::Whole(b)) = (&base, &exponent) {
        // A whole number to a whole power stays whole, also where the power is below zero.
        return match (a, u32::try_from(*b)) {
            (_, Ok(b)) => a
                .checked_pow(b)
                .map(Number::Whole)
                .ok_or_else(|| ScriptError::Value("a whole number grows too large".into())),
            (0, Err(_)) => Err(ScriptError::Value("zero to a power below zero".into())),
            (1, Err(_)) => Ok(Number::Whole(1)),
            (-1, Err(_)) => Ok(Number::Whole(if b % 2 == 0 { 1 } else { -1 })),
            (_, Err(_)) if *b < 0 => Ok(Number::Whole(0)),
            _ => Err(ScriptError::Value("a whole number grows too large".into())),
        };
    }
    finite(base.real()?.powf(exponent.real()?))
}

#[allow(clippy::cast_possible_truncation)]
fn whole(value: f64) -> Result<Number, ScriptError> {
    if value.abs() < 9e15 {
        Ok(Number::Whole(value as i64))
    } else {
        Err(ScriptError::Value("a whole number grows too large".into()))
    }
}

pub(super) fn function(name: &str, arguments: &[Number]) -> Result<Number, ScriptError> {
    if let ("bool", [value]) = (name, arguments) {
        return Ok(Number::Whole(i64::from(value.truth()?)));
    }
    let arguments: Vec<Number> = arguments.iter().map(Number::numeric).collect();
    let reals: Vec<f64> = arguments
        .iter()
        .map(Number::real)
        .collect::<Result<_, _>>()?;
    match (name, reals.as_slice()) {
        ("abs", _) if matches!(arguments.as_slice(), [Number::Whole(_)]) => whole(reals[0].abs()),
        ("int" | "entier" | "wide", [x]) => whole(x.trunc()),
        ("round", [x]) => whole(x.round()),
        ("double" | "float", [x]) => finite(*x),
        ("pow", [x, y]) => finite(x.powf(*y)),
        ("atan2", [y, x]) => finite(y.atan2(*x)),
        ("fmod", [x, y]) => finite(x % y),
        ("hypot", [x, y]) => finite(x.hypot(*y)),
        ("min" | "max", [_, ..]) => {
            let better = |a: f64, b: f64| if name == "min" { a < b } else { a > b };
            let mut best = 0;
            for (index, value) in reals.iter().enumerate() {
                if better(*value, reals[best]) {
                    best = index;
                }
            }
            Ok(arguments[best].clone())
        }
        (_, [x]) => match super::functions::function(name, *x) {
            Some(value) => finite(value),
            None => Err(ScriptError::NotKnown(
                format!("the function `{name}`").into(),
            )),
        },
        _ => Err(ScriptError::Value(
            format!(
                "the function `{name}` is not known with {} arguments",
                reals.len()
            )
            .into(),
        )),
    }
}
