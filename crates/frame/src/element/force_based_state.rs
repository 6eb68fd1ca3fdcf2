//! What a force-based member and its sections remember between trials.

use tandem_quantity::{Snapshot, SnapshotError, StateReader};

/// Deformation, resisting force and flexibility of a section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point<const S: usize> {
    pub(super) deformation: [f64; S],
    pub(super) force: [f64; S],
    pub(super) flexibility: [[f64; S]; S],
}

/// Deformations, forces and stiffness of the member.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Basic<const B: usize> {
    pub(super) deformation: [f64; B],
    pub(super) force: [f64; B],
    pub(super) stiffness: [[f64; B]; B],
}

impl<const S: usize> Snapshot for Point<S> {
    fn save(&self, into: &mut Vec<f64>) {
        self.deformation.save(into);
        self.force.save(into);
        self.flexibility.save(into);
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.deformation.restore(from)?;
        self.force.restore(from)?;
        self.flexibility.restore(from)
    }
}

impl<const B: usize> Snapshot for Basic<B> {
    fn save(&self, into: &mut Vec<f64>) {
        self.deformation.save(into);
        self.force.save(into);
        self.stiffness.save(into);
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.deformation.restore(from)?;
        self.force.restore(from)?;
        self.stiffness.restore(from)
    }
}
