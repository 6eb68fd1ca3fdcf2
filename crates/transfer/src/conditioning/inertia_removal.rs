//! Takes the inertia of moving fixtures out of the measured force.

use super::{Build, Conditioner, per_actuator};
use crate::rig::Measured;
use tandem_quantity::{Dimension, Entry, Kind, Method, Motion, Parameter, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "inertia-removal",
        summary: "takes mass times acceleration of fixtures out of the measured force",
        reference: "Newton's second law",
        parameters: &[
            Parameter::of(
                "mass",
                Kind::Numbers(Dimension::MASS),
                "mass between load cell and specimen, for each actuator",
            ),
            Parameter::of(
                "acceleration",
                Kind::Choice(&["measured", "wanted"]),
                "accelerometer, or the acceleration that was wanted (free of noise)",
            )
            .or("\"measured\""),
        ],
    },
    build: |values, actuators, _| {
        Ok(Box::new(InertiaRemoval {
            mass: per_actuator(values, "mass", actuators)?,
            wanted: values.text("acceleration")? == "wanted",
        }))
    },
};

#[derive(Clone, Debug)]
struct InertiaRemoval {
    mass: Vec<f64>,
    wanted: bool,
}

snapshot!(InertiaRemoval {});

impl Conditioner for InertiaRemoval {
    #[inline]
    fn condition(&mut self, wanted: &Motion, measured: &mut Measured) {
        let acceleration = if self.wanted {
            &wanted.acceleration
        } else {
            &measured.motion.acceleration
        };
        for (i, mass) in self.mass.iter().enumerate() {
            measured.force[i] -= mass * acceleration[i];
        }
    }
}
