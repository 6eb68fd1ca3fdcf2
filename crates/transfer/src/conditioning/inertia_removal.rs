//! Takes inertia and damping of moving fixtures out of the measured force.

use super::{Build, Conditioner, per_actuator};
use crate::rig::Measured;
use tandem_quantity::{
    Context, Dimension, Entry, Method, Motion, Settings, choice, settings, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "inertia-removal",
        summary: "takes mass times acceleration and damping times velocity of fixtures out of the \
            measured force",
        reference: "Newton's second law",
        parameters: InertiaRemovalSettings::PARAMETERS,
    },
    build: &|values, &Context { actuators, .. }| {
        let settings = InertiaRemovalSettings::read(values)?;
        Ok(Box::new(InertiaRemoval {
            mass: per_actuator("mass", settings.mass, actuators)?,
            damping: match settings.damping {
                Some(damping) => per_actuator("damping", damping, actuators)?,
                None => vec![0.0; actuators],
            },
            wanted: settings.acceleration == Source::Wanted,
        }))
    },
};

choice! {
    /// Where the motion of the fixtures is taken from.
    enum Source {
        Measured = "measured",
        Wanted = "wanted",
    }
}

settings! {
    struct InertiaRemovalSettings {
        /// mass between load cell and specimen, for each actuator
        mass: Vec<f64> = numbers(Dimension::MASS),
        /// viscous friction of guides and bearings there; default: none
        damping: Option<Vec<f64>> = numbers(Dimension::DAMPING),
        /// accelerometer, or the acceleration that was wanted (free of noise); velocity likewise
        acceleration: Source = choice(Source::WORDS).or("\"measured\""),
    }
}

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
