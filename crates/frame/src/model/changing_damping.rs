//! Stiffness-proportional damping on a stiffness that changes.

use super::builder::DampingStiffness;
use crate::element::{Element, MOST_DOFS, SmallMatrix};

/// Damping b (K − K₀) v beyond the damping matrix, where damping stands on a changing stiffness.
#[derive(Clone, Debug)]
pub(super) struct ChangingDamping {
    /// b, s.
    pub(super) factor: f64,
    pub(super) on: DampingStiffness,
    pub(super) initial: Vec<SmallMatrix>,
    pub(super) committed: Vec<SmallMatrix>,
}

impl ChangingDamping {
    #[inline]
    pub(super) fn add_force(
        &self,
        index: usize,
        element: &Element,
        velocity: &[f64; MOST_DOFS],
        force: &mut [f64; MOST_DOFS],
    ) {
        let initial = &self.initial[index];
        if self.on == DampingStiffness::Current {
            let mut tangent = SmallMatrix::zeros(initial.order());
            element.add_tangent(&mut tangent);
            tangent.mul_add(self.factor, velocity, force);
        } else {
            self.committed[index].mul_add(self.factor, velocity, force);
        }
        initial.mul_add(-self.factor, velocity, force);
    }

    /// Takes the tangents of the committed state, where damping stands on them.
    pub(super) fn commit(&mut self, elements: &[Element]) {
        if self.on == DampingStiffness::Committed {
            for (block, element) in self.committed.iter_mut().zip(elements) {
                block.clear();
                element.add_tangent(block);
            }
        }
    }
}
