//! What can be wrong with a model.

use super::dof::Dof;
use crate::material::MaterialError;
use crate::section::SectionError;
use tandem_structure::StructureError;

/// A model cannot be made from this description.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ModelError {
    /// A node was named that is not there.
    #[error("there is no node {node}")]
    NoNode {
        /// The node.
        node: usize,
    },
    /// An element was named that is not there, or not one that carries loads.
    #[error("there is no element {element} that could be used here")]
    NoElement {
        /// The element.
        element: usize,
    },
    /// Two nodes or two elements have one number.
    #[error("{what} {number} is there twice")]
    Twice {
        /// `node` or `element`.
        what: &'static str,
        /// The number.
        number: usize,
    },
    /// The two nodes of a member lie in one place.
    #[error("element {element} has no length")]
    NoLength {
        /// The element.
        element: usize,
    },
    /// A degree of freedom that the nodes of this frame do not have.
    #[error("node {node} has no {dof} in a plane frame")]
    NoDof {
        /// The node.
        node: usize,
        /// The degree of freedom.
        dof: Dof,
    },
    /// A support moves in a direction in which it is not held.
    #[error("node {node} is not held in {dof}: only a support can move with the ground")]
    NotHeld {
        /// The node.
        node: usize,
        /// The degree of freedom.
        dof: Dof,
    },
    /// An element for the other kind of frame.
    #[error("element {element}: {what} cannot be used in this frame")]
    WrongSpace {
        /// The element.
        element: usize,
        /// What does not fit.
        what: &'static str,
    },
    /// A value that cannot be.
    #[error("{what} of {of} {number} must be {expected}, got {got}")]
    Value {
        /// What the value is.
        what: &'static str,
        /// `node` or `element`.
        of: &'static str,
        /// Its number.
        number: usize,
        /// The range in words.
        expected: &'static str,
        /// The value given.
        got: f64,
    },
    /// A degree of freedom follows two others, or is fixed and follows another.
    #[error("node {node} {dof} is constrained twice")]
    ConstrainedTwice {
        /// The node.
        node: usize,
        /// The degree of freedom.
        dof: Dof,
    },
    /// Constraints go around in a circle.
    #[error("node {node} {dof} follows itself")]
    Circle {
        /// The node.
        node: usize,
        /// The degree of freedom.
        dof: Dof,
    },
    /// Everything is fixed.
    #[error("the model has no free degree of freedom")]
    NothingFree,
    /// Sections of a member are too few, too many, or without stiffness.
    #[error("element {element}: {what}")]
    Sections {
        /// The element.
        element: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// A specimen cut out of the frame cannot stand as it is held.
    #[error("the specimen is a mechanism: nothing holds free degree of freedom {dof}")]
    Mechanism {
        /// The degree of freedom of the whole frame, from zero.
        dof: usize,
    },
    /// The specimen does not touch a degree of freedom that was named as its interface.
    #[error(
        "the specimen has no stiffness at free degree of freedom {dof}, or nothing else is there"
    )]
    NotShared {
        /// The degree of freedom of the whole frame, from zero.
        dof: usize,
    },
    /// A frame with damping on a changing stiffness cannot be divided.
    #[error("damping on a changing stiffness cannot be divided between frame and specimen")]
    ChangingDamping,
    /// A material is wrong.
    #[error(transparent)]
    Material(#[from] MaterialError),
    /// A section is wrong.
    #[error(transparent)]
    Section(#[from] SectionError),
    /// Mass, damping or stiffness is wrong.
    #[error(transparent)]
    Structure(#[from] StructureError),
}
