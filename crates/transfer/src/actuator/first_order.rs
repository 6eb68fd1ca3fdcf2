//! First-order lag.

use super::{Build, transfer_function::Linear};
use crate::StateSpace;
use tandem_quantity::{BuildError, Context, Dimension, Entry, Method, Settings, Values, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "first-order",
        summary: "first-order lag gain/(τ s + 1): a well-damped servo-hydraulic actuator at low \
            frequency",
        reference: "Horiuchi et al. 1999; Chen and Ricles 2009",
        parameters: FirstOrderSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct FirstOrderSettings {
        /// τ, close to the delay seen at low frequency
        time_constant: f64 = number(Dimension::TIME).positive(),
        /// static gain
        gain: f64 = number(Dimension::NONE).or("1.0").positive(),
    }
}

fn build(
    values: &Values,
    &Context { period, .. }: &Context<'_>,
) -> Result<Box<dyn super::Actuator>, BuildError> {
    let settings = FirstOrderSettings::read(values)?;
    let (tau, gain) = (settings.time_constant, settings.gain);
    let system = StateSpace::from_transfer_function(&[gain], &[tau, 1.0]).map_err(|error| {
        BuildError::new("time_constant", error.to_string(), "give a positive time")
    })?;
    Ok(Box::new(Linear::new(&system, period)))
}
