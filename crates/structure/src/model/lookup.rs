//! Nodes, elements and degrees of freedom by their numbers.

use super::dof::Dof;
use super::error::ModelError;
use super::frame::Model;

impl Model {
    pub(super) fn element_index(&self, element: usize) -> Result<usize, ModelError> {
        self.places
            .iter()
            .position(|place| place.number == element)
            .ok_or(ModelError::NoElement { element })
    }

    /// Place of a degree of freedom among all.
    pub(super) fn dof_index(&self, node: usize, dof: Dof) -> Result<usize, ModelError> {
        let index = self
            .nodes
            .iter()
            .position(|own| own.number == node)
            .ok_or(ModelError::NoNode { node })?;
        let place = self
            .space
            .place(dof)
            .ok_or(ModelError::NoDof { node, dof })?;
        Ok(index * self.space.dofs().len() + place)
    }

    /// Number of the free degree of freedom that is this one; none where it is fixed or follows others.
    #[must_use]
    pub fn free_dof(&self, node: usize, dof: Dof) -> Option<usize> {
        let index = self.dof_index(node, dof).ok()?;
        self.expansion.own.binary_search(&index).ok()
    }

    /// Numbers of all nodes, in their order.
    pub fn node_numbers(&self) -> impl ExactSizeIterator<Item = usize> {
        self.nodes.iter().map(|node| node.number)
    }

    /// Numbers of all elements, in their order.
    pub fn element_numbers(&self) -> impl ExactSizeIterator<Item = usize> {
        self.places.iter().map(|place| place.number)
    }

    /// The numbers of an element's two nodes.
    pub fn element_nodes(&self, element: usize) -> Result<[usize; 2], ModelError> {
        let place = &self.places[self.element_index(element)?];
        Ok(place.nodes.map(|node| self.nodes[node].number))
    }

    /// Coordinates of a node (x, y, z), m.
    pub fn node_place(&self, node: usize) -> Result<[f64; 3], ModelError> {
        self.nodes
            .iter()
            .find(|own| own.number == node)
            .map(|own| own.place)
            .ok_or(ModelError::NoNode { node })
    }
}
