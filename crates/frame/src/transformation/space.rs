//! Members of space frames: linear, P-Delta and corotational.

use tandem_quantity::{Snapshot, SnapshotError, StateReader};

use super::Geometry;
use super::corotational::Turned;
use crate::small::{MOST_DOFS, SmallMatrix};

/// Transformation of a space member. Nodes have (u_x, u_y, u_z, θ_x, θ_y, θ_z); all arrays hold
/// node i, then node j.
///
/// Local x runs from i to j; local y is `up × x` for the vector `up` that the member was given,
/// local z completes them: `up` lies in the local x–z plane. M_z bends in the x–y plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transformation3d {
    geometry: Geometry,
    span: [f64; 3],
    length: f64,
    axes: [[f64; 3]; 3],
    /// Gradients of the basic deformations; of the last trial where the member's axes turn.
    gradient: [[f64; MOST_DOFS]; 6],
    /// Displacement of end j relative to end i along local y and z: gradients and values.
    across: [[f64; MOST_DOFS]; 2],
    committed: [f64; 2],
    offset: [f64; 2],
    /// Where the axes turn: as committed, and now.
    turned: Option<[Turned; 2]>,
}

impl Snapshot for Transformation3d {
    fn save(&self, into: &mut Vec<f64>) {
        self.committed.save(into);
        self.offset.save(into);
        if let Some(turned) = &self.turned {
            turned.save(into);
        }
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.committed.restore(from)?;
        self.offset.restore(from)?;
        if let Some(turned) = &mut self.turned {
            turned.restore(from)?;
            self.gradient = turned[1].gradient();
        }
        Ok(())
    }
}

/// A vector for members that were given none: vertical (z) unless the member itself stands upright.
#[must_use]
pub(crate) fn usual_up(span: [f64; 3]) -> [f64; 3] {
    if span[0].hypot(span[1]) > 1e-6 * span[2].abs() {
        [0.0, 0.0, 1.0]
    } else {
        [1.0, 0.0, 0.0]
    }
}

pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn norm(a: [f64; 3]) -> f64 {
    a[0].hypot(a[1]).hypot(a[2])
}

/// Local axes (rows x, y, z) of a member along `span` with `up` in its x–z plane; none where they
/// are parallel.
pub(crate) fn local_axes(span: [f64; 3], up: [f64; 3]) -> Option<[[f64; 3]; 3]> {
    let length = norm(span);
    let x = span.map(|v| v / length);
    let y = cross(up, x);
    let size = norm(y);
    if !(length > 0.0 && size > 1e-9 * norm(up)) {
        return None;
    }
    let y = y.map(|v| v / size);
    Some([x, y, cross(x, y)])
}

impl Transformation3d {
    /// A member that spans `span` = x_j − x_i, with `up` in its local x–z plane; none where `up` is
    /// parallel to the member.
    #[must_use]
    pub fn new(geometry: Geometry, span: [f64; 3], up: [f64; 3]) -> Option<Self> {
        let axes = local_axes(span, up)?;
        let length = norm(span);
        let translation = |axis: usize| {
            let mut row = [0.0; MOST_DOFS];
            for k in 0..3 {
                row[k] = -axes[axis][k];
                row[6 + k] = axes[axis][k];
            }
            row
        };
        let rotation = |axis: usize, node: usize| {
            let mut row = [0.0; MOST_DOFS];
            row[6 * node + 3..6 * node + 6].copy_from_slice(&axes[axis]);
            row
        };
        let sum = |a: [f64; MOST_DOFS], weight: f64, b: [f64; MOST_DOFS]| {
            std::array::from_fn(|i| a[i] + weight * b[i])
        };
        let (along, y, z) = (translation(0), translation(1), translation(2));
        let per = 1.0 / length;
        // A rotation about y moves the far end down: the chord's rotation about y is −(w_j −
        // w_i)/L.
        let gradient = [
            along,
            sum(rotation(2, 0), -per, y),
            sum(rotation(2, 1), -per, y),
            sum(rotation(1, 0), per, z),
            sum(rotation(1, 1), per, z),
            sum(rotation(0, 1), -1.0, rotation(0, 0)),
        ];
        let turned = (geometry == Geometry::Corotational).then(|| [Turned::start(span, &axes); 2]);
        Some(Self {
            geometry,
            span,
            length,
            axes,
            gradient,
            across: [y, z],
            committed: [0.0; 2],
            offset: [0.0; 2],
            turned,
        })
    }

