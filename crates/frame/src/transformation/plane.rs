//! Members of plane frames: linear, P-Delta and corotational.

use tandem_quantity::snapshot;

use super::Geometry;
use crate::small::{MOST_DOFS, SmallMatrix};

/// The chord of a member: where it lies now.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Chord {
    length: f64,
    cosine: f64,
    sine: f64,
    /// Rotation since the beginning, unwrapped: it may pass π.
    rotation: f64,
    /// Displacement of end j across the member relative to end i.
    offset: f64,
}

snapshot!(Chord {
    length,
    cosine,
    sine,
    rotation,
    offset
});

/// Transformation of a plane member. Nodes have (u_x, u_y, θ); all arrays hold node i, then node j.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transformation2d {
    geometry: Geometry,
    span: [f64; 2],
    length: f64,
    start: Chord,
    committed: Chord,
    now: Chord,
}

snapshot!(Transformation2d { committed, now });

impl Transformation2d {
    /// A member that spans `span` = x_j − x_i; its length must not be zero.
    #[must_use]
    pub fn new(geometry: Geometry, span: [f64; 2]) -> Self {
        let length = span[0].hypot(span[1]);
        let start = Chord {
            length,
            cosine: span[0] / length,
            sine: span[1] / length,
            rotation: 0.0,
            offset: 0.0,
        };
        Self {
            geometry,
            span,
            length,
            start,
            committed: start,
            now: start,
        }
    }

    /// Length at the beginning, m.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Whether forces depend linearly on displacements when the member's do.
    #[must_use]
    pub fn is_linear(&self) -> bool {
        self.geometry == Geometry::Linear
    }

    /// Basic deformations (elongation, θ_i, θ_j) at these displacements.
    #[inline]
    pub fn deformation(&mut self, u: &[f64; MOST_DOFS]) -> [f64; 3] {
        let (dx, dy) = (u[3] - u[0], u[4] - u[1]);
        if self.geometry == Geometry::Corotational {
            return self.turn(dx, dy, u[2], u[5]);
        }
        let Chord { cosine, sine, .. } = self.start;
        let offset = cosine * dy - sine * dx;
        self.now.offset = offset;
        let rotation = offset / self.length;
        [cosine * dx + sine * dy, u[2] - rotation, u[5] - rotation]
    }

    /// Crisfield 1991, §7.2: chord length and angle from the displaced ends.
    fn turn(&mut self, dx: f64, dy: f64, first: f64, second: f64) -> [f64; 3] {
        let (x, y) = (self.span[0] + dx, self.span[1] + dy);
        let length = x.hypot(y);
        let (cosine, sine) = (x / length, y / length);
        // The angle from the last committed chord, whose rotation may have gone around more than
        // once.
        let Chord {
            cosine: c0,
            sine: s0,
            rotation: before,
            ..
        } = self.committed;
        let rotation = before + (c0 * sine - s0 * cosine).atan2(c0 * cosine + s0 * sine);
        self.now = Chord {
            length,
            cosine,
            sine,
            rotation,
            offset: 0.0,
        };
        // (ℓ² − L²)/(ℓ + L) loses no digits while the elongation is small.
        let gained = dx * (2.0 * self.span[0] + dx) + dy * (2.0 * self.span[1] + dy);
        [
            gained / (length + self.length),
            first - rotation,
            second - rotation,
        ]
    }

    /// Gradients of the elongation (r) and, times the length, of the chord's rotation (z).
    #[inline]
    fn directions(&self) -> ([f64; 6], [f64; 6], f64) {
        let chord = if self.geometry == Geometry::Corotational {
            &self.now
        } else {
            &self.start
        };
        let (c, s) = (chord.cosine, chord.sine);
        (
            [-c, -s, 0.0, c, s, 0.0],
            [s, -c, 0.0, -s, c, 0.0],
            chord.length,
        )
    }

    /// Adds the nodal forces of the basic forces `q` and of a uniform load (along and across the
    /// member, N/m).
    #[inline]
    pub fn add_force(&self, q: &[f64; 3], load: &[f64; 3], force: &mut [f64; MOST_DOFS]) {
        let (r, z, length) = self.directions();
        let mut shear = -(q[1] + q[2]) / length;
        if self.geometry == Geometry::PDelta {
            shear += q[0] * self.now.offset / self.length;
        }
        for i in 0..6 {
            force[i] += q[0] * r[i] + shear * z[i];
        }
        force[2] += q[1];
        force[5] += q[2];
        // Reactions of the simply supported member: all of the axial load at i, half of the
        // transverse load at each end.
        let (c, s) = (r[3], r[4]);
        let (axial, half) = (-load[0] * self.length, -0.5 * load[1] * self.length);
        force[0] += c * axial - s * half;
        force[1] += s * axial + c * half;
        force[3] -= s * half;
        force[4] += c * half;
    }

    /// Adds the nodal stiffness of the basic stiffness `k` and of the basic forces `q`. P-Delta
    /// leaves out the change of the axial force, which would make it unsymmetric.
    #[inline]
    pub fn add_stiffness(&self, k: &[[f64; 3]; 3], q: &[f64; 3], stiffness: &mut SmallMatrix) {
        let (r, z, length) = self.directions();
        let mut first: [f64; 6] = z.map(|v| -v / length);
        let mut second = first;
        first[2] += 1.0;
        second[5] += 1.0;
        let b = [r, first, second];
        for (row, ki) in b.iter().zip(k) {
            let mut weighted = [0.0; 6];
            for (column, k) in b.iter().zip(ki) {
                for i in 0..6 {
                    weighted[i] += k * column[i];
                }
            }
            stiffness.add_outer(1.0, row, &weighted);
        }
        match self.geometry {
            Geometry::Linear => {}
            Geometry::PDelta => stiffness.add_outer(q[0] / self.length, &z, &z),
            Geometry::Corotational => {
                stiffness.add_outer(q[0] / length, &z, &z);
                let moment = (q[1] + q[2]) / (length * length);
                stiffness.add_outer(moment, &r, &z);
                stiffness.add_outer(moment, &z, &r);
            }
        }
    }

    /// Makes the trial chord the committed one.
    pub fn commit(&mut self) {
        self.committed = self.now;
    }

    /// Forgets the trial chord.
    pub fn revert(&mut self) {
        self.now = self.committed;
    }

    /// Unit vectors along and across the undeformed member, in global axes.
    #[must_use]
    pub fn axes(&self) -> [[f64; 2]; 2] {
        let (c, s) = (self.start.cosine, self.start.sine);
        [[c, s], [-s, c]]
    }
}
