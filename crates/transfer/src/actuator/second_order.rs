//! Second-order lag.

use super::{Build, transfer_function::Linear};
use crate::StateSpace;
use tandem_quantity::{BuildError, Dimension, Entry, Method, Parameter, Values};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "second-order",
        summary: "second-order lag gain ω²/(s² + 2ζω s + ω²); delay near 2ζ/ω at low frequency",
        reference: "Zhao et al. 2003",
        parameters: &[
            Parameter::number(
                "frequency",
                Dimension::FREQUENCY,
                "natural frequency of the closed servo loop",
            )
            .positive(),
            Parameter::number("damping", Dimension::NONE, "damping ratio ζ")
                .or("0.7")
                .positive(),
            Parameter::number("gain", Dimension::NONE, "static gain")
                .or("1.0")
                .positive(),
        ],
    },
    build,
};

fn build(values: &Values, period: f64) -> Result<Box<dyn super::Actuator>, BuildError> {
    let w = 2.0 * std::f64::consts::PI * values.number("frequency")?;
    let (zeta, gain) = (values.number("damping")?, values.number("gain")?);
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
