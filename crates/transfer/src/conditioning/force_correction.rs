//! The force at the wanted displacement, from that at the measured one.

use super::{Build, Conditioner, matrix};
use crate::rig::Measured;
use tandem_quantity::{
    Context, Dimension, Entry, Method, Motion, Settings, SpecimenMatrices, settings, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "force-correction",
        summary: "adds stiffness times tracking error to the force: the force where the specimen \
            should be (I-modification, or T-modification with the estimated tangent)",
        reference: "Nakashima and Kato 1987",
        parameters: ForceCorrectionSettings::PARAMETERS,
    },
    build: &|values, &Context { actuators, .. }| {
        let settings = ForceCorrectionSettings::read(values)?;
        Ok(Box::new(ForceCorrection {
            stiffness: matrix("stiffness", Some(&settings.stiffness), actuators)?,
            tangent: settings.tangent,
            error: vec![0.0; actuators],
            uncorrected: Measured::at_rest(actuators),
        }))
    },
};

settings! {
    struct ForceCorrectionSettings {
        /// initial stiffness of the specimen in the directions of the actuators
        stiffness: Vec<Vec<f64>> = matrix(Dimension::STIFFNESS),
        /// follow the tangent that the integration estimates (osm-us) instead of the initial
        /// stiffness
        tangent: bool = boolean().or("false"),
    }
}

/// f ← f + K (d_wanted − d_measured), d ← d_wanted. The estimate of the tangent goes by the
/// measured pairs ([`Conditioner::uncorrected`]): of moved ones it would learn its own product.
#[derive(Clone, Debug)]
struct ForceCorrection {
    stiffness: Vec<f64>,
    /// Whether `stiffness` follows the estimate.
    tangent: bool,
    error: Vec<f64>,
    uncorrected: Measured,
}

snapshot!(ForceCorrection {
    stiffness,
    uncorrected
});

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

    fn uncorrected(&self) -> Option<&Measured> {
        Some(&self.uncorrected)
    }

    #[inline]
    fn condition(&mut self, wanted: &Motion, measured: &mut Measured) {
        self.uncorrected.copy_from(measured);
        for (i, error) in self.error.iter_mut().enumerate() {
            *error = wanted.displacement[i] - measured.motion.displacement[i];
        }
        SpecimenMatrices::mul_add(&self.stiffness, 1.0, &self.error, &mut measured.force);
        // The force now belongs to the wanted displacement.
        measured
            .motion
            .displacement
            .copy_from_slice(&wanted.displacement);
    }
}
