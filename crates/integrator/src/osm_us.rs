//! (α) operator splitting with the tangent stiffness estimated on the run.

use crate::coupled::{Stepper, from_stepper};
use crate::massless::Massless;
use crate::tangent::{Watch, WatchSettings};
use crate::weights::{Weights, alpha};
use crate::{
    Answer, Build, Integrator, IntegratorContext, IntegratorView, Loading, Problem, Stepping,
    Tangent,
};
use tandem_quantity::{
    BuildError, Dimension, Entry, Method, Motion, Range, Settings, Values, settings, snapshot,
};
use tandem_structure::{Factor, Matrix};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "osm-us",
        summary: "operator splitting with updated stiffness: the specimen's tangent is estimated \
            from measured increments",
        reference: "Hung and El-Tawil 2009, Eqs 6–11",
        parameters: <(Stepping, OsmUsSettings)>::PARAMETERS,
    },
    build: &|values, problem, &IntegratorContext { loading, .. }| {
        Ok(Box::new(OsmUs::new(values, problem, loading)?))
    },
};

settings! {
    struct OsmUsSettings {
        /// α of α-OS, from −⅓ to 0, or 1 + α from 0.667 to 1; 0 is the paper's method, without
        /// numerical damping
        alpha: f64 = number(Dimension::NONE).or("0.0").within(Range::between(-0.334, 1.0)),
        watch: WatchSettings,
    }
}

/// More measured degrees of freedom would make an estimate that no step can wait for.
const LARGEST: usize = 60;

/// d̃, ṽ and the corrector as in `osm`; with ΔK = K_est − K_I at the measured degrees of freedom
/// (the interface, or all of a structure without specimen):
///
/// [M + (1+α)Ĉ] a₁ = (1+α)(F₁ − r(d̃) − (C + bΔK) ṽ) − α q₀,  Ĉ = γΔt(C + bΔK) + βΔt²(K_I + ΔK),
///
/// where q₀ = F₀ − r₀ − C v₀ is the balance at the end of the step before; q₁ = (M a₁ + α
/// q₀)/(1+α). With α = 0: Eq. 11 of the paper. The estimate contains the increment of this step.
/// Where the matrix cannot be factored, ΔK is left out. Degrees of freedom without mass are asked
/// elsewhere ([`Massless`]).
struct OsmUs {
    stepper: Stepper,
    weights: Weights,
    tangent_damping: f64,
    /// M and q₀, where α weighs.
    mass: Matrix,
    balance: Vec<f64>,
    watch: Watch,
    /// Degrees of freedom whose force is measured.
    measured: Vec<usize>,
    damping: Matrix,
    stiffness: Matrix,
    /// M + (1+α)(γΔt C + βΔt² K_I), its factor, and those with ΔK.
    base: Matrix,
    initial: Factor,
    matrix: Matrix,
    current: Factor,
    /// K_I over the measured degrees of freedom, and ΔK.
    initial_stiffness: Vec<f64>,
    change: Vec<f64>,
    /// Measured displacement and restoring force.
    displacement_at: Vec<f64>,
    force_at: Vec<f64>,
    /// d̃ and ṽ: the predictor.
    displacement: Vec<f64>,
    velocity: Vec<f64>,
    massless: Option<Massless>,
    /// d₁ less the displacement at which the forces of the last step were asked.
    unasked: Vec<f64>,
}

snapshot!(OsmUs {
    stepper,
    balance,
    watch,
    displacement,
    velocity,
    massless,
    unasked
});

