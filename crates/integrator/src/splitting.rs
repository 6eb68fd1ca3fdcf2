//! Operator splitting with weighted balance: what `newmark`, `newmark-explicit`, `osm`, `alpha-os`
//! and `generalised-alpha-os` share.

use crate::coupled::{Stepper, from_stepper};
use crate::massless::Massless;
use crate::weights::Weights;
use crate::{Answer, Integrator, IntegratorView, Loading, Problem};
use tandem_quantity::{BuildError, Motion, snapshot};
use tandem_structure::{Factor, Matrix};

/// From so many degrees of freedom on the product K d̃ is worth saving.
const DIRECT: usize = 16;

/// d̃ = d + Δt v + (½−β)Δt² a;  ṽ = v + (1−γ)Δt a;  d₁ = d̃ + βΔt² a₁;  v₁ = ṽ + γΔt a₁;  r₁ ≈
/// r(d̃) + K_I(d₁ − d̃). With g = F − r(d̃) − C ṽ and Ĉ = γΔt C + βΔt² K_I:
///
/// [(1−α_m)M + (1−α_f)Ĉ] a₁ = (1−α_f) g₁ + α_f g₀ − (α_m M + α_f Ĉ) a₀.
///
/// Force-weighted: the specimen is asked at d̃₁, then forces of both ends are averaged. M, C and
/// K_I contain what is known of the specimen. One solve with a constant matrix. Stable for any step
/// while K_I is not below the true tangent. Degrees of freedom without mass are asked elsewhere
/// ([`Massless`]).
///
/// A linear structure without specimen or weights needs no K d̃: with A the matrix above, βΔt² K =
/// A − M − γΔt C, so that A d₁ = βΔt² (F₁ − C ṽ) + (M + γΔt C) d̃. Small ones keep the first form,
/// whose accelerations have all digits.
pub(crate) struct OperatorSplitting {
    stepper: Stepper,
    weights: Weights,
    damping: Matrix,
    effective: Factor,
    /// K_I, where it is used.
    stiffness: Option<Matrix>,
    /// α_m M + α_f Ĉ, where there is anything to weigh.
    remainder: Option<Matrix>,
    /// M + γΔt C, where the step is solved for d₁ itself.
    direct: Option<Matrix>,
    /// d̃ and ṽ: the predictor.
    displacement: Vec<f64>,
    velocity: Vec<f64>,
    massless: Option<Massless>,
    /// d₁ less the displacement at which the forces of the last step were asked.
    unasked: Vec<f64>,
    /// g₀.
    before: Vec<f64>,
}

snapshot!(OperatorSplitting {
    stepper,
    displacement,
    velocity,
    massless,
    unasked,
    before
});

impl OperatorSplitting {
    pub fn new(
        problem: Problem,
        loading: &dyn Loading,
        weights: Weights,
    ) -> Result<Self, BuildError> {
        let Weights {
            alpha_m,
            alpha_f,
            gamma,
            beta,
        } = weights;
        // Ω² < 2/(γ − 2β) where unconditional stability (2β ≥ γ ≥ ½) is lost; Ω < 2 for γ = ½,
        // β = 0. The weighted families keep 2β ≥ γ, up to rounding.
        let critical = if gamma - 2.0 * beta > 1e-12 {
            Some(problem.check_step((2.0 / (gamma - 2.0 * beta)).sqrt())?)
        } else {
            None
        };
        let dt = problem.dt;
        let (mass, damping) = (problem.total_mass(), problem.total_damping());
        let stiffness = problem.total_stiffness();
        let sum = |m: f64, f: f64| {
            let mut terms = vec![(m, &mass), (f * gamma * dt, &damping)];
            if beta > 0.0 {
                terms.push((f * beta * dt * dt, &stiffness));
            }
            Matrix::combine(&terms)
        };
        let effective = Problem::factor(&sum(1.0 - alpha_m, 1.0 - alpha_f))?;
        let weighted = alpha_m.abs() > 0.0 || alpha_f.abs() > 0.0;
        let remainder = weighted.then(|| sum(alpha_m, alpha_f));
        let dof = problem.structure.properties().dof();
        let direct = dof >= DIRECT
            && !weighted
            && beta > 0.0
            && problem.interface.is_empty()
            && problem.structure.properties().is_linear;
        let massless = (beta > 0.0 && !direct)
            .then(|| Massless::of(&mass))
            .flatten();
        let direct = direct.then(|| Matrix::combine(&[(1.0, &mass), (gamma * dt, &damping)]));
        let mut method = Self {
            stepper: Stepper::new(problem, loading, critical),
            weights,
            damping,
            effective,
            stiffness: (beta > 0.0).then_some(stiffness),
            remainder,
            direct,
            displacement: vec![0.0; dof],
            velocity: vec![0.0; dof],
            massless,
            unasked: vec![0.0; dof],
            before: vec![0.0; dof],
        };
        method.begin(loading);
        Ok(method)
    }

