//! What the tests of this crate share: values of a plan, and reference solutions.

use tandem_quantity::{Motion, Value, Values};
use tandem_test_support::{cells, data_for_part};

/// A text value.
pub fn text(s: &str) -> Value {
    Value::Text(s.into())
}

/// A list of numbers.
pub fn numbers(values: &[f64]) -> Value {
    Value::List(values.iter().map(|x| Value::Number(*x)).collect())
}

/// A matrix by rows.
pub fn matrix(rows: &[&[f64]]) -> Value {
    Value::List(rows.iter().map(|row| numbers(row)).collect())
}

/// An element of a matrix of transfer functions.
pub fn element(output: i64, input: i64, numerator: &[f64], denominator: &[f64]) -> Value {
    Value::Table(
        Values::new()
            .with("output", Value::Integer(output))
            .with("input", Value::Integer(input))
            .with("numerator", numbers(numerator))
            .with("denominator", numbers(denominator)),
    )
}

/// One axis that stands at `x`.
pub fn at(x: f64) -> Motion {
    Motion {
        displacement: vec![x],
        ..Motion::at_rest(1)
    }
}

/// A row of a reference solution: what it is of, and its numbers; a cell that is empty is none.
pub type Row = (String, Vec<f64>);

/// These rows of closed forms and, where the reference data are, those of another program: the
/// same ones, so that a test does as well without.
pub fn with_oracle(mut rows: Vec<Row>, file: &str, named: bool) -> Vec<Row> {
    let path = data_for_part("rows of another program", &format!("oracles/{file}"));
    let Some(path) = path else {
        return rows;
    };
    let table = cells(&path);
    assert_eq!(table.len() - 1, rows.len(), "{file}");
    rows.extend(table[1..].iter().map(|cells| {
        let (name, cells) = cells.split_at(usize::from(named));
        let number = |cell: &String| match cell.as_str() {
            "" => f64::NAN,
            cell => cell.parse().unwrap(),
        };
        (name.concat(), cells.iter().map(number).collect())
    }));
    rows
}
