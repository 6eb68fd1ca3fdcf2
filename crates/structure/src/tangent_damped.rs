//! A part of a structure whose stiffness-proportional damping follows its tangent stiffness.

use tandem_quantity::{Attachment, Snapshot, SnapshotError, SpecimenMatrices, StateReader};

/// A part with the damping force b (K_t − K_I) v on top of its own, where K_t is its tangent at the
/// last committed state: the damping matrix of the structure, which stands on the initial
/// stiffness, then stands on the tangent as far as this part goes. Ports as those of the part.
#[derive(Clone, Debug)]
pub struct TangentDamped<A> {
    part: A,
    /// b of C = a M + b K, s.
    factor: f64,
    /// K_t − K_I by rows, N/m.
    change: Vec<f64>,
}

impl<A: Attachment> TangentDamped<A> {
    /// A part at its start, with `factor` = b in seconds.
    pub fn new(part: A, factor: f64) -> Self {
        let order = part.specimen_matrices().dof;
        Self {
            part,
            factor,
            change: vec![0.0; order * order],
        }
    }
}

impl<A: Attachment> Snapshot for TangentDamped<A> {
    fn save(&self, into: &mut Vec<f64>) {
        self.part.save(into);
        self.change.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.part.restore(from)?;
        self.change.restore(from)
    }
}

impl<A: Attachment> Attachment for TangentDamped<A> {
    fn specimen_matrices(&self) -> &SpecimenMatrices {
        self.part.specimen_matrices()
    }
    fn force(&mut self, displacement: &[f64], velocity: &[f64], force: &mut [f64]) {
        self.part.force(displacement, velocity, force);
        let n = velocity.len();
        for (i, f) in force.iter_mut().enumerate() {
            for (j, v) in velocity.iter().enumerate() {
                *f += self.factor * self.change[i * n + j] * v;
            }
        }
    }
    fn tangent(&self, row: usize, column: usize) -> f64 {
        self.part.tangent(row, column)
    }
    fn commit(&mut self) {
        let known = self.part.specimen_matrices();
        let places = self.change.iter_mut().zip(&known.stiffness);
        for (at, (change, initial)) in places.enumerate() {
            *change = self.part.tangent(at / known.dof, at % known.dof) - initial;
        }
        self.part.commit();
    }
    fn revert(&mut self) {
        self.part.revert();
    }
    fn is_linear(&self) -> bool {
        self.part.is_linear()
    }
}
