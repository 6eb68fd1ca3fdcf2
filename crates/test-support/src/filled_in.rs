//! Tables of methods as the plan hands them over.

use tandem_quantity::{Parameter, Value, Values};

/// The defaults of these parameters as the plan fills them in, and what it writes itself.
#[must_use]
pub fn filled_in(parameters: &[Parameter], own: &[(&str, Value)]) -> Values {
    let mut values = Values::new();
    for parameter in parameters {
        if let Some(default) = parameter.default_value() {
            values.set(parameter.key, default);
        }
    }
    for (key, value) in own {
        values.set(*key, value.clone());
    }
    values
}
