//! Degrees of freedom of nodes.

use std::fmt;

/// A degree of freedom of a node, in global axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dof {
    /// Displacement along x.
    Ux,
    /// Displacement along y.
    Uy,
    /// Displacement along z.
    Uz,
    /// Rotation about x.
    Rx,
    /// Rotation about y.
    Ry,
    /// Rotation about z.
    Rz,
}

impl Dof {
    /// All six.
    pub const ALL: [Self; 6] = [Self::Ux, Self::Uy, Self::Uz, Self::Rx, Self::Ry, Self::Rz];

    /// Place among the six: translations x, y, z, then rotations.
    pub(crate) fn six(self) -> usize {
        match self {
            Self::Ux => 0,
            Self::Uy => 1,
            Self::Uz => 2,
            Self::Rx => 3,
            Self::Ry => 4,
            Self::Rz => 5,
        }
    }
}

impl fmt::Display for Dof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ux => "ux",
            Self::Uy => "uy",
            Self::Uz => "uz",
            Self::Rx => "rx",
            Self::Ry => "ry",
            Self::Rz => "rz",
        })
    }
}

/// Whether a frame lies in the plane x–y or in space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Nodes have u_x, u_y, θ_z.
    Plane,
    /// Nodes have three displacements and three rotations.
    Space,
}

impl Space {
    /// Degrees of freedom of a node.
    #[must_use]
    pub fn dofs(self) -> &'static [Dof] {
        match self {
            Self::Plane => &[Dof::Ux, Dof::Uy, Dof::Rz],
            Self::Space => &Dof::ALL,
        }
    }

    /// Place of a degree of freedom within its node.
    pub(crate) fn place(self, dof: Dof) -> Option<usize> {
        self.dofs().iter().position(|own| *own == dof)
    }

    /// Number of displacements of a node.
    pub(crate) fn dimensions(self) -> usize {
        match self {
            Self::Plane => 2,
            Self::Space => 3,
        }
    }
}
