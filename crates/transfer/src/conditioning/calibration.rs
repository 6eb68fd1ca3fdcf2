//! Calibration of the sensors.

use super::{Build, Conditioner, per_actuator};
use crate::rig::Measured;
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Motion, Settings, settings, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "calibration",
        summary: "readings minus their offset, times a factor: what the certificates of \
            transducers and load cells say",
        reference: "ISO 376:2011 and ISO 9513:2012 (linear calibration)",
        parameters: CalibrationSettings::PARAMETERS,
    },
    build: &|values, &Context { actuators, .. }| {
        let settings = CalibrationSettings::read(values)?;
        Ok(Box::new(Calibration {
            displacement: line(
                "displacement",
                settings.displacement_factor,
                settings.displacement_offset,
                actuators,
            )?,
            force: line(
                "force",
                settings.force_factor,
                settings.force_offset,
                actuators,
            )?,
        }))
    },
};

settings! {
    struct CalibrationSettings {
        /// truth over reading, for each actuator; default: 1
        displacement_factor: Option<Vec<f64>> = numbers(Dimension::NONE),
        /// reading at zero, for each actuator; default: none
        displacement_offset: Option<Vec<f64>> = numbers(Dimension::LENGTH),
        /// truth over reading, for each actuator; default: 1
        force_factor: Option<Vec<f64>> = numbers(Dimension::NONE),
        /// reading at zero, for each actuator; default: none
        force_offset: Option<Vec<f64>> = numbers(Dimension::FORCE),
    }
}

/// Offset and factor of each actuator.
fn line(
    what: &str,
    factor: Option<Vec<f64>>,
    offset: Option<Vec<f64>>,
    actuators: usize,
) -> Result<Vec<[f64; 2]>, BuildError> {
    let list = |part: &str, given: Option<Vec<f64>>, usual: f64| match given {
        Some(given) => per_actuator(&format!("{what}_{part}"), given, actuators),
        None => Ok(vec![usual; actuators]),
    };
    let factors = list("factor", factor, 1.0)?;
    if factors.contains(&0.0) {
        return Err(BuildError::new(
            format!("{what}_factor"),
            "a factor of zero makes every reading zero",
            "give truth over reading, such as 1.002",
        ));
    }
    let offsets = list("offset", offset, 0.0)?;
    Ok(offsets
        .into_iter()
        .zip(factors)
        .map(|(o, f)| [o, f])
        .collect())
}

/// x ← factor (x − offset).
#[derive(Clone, Debug)]
struct Calibration {
    displacement: Vec<[f64; 2]>,
    force: Vec<[f64; 2]>,
}

snapshot!(Calibration {});

impl Conditioner for Calibration {
    fn is_reading(&self) -> bool {
        true
    }

    #[inline]
    fn condition(&mut self, _wanted: &Motion, measured: &mut Measured) {
        let apply = |line: &[[f64; 2]], values: &mut [f64]| {
            for (value, [offset, factor]) in values.iter_mut().zip(line) {
                *value = factor * (*value - offset);
            }
        };
        apply(&self.displacement, &mut measured.motion.displacement);
        apply(&self.force, &mut measured.force);
    }
}
