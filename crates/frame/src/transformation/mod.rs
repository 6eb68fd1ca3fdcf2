//! From the motion of a member's two nodes to its deformations, and from its basic forces back to
//! the nodes.
//!
//! A plane member has three basic deformations (elongation, θ_i, θ_j measured from the chord) and
//! forces (N, M_i, M_j); a space member has six: elongation, θ_zi, θ_zj, θ_yi, θ_yj, twist.
//! Tension, elongation and counter-clockwise rotation positive.

mod corotational;
mod jet;
mod plane;
mod space;

pub use plane::Transformation2d;
pub use space::Transformation3d;
pub(crate) use space::{local_axes, usual_up};

/// How large displacements are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Geometry {
    /// Small displacements: equilibrium at the undeformed member.
    #[default]
    Linear,
    /// Small displacements, with the moment of the axial force about the chord's displaced end (N
    /// Δ).
    PDelta,
    /// The member's own axes turn and stretch with its chord: displacements and rotations of any
    /// size.
    Corotational,
}
