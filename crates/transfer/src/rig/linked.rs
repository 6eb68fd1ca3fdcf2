//! A specimen behind a linkage, as part of the undivided structure.

use crate::kinematics::{self, Kinematics};
use tandem_quantity::{Attachment, Motion, Snapshot, SnapshotError, SpecimenMatrices, StateReader};

/// A part along the actuators, seen from the interface. Its tangent is J' K J with the geometry at
/// rest: what the changing geometry adds is left to the iterations of those who use a tangent at
/// all.
pub(super) struct AlongActuators {
    part: Box<dyn Attachment>,
    kinematics: Box<dyn Kinematics>,
    specimen_matrices: SpecimenMatrices,
    /// J of the position at rest, a row for each actuator.
    jacobian: Vec<f64>,
    node: Motion,
    strokes: Motion,
    force: Vec<f64>,
}

impl AlongActuators {
    pub fn new(part: Box<dyn Attachment>, mut kinematics: Box<dyn Kinematics>) -> Self {
        let (n, m) = (kinematics.interface(), kinematics.actuators());
        let specimen_matrices = part
            .specimen_matrices()
            .map(|matrix| kinematics::matrix_at_interface(kinematics.as_mut(), matrix));
        let (mut node, mut strokes) = (Motion::at_rest(n), Motion::at_rest(m));
        let mut jacobian = vec![0.0; m * n];
        for j in 0..n {
            node.velocity.fill(0.0);
            node.velocity[j] = 1.0;
            kinematics.to_actuators(&node, &mut strokes);
            for i in 0..m {
                jacobian[i * n + j] = strokes.velocity[i];
            }
        }
        Self {
            part,
            kinematics,
            specimen_matrices,
            jacobian,
            node,
            strokes,
            force: vec![0.0; m],
        }
    }
}

impl Snapshot for AlongActuators {
    fn save(&self, into: &mut Vec<f64>) {
        self.part.save(into);
        self.kinematics.save(into);
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.part.restore(from)?;
        self.kinematics.restore(from)
    }
}

impl Attachment for AlongActuators {
    fn specimen_matrices(&self) -> &SpecimenMatrices {
        &self.specimen_matrices
    }
    fn force(&mut self, displacement: &[f64], velocity: &[f64], force: &mut [f64]) {
        self.node.displacement.copy_from_slice(displacement);
        self.node.velocity.copy_from_slice(velocity);
        self.kinematics.to_actuators(&self.node, &mut self.strokes);
        self.part.force(
            &self.strokes.displacement,
            &self.strokes.velocity,
            &mut self.force,
        );
        // Forces are taken over in the position seen last.
        self.kinematics.to_interface(&self.strokes, &mut self.node);
        self.kinematics.force_to_interface(&self.force, force);
    }
    fn tangent(&self, row: usize, column: usize) -> f64 {
        let (n, m) = (self.node.len(), self.strokes.len());
        let mut sum = 0.0;
        for i in 0..m {
            for j in 0..m {
                sum += self.jacobian[i * n + row]
                    * self.part.tangent(i, j)
                    * self.jacobian[j * n + column];
            }
        }
        sum
    }
    fn commit(&mut self) {
        self.part.commit();
    }
    fn revert(&mut self) {
        self.part.revert();
    }
    fn is_linear(&self) -> bool {
        false
    }
}
