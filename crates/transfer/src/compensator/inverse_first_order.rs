//! Inverse of a first-order lag.

use super::{Build, Compensator, SwitchOn};
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Motion, Settings, Values, settings, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "inverse-first-order",
        summary: "inverse of a first-order lag: command = (wanted + τ wanted velocity)/gain",
        reference: "Chen and Ricles 2009",
        parameters: <(InverseFirstOrderSettings, SwitchOn)>::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct InverseFirstOrderSettings {
        /// τ of the lag to be undone
        time_constant: f64 = number(Dimension::TIME).positive(),
        /// static gain of the transfer system
        gain: f64 = number(Dimension::NONE).or("1.0").positive(),
    }
}

fn build(values: &Values, _: &Context<'_>) -> Result<Box<dyn Compensator>, BuildError> {
    let settings = InverseFirstOrderSettings::read(values)?;
    Ok(Box::new(InverseFirstOrder {
        time_constant: settings.time_constant,
        scale: 1.0 / settings.gain,
    }))
}

/// Uses the velocity and acceleration that the command generator knows; nothing is differentiated
/// here.
#[derive(Clone, Debug)]
pub struct InverseFirstOrder {
    time_constant: f64,
    scale: f64,
}

snapshot!(InverseFirstOrder {});

impl Compensator for InverseFirstOrder {
    #[inline]
    fn propose(&mut self, wanted: &Motion, _measured: &Motion, command: &mut Motion) {
        for i in 0..wanted.len() {
            let (x, v, a) = (
                wanted.displacement[i],
                wanted.velocity[i],
                wanted.acceleration[i],
            );
            command.displacement[i] = self.scale * (x + self.time_constant * v);
            command.velocity[i] = self.scale * (v + self.time_constant * a);
            command.acceleration[i] = self.scale * a;
        }
    }
}
