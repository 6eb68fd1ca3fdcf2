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

    /// Number of the free degree of freedom that is this one; none where it is fixed or follows
    /// others.
    ///
    /// # Errors
    /// [`ModelError`] where the model has no such node, or the node no such degree of freedom.
    pub fn free_dof(&self, node: usize, dof: Dof) -> Result<Option<usize>, ModelError> {
        let index = self.dof_index(node, dof)?;
        Ok(self.expansion.own.binary_search(&index).ok())
    }

    /// The same, or the one that it follows with a factor of one; none also where there is no such
    /// node or degree of freedom.
    #[must_use]
    pub fn following_dof(&self, node: usize, dof: Dof) -> Option<usize> {
        match self.expansion.row(self.dof_index(node, dof).ok()?) {
            [(free, factor)] if (factor - 1.0).abs() <= 0.0 => Some(*free),
            _ => None,
        }
    }

    /// Number of the node of this name.
    #[must_use]
    pub fn node_named(&self, name: &str) -> Option<usize> {
        let own = |node: &&super::builder::Node| node.name.as_deref() == Some(name);
        self.nodes.iter().find(own).map(|node| node.number)
    }

    /// Name of a node; its number where it has none.
    #[must_use]
    pub fn node_name(&self, node: usize) -> String {
        let own = self.nodes.iter().find(|own| own.number == node);
        own.and_then(|own| own.name.clone())
            .unwrap_or_else(|| node.to_string())
    }

    /// Displacement of a node in x, y and z for displacements of the free degrees of freedom, such
    /// as a mode.
    pub fn node_motion(&self, node: usize, free: &[f64]) -> Result<[f64; 3], ModelError> {
        let mut motion = [0.0; 3];
        for dof in self.space.dofs().iter().filter(|dof| dof.six() < 3) {
            let row = self.expansion.row(self.dof_index(node, *dof)?);
            motion[dof.six()] = row
                .iter()
                .map(|(k, factor)| factor * free.get(*k).copied().unwrap_or(0.0))
                .sum();
        }
        Ok(motion)
    }

    /// Whether the frame lies in a plane or in space.
    #[must_use]
    pub fn space(&self) -> super::dof::Space {
        self.space
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
