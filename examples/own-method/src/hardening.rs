//! A spring that gets stiffer the further it is bent.
//!
//! Ports: imposed displacement x (m) → restoring force f = k x (1 + (x/b)²) (N), a Duffing spring:
//! at the displacement b it resists with twice the force of the linear one.

use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Motion, Settings, SpecimenMatrices, settings,
    snapshot,
};
use tandem_transfer::specimen::{Build, Specimen};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "hardening",
        summary: "a cubic spring at each degree of freedom of the interface",
        reference: "Duffing 1918",
        parameters: HardeningSettings::PARAMETERS,
    },
    build: &|values, &Context { interface, .. }| {
        let HardeningSettings { stiffness, bend } = HardeningSettings::read(values)?;
        if stiffness.len() != interface {
            return Err(BuildError::new(
                "stiffness",
                format!(
                    "{} values for {interface} degrees of freedom",
                    stiffness.len()
                ),
                "give one for each, in the order of interface.dof",
            ));
        }
        let mut linear = SpecimenMatrices::none(interface);
        for (i, k) in stiffness.iter().enumerate() {
            linear.stiffness[i * interface + i] = *k;
        }
        Ok(Box::new(Hardening {
            stiffness,
            bend,
            linear,
        }))
    },
};

settings! {
    struct HardeningSettings {
        /// stiffness at rest, of each degree of freedom
        stiffness: Vec<f64> = numbers(Dimension::STIFFNESS).positive(),
        /// displacement at which the force is twice that of the linear spring
        bend: f64 = number(Dimension::LENGTH).or("\"20 mm\"").positive(),
    }
}

struct Hardening {
    stiffness: Vec<f64>,
    bend: f64,
    linear: SpecimenMatrices,
}

snapshot!(Hardening {});

impl Specimen for Hardening {
    fn dof(&self) -> usize {
        self.stiffness.len()
    }

    fn force(&mut self, motion: &Motion, force: &mut [f64]) {
        let springs = self.stiffness.iter().zip(&motion.displacement);
        for (f, (k, x)) in force.iter_mut().zip(springs) {
            *f = k * x * (1.0 + (x / self.bend).powi(2));
        }
    }

    fn specimen_matrices(&self) -> &SpecimenMatrices {
        &self.linear
    }

    fn is_linear(&self) -> bool {
        false
    }
}
