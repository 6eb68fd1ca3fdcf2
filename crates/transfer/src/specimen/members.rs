//! Members of a frame as the specimen.
//!
//! Ports: motion of the interface degrees of freedom (m or rad, with rates) → their restoring
//! forces (N or N m), counted from the state under constant loads. What is inside and has no mass
//! follows statically ([`CondensedPart`]); inertia and viscous damping of the frame stay with the
//! numerical substructure, dashpots among the members act here.

use super::Specimen;
use tandem_frame::model::CondensedPart;
use tandem_quantity::{Attachment, Motion, Snapshot, SnapshotError, SpecimenMatrices, StateReader};

/// A specimen of members.
#[derive(Clone, Debug)]
pub struct Members {
    part: CondensedPart,
    specimen_matrices: SpecimenMatrices,
}

impl Members {
    /// From the part of the frame.
    pub fn new(part: CondensedPart) -> Self {
        let specimen_matrices = part.specimen_matrices().clone();
        Self {
            part,
            specimen_matrices,
        }
    }

    /// The part of the frame.
    pub fn part(&self) -> &CondensedPart {
        &self.part
    }
}

impl Snapshot for Members {
    fn save(&self, into: &mut Vec<f64>) {
        self.part.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.part.restore(from)
    }
}

impl Specimen for Members {
    fn dof(&self) -> usize {
        self.specimen_matrices.dof
    }

    fn force(&mut self, motion: &Motion, force: &mut [f64]) {
        self.part
            .force(&motion.displacement, &motion.velocity, force);
        self.part.commit();
        SpecimenMatrices::mul_add(
            &self.specimen_matrices.damping,
            1.0,
            &motion.velocity,
            force,
        );
    }

    fn specimen_matrices(&self) -> &SpecimenMatrices {
        &self.specimen_matrices
    }

    fn set_period(&mut self, period: f64) {
        self.part.set_time_step(period);
    }

    fn tangent(&self, stiffness: &mut [f64]) -> bool {
        let n = self.specimen_matrices.dof;
        for (place, entry) in stiffness.iter_mut().enumerate() {
            *entry = self.part.tangent(place / n, place % n);
        }
        true
    }

    fn is_linear(&self) -> bool {
        self.part.is_linear()
    }
}
