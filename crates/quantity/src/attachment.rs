//! A specimen as a part of the undivided structure.

use std::sync::Arc;

use crate::{Snapshot, SpecimenMatrices};

/// A part that acts on some degrees of freedom of a structure: a specimen, seen from its interface.
/// SI units; forces are positive where they resist a positive displacement. Trials start from the
/// committed state.
pub trait Attachment: Snapshot + Send {
    /// M, C and the initial stiffness of the part over its interface degrees of freedom.
    fn specimen_matrices(&self) -> &SpecimenMatrices;
    /// Restoring force (N) at a trial displacement (m) and velocity (m/s), without the parts of M
    /// and C.
    fn force(&mut self, displacement: &[f64], velocity: &[f64], force: &mut [f64]);
    /// Tangent stiffness of the last trial at a row and a column, N/m.
    fn tangent(&self, row: usize, column: usize) -> f64;
    /// Makes the last trial the state from which the next trials start.
    fn commit(&mut self);
    /// Forgets the last trial.
    fn revert(&mut self);
    /// Whether the force is K d at all times.
    fn is_linear(&self) -> bool;
}

/// Makes the numerical counterpart of a specimen for steps of some seconds of structural time.
pub type AsAttachment = Arc<dyn Fn(f64) -> Box<dyn Attachment> + Send + Sync>;

impl<A: Attachment + ?Sized> Attachment for Box<A> {
    fn specimen_matrices(&self) -> &SpecimenMatrices {
        (**self).specimen_matrices()
    }
    fn force(&mut self, displacement: &[f64], velocity: &[f64], force: &mut [f64]) {
        (**self).force(displacement, velocity, force);
    }
    fn tangent(&self, row: usize, column: usize) -> f64 {
        (**self).tangent(row, column)
    }
    fn commit(&mut self) {
        (**self).commit();
    }
    fn revert(&mut self) {
        (**self).revert();
    }
    fn is_linear(&self) -> bool {
        (**self).is_linear()
    }
}
