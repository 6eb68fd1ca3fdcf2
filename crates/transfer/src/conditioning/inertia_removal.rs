//! Takes inertia and damping of moving fixtures out of the measured force.

use super::{Build, Conditioner, per_actuator};
use crate::rig::Measured;
use tandem_quantity::{Dimension, Entry, Kind, Method, Motion, Parameter, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "inertia-removal",
        summary: "takes mass times acceleration and damping times velocity of fixtures out of the measured force",
        reference: "Newton's second law",
        parameters: &[
            Parameter::of(
                "mass",
                Kind::Numbers(Dimension::MASS),
                "mass between load cell and specimen, for each actuator",
            ),
            Parameter::of(
                "damping",
                Kind::Numbers(Dimension::DAMPING),
                "viscous friction of guides and bearings there; default: none",
            )
            .optional(),
            Parameter::of(
                "acceleration",
                Kind::Choice(&["measured", "wanted"]),
                "accelerometer, or the acceleration that was wanted (free of noise); velocity likewise",
            )
            .or("\"measured\""),
        ],
    },
    build: |values, actuators, _| {
        Ok(Box::new(InertiaRemoval {
            mass: per_actuator(values, "mass", actuators)?,
            damping: match values.has("damping") {
                true => per_actuator(values, "damping", actuators)?,
                false => vec![0.0; actuators],
            },
            wanted: values.text("acceleration")? == "wanted",
        }))
    },
};

#[derive(Clone, Debug)]
struct InertiaRemoval {
    mass: Vec<f64>,
    damping: Vec<f64>,
    wanted: bool,
}

snapshot!(InertiaRemoval {});

impl Conditioner for InertiaRemoval {
    fn is_reading(&self) -> bool {
        true
    }

    #[inline]
    fn condition(&mut self, wanted: &Motion, measured: &mut Measured) {
        let motion = if self.wanted {
            wanted
        } else {
            &measured.motion
        };
        for (i, (mass, damping)) in self.mass.iter().zip(&self.damping).enumerate() {
            measured.force[i] -= mass * motion.acceleration[i] + damping * motion.velocity[i];
        }
    }
}
