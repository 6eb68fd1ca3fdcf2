//! Modified predictor–corrector: explicit, and corrected once without moving the specimen again.

use crate::coupled::{Stepper, from_stepper};
use crate::{Answer, Build, Integrator, IntegratorContext, Loading, Problem, Stepping};
use tandem_quantity::{
    BuildError, Dimension, Entry, Method, Motion, Range, Settings, settings, snapshot,
};
use tandem_structure::{Factor, Matrix};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "modified-predictor-corrector",
        summary: "explicit: the specimen is asked where the force held over the step would lead, \
            then the measured force corrects the state; needs no stiffness",
        reference: "after Zhang, Sause, Ricles and Naito 2005",
        parameters: <(Stepping, CorrectorSettings)>::PARAMETERS,
    },
    build: &|values, problem, &IntegratorContext { loading, .. }| {
        let settings = CorrectorSettings::read(values)?;
        let beta = settings.beta;
        Ok(Box::new(ModifiedPredictorCorrector::new(
            problem, loading, beta,
        )?))
    },
};

settings! {
    struct CorrectorSettings {
        /// β of the corrector: ⅙ lets the force vary straight over the step; 1/12 has the least
        /// period error; ¼ the most damping of high modes
        beta: f64 = number(Dimension::NONE)
            .or("0.16666666666666666")
            .within(Range::between(0.0, 0.5)),
    }
}

/// State (d, v) of ẏ = (v, M⁻¹(F − r − C v)). Predictor, with the acceleration held:
/// d̃ = d + Δt v + ½Δt² a, ṽ = v + ½Δt a. Evaluation at d̃: (M + ½Δt C) a₁ = F₁ − r(d̃) − C ṽ.
/// Corrector, with the acceleration changing over the step: d₁ = d̃ + βΔt² (a₁ − a),
/// v₁ = ṽ + ½Δt a₁.
///
/// The paper writes its step for the state of a test with a linear variation of the measured force
/// (β = ⅙); other β are ours. Second order: the period grows by (12β − 1)Ω²/24 and undamped motion
/// decays with a ratio of ½βΩ³, at small Ω. Stable for Ω < 1/√(¼ + β), whatever the damping: 1.549
/// for β = ⅙.
struct ModifiedPredictorCorrector {
    stepper: Stepper,
    beta: f64,
    damping: Matrix,
    effective: Factor,
    /// d̃ and ṽ: the predictor.
    displacement: Vec<f64>,
    velocity: Vec<f64>,
}

snapshot!(ModifiedPredictorCorrector {
    stepper,
    displacement,
    velocity
});

impl ModifiedPredictorCorrector {
    fn new(problem: Problem, loading: &dyn Loading, beta: f64) -> Result<Self, BuildError> {
        let dt = problem.dt;
        let (mass, damping) = (problem.total_mass(), problem.total_damping());
        Problem::factor_mass(&mass)?;
        let critical = problem.check_step(1.0 / (0.25 + beta).sqrt())?;
        let effective = Problem::factor(&Matrix::combine(&[(1.0, &mass), (0.5 * dt, &damping)]))?;
        let dof = problem.structure.properties().dof();
        let mut method = Self {
            stepper: Stepper::new(problem, loading, Some(critical)),
            beta,
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
        let dt = self.stepper.problem.dt;
        let Motion {
            displacement: d,
            velocity: v,
            acceleration: a,
        } = &self.stepper.response;
        for i in 0..d.len() {
            self.displacement[i] = d[i] + dt * v[i] + 0.5 * dt * dt * a[i];
            self.velocity[i] = v[i] + 0.5 * dt * a[i];
        }
        self.stepper.ask(&self.displacement, &self.velocity);
    }
}

impl Integrator for ModifiedPredictorCorrector {
    from_stepper!();

    #[inline]
    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
        let s = &mut self.stepper;
        s.restoring(&self.displacement, &self.velocity, answer);
        s.problem.structure.commit();
        s.balance(s.end_of_step(), &self.damping, &self.velocity, loading);
        self.effective.solve_in_place(&mut s.rhs);
        let dt = s.problem.dt;
        for i in 0..s.rhs.len() {
            let a = s.rhs[i];
            let change = a - s.response.acceleration[i];
            s.response.displacement[i] = self.displacement[i] + self.beta * dt * dt * change;
            s.response.velocity[i] = self.velocity[i] + 0.5 * dt * a;
            s.response.acceleration[i] = a;
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
