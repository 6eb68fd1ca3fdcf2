//! The motion of an element's nodes.

use crate::small::MOST_DOFS;

/// Displacements and velocities of an element's two nodes (node i, then node j) and the time since
/// the committed state.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    /// Displacements, m and rad.
    pub displacement: &'a [f64; MOST_DOFS],
    /// Velocities, m/s and rad/s.
    pub velocity: &'a [f64; MOST_DOFS],
    /// Time since the committed state, s; zero where time does not matter.
    pub dt: f64,
}
