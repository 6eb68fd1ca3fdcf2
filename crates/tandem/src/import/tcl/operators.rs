//! What operators and functions of `expr` make of numbers.

use super::number::Number;

pub(super) fn combine(sign: &str, left: &Number, right: &Number) -> Result<Number, String> {
    use std::cmp::Ordering;
    let truth = |holds: bool| Ok(Number::Whole(i64::from(holds)));
    if matches!(sign, "eq" | "ne") {
        return truth((left.to_string() == right.to_string()) == (sign == "eq"));
    }
    if let "==" | "!=" | "<" | ">" | "<=" | ">=" = sign {
        let order = match (left, right) {
            (Number::Text(_), _) | (_, Number::Text(_)) => {
                Some(left.to_string().cmp(&right.to_string()))
            }
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
    if let "&&" | "||" = sign {
        let (a, b) = (left.truth()?, right.truth()?);
        return truth(if sign == "&&" { a && b } else { a || b });
    }
    if let (Number::Whole(a), Number::Whole(b)) = (left, right) {
        let over = || "a whole number grows too large".to_owned();
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
        "/" => return Err("division by zero".to_owned()),
        _ => return Err(format!("`{sign}` needs whole numbers")),
    };
    finite(value)
}

fn floor_divide(a: i64, b: i64) -> Result<i64, String> {
    if b == 0 {
        return Err("division by zero".to_owned());
    }
    let quotient = a.checked_div(b).ok_or("a whole number grows too large")?;
    let exact = quotient.wrapping_mul(b) == a;
    Ok(if !exact && ((a < 0) != (b < 0)) {
        quotient - 1
    } else {
        quotient
    })
}

fn finite(value: f64) -> Result<Number, String> {
    if value.is_finite() {
        Ok(Number::Real(value))
    } else {
        Err("an expression has no finite value".to_owned())
    }
}

pub(super) fn power(base: &Number, exponent: &Number) -> Result<Number, String> {
    if let (Number::Whole(a), Number::Whole(b)) = (base, exponent)
        && let Ok(b) = u32::try_from(*b)
    {
        return a
            .checked_pow(b)
            .map(Number::Whole)
            .ok_or_else(|| "a whole number grows too large".to_owned());
    }
    finite(base.real()?.powf(exponent.real()?))
}

#[allow(clippy::cast_possible_truncation)]
fn whole(value: f64) -> Result<Number, String> {
    if value.abs() < 9e15 {
        Ok(Number::Whole(value as i64))
    } else {
        Err("a whole number grows too large".to_owned())
    }
}

pub(super) fn function(name: &str, arguments: &[Number]) -> Result<Number, String> {
    let reals: Vec<f64> = arguments
        .iter()
        .map(Number::real)
        .collect::<Result<_, _>>()?;
    match (name, reals.as_slice()) {
        ("abs", _) if matches!(arguments, [Number::Whole(_)]) => whole(reals[0].abs()),
        ("int" | "entier" | "wide", [x]) => whole(x.trunc()),
        ("round", [x]) => whole(x.round()),
        ("double" | "float", [x]) => finite(*x),
        ("bool", [x]) => Ok(Number::Whole(i64::from(x.abs() > 0.0))),
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
        (_, [x]) => match crate::import::arithmetic::function(name, *x) {
            Some(value) => finite(value),
            None => Err(format!("the function `{name}` is not known")),
        },
        _ => Err(format!(
            "the function `{name}` is not known with {} arguments",
            reals.len()
        )),
    }
}
