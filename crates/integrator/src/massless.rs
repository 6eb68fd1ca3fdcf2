//! Degrees of freedom without mass, in methods that ask at a predictor.
//!
//! Newmark's relations leave nothing to hold the velocity of such a degree of freedom: where no
//! damping acts on it either, v₁ = 2(d₁ − d₀)/Δt − v₀ changes its sign around the true one from
//! step to step and never dies out. In the answer d₁ that does no harm, because equilibrium alone
//! fixes it; in the predictor d̃ = d₀ + Δt v₀ + … it does: members with a memory would be led to
//! and fro. So these degrees of freedom are asked where the last two answers lead in a straight
//! line, d* = 2d₀ − d₋₁, and the force is carried from there to the predictor by the stiffness that
//! the corrector uses: r(d̃) ≈ r(d*) + K (d̃ − d*). Of a linear structure the answer stays the
//! same.

use tandem_quantity::{Motion, snapshot};
use tandem_structure::Matrix;

/// Where a structure with degrees of freedom without mass is asked.
pub(crate) struct Massless {
    dofs: Vec<usize>,
    /// Their displacements at the end of the step before the last.
    earlier: Vec<f64>,
    /// d* and v*: the predictor, but for these degrees of freedom.
    pub displacement: Vec<f64>,
    pub velocity: Vec<f64>,
    /// d̃ − d*.
    pub beyond: Vec<f64>,
}

snapshot!(Massless {
    earlier,
    displacement,
    velocity,
    beyond
});

impl Massless {
    /// None where every degree of freedom has mass.
    pub fn of(mass: &Matrix) -> Option<Self> {
        let dofs = tandem_structure::modes::massless(mass);
        let zeros = vec![0.0; mass.order()];
        (!dofs.is_empty()).then(|| Self {
            earlier: vec![0.0; dofs.len()],
            dofs,
            displacement: zeros.clone(),
            velocity: zeros.clone(),
            beyond: zeros,
        })
    }

    /// Begins at a motion: the step before led straight to it.
    pub fn begin(&mut self, motion: &Motion, dt: f64) {
        for (earlier, &i) in self.earlier.iter_mut().zip(&self.dofs) {
            *earlier = motion.displacement[i] - dt * motion.velocity[i];
        }
    }

    /// The next question, from the last answer and the predictor (d̃, ṽ).
    #[inline]
    pub fn predict(&mut self, last: &Motion, displacement: &[f64], velocity: &[f64], dt: f64) {
        self.displacement.copy_from_slice(displacement);
        self.velocity.copy_from_slice(velocity);
        for (earlier, &i) in self.earlier.iter_mut().zip(&self.dofs) {
            let change = last.displacement[i] - *earlier;
            self.displacement[i] = last.displacement[i] + change;
            self.velocity[i] = change / dt;
            self.beyond[i] = displacement[i] - self.displacement[i];
            *earlier = last.displacement[i];
        }
    }
}
