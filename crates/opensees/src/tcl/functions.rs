//! Functions of one number.

type Function = fn(f64) -> f64;

/// Names and functions.
const FUNCTIONS: &[(&str, Function)] = &[
    ("abs", f64::abs),
    ("acos", f64::acos),
    ("asin", f64::asin),
    ("atan", f64::atan),
    ("ceil", f64::ceil),
    ("cos", f64::cos),
    ("cosh", f64::cosh),
    ("exp", f64::exp),
    ("floor", f64::floor),
    ("log", f64::ln),
    ("log10", f64::log10),
    ("sin", f64::sin),
    ("sinh", f64::sinh),
    ("sqrt", f64::sqrt),
    ("tan", f64::tan),
    ("tanh", f64::tanh),
];

/// The value of a function; none if there is none of this name.
pub fn function(name: &str, x: f64) -> Option<f64> {
    FUNCTIONS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, function)| function(x))
}
