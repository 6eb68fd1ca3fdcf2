//! Numbers that are compared.

use serde_json::Value;

use crate::larger;

/// A list of numbers.
///
/// # Panics
/// Where it is something else.
#[must_use]
pub fn json_numbers(list: &Value) -> Vec<f64> {
    let numbers = list.as_array().map(|list| list.iter().map(Value::as_f64));
    let numbers = numbers.and_then(Iterator::collect::<Option<Vec<f64>>>);
    numbers.unwrap_or_else(|| panic!("no list of numbers: {list}"))
}

/// The number at this place of a JSON value, by pointer.
///
/// # Panics
/// Where there is none.
#[must_use]
#[track_caller]
pub fn number_at(value: &Value, pointer: &str) -> f64 {
    let found = value.pointer(pointer).and_then(Value::as_f64);
    found.unwrap_or_else(|| panic!("{pointer} in {value}"))
}

/// A value within this part of what is expected.
///
/// # Panics
/// Where it is not.
#[track_caller]
pub fn close(got: f64, expected: f64, tolerance: f64) {
    assert!(
        (got - expected).abs() <= tolerance * expected.abs(),
        "{got} instead of {expected}"
    );
}

/// Largest magnitude; NaN where one of the values is.
#[must_use]
pub fn peak(values: &[f64]) -> f64 {
    values.iter().map(|x| x.abs()).fold(0.0, larger)
}

/// Largest difference over the peak of what was expected.
///
/// # Panics
/// Where the lengths differ, what was expected is zero everywhere, or a value is no number: the
/// largest of a list with NaN would not show it.
#[must_use]
#[track_caller]
pub fn apart(found: &[f64], expected: &[f64]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let finite = |list: &[f64]| list.iter().all(|x| x.is_finite());
    assert!(finite(found) && finite(expected), "not finite");
    let largest = peak(expected);
    assert!(largest > 0.0, "nothing moves");
    let differences: Vec<f64> = found.iter().zip(expected).map(|(a, b)| a - b).collect();
    peak(&differences) / largest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_difference_is_found_and_nan_is_not_passed_over() {
        assert!((apart(&[1.0, -4.5], &[1.0, -4.0]) - 0.125).abs() < 1e-15);
        assert!(peak(&[f64::NAN, 1.0]).is_nan() && peak(&[]) < 1e-300);
        for (found, expected) in [
            (&[1.0, f64::NAN][..], &[1.0, 1.0][..]),
            (&[0.0], &[0.0]),
            (&[1.0], &[1.0, 1.0]),
        ] {
            let compared = std::panic::catch_unwind(|| apart(found, expected));
            assert!(compared.is_err(), "{found:?}");
        }
    }
}
