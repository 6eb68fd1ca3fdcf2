//! What recorders read from a model. Forces of the last trial; nothing here is for the fast path.

use super::dof::Dof;
use super::error::ModelError;
use super::frame::Model;
use crate::element::{Body2d, Body3d, Element, MOST_DOFS, SmallMatrix};

/// Deformations and forces of one section.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionState {
    /// [ε₀, κ] in a plane frame, [ε₀, κ_z, κ_y, θ′] in space.
    pub deformation: Vec<f64>,
    /// [N, M] or [N, M_z, M_y, T].
    pub force: Vec<f64>,
}

impl Model {
    /// Total displacement of a node, with that under constant loads.
    pub fn node_displacement(&self, node: usize, dof: Dof) -> Result<f64, ModelError> {
        let mut all = vec![0.0; self.all_force.len()];
        self.all_displacements_into(&mut all);
        Ok(all[self.dof_index(node, dof)?])
    }

    /// An element as it is. In a linear model call [`Model::refresh`] first.
    pub fn element(&self, element: usize) -> Result<&Element, ModelError> {
        Ok(&self.elements[self.element_index(element)?])
    }

    /// An element, to give it a command.
    pub fn element_mut(&mut self, element: usize) -> Result<&mut Element, ModelError> {
        let index = self.element_index(element)?;
        Ok(&mut self.elements[index])
    }

    /// Forces of an element on its nodes i and j in global axes, positive where they resist.
    pub fn end_forces(&self, element: usize) -> Result<Vec<f64>, ModelError> {
        let mut all = vec![0.0; self.all_force.len()];
        self.all_displacements_into(&mut all);
        Ok(self.end_forces_at(self.element_index(element)?, &all))
    }

    fn end_forces_at(&self, index: usize, all: &[f64]) -> Vec<f64> {
        let per_node = self.space.dofs().len();
        let mut force = [0.0; MOST_DOFS];
        let element = &self.elements[index];
        let mut u = [0.0; MOST_DOFS];
        for (side, node) in self.places[index].nodes.iter().enumerate() {
            let from = node * per_node;
            u[side * per_node..(side + 1) * per_node].copy_from_slice(&all[from..from + per_node]);
        }
        if self.properties.is_linear {
            let mut block = SmallMatrix::zeros(2 * per_node);
            element.add_initial(&mut block);
            block.mul_add(1.0, &u, &mut force);
            element.add_load_force(self.loads.uniform[index], &mut force);
        } else {
            element.add_force(&mut force);
        }
        force[..2 * per_node].to_vec()
    }

    /// Reaction at a fixed degree of freedom: what the support gives, less loads that act there.
    /// Inertia and damping are not part of it.
    pub fn reaction(&self, node: usize, dof: Dof) -> Result<f64, ModelError> {
        let wanted = self.dof_index(node, dof)?;
        let per_node = self.space.dofs().len();
        let mut all = vec![0.0; self.all_force.len()];
        self.all_displacements_into(&mut all);
        let mut sum = -self.loads.nodal[wanted];
        for (index, place) in self.places.iter().enumerate() {
            for (side, node) in place.nodes.iter().enumerate() {
                let first = node * per_node;
                if (first..first + per_node).contains(&wanted) {
                    let forces = self.end_forces_at(index, &all);
                    sum += forces[side * per_node + wanted - first];
                }
            }
        }
        Ok(sum)
    }

    /// Sections of a member from end i to end j; empty for one without sections.
    pub fn sections(&self, element: usize) -> Result<Vec<SectionState>, ModelError> {
        macro_rules! states {
            ($body:expr) => {
                $body
                    .sections()
                    .map(|section| SectionState {
                        deformation: section.deformation().to_vec(),
                        force: section.response().force.to_vec(),
                    })
                    .collect()
            };
        }
        Ok(match self.element(element)? {
            Element::Member2d(member) => match member.body() {
                Body2d::Force(body) => states!(body),
                Body2d::Sheared(body) => states!(body),
                Body2d::Displacement(body) => states!(body),
                Body2d::Elastic(_) | Body2d::Hinged(_) => Vec::new(),
            },
            Element::Member3d(member) => match member.body() {
                Body3d::Force(body) => states!(body),
                Body3d::Sheared(body) => states!(body),
                Body3d::Displacement(body) => states!(body),
                Body3d::Elastic(_) | Body3d::Hinged(_) => Vec::new(),
            },
            _ => Vec::new(),
        })
    }

    /// How many trials did not converge inside an element since the model was built.
    #[must_use]
    pub fn failures(&self) -> usize {
        self.elements.iter().map(Element::failures).sum()
    }
}
