//! Loads on nodes and members.

use super::dof::Dof;
use super::error::ModelError;
use super::frame::Model;
use crate::element::{Element, MOST_DOFS};

/// Loads that act together: forces on nodes, uniform loads on members.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadCase {
    pub(super) nodal: Vec<(usize, Dof, f64)>,
    pub(super) uniform: Vec<(usize, [f64; 3])>,
    /// Along global axes.
    pub(super) spread: Vec<(usize, [f64; 3])>,
}

impl LoadCase {
    /// No loads yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A force (N) or moment (N m) on a node.
    #[must_use]
    pub fn nodal(mut self, node: usize, dof: Dof, value: f64) -> Self {
        self.nodal.push((node, dof, value));
        self
    }

    /// A uniform load on a member along its local axes x, y, z, N/m.
    #[must_use]
    pub fn uniform(mut self, element: usize, load: [f64; 3]) -> Self {
        self.uniform.push((element, load));
        self
    }

    /// A uniform load on a member along the global axes x, y, z, N per metre of the member: dead
    /// load.
    #[must_use]
    pub fn spread(mut self, element: usize, load: [f64; 3]) -> Self {
        self.spread.push((element, load));
        self
    }

    /// Whether there is no load.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodal.is_empty() && self.uniform.is_empty() && self.spread.is_empty()
    }
}

/// A load case over the degrees of freedom and elements of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Loads {
    /// Nodal forces over all degrees of freedom.
    pub(super) nodal: Vec<f64>,
    /// Uniform loads of each element.
    pub(super) uniform: Vec<[f64; 3]>,
}

impl Loads {
    pub(super) fn none(dofs: usize, elements: usize) -> Self {
        Self {
            nodal: vec![0.0; dofs],
            uniform: vec![[0.0; 3]; elements],
        }
    }

    /// Adds `factor ×` other loads.
    pub(super) fn add(&mut self, factor: f64, other: &Self) {
        for (sum, part) in self.nodal.iter_mut().zip(&other.nodal) {
            *sum += factor * part;
        }
        for (sum, part) in self.uniform.iter_mut().zip(&other.uniform) {
            for (sum, part) in sum.iter_mut().zip(part) {
                *sum += factor * part;
            }
        }
    }

    pub(super) fn has_uniform(&self) -> bool {
        self.uniform.iter().flatten().any(|w| w.abs() > 0.0)
    }
}

impl Model {
    /// The loads of a case over this model.
    pub(super) fn resolve(&self, case: &LoadCase) -> Result<Loads, ModelError> {
        let mut loads = Loads::none(self.all_force.len(), self.elements.len());
        for &(node, dof, value) in &case.nodal {
            loads.nodal[self.dof_index(node, dof)?] += value;
        }
        let local = |element: usize, load: [f64; 3]| -> Result<[f64; 3], ModelError> {
            let axes = &self.places[self.element_index(element)?].axes;
            Ok(axes.map(|axis| axis.iter().zip(&load).map(|(a, w)| a * w).sum()))
        };
        let mut uniform = case.uniform.clone();
        for &(element, load) in &case.spread {
            uniform.push((element, local(element, load)?));
        }
        for (element, load) in uniform {
            let index = self.element_index(element)?;
            if !matches!(
                self.elements[index],
                Element::Member2d(_) | Element::Member3d(_)
            ) {
                return Err(ModelError::NoElement { element });
            }
            for (sum, part) in loads.uniform[index].iter_mut().zip(load) {
                *sum += part;
            }
        }
        Ok(loads)
    }

    /// Sets the uniform loads of members: the constant ones and `factor ×` those of a case.
    pub(super) fn set_member_loads(&mut self, factor: f64, case: &Loads) {
        for (index, element) in self.elements.iter_mut().enumerate() {
            let (constant, part) = (&self.loads.uniform[index], &case.uniform[index]);
            element.set_load(std::array::from_fn(|k| constant[k] + factor * part[k]));
        }
    }

    /// Adds the nodal forces that stand for the uniform loads of a case.
    pub(super) fn add_clamped_loads(&self, case: &Loads, all: &mut [f64]) {
        let per_node = self.space.dofs().len();
        for (index, (element, place)) in self.elements.iter().zip(&self.places).enumerate() {
            let mut force = [0.0; MOST_DOFS];
            element.add_load_force(case.uniform[index], &mut force);
            for (side, node) in place.nodes.iter().enumerate() {
                for k in 0..per_node {
                    all[node * per_node + k] -= force[side * per_node + k];
                }
            }
        }
    }
}
