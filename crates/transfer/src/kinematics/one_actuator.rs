//! One actuator in a fixed direction.

use super::Build;
use super::linear::Linear;
use tandem_quantity::{BuildError, Context, Dimension, Entry, Method, Settings, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "one-actuator",
        summary: "one actuator in a fixed direction: stroke is the component of the displacement \
            along it",
        reference: "principle of virtual work",
        parameters: OneActuatorSettings::PARAMETERS,
    },
    build: &|values, &Context { interface, .. }| {
        let settings = OneActuatorSettings::read(values)?;
        let direction = settings.direction;
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        if direction.len() != interface || !length.is_normal() {
            return Err(BuildError::new(
                "direction",
                format!("not a direction in {interface} degrees of freedom"),
                "give one component for each, not all zero",
            ));
        }
        let unit = direction.iter().map(|x| x / length).collect();
        Ok(Box::new(Linear::new(unit, 1, interface)?))
    },
};

settings! {
    struct OneActuatorSettings {
        /// components along the interface degrees of freedom; the length does not matter
        direction: Vec<f64> = numbers(Dimension::NONE),
    }
}
