//! CR: explicit, with the poles of average acceleration.

use crate::coupled::{Stepper, from_stepper};
use crate::{Answer, Build, Integrator, IntegratorContext, Loading, Problem, Stepping};
use tandem_quantity::{BuildError, Entry, Method, Motion, Settings, snapshot};
use tandem_structure::{Factor, Matrix};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "cr",
        summary: "explicit in displacement and velocity, with the poles of average acceleration \
            (second order from a start at rest without load)",
        reference: "Chen and Ricles 2008",
        parameters: Stepping::PARAMETERS,
    },
    build: &|_, problem, &IntegratorContext { loading, .. }| {
        Ok(Box::new(Cr::new(problem, loading)?))
    },
};

/// With A₁ = 4(4M + 2Δt C + Δt² K₀)⁻¹ M:
/// v₁ = v + Δt A₁a;  d₁ = d + Δt v + Δt² A₁a;  M a₁ = F₁ − C v₁ − r(d₁).
///
/// Displacements are of second order, velocities of first: v₁ = (d₁ − d)/Δt is that of half a step
/// before. Starting error: the velocity moves on with the old acceleration alone, so a start with
/// a(0) ≠ 0 (a released displacement, a sudden load) leaves an error of first order. Stable for any
/// step while K₀ is not below the true tangent.
struct Cr {
    stepper: Stepper,
    mass: Matrix,
    mass_factor: Factor,
    damping: Matrix,
    effective: Factor,
    /// d₁ and v₁: asked, and part of the answer.
    displacement: Vec<f64>,
    velocity: Vec<f64>,
}

snapshot!(Cr {
    stepper,
    displacement,
    velocity
});

impl Cr {
    fn new(problem: Problem, loading: &dyn Loading) -> Result<Self, BuildError> {
        let dt = problem.dt;
        let (mass, damping) = (problem.total_mass(), problem.total_damping());
        let mass_factor = Problem::factor_mass(&mass)?;
        let effective = Problem::factor(&Matrix::combine(&[
            (1.0, &mass),
            (0.5 * dt, &damping),
            (0.25 * dt * dt, &problem.total_stiffness()),
        ]))?;
        let dof = problem.structure.properties().dof();
        let mut method = Self {
            stepper: Stepper::new(problem, loading, None),
            mass,
            mass_factor,
            damping,
            effective,
            displacement: vec![0.0; dof],
            velocity: vec![0.0; dof],
        };
        method.predict();
        Ok(method)
    }

    #[inline]
    fn predict(&mut self) {
        let s = &mut self.stepper;
        let dt = s.problem.dt;
        self.mass.mul_into(&s.response.acceleration, &mut s.rhs);
        self.effective.solve_in_place(&mut s.rhs);
        for i in 0..s.rhs.len() {
            let v = s.response.velocity[i];
            self.displacement[i] = s.response.displacement[i] + dt * v + dt * dt * s.rhs[i];
            self.velocity[i] = v + dt * s.rhs[i];
        }
        s.ask(&self.displacement, &self.velocity);
    }
}

impl Integrator for Cr {
    from_stepper!();

    #[inline]
    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
        let s = &mut self.stepper;
        s.restoring(&self.displacement, &self.velocity, answer);
        s.problem.structure.commit();
        s.balance(s.end_of_step(), &self.damping, &self.velocity, loading);
        self.mass_factor.solve_in_place(&mut s.rhs);
        s.response.displacement.copy_from_slice(&self.displacement);
        s.response.velocity.copy_from_slice(&self.velocity);
        s.response.acceleration.copy_from_slice(&s.rhs);
        s.steps += 1;
        self.predict();
        true
    }

    fn start_from(&mut self, motion: &Motion, _loading: &dyn Loading) {
        self.stepper.restart(motion);
        self.predict();
    }
}
