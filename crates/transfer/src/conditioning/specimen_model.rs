//! A force computed from the measured displacement, where there is no load cell.

use super::{Build, Conditioner, matrix};
use crate::rig::Measured;
use tandem_quantity::{
    Context, Dimension, Entry, Method, Motion, Settings, SpecimenMatrices, settings, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "specimen-model",
        summary: "force = K d + C v + M a of the measured displacement, derivatives by backward \
            differences",
        reference: "Condori Uribe et al. 2023, Eq. 31 (force computed, not measured)",
        parameters: SpecimenModelSettings::PARAMETERS,
    },
    build: &|values,
             &Context {
                 actuators: channels,
                 period,
                 ..
             }| {
        let settings = SpecimenModelSettings::read(values)?;
        Ok(Box::new(SpecimenModel {
            rate: 1.0 / period,
            stiffness: matrix("stiffness", Some(&settings.stiffness), channels)?,
            damping: matrix("damping", settings.damping.as_deref(), channels)?,
            mass: matrix("mass", settings.mass.as_deref(), channels)?,
            last: Motion::at_rest(channels),
            now: Motion::at_rest(channels),
        }))
    },
};

settings! {
    struct SpecimenModelSettings {
        /// in the directions of the channels
        stiffness: Vec<Vec<f64>> = matrix(Dimension::STIFFNESS),
        /// the same; default: none
        damping: Option<Vec<Vec<f64>>> = matrix(Dimension::DAMPING),
        /// the same; default: none
        mass: Option<Vec<Vec<f64>>> = matrix(Dimension::MASS),
    }
}

/// Velocity and acceleration in wall time, by successive backward differences.
#[derive(Clone, Debug)]
struct SpecimenModel {
    rate: f64,
    stiffness: Vec<f64>,
    damping: Vec<f64>,
    mass: Vec<f64>,
    last: Motion,
    now: Motion,
}

snapshot!(SpecimenModel { last });

impl Conditioner for SpecimenModel {
    #[inline]
    fn condition(&mut self, _wanted: &Motion, measured: &mut Measured) {
        let (now, last) = (&mut self.now, &self.last);
        for i in 0..now.len() {
            let x = measured.motion.displacement[i];
            now.displacement[i] = x;
            now.velocity[i] = (x - last.displacement[i]) * self.rate;
            now.acceleration[i] = (now.velocity[i] - last.velocity[i]) * self.rate;
        }
        measured.force.fill(0.0);
        SpecimenMatrices::mul_add(&self.stiffness, 1.0, &now.displacement, &mut measured.force);
        SpecimenMatrices::mul_add(&self.damping, 1.0, &now.velocity, &mut measured.force);
        SpecimenMatrices::mul_add(&self.mass, 1.0, &now.acceleration, &mut measured.force);
        self.last.copy_from(&self.now);
    }
}
