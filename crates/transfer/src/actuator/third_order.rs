//! Third-order lag.

use super::{Build, transfer_function::Linear};
use crate::StateSpace;
use tandem_quantity::{BuildError, Context, Dimension, Entry, Method, Settings, Values, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "third-order",
        summary: "closed servo loop gain·p·ω²/((s + p)(s² + 2ζω s + ω²)): position loop and oil \
            column",
        reference: "Merritt 1967, section 6-2; Carrion and Spencer 2007",
        parameters: ThirdOrderSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct ThirdOrderSettings {
        /// real pole p/2π: the position loop
        bandwidth: f64 = number(Dimension::FREQUENCY).positive(),
        /// ω/2π: oil column with the moving mass
        frequency: f64 = number(Dimension::FREQUENCY).positive(),
        /// damping ratio ζ of the oil column
        damping: f64 = number(Dimension::NONE).or("0.3").positive(),
        /// static gain
        gain: f64 = number(Dimension::NONE).or("1.0").positive(),
    }
}

fn build(
    values: &Values,
    &Context { period, .. }: &Context<'_>,
) -> Result<Box<dyn super::Actuator>, BuildError> {
    let settings = ThirdOrderSettings::read(values)?;
    let circle = 2.0 * std::f64::consts::PI;
    let p = circle * settings.bandwidth;
    let w = circle * settings.frequency;
    let (zeta, gain) = (settings.damping, settings.gain);
    let numerator = [gain * p * w * w];
    let denominator = [
        1.0,
        p + 2.0 * zeta * w,
        w * w + 2.0 * zeta * w * p,
        p * w * w,
    ];
    let system = StateSpace::from_transfer_function(&numerator, &denominator).map_err(|error| {
        BuildError::new(
            "frequency",
            error.to_string(),
            "give positive frequencies and damping",
        )
    })?;
    Ok(Box::new(Linear::new(&system, period)))
}
