//! Tables of methods as the plan hands them over.

use tandem_quantity::{Default, Kind, Parameter, Value, Values, parse_quantity};

/// The defaults of these parameters as the plan fills them in, and what it writes itself.
///
/// # Panics
/// Where a default cannot be read.
#[must_use]
pub fn filled_in(parameters: &[Parameter], own: &[(&str, Value)]) -> Values {
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
            Kind::Choice(_) | Kind::Text => Value::Text(bare.to_owned()),
            kind => panic!("{}: default of {kind:?}", parameter.key),
        };
        values.set(parameter.key, value);
    }
    for (key, value) in own {
        values.set(*key, value.clone());
    }
    values
}
