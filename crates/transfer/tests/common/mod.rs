//! What the tests of this crate share: tables with their defaults, and the reference solutions.
#![allow(dead_code, clippy::unwrap_used, clippy::print_stderr)]

use tandem_quantity::{Default, Kind, Parameter, Value, Values, parse_quantity};

/// A text value.
pub fn text(s: &str) -> Value {
    Value::Text(s.into())
}

/// A list of numbers.
pub fn numbers(values: &[f64]) -> Value {
    Value::List(values.iter().map(|x| Value::Number(*x)).collect())
}

/// The defaults of a table, as the plan would fill them in.
pub fn defaults(parameters: &[Parameter]) -> Values {
    let mut values = Values::new();
    for parameter in parameters {
        let Default::Is(written) = parameter.default else {
            continue;
        };
        let bare = written.trim_matches('"');
        let value = match parameter.kind {
            Kind::Number(dimension) => Value::Number(parse_quantity(bare, dimension).unwrap()),
            Kind::Integer => Value::Integer(bare.parse().unwrap()),
            Kind::Boolean => Value::Boolean(bare.parse().unwrap()),
            Kind::Choice(_) | Kind::Text => text(bare),
            kind => panic!("{}: default of {kind:?}", parameter.key),
        };
        values.set(parameter.key, value);
    }
    values
}

/// The rows of a reference solution, or nothing (with a word about it) when the directory is not known.
pub fn oracle(name: &str) -> Option<Vec<Vec<String>>> {
    let Ok(directory) = std::env::var("TANDEM_DATA") else {
        eprintln!("skipped: TANDEM_DATA does not name the directory of the reference data");
        return None;
    };
    let path = std::path::Path::new(&directory).join("oracles").join(name);
    let file = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    Some(
        file.lines()
            .skip(1)
            .map(|line| line.split(',').map(str::to_owned).collect())
            .collect(),
    )
}
