//! Directions of springs between two nodes.

use crate::small::MOST_DOFS;

/// Local axes of an element between two nodes of a plane (3 degrees of freedom a node) or space
/// frame (6).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Directions {
    dofs_per_node: usize,
    /// Rows: local x, y, z in global components.
    axes: [[f64; 3]; 3],
    /// Distance of the nodes along local x, and where along it the shear springs sit, as a part of
    /// it from node i.
    length: f64,
    shear_place: f64,
}

impl Directions {
    pub(crate) fn new(
        dofs_per_node: usize,
        axes: [[f64; 3]; 3],
        length: f64,
        shear_place: f64,
    ) -> Self {
        Self {
            dofs_per_node,
            axes,
            length,
            shear_place,
        }
    }

    fn translation(&self, axis: usize) -> [f64; MOST_DOFS] {
        let n = self.dofs_per_node;
        let dimensions = if n == 3 { 2 } else { 3 };
        let mut direction = [0.0; MOST_DOFS];
        for k in 0..dimensions {
            direction[k] = -self.axes[axis][k];
            direction[n + k] = self.axes[axis][k];
        }
        direction
    }

    fn add_rotation(
        &self,
        axis: usize,
        at_i: f64,
        at_j: f64,
        mut direction: [f64; MOST_DOFS],
    ) -> [f64; MOST_DOFS] {
        let n = self.dofs_per_node;
        if n == 3 {
            direction[2] += at_i * self.axes[axis][2];
            direction[5] += at_j * self.axes[axis][2];
        } else {
            for k in 0..3 {
                direction[3 + k] += at_i * self.axes[axis][k];
                direction[9 + k] += at_j * self.axes[axis][k];
            }
        }
        direction
    }

    /// Elongation along local x.
    pub(crate) fn axial(&self) -> [f64; MOST_DOFS] {
        self.translation(0)
    }

    /// Sliding along local y: rotations of the ends act over their distance from the spring.
    pub(crate) fn shear_y(&self) -> [f64; MOST_DOFS] {
        let (near, far) = self.arms();
        self.add_rotation(2, -near, -far, self.translation(1))
    }

    /// Sliding along local z.
    pub(crate) fn shear_z(&self) -> [f64; MOST_DOFS] {
        let (near, far) = self.arms();
        self.add_rotation(1, near, far, self.translation(2))
    }

    fn arms(&self) -> (f64, f64) {
        (
            self.shear_place * self.length,
            (1.0 - self.shear_place) * self.length,
        )
    }

    /// Relative rotation about a local axis (0: x, 1: y, 2: z).
    pub(crate) fn rotation(&self, axis: usize) -> [f64; MOST_DOFS] {
        self.add_rotation(axis, -1.0, 1.0, [0.0; MOST_DOFS])
    }

    /// The direction of a local degree of freedom: 0–2 translations along x, y, z; 3–5 rotations
    /// about them.
    pub(crate) fn of(&self, local: usize) -> [f64; MOST_DOFS] {
        match local {
            0 => self.axial(),
            1 => self.shear_y(),
            2 => self.shear_z(),
            other => self.rotation(other - 3),
        }
    }
}
