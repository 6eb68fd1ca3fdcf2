//! A rehearsal with an open loop: the force is computed from the target, whatever the specimen does.

use super::{Build, Conditioner};
use crate::rig::Measured;
use tandem_quantity::{
    BuildError, Dimension, Entry, Impedance, Kind, Method, Motion, Parameter, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "open-loop",
        summary: "rehearsal: the force that goes back is stiffness times target; the measurement is recorded, but not used",
        reference: "Tekeste, Correia and Costa 2025, section 3.3",
        parameters: &[Parameter::of(
            "stiffness",
            Kind::Matrix(Dimension::STIFFNESS),
            "initial stiffness of the specimen in the directions of the actuators",
        )],
    },
    build: |values, actuators, _| {
        let rows = values.matrix("stiffness")?;
        if rows.len() != actuators || rows.iter().any(|row| row.len() != actuators) {
            return Err(BuildError::new(
                "stiffness",
                format!("not a matrix of {actuators} × {actuators}"),
                format!("give {actuators} rows of {actuators} values"),
            ));
        }
        Ok(Box::new(OpenLoop {
            stiffness: rows.into_iter().flatten().collect(),
        }))
    },
};

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
        Impedance::mul_add(
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
