//! What a section answers.

use tandem_quantity::{Snapshot, SnapshotError, StateReader};

/// Forces of a section and their derivatives with respect to its deformations, in the same order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SectionResponse<const N: usize> {
    /// Section forces.
    pub force: [f64; N],
    /// Section tangent: `tangent[i][j]` = ∂force_i/∂deformation_j.
    pub tangent: [[f64; N]; N],
}

impl<const N: usize> Default for SectionResponse<N> {
    fn default() -> Self {
        Self {
            force: [0.0; N],
            tangent: [[0.0; N]; N],
        }
    }
}

impl<const N: usize> Snapshot for SectionResponse<N> {
    fn save(&self, into: &mut Vec<f64>) {
        self.force.save(into);
        self.tangent.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.force.restore(from)?;
        self.tangent.restore(from)
    }
}

/// The deformations and answers that every section keeps: committed and trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Kept<const N: usize> {
    pub committed_deformation: [f64; N],
    pub deformation: [f64; N],
    pub committed: SectionResponse<N>,
    pub response: SectionResponse<N>,
}

impl<const N: usize> Kept<N> {
    pub fn new(response: SectionResponse<N>) -> Self {
        Self {
            committed_deformation: [0.0; N],
            deformation: [0.0; N],
            committed: response,
            response,
        }
    }

    pub fn trial(
        &mut self,
        deformation: [f64; N],
        response: SectionResponse<N>,
    ) -> SectionResponse<N> {
        self.deformation = deformation;
        self.response = response;
        response
    }

    pub fn commit(&mut self) {
        self.committed_deformation = self.deformation;
        self.committed = self.response;
    }

    pub fn revert(&mut self) {
        self.deformation = self.committed_deformation;
        self.response = self.committed;
    }
}

impl<const N: usize> Snapshot for Kept<N> {
    fn save(&self, into: &mut Vec<f64>) {
        self.committed_deformation.save(into);
        self.deformation.save(into);
        self.committed.save(into);
        self.response.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.committed_deformation.restore(from)?;
        self.deformation.restore(from)?;
        self.committed.restore(from)?;
        self.response.restore(from)
    }
}
