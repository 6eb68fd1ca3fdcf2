//! Calibration of the sensors.

use super::{Build, Conditioner, per_actuator};
use crate::rig::Measured;
use tandem_quantity::{
    BuildError, Dimension, Entry, Kind, Method, Motion, Parameter, Values, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "calibration",
        summary: "readings minus their offset, times a factor: what the certificates of transducers and load cells say",
        reference: "ISO 376:2011 and ISO 9513:2012 (linear calibration)",
        parameters: &[
            Parameter::of(
                "displacement_factor",
                Kind::Numbers(Dimension::NONE),
                "truth over reading, for each actuator; default: 1",
            )
            .optional(),
            Parameter::of(
                "displacement_offset",
                Kind::Numbers(Dimension::LENGTH),
                "reading at zero, for each actuator; default: none",
            )
            .optional(),
            Parameter::of(
                "force_factor",
                Kind::Numbers(Dimension::NONE),
                "truth over reading, for each actuator; default: 1",
            )
            .optional(),
            Parameter::of(
                "force_offset",
                Kind::Numbers(Dimension::FORCE),
                "reading at zero, for each actuator; default: none",
            )
            .optional(),
        ],
    },
    build: |values, actuators, _| {
        let line = |what: &str| line(values, what, actuators);
        Ok(Box::new(Calibration {
            displacement: line("displacement")?,
            force: line("force")?,
        }))
    },
};

/// Offset and factor of each actuator.
fn line(values: &Values, what: &str, actuators: usize) -> Result<Vec<[f64; 2]>, BuildError> {
    let list = |part: &str, usual: f64| {
        let key = format!("{what}_{part}");
        if values.has(&key) {
            per_actuator(values, &key, actuators)
        } else {
            Ok(vec![usual; actuators])
        }
    };
    let factors = list("factor", 1.0)?;
    if factors.contains(&0.0) {
        return Err(BuildError::new(
            format!("{what}_factor"),
            "a factor of zero makes every reading zero",
            "give truth over reading, such as 1.002",
        ));
    }
    let offsets = list("offset", 0.0)?;
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
