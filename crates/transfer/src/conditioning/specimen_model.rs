//! A force computed from the measured displacement, where there is no load cell.

use super::{Build, Conditioner};
use crate::rig::Measured;
use tandem_quantity::{
    BuildError, Dimension, Entry, Impedance, Kind, Method, Motion, Parameter, Values, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "specimen-model",
        summary: "force = K d + C v + M a of the measured displacement, derivatives by backward differences",
        reference: "Condori Uribe et al. 2023, Eq. 31 (force computed, not measured)",
        parameters: &[
            Parameter::of(
                "stiffness",
                Kind::Matrix(Dimension::STIFFNESS),
                "in the directions of the channels",
            ),
            Parameter::of(
                "damping",
                Kind::Matrix(Dimension::DAMPING),
                "the same; default: none",
            )
            .optional(),
            Parameter::of(
                "mass",
                Kind::Matrix(Dimension::MASS),
                "the same; default: none",
            )
            .optional(),
        ],
    },
    build: |values, channels, period| {
        Ok(Box::new(SpecimenModel {
            rate: 1.0 / period,
            stiffness: matrix(values, "stiffness", channels)?,
            damping: matrix(values, "damping", channels)?,
            mass: matrix(values, "mass", channels)?,
            last: Motion::at_rest(channels),
            now: Motion::at_rest(channels),
        }))
    },
};

pub(super) fn matrix(values: &Values, key: &str, channels: usize) -> Result<Vec<f64>, BuildError> {
    if !values.has(key) {
        return Ok(vec![0.0; channels * channels]);
    }
    let rows = values.matrix(key)?;
    if rows.len() != channels || rows.iter().any(|row| row.len() != channels) {
        return Err(BuildError::new(
            key,
            format!("not a matrix of {channels} × {channels}"),
            format!("give {channels} rows of {channels} values"),
        ));
    }
    Ok(rows.into_iter().flatten().collect())
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
        Impedance::mul_add(&self.stiffness, 1.0, &now.displacement, &mut measured.force);
        Impedance::mul_add(&self.damping, 1.0, &now.velocity, &mut measured.force);
        Impedance::mul_add(&self.mass, 1.0, &now.acceleration, &mut measured.force);
        self.last.copy_from(&self.now);
    }
}