impl OsmUs {
    fn new(values: &Values, problem: Problem, loading: &dyn Loading) -> Result<Self, BuildError> {
        let settings = OsmUsSettings::read(values)?;
        let (dt, dof) = (problem.dt, problem.structure.properties().dof());
        let weights = Weights::hht(alpha(settings.alpha)?);
        let part = 1.0 - weights.alpha_f;
        let (mass, damping) = (problem.total_mass(), problem.total_damping());
        let stiffness = problem.total_stiffness();
        let hybrid = !problem.interface.is_empty();
        let (measured, initial_stiffness) = if hybrid {
            (
                problem.interface.clone(),
                problem.specimen.stiffness.clone(),
            )
        } else {
            ((0..dof).collect::<Vec<_>>(), stiffness.to_dense())
        };
        let n = measured.len();
        if n > LARGEST {
            return Err(BuildError::new(
                "method",
                format!(
                    "{n} measured degrees of freedom: the stiffness of {LARGEST} at most can be \
                    estimated"
                ),
                "take \"osm\" or \"alpha-os\"",
            ));
        }
        let mut triplets = Vec::new();
        for &i in &measured {
            triplets.extend(measured.iter().map(|&j| (i, j, 0.0)));
        }
        let block = Matrix::from_triplets(dof, &triplets)
            .map_err(|error| BuildError::new("method", error.to_string(), "check the interface"))?;
        let base = Matrix::combine(&[
            (1.0, &mass),
            (part * weights.gamma * dt, &damping),
            (part * weights.beta * dt * dt, &stiffness),
            (1.0, &block),
        ]);
        let initial = Problem::factor(&base)?;
        let mut matrix = base.clone();
        let mut current = Problem::factor(&base)?;
        if let [first, .., last] = measured[..] {
            // An estimate need not be symmetric: let the factor take the memory for that now.
            matrix.add_at(first, last, 1e-3 * base.get(first, first));
            let _ = current.refactor(&matrix);
            matrix = base.clone();
        }
        let mut mass_at = vec![0.0; n * n];
        for (place, m) in mass_at.iter_mut().enumerate() {
            *m = mass.get(measured[place / n], measured[place % n]);
        }
        let zeros = vec![0.0; dof];
        let mut method = Self {
            watch: Watch::new(&settings.watch, &initial_stiffness, &mass_at, n)?,
            tangent_damping: settings.watch.tangent_damping,
            stepper: Stepper::new(problem, loading, None),
            weights,
            massless: Massless::of(&mass),
            mass,
            balance: zeros.clone(),
            damping,
            stiffness,
            base,
            initial,
            matrix,
            current,
            change: vec![0.0; n * n],
            initial_stiffness,
            displacement_at: vec![0.0; n],
            force_at: vec![0.0; n],
            measured,
            displacement: zeros.clone(),
            velocity: zeros.clone(),
            unasked: zeros,
        };
        method
            .stepper
            .described(&method.displacement, &method.velocity);
        method.stepper.problem.structure.revert();
        method.begin(loading);
        Ok(method)
    }

