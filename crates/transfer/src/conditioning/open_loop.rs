//! A rehearsal with an open loop: the force is computed from the target, whatever the specimen
//! does.

use super::{Build, Conditioner, matrix};
use crate::rig::Measured;
use tandem_quantity::{
    Context, Dimension, Entry, Method, Motion, Settings, SpecimenMatrices, settings, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "open-loop",
        summary: "rehearsal: the force that goes back is stiffness times target; the measurement \
            is recorded, but not used",
        reference: "Tekeste, Correia and Costa 2025, section 3.3",
        parameters: OpenLoopSettings::PARAMETERS,
    },
    build: &|values, &Context { actuators, .. }| {
        let settings = OpenLoopSettings::read(values)?;
        Ok(Box::new(OpenLoop {
            stiffness: matrix("stiffness", Some(&settings.stiffness), actuators)?,
        }))
    },
};

settings! {
    struct OpenLoopSettings {
        /// initial stiffness of the specimen in the directions of the actuators
        stiffness: Vec<Vec<f64>> = matrix(Dimension::STIFFNESS),
    }
}

/// f ← K d_wanted, d ← d_wanted.
#[derive(Clone, Debug)]
struct OpenLoop {
    stiffness: Vec<f64>,
}

snapshot!(OpenLoop {});

impl Conditioner for OpenLoop {
    #[inline]
    fn condition(&mut self, wanted: &Motion, measured: &mut Measured) {
        measured.force.fill(0.0);
        SpecimenMatrices::mul_add(
            &self.stiffness,
            1.0,
            &wanted.displacement,
            &mut measured.force,
        );
        measured
            .motion
            .displacement
            .copy_from_slice(&wanted.displacement);
    }
}
