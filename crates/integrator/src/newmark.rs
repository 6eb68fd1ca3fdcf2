//! Newmark's average-acceleration method with the specimen's force predicted linearly.

use crate::coupled::{Stepper, from_stepper};
use crate::{Answer, Build, Integrator, Loading, Problem};
use tandem_quantity::{BuildError, Dimension, Entry, Method, Motion, Parameter, Range, snapshot};
use tandem_structure::{Factor, Matrix};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "newmark",
        summary: "implicit Newmark (average acceleration); forces continued linearly from the predictor, no iteration",
        reference: "Newmark 1959; Nakashima et al. 1990",
        parameters: parameters![
            Parameter::number("gamma", Dimension::NONE, "γ; ½ has no numerical damping")
                .or("0.5")
                .within(Range::between(0.5, 1.0)),
            Parameter::number("beta", Dimension::NONE, "β; ¼ is average acceleration")
                .or("0.25")
                .within(Range::between(0.0, 0.5)),
        ],
    },
    build: |values, problem, loading| {
        Ok(Box::new(Newmark::new(
            problem,
            loading,
            values.number("gamma")?,
            values.number("beta")?,
        )?))
    },
};

/// d̃ = d + Δt v + (½−β)Δt² a;  ṽ = v + (1−γ)Δt a;  r ≈ r(d̃) + K₀(d₁ − d̃);
/// (M + γΔt C + βΔt² K₀) a₁ = F₁ − r(d̃) − C ṽ;  d₁ = d̃ + βΔt² a₁;  v₁ = ṽ + γΔt a₁.
///
/// M, C and K₀ contain what is known of the specimen. For a linear structure this is the implicit method itself.
pub(crate) struct Newmark {
    stepper: Stepper,
    gamma: f64,
    beta: f64,
    effective: Factor,
    /// d̃ and ṽ: the predictor.
    displacement: Vec<f64>,
    velocity: Vec<f64>,
}

snapshot!(Newmark {
    stepper,
    displacement,
    velocity
});

impl Newmark {
    /// The method with parameters γ and β; β = 0 is the explicit one.
    pub fn new(
        problem: Problem,
        loading: &dyn Loading,
        gamma: f64,
        beta: f64,
    ) -> Result<Self, BuildError> {
        // Ω² < 2/(γ − 2β) where unconditional stability (2β ≥ γ ≥ ½) is lost; Ω < 2 for γ = ½, β = 0.
        let critical = if 2.0 * beta < gamma {
            Some(problem.check_step((2.0 / (gamma - 2.0 * beta)).sqrt())?)
        } else {
            None
        };
        let dt = problem.dt;
        let (mass, damping) = (problem.total_mass(), problem.total_damping());
        let mut terms = vec![(1.0, &mass), (gamma * dt, &damping)];
        let stiffness = problem.total_stiffness();
        if beta > 0.0 {
            terms.push((beta * dt * dt, &stiffness));
        }
        let effective = Problem::factor(&Matrix::combine(&terms))?;
        let dof = problem.structure.dof();
        let mut method = Self {
            stepper: Stepper::new(problem, loading, critical),
            gamma,
            beta,
            effective,
            displacement: vec![0.0; dof],
            velocity: vec![0.0; dof],
        };
        method.predict();
        Ok(method)
    }

    #[inline]
    fn predict(&mut self) {
        let dt = self.stepper.problem.dt;
        let Motion {
            displacement: d,
            velocity: v,
            acceleration: a,
        } = &self.stepper.response;
        for i in 0..d.len() {
            self.displacement[i] = d[i] + dt * v[i] + (0.5 - self.beta) * dt * dt * a[i];
            self.velocity[i] = v[i] + (1.0 - self.gamma) * dt * a[i];
        }
        self.stepper.ask(&self.displacement, &self.velocity);
    }
}

impl Integrator for Newmark {
    from_stepper!();

    #[inline]
    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
        let s = &mut self.stepper;
        loading.force(s.end_of_step(), &mut s.rhs);
        s.problem
            .structure
            .restoring_force(&self.displacement, &self.velocity, &mut s.force);
        s.problem.structure.commit();
        for (b, r) in s.rhs.iter_mut().zip(&s.force) {
            *b -= r;
        }
        s.problem
            .structure
            .damping()
            .mul_add(-1.0, &self.velocity, &mut s.rhs);
        s.subtract_specimen(answer.force);
        self.effective.solve_in_place(&mut s.rhs);
        let dt = s.problem.dt;
        for i in 0..s.rhs.len() {
            s.response.displacement[i] = self.displacement[i] + self.beta * dt * dt * s.rhs[i];
            s.response.velocity[i] = self.velocity[i] + self.gamma * dt * s.rhs[i];
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