    /// q₀ from the restoring force at the present motion, which stands in the stepper.
    fn begin(&mut self, loading: &dyn Loading) {
        let s = &mut self.stepper;
        self.velocity.copy_from_slice(&s.response.velocity);
        s.balance(0.0, &self.damping, &self.velocity, loading);
        self.balance.copy_from_slice(&s.rhs);
        if let Some(massless) = &mut self.massless {
            massless.begin(&s.response, s.problem.dt);
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

    /// What was measured goes to the estimate: the specimen at its interface, or the whole
    /// structure.
    #[inline]
    fn watch(&mut self, answer: Answer<'_>) {
        let s = &self.stepper;
        if s.problem.interface.is_empty() {
            let asked = match &self.massless {
                Some(massless) => &massless.displacement,
                None => &self.displacement,
            };
            self.displacement_at.copy_from_slice(asked);
            self.force_at.copy_from_slice(&s.force);
        } else {
            let (displacement, force) = answer.measured();
            for (at, d) in self.displacement_at.iter_mut().zip(displacement) {
                *at = *d;
            }
            s.specimen_force(force, &mut self.force_at);
        }
        self.watch.observe(&self.displacement_at, &self.force_at);
    }

    /// Factor of the matrix with ΔK; false where there is none.
    #[inline]
    fn refactor(&mut self) -> bool {
        let n = self.measured.len();
        let dt = self.stepper.problem.dt;
        let mut changed = false;
        for (change, (k, initial)) in self
            .change
            .iter_mut()
            .zip(self.watch.stiffness.iter().zip(&self.initial_stiffness))
        {
            *change = k - initial;
            changed |= *change != 0.0;
        }
        if !changed {
            return false;
        }
        let Weights {
            alpha_f,
            gamma,
            beta,
            ..
        } = self.weights;
        let scale = (1.0 - alpha_f) * dt * (gamma * self.tangent_damping + beta * dt);
        self.matrix.assign_combination(&[(1.0, &self.base)]);
        for (a, &i) in self.measured.iter().enumerate() {
            for (b, &j) in self.measured.iter().enumerate() {
                self.matrix.add_at(i, j, scale * self.change[a * n + b]);
            }
        }
        self.current.refactor(&self.matrix).is_ok()
    }
}

impl Integrator for OsmUs {
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
        let (at, moving) = match &self.massless {
            Some(massless) => (&massless.displacement, &massless.velocity),
            None => (&self.displacement, &self.velocity),
        };
        s.restoring(at, moving, answer);
        s.problem.structure.commit();
        self.watch(answer);
        let s = &mut self.stepper;
        s.balance(s.end_of_step(), &self.damping, &self.velocity, loading);
        let changed = self.refactor();
        let s = &mut self.stepper;
        if let Some(massless) = &self.massless {
            self.stiffness.mul_add(-1.0, &massless.beyond, &mut s.rhs);
        }
        if changed {
            let n = self.measured.len();
            for (a, &i) in self.measured.iter().enumerate() {
                let row = self.change[a * n..(a + 1) * n].iter().zip(&self.measured);
                let along: f64 = row.clone().map(|(k, &j)| k * self.velocity[j]).sum();
                s.rhs[i] -= self.tangent_damping * along;
                if let Some(massless) = &self.massless {
                    s.rhs[i] -= row.map(|(k, &j)| k * massless.beyond[j]).sum::<f64>();
                }
            }
        }
        if alpha_f > 0.0 {
            for (g, before) in s.rhs.iter_mut().zip(&self.balance) {
                *g = (1.0 - alpha_f) * *g + alpha_f * before;
            }
        }
        if changed {
            self.current.solve_in_place(&mut s.rhs);
        } else {
            self.initial.solve_in_place(&mut s.rhs);
        }
        let dt = s.problem.dt;
        for i in 0..s.rhs.len() {
            let a = s.rhs[i];
            s.response.displacement[i] = self.displacement[i] + beta * dt * dt * a;
            s.response.velocity[i] = self.velocity[i] + gamma * dt * a;
            s.response.acceleration[i] = a;
            self.unasked[i] = beta * dt * dt * a;
        }
        if let Some(massless) = &self.massless {
            for (unasked, beyond) in self.unasked.iter_mut().zip(&massless.beyond) {
                *unasked += beyond;
            }
        }
        if alpha_f > 0.0 {
            self.mass.mul_into(&s.response.acceleration, &mut s.rhs);
            for (before, inertia) in self.balance.iter_mut().zip(&s.rhs) {
                *before = (inertia - alpha_f * *before) / (1.0 - alpha_f);
            }
        }
        s.steps += 1;
        self.predict();
        true
    }

    fn start_from(&mut self, motion: &Motion, loading: &dyn Loading) {
        let s = &mut self.stepper;
        s.restart(motion);
        s.described(&motion.displacement, &motion.velocity);
        s.problem.structure.commit();
        let n = self.measured.len();
        for (a, &i) in self.measured.iter().enumerate() {
            self.displacement_at[a] = motion.displacement[i];
            self.force_at[a] = if s.problem.interface.is_empty() {
                s.force[i]
            } else {
                let row = &self.initial_stiffness[a * n..(a + 1) * n];
                row.iter()
                    .zip(&self.measured)
                    .map(|(k, &j)| k * motion.displacement[j])
                    .sum()
            };
        }
        self.watch.start(&self.displacement_at, &self.force_at);
        self.begin(loading);
    }

    fn observe(&self) -> &dyn IntegratorView {
        self
    }
}

impl IntegratorView for OsmUs {
    fn tangent(&self) -> Option<Tangent<'_>> {
        Some(Tangent {
            stiffness: &self.watch.stiffness,
            confidence: self.watch.confidence,
        })
    }

    fn splitting_residual(&self, force: &mut [f64]) -> bool {
        let s = &self.stepper;
        let (n, unasked) = (self.measured.len(), &self.unasked);
        // With a specimen, what is measured is the interface.
        for (k, (f, &i)) in force.iter_mut().zip(&s.problem.interface).enumerate() {
            let row = &self.change[k * n..(k + 1) * n];
            let change = row.iter().zip(&self.measured);
            let change: f64 = change.map(|(k, &j)| k * unasked[j]).sum();
            *f = self.stiffness.row_times(i, unasked) + change;
        }
        true
    }
}
