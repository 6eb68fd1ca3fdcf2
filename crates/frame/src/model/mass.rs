//! Mass of members.

use crate::element::{MOST_DOFS, SmallMatrix};

/// How the mass of a member goes to its nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum MemberMass {
    /// None.
    #[default]
    None,
    /// Half of it to the displacements of each node; kg/m.
    Lumped(f64),
    /// By the member's shapes: ρL/6 [2 1; 1 2] along, the cubic ρL/420 matrix across; kg/m.
    /// Twisting has no mass.
    Consistent(f64),
}

impl MemberMass {
    pub(super) fn per_length(self) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Lumped(mass) | Self::Consistent(mass) => mass,
        }
    }

    /// Adds the mass of a member of length L with local axes (rows x, y, z).
    pub(super) fn add(self, length: f64, axes: &[[f64; 3]; 3], block: &mut SmallMatrix) {
        let nodal = block.order() / 2;
        let dimensions = if nodal == 3 { 2 } else { 3 };
        match self {
            Self::None => {}
            Self::Lumped(mass) => {
                for k in 0..dimensions {
                    block.add(k, k, 0.5 * mass * length);
                    block.add(nodal + k, nodal + k, 0.5 * mass * length);
                }
            }
            Self::Consistent(mass) => {
                let move_along = |axis: usize, node: usize| {
                    let mut row = [0.0; MOST_DOFS];
                    row[node * nodal..node * nodal + dimensions]
                        .copy_from_slice(&axes[axis][..dimensions]);
                    row
                };
                let turn_about = |axis: usize, node: usize, sign: f64| {
                    let mut row = [0.0; MOST_DOFS];
                    if nodal == 3 {
                        row[node * 3 + 2] = sign * axes[axis][2];
                    } else {
                        for k in 0..3 {
                            row[node * 6 + 3 + k] = sign * axes[axis][k];
                        }
                    }
                    row
                };
                let along = [move_along(0, 0), move_along(0, 1)];
                let factor = mass * length / 6.0;
                for i in 0..2 {
                    for j in 0..2 {
                        let weight = if i == j { 2.0 } else { 1.0 };
                        block.add_outer(factor * weight, &along[i], &along[j]);
                    }
                }
                // Deflection along y goes with a rotation about z, along z with one about −y.
                let planes: &[(usize, usize, f64)] = if nodal == 3 {
                    &[(1, 2, 1.0)]
                } else {
                    &[(1, 2, 1.0), (2, 1, -1.0)]
                };
                for &(across, about, sign) in planes {
                    let rows = [
                        move_along(across, 0),
                        turn_about(about, 0, sign),
                        move_along(across, 1),
                        turn_about(about, 1, sign),
                    ];
                    add_cubic(mass, length, &rows, block);
                }
            }
        }
    }
}

fn add_cubic(mass: f64, length: f64, rows: &[[f64; MOST_DOFS]; 4], block: &mut SmallMatrix) {
    let l = length;
    let m = [
        [156.0, 22.0 * l, 54.0, -13.0 * l],
        [22.0 * l, 4.0 * l * l, 13.0 * l, -3.0 * l * l],
        [54.0, 13.0 * l, 156.0, -22.0 * l],
        [-13.0 * l, -3.0 * l * l, -22.0 * l, 4.0 * l * l],
    ];
    let factor = mass * length / 420.0;
    for i in 0..4 {
        for j in 0..4 {
            block.add_outer(factor * m[i][j], &rows[i], &rows[j]);
        }
    }
}