    /// g₀ at the predictor that would have led to the present motion: d̃₀ = d − βΔt² a, ṽ₀ = v −
    /// γΔt a.
    fn begin(&mut self, loading: &dyn Loading) {
        let s = &mut self.stepper;
        let dt = s.problem.dt;
        for i in 0..self.before.len() {
            let a = s.response.acceleration[i];
            self.displacement[i] = s.response.displacement[i] - self.weights.beta * dt * dt * a;
            self.velocity[i] = s.response.velocity[i] - self.weights.gamma * dt * a;
        }
        s.described(&self.displacement, &self.velocity);
        s.problem.structure.revert();
        s.balance(0.0, &self.damping, &self.velocity, loading);
        self.before.copy_from_slice(&s.rhs);
        if let Some(massless) = &mut self.massless {
            massless.begin(&s.response, dt);
        }
        self.predict();
    }

    #[inline]
    fn predict(&mut self) {
        let Weights { gamma, beta, .. } = self.weights;
        let dt = self.stepper.problem.dt;
        let Motion {
            displacement: d,
            velocity: v,
            acceleration: a,
        } = &self.stepper.response;
        for i in 0..d.len() {
            self.displacement[i] = d[i] + dt * v[i] + (0.5 - beta) * dt * dt * a[i];
            self.velocity[i] = v[i] + (1.0 - gamma) * dt * a[i];
        }
        let (mut at, mut moving) = (&self.displacement, &self.velocity);
        if let Some(massless) = &mut self.massless {
            massless.predict(&self.stepper.response, at, moving, dt);
            (at, moving) = (&massless.displacement, &massless.velocity);
        }
        self.stepper.ask(at, moving);
    }
}

impl Integrator for OperatorSplitting {
    from_stepper!();

    #[inline]
    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
        let Weights {
            alpha_f,
            gamma,
            beta,
            ..
        } = self.weights;
        let s = &mut self.stepper;
        let dt = s.problem.dt;
        let by_acceleration = beta * dt * dt;
        if let Some(inertia) = &self.direct {
            s.problem.structure.take_up(&self.displacement);
            loading.force(s.end_of_step(), &mut s.rhs);
            s.rhs.iter_mut().for_each(|b| *b *= by_acceleration);
            self.damping
                .mul_add(-by_acceleration, &self.velocity, &mut s.rhs);
            inertia.mul_add(1.0, &self.displacement, &mut s.rhs);
            self.effective.solve_in_place(&mut s.rhs);
            for (b, d) in s.rhs.iter_mut().zip(&self.displacement) {
                *b = (*b - d) / by_acceleration;
            }
        } else {
            match (&self.massless, &self.stiffness) {
                (Some(massless), Some(stiffness)) => {
                    s.restoring(&massless.displacement, &massless.velocity, answer);
                    stiffness.mul_add(1.0, &massless.beyond, &mut s.force);
                }
                _ => s.restoring(&self.displacement, &self.velocity, answer),
            }
            s.problem.structure.commit();
            s.balance(s.end_of_step(), &self.damping, &self.velocity, loading);
            if let Some(remainder) = &self.remainder {
                for (g, before) in s.rhs.iter_mut().zip(&mut self.before) {
                    let now = *g;
                    *g = (1.0 - alpha_f) * now + alpha_f * *before;
                    *before = now;
                }
                remainder.mul_add(-1.0, &s.response.acceleration, &mut s.rhs);
            }
            self.effective.solve_in_place(&mut s.rhs);
        }
        for i in 0..s.rhs.len() {
            let a = s.rhs[i];
            s.response.displacement[i] = self.displacement[i] + by_acceleration * a;
            s.response.velocity[i] = self.velocity[i] + gamma * dt * a;
            s.response.acceleration[i] = a;
            self.unasked[i] = by_acceleration * a;
        }
        if let Some(massless) = &self.massless {
            for (unasked, beyond) in self.unasked.iter_mut().zip(&massless.beyond) {
                *unasked += beyond;
            }
        }
        s.steps += 1;
        self.predict();
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

impl IntegratorView for OperatorSplitting {
    fn splitting_residual(&self, force: &mut [f64]) -> bool {
        let s = &self.stepper;
        let Some(stiffness) = &self.stiffness else {
            return false;
        };
        for (f, &i) in force.iter_mut().zip(&s.problem.interface) {
            *f = stiffness.row_times(i, &self.unasked);
        }
        true
    }
}
