//! Second-order lag.

use super::{Build, transfer_function::Linear};
use crate::StateSpace;
use tandem_quantity::{BuildError, Context, Dimension, Entry, Method, Settings, Values, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "second-order",
        summary: "second-order lag gain ω²/(s² + 2ζω s + ω²); delay near 2ζ/ω at low frequency",
        reference: "Zhao et al. 2003",
        parameters: SecondOrderSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct SecondOrderSettings {
        /// natural frequency of the closed servo loop
        frequency: f64 = number(Dimension::FREQUENCY).positive(),
        /// damping ratio ζ
        damping: f64 = number(Dimension::NONE).or("0.7").positive(),
        /// static gain
        gain: f64 = number(Dimension::NONE).or("1.0").positive(),
    }
}

fn build(
    values: &Values,
    &Context { period, .. }: &Context<'_>,
) -> Result<Box<dyn super::Actuator>, BuildError> {
    let settings = SecondOrderSettings::read(values)?;
    let w = 2.0 * std::f64::consts::PI * settings.frequency;
    let (zeta, gain) = (settings.damping, settings.gain);
    let system = StateSpace::from_transfer_function(&[gain * w * w], &[1.0, 2.0 * zeta * w, w * w])
        .map_err(|error| {
            BuildError::new(
                "frequency",
                error.to_string(),
                "give a positive frequency and damping",
            )
        })?;
    Ok(Box::new(Linear::new(&system, period)))
}
