//! Rosenbrock's linearly implicit method with two stages, LSRT2.

use crate::coupled::{Stepper, from_stepper};
use crate::{
    Answer, Build, Integrator, IntegratorContext, IntegratorView, Loading, Problem, Stepping,
};
use tandem_quantity::{BuildError, Entry, Method, Motion, Settings, snapshot};
use tandem_structure::{Factor, Matrix};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "rosenbrock",
        summary: "linearly implicit Runge–Kutta with two stages (LSRT2): the specimen is asked at \
            half of the step and at its end",
        reference: "Bursi et al. 2008",
        parameters: Stepping::PARAMETERS,
    },
    build: &|_, problem, &IntegratorContext { loading, .. }| {
        Ok(Box::new(Rosenbrock::new(problem, loading)?))
    },
};

/// y = (d, v), f = (v, M⁻¹(F − C v − r)), J its derivative with M, C, K₀, W = (I − γΔt J)⁻¹, γ = 1
/// − √½: k₁ = Δt W f(y₀, t₀);  k₂ = Δt W (f(y₀ + ½k₁, t₀ + ½Δt) − γ J k₁);  y₁ = y₀ + k₂.
///
/// With h = γΔt, W (x, M⁻¹b) = (x + h w, w) where (M + h C + h² K₀) w = b − h K₀ x: one factor of
/// the size of the structure.
struct Rosenbrock {
    stepper: Stepper,
    mass_factor: Factor,
    damping: Matrix,
    stiffness: Matrix,
    effective: Factor,
    /// Whether the question in progress is the one at half of the step.
    halfway: bool,
    /// k₁.
    first_d: Vec<f64>,
    first_v: Vec<f64>,
    /// The question.
    displacement: Vec<f64>,
    velocity: Vec<f64>,
    /// F − C v − r at the beginning of the step.
    before: Vec<f64>,
    scratch: Vec<f64>,
}

snapshot!(Rosenbrock {
    stepper,
    halfway,
    first_d,
    first_v,
    displacement,
    velocity,
    before
});

const GAMMA: f64 = 1.0 - std::f64::consts::FRAC_1_SQRT_2;

impl Rosenbrock {
    fn new(problem: Problem, loading: &dyn Loading) -> Result<Self, BuildError> {
        let h = GAMMA * problem.dt;
        let (mass, damping) = (problem.total_mass(), problem.total_damping());
        let mass_factor = Problem::factor_mass(&mass)?;
        let stiffness = problem.total_stiffness();
        let effective = Problem::factor(&Matrix::combine(&[
            (1.0, &mass),
            (h, &damping),
            (h * h, &stiffness),
        ]))?;
        let zeros = vec![0.0; problem.structure.properties().dof()];
        let mut stepper = Stepper::new(problem, loading, None);
        stepper.properties.works_within_steps = true;
        stepper.properties.evaluations_per_step = 2;
        let mut method = Self {
            stepper,
            mass_factor,
            damping,
            stiffness,
            effective,
            halfway: true,
            first_d: zeros.clone(),
            first_v: zeros.clone(),
            displacement: zeros.clone(),
            velocity: zeros.clone(),
            before: zeros.clone(),
            scratch: zeros,
        };
        method.begin(loading);
        Ok(method)
    }

    fn begin(&mut self, loading: &dyn Loading) {
        let s = &mut self.stepper;
        self.displacement.copy_from_slice(&s.response.displacement);
        self.velocity.copy_from_slice(&s.response.velocity);
        s.described(&self.displacement, &self.velocity);
        s.problem.structure.commit();
        s.balance(0.0, &self.damping, &self.velocity, loading);
        self.before.copy_from_slice(&s.rhs);
        self.ask_halfway();
    }

    /// k₁ and the question at y₀ + ½k₁.
    #[inline]
    fn ask_halfway(&mut self) {
        let s = &mut self.stepper;
        let dt = s.problem.dt;
        for i in 0..self.scratch.len() {
            self.first_d[i] = dt * s.response.velocity[i];
            self.scratch[i] = dt * self.before[i];
        }
        self.stiffness
            .mul_add(-GAMMA * dt, &self.first_d, &mut self.scratch);
        self.effective.solve_in_place(&mut self.scratch);
        for i in 0..self.scratch.len() {
            self.first_d[i] += GAMMA * dt * self.scratch[i];
            self.first_v[i] = self.scratch[i];
            self.displacement[i] = s.response.displacement[i] + 0.5 * self.first_d[i];
            self.velocity[i] = s.response.velocity[i] + 0.5 * self.first_v[i];
        }
        self.halfway = true;
        s.ask(&self.displacement, &self.velocity);
    }

    /// k₂ from the force at half of the step, and the question at y₁.
    #[inline]
    fn ask_end(&mut self, loading: &dyn Loading) {
        let s = &mut self.stepper;
        let dt = s.problem.dt;
        s.balance(
            s.end_of_step() - 0.5 * dt,
            &self.damping,
            &self.velocity,
            loading,
        );
        self.stiffness.mul_add(GAMMA, &self.first_d, &mut s.rhs);
        self.damping.mul_add(GAMMA, &self.first_v, &mut s.rhs);
        for i in 0..s.rhs.len() {
            s.rhs[i] *= dt;
            self.scratch[i] = dt * (self.velocity[i] - GAMMA * self.first_v[i]);
        }
        self.stiffness
            .mul_add(-GAMMA * dt, &self.scratch, &mut s.rhs);
        self.effective.solve_in_place(&mut s.rhs);
        for i in 0..s.rhs.len() {
            self.displacement[i] =
                s.response.displacement[i] + self.scratch[i] + GAMMA * dt * s.rhs[i];
            self.velocity[i] = s.response.velocity[i] + s.rhs[i];
        }
        self.halfway = false;
        s.ask(&self.displacement, &self.velocity);
    }
}

impl Integrator for Rosenbrock {
    from_stepper!();

    #[inline]
    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
        let s = &mut self.stepper;
        s.restoring(&self.displacement, &self.velocity, answer);
        // A specimen passes through the point at half of the step; so does the numerical
        // substructure.
        s.problem.structure.commit();
        if self.halfway {
            self.ask_end(loading);
            return false;
        }
        s.balance(s.end_of_step(), &self.damping, &self.velocity, loading);
        self.before.copy_from_slice(&s.rhs);
        self.mass_factor.solve_in_place(&mut s.rhs);
        s.response.displacement.copy_from_slice(&self.displacement);
        s.response.velocity.copy_from_slice(&self.velocity);
        s.response.acceleration.copy_from_slice(&s.rhs);
        s.steps += 1;
        self.ask_halfway();
        true
    }

    fn start_from(&mut self, motion: &Motion, loading: &dyn Loading) {
        self.stepper.restart(motion);
        self.begin(loading);
    }

    fn observe(&self) -> &dyn IntegratorView {
        self
    }
}

impl IntegratorView for Rosenbrock {
    fn target_fraction(&self) -> f64 {
        if self.halfway { 0.5 } else { 1.0 }
    }
}
