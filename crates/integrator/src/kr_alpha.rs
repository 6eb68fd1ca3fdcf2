//! KR-α: explicit, with the poles of the generalised-α method.

use crate::coupled::{Stepper, from_stepper};
use crate::weights::Weights;
use crate::{Answer, Build, Integrator, IntegratorContext, Loading, Problem, Stepping};
use tandem_quantity::{
    BuildError, Dimension, Entry, Method, Motion, Range, Settings, settings, snapshot,
};
use tandem_structure::{Factor, Matrix};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "kr-alpha",
        summary: "explicit, with the poles of generalised-α: damps high modes (second order from a \
            start at rest without load)",
        reference: "Kolay and Ricles 2014",
        parameters: <(Stepping, KrAlphaSettings)>::PARAMETERS,
    },
    build: &|values, problem, &IntegratorContext { loading, .. }| {
        let settings = KrAlphaSettings::read(values)?;
        let weights = Weights::generalised(settings.rho_inf);
        Ok(Box::new(KrAlpha::new(problem, loading, weights)?))
    },
};

settings! {
    struct KrAlphaSettings {
        /// ρ∞: spectral radius at infinite frequency; 1 has no numerical damping and is the method
        /// cr
        rho_inf: f64 = number(Dimension::NONE).or("0.75").within(Range::between(0.0, 1.0)),
    }
}

/// With S = M + γΔt C + βΔt² K₀, A₁ = S⁻¹M, A₃ = S⁻¹(α_m M + α_f γΔt C + α_f βΔt² K₀):
/// v₁ = v + Δt A₁a;  d₁ = d + Δt v + (½+γ)Δt² A₁a;
/// (M − M A₃) a₁ = (1−α_f) g₁ + α_f g₀ − M A₃ a  with  g = F − C v − r(d).
///
/// The matrices A are full and never formed: A₃a = α_f a + (α_m−α_f) S⁻¹M a, and (M − M A₃) a₁ = h
/// is [(1−α_m)M + (1−α_f)(γΔt C + βΔt² K₀)] a₁ = S M⁻¹ h. The starting error of `cr` applies.
pub(crate) struct KrAlpha {
    stepper: Stepper,
    weights: Weights,
    mass: Matrix,
    mass_factor: Factor,
    damping: Matrix,
    /// S.
    predictor: Matrix,
    predictor_factor: Factor,
    corrector: Factor,
    /// d₁ and v₁: asked, and part of the answer.
    displacement: Vec<f64>,
    velocity: Vec<f64>,
    /// A₁a of the last step's end.
    advanced: Vec<f64>,
    /// g₀.
    before: Vec<f64>,
    scratch: Vec<f64>,
}

snapshot!(KrAlpha {
    stepper,
    displacement,
    velocity,
    advanced,
    before
});

impl KrAlpha {
    pub fn new(
        problem: Problem,
        loading: &dyn Loading,
        weights: Weights,
    ) -> Result<Self, BuildError> {
        let dt = problem.dt;
        let (mass, damping) = (problem.total_mass(), problem.total_damping());
        let mass_factor = Problem::factor_mass(&mass)?;
        let stiffness = problem.total_stiffness();
        let sum = |m: f64, f: f64| {
            Matrix::combine(&[
                (m, &mass),
                (f * weights.gamma * dt, &damping),
                (f * weights.beta * dt * dt, &stiffness),
            ])
        };
        let predictor = sum(1.0, 1.0);
        let corrector = Problem::factor(&sum(1.0 - weights.alpha_m, 1.0 - weights.alpha_f))?;
        let zeros = vec![0.0; problem.structure.properties().dof()];
        let mut method = Self {
            stepper: Stepper::new(problem, loading, None),
            weights,
            mass,
            mass_factor,
            damping,
            predictor_factor: Problem::factor(&predictor)?,
            predictor,
            corrector,
            displacement: zeros.clone(),
            velocity: zeros.clone(),
            advanced: zeros.clone(),
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
        self.predict();
    }

    #[inline]
    fn predict(&mut self) {
        let s = &mut self.stepper;
        let dt = s.problem.dt;
        self.mass
            .mul_into(&s.response.acceleration, &mut self.advanced);
        self.predictor_factor.solve_in_place(&mut self.advanced);
        for i in 0..self.advanced.len() {
            let v = s.response.velocity[i];
            self.displacement[i] = s.response.displacement[i]
                + dt * v
                + (0.5 + self.weights.gamma) * dt * dt * self.advanced[i];
            self.velocity[i] = v + dt * self.advanced[i];
        }
        s.ask(&self.displacement, &self.velocity);
    }
}

impl Integrator for KrAlpha {
    from_stepper!();

    #[inline]
    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
        let Weights {
            alpha_m, alpha_f, ..
        } = self.weights;
        let s = &mut self.stepper;
        s.restoring(&self.displacement, &self.velocity, answer);
        s.problem.structure.commit();
        s.balance(s.end_of_step(), &self.damping, &self.velocity, loading);
        for i in 0..s.rhs.len() {
            let now = s.rhs[i];
            s.rhs[i] = (1.0 - alpha_f) * now + alpha_f * self.before[i];
            self.before[i] = now;
            self.scratch[i] =
                alpha_f * s.response.acceleration[i] + (alpha_m - alpha_f) * self.advanced[i];
        }
        self.mass.mul_add(-1.0, &self.scratch, &mut s.rhs);
        self.mass_factor.solve_in_place(&mut s.rhs);
        self.predictor.mul_into(&s.rhs, &mut self.scratch);
        self.corrector.solve_in_place(&mut self.scratch);
        s.response.displacement.copy_from_slice(&self.displacement);
        s.response.velocity.copy_from_slice(&self.velocity);
        s.response.acceleration.copy_from_slice(&self.scratch);
        s.steps += 1;
        self.predict();
        true
    }

    fn start_from(&mut self, motion: &Motion, loading: &dyn Loading) {
        self.stepper.restart(motion);
        self.begin(loading);
    }
}