    /// Length, m.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Whether forces depend linearly on displacements when the member's do.
    #[must_use]
    pub fn is_linear(&self) -> bool {
        self.geometry == Geometry::Linear
    }

    /// Basic deformations (elongation, θ_zi, θ_zj, θ_yi, θ_yj, twist) at these displacements.
    #[inline]
    pub fn deformation(&mut self, u: &[f64; MOST_DOFS]) -> [f64; 6] {
        use crate::small::{dot, times};
        if let Some([_, now]) = &mut self.turned {
            let (turned, deformation) = Turned::new(self.span, &self.axes, u);
            *now = turned;
            self.gradient = turned.gradient();
            return deformation;
        }
        if self.geometry == Geometry::PDelta {
            self.offset = self.across.map(|row| dot(&row, u));
        }
        times(&self.gradient, u)
    }

    /// Adds the nodal forces of the basic forces `q` and of a uniform load along the local axes,
    /// N/m.
    #[inline]
    pub fn add_force(&self, q: &[f64; 6], load: &[f64; 3], force: &mut [f64; MOST_DOFS]) {
        for (row, q) in self.gradient.iter().zip(q) {
            for (force, b) in force.iter_mut().zip(row) {
                *force += q * b;
            }
        }
        if self.geometry == Geometry::PDelta {
            for (row, offset) in self.across.iter().zip(self.offset) {
                let factor = q[0] * offset / self.length;
                for (force, b) in force.iter_mut().zip(row) {
                    *force += factor * b;
                }
            }
        }
        if load.iter().any(|w| w.abs() > 0.0) {
            // Loads follow the member where its axes turn.
            let axes = self
                .turned
                .as_ref()
                .map_or(&self.axes, |[_, now]| &now.axes);
            for k in 0..3 {
                let across = -0.5 * self.length * (load[1] * axes[1][k] + load[2] * axes[2][k]);
                force[k] += across - load[0] * self.length * axes[0][k];
                force[6 + k] += across;
            }
        }
    }

    /// Adds the nodal stiffness of the basic stiffness `k` and of the basic forces `q`.
    #[inline]
    pub fn add_stiffness(&self, k: &[[f64; 6]; 6], q: &[f64; 6], stiffness: &mut SmallMatrix) {
        for (row, ki) in self.gradient.iter().zip(k) {
            let mut weighted = [0.0; MOST_DOFS];
            for (column, k) in self.gradient.iter().zip(ki) {
                for (weighted, b) in weighted.iter_mut().zip(column) {
                    *weighted += k * b;
                }
            }
            stiffness.add_outer(1.0, row, &weighted);
        }
        if self.geometry == Geometry::PDelta {
            for row in &self.across {
                stiffness.add_outer(q[0] / self.length, row, row);
            }
        }
        if let Some([_, now]) = &self.turned {
            now.each_geometric(self.span, &self.axes, q, |row, column, entry| {
                stiffness.add(row, column, entry);
            });
        }
    }

    /// Makes the trial displacements the committed ones.
    pub fn commit(&mut self) {
        self.committed = self.offset;
        if let Some([committed, now]) = &mut self.turned {
            *committed = *now;
        }
    }

    /// Forgets the trial.
    pub fn revert(&mut self) {
        self.offset = self.committed;
        if let Some([committed, now]) = &mut self.turned {
            *now = *committed;
            self.gradient = committed.gradient();
        }
    }

    /// Local axes x, y, z of the undeformed member in global components.
    #[must_use]
    pub fn axes(&self) -> [[f64; 3]; 3] {
        self.axes
    }
}
