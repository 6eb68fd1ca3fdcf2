//! Chang's explicit method.

use crate::coupled::{Stepper, from_stepper};
use crate::{Answer, Build, Integrator, IntegratorContext, Loading, Problem, Stepping};
use tandem_quantity::{BuildError, Entry, Method, Motion, Settings, snapshot};
use tandem_structure::{Factor, Matrix};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "chang",
        summary: "explicit in displacement, with the poles of average acceleration",
        reference: "Chang 2002",
        parameters: Stepping::PARAMETERS,
    },
    build: &|_, problem, &IntegratorContext { loading, .. }| {
        Ok(Box::new(Chang::new(problem, loading)?))
    },
};

/// With S = M + ½Δt C + ¼Δt² K₀:
/// d₁ = d + Δt S⁻¹(M + ½Δt C)v + ½Δt² S⁻¹M a;  v₁ = v + ½Δt(a + a₁);  M a₁ + C v₁ + r(d₁) = F₁.
///
/// The specimen is asked at d₁ and at v + ½Δt a; its C_e acts on v₁ with the total C.
struct Chang {
    stepper: Stepper,
    mass: Matrix,
    damping: Matrix,
    /// S.
    predictor: Factor,
    /// M + ½Δt C.
    damped: Matrix,
    corrector: Factor,
    displacement: Vec<f64>,
    velocity: Vec<f64>,
}

snapshot!(Chang {
    stepper,
    displacement,
    velocity
});

impl Chang {
    fn new(problem: Problem, loading: &dyn Loading) -> Result<Self, BuildError> {
        let dt = problem.dt;
        let (mass, damping) = (problem.total_mass(), problem.total_damping());
        Problem::factor_mass(&mass)?;
        let damped = Matrix::combine(&[(1.0, &mass), (0.5 * dt, &damping)]);
        let corrector = Problem::factor(&damped)?;
        let stiffness = problem.total_stiffness();
        let predictor = Problem::factor(&Matrix::combine(&[
            (1.0, &damped),
            (0.25 * dt * dt, &stiffness),
        ]))?;
        let dof = problem.structure.properties().dof();
        let mut method = Self {
            stepper: Stepper::new(problem, loading, None),
            mass,
            damping,
            predictor,
            damped,
            corrector,
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
        s.rhs.fill(0.0);
        self.damped.mul_add(dt, &s.response.velocity, &mut s.rhs);
        self.mass
            .mul_add(0.5 * dt * dt, &s.response.acceleration, &mut s.rhs);
        self.predictor.solve_in_place(&mut s.rhs);
        for i in 0..s.rhs.len() {
            self.displacement[i] = s.response.displacement[i] + s.rhs[i];
            self.velocity[i] = s.response.velocity[i] + 0.5 * dt * s.response.acceleration[i];
        }
        s.ask(&self.displacement, &self.velocity);
    }
}

impl Integrator for Chang {
    from_stepper!();

    #[inline]
    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
        let s = &mut self.stepper;
        s.restoring(&self.displacement, &self.velocity, answer);
        s.problem.structure.commit();
        s.balance(s.end_of_step(), &self.damping, &self.velocity, loading);
        self.corrector.solve_in_place(&mut s.rhs);
        let dt = s.problem.dt;
        for i in 0..s.rhs.len() {
            s.response.displacement[i] = self.displacement[i];
            s.response.velocity[i] = self.velocity[i] + 0.5 * dt * s.rhs[i];
            s.response.acceleration[i] = s.rhs[i];
        }
        s.steps += 1;
        self.predict();
        true
    }

    fn start_from(&mut self, motion: &Motion, _loading: &dyn Loading) {
        self.stepper.restart(motion);
        self.predict();
    }
}
