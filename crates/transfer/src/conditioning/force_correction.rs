//! The force at the wanted displacement, from that at the measured one.

use super::{Build, Conditioner};
use crate::rig::Measured;
use tandem_quantity::{
    BuildError, Dimension, Entry, Impedance, Kind, Method, Motion, Parameter, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "force-correction",
        summary: "adds stiffness times tracking error to the force: the force where the specimen should be (I-modification, or T-modification with the estimated tangent)",
        reference: "Nakashima and Kato 1987",
        parameters: &[
            Parameter::of(
                "stiffness",
                Kind::Matrix(Dimension::STIFFNESS),
                "initial stiffness of the specimen in the directions of the actuators",
            ),
            Parameter::of(
                "tangent",
                Kind::Boolean,
                "follow the tangent that the integration estimates (osm-us) instead of the initial stiffness",
            )
            .or("false"),
        ],
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
        Ok(Box::new(ForceCorrection {
            stiffness: rows.into_iter().flatten().collect(),
            tangent: values.boolean("tangent")?,
            error: vec![0.0; actuators],
        }))
    },
};

/// f ← f + K (d_wanted − d_measured), d ← d_wanted.
#[derive(Clone, Debug)]
struct ForceCorrection {
    stiffness: Vec<f64>,
    /// Whether `stiffness` follows the estimate.
    tangent: bool,
    error: Vec<f64>,
}

snapshot!(ForceCorrection { stiffness });

impl Conditioner for ForceCorrection {
    fn follows_tangent(&self) -> bool {
        self.tangent
    }

    #[inline]
    fn tangent(&mut self, stiffness: &[f64]) {
        if self.tangent && stiffness.len() == self.stiffness.len() {
            self.stiffness.copy_from_slice(stiffness);
        }
    }

    #[inline]
    fn condition(&mut self, wanted: &Motion, measured: &mut Measured) {
        for (i, error) in self.error.iter_mut().enumerate() {
            *error = wanted.displacement[i] - measured.motion.displacement[i];
        }
        Impedance::mul_add(&self.stiffness, 1.0, &self.error, &mut measured.force);
        // The force now belongs to the wanted displacement.
        measured
            .motion
            .displacement
            .copy_from_slice(&wanted.displacement);
    }
}
