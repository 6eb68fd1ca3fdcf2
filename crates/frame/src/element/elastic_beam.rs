//! Elastic prismatic member, Euler–Bernoulli or Timoshenko.
//!
//! Bending stiffness EI/(L(1+Φ)) [4+Φ, 2−Φ; 2−Φ, 4+Φ] with Φ = 12EI/(G A_s L²), zero without shear
//! deformation (Przemieniecki 1968, §5.6).

use tandem_quantity::snapshot;

use super::body::{Body, clamped_force};
use crate::small::times;

/// The body of an elastic member: B = 3 plane, B = 6 space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElasticBeam<const B: usize> {
    length: f64,
    stiffness: [[f64; B]; B],
    load: [f64; 3],
    committed: [f64; B],
    force: [f64; B],
}

snapshot!(ElasticBeam<3> { load, committed, force });
snapshot!(ElasticBeam<6> { load, committed, force });

/// Entries (near, far) of a bending stiffness; `shear_stiffness` is G A_s, infinite for
/// Euler–Bernoulli.
pub(crate) fn bending(inertia_stiffness: f64, shear_stiffness: f64, length: f64) -> (f64, f64) {
    let ratio = 12.0 * inertia_stiffness / (shear_stiffness * length * length);
    let factor = inertia_stiffness / (length * (1.0 + ratio));
    (factor * (4.0 + ratio), factor * (2.0 - ratio))
}

impl ElasticBeam<3> {
    /// A plane member of length L from EA, EI and G A_s (infinite without shear deformation).
    #[must_use]
    pub fn plane(
        length: f64,
        axial_stiffness: f64,
        bending_stiffness: f64,
        shear_stiffness: f64,
    ) -> Self {
        let (near, far) = bending(bending_stiffness, shear_stiffness, length);
        Self::of(
            length,
            [
                [axial_stiffness / length, 0.0, 0.0],
                [0.0, near, far],
                [0.0, far, near],
            ],
        )
    }
}

impl ElasticBeam<6> {
    /// A space member of length L from EA, (EI_z, G A_sy), (EI_y, G A_sz) and GJ.
    #[must_use]
    pub fn space(
        length: f64,
        axial_stiffness: f64,
        about_z: (f64, f64),
        about_y: (f64, f64),
        torsional_stiffness: f64,
    ) -> Self {
        let mut stiffness = [[0.0; 6]; 6];
        stiffness[0][0] = axial_stiffness / length;
        stiffness[5][5] = torsional_stiffness / length;
        for (first, (inertia, shear)) in [(1, about_z), (3, about_y)] {
            let (near, far) = bending(inertia, shear, length);
            stiffness[first][first] = near;
            stiffness[first + 1][first + 1] = near;
            stiffness[first][first + 1] = far;
            stiffness[first + 1][first] = far;
        }
        Self::of(length, stiffness)
    }
}

impl<const B: usize> ElasticBeam<B> {
    fn of(length: f64, stiffness: [[f64; B]; B]) -> Self {
        Self {
            length,
            stiffness,
            load: [0.0; 3],
            committed: [0.0; B],
            force: [0.0; B],
        }
    }
}

impl<const B: usize> Body<B> for ElasticBeam<B>
where
    Self: tandem_quantity::Snapshot,
{
    #[inline]
    fn trial(&mut self, v: &[f64; B]) {
        let clamped: [f64; B] = clamped_force(self.length, self.load);
        let elastic = times(&self.stiffness, v);
        self.force = std::array::from_fn(|i| elastic[i] + clamped[i]);
    }
    fn force(&self) -> &[f64; B] {
        &self.force
    }
    fn stiffness(&self) -> &[[f64; B]; B] {
        &self.stiffness
    }
    fn initial_stiffness(&self) -> &[[f64; B]; B] {
        &self.stiffness
    }
    fn set_load(&mut self, load: [f64; 3]) {
        self.load = load;
    }
    fn commit(&mut self) {
        self.committed = self.force;
    }
    fn revert(&mut self) {
        self.force = self.committed;
    }
}
