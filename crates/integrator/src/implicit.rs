//! Implicit methods with iteration: what `newmark-iterated`, `hht` and `generalised-alpha` share.

use crate::coupled::{Stepper, from_stepper};
use crate::iteration::{Iteration, Way, interpolation};
use crate::weights::Weights;
use crate::{Answer, Integrator, IntegratorView, Loading, Problem};
use tandem_quantity::{BuildError, Motion, snapshot};
use tandem_structure::{Factor, Matrix};

/// Residual R = F_w − M a_w − C v_w − r_w with x_w = (1−α)x₁ + αx₀ (α_m for a, α_f else), forces at
/// both ends of the step; v₁ and a₁ follow d₁ by Newmark; matrix (1−α_m)M/βΔt² + (1−α_f)(γC/βΔt +
/// K).
pub(crate) struct Implicit {
    stepper: Stepper,
    weights: Weights,
    iteration: Iteration,
    mass: Matrix,
    damping: Matrix,
    /// The matrix without K, the tangent, and their sum.
    base: Matrix,
    tangent: Matrix,
    matrix: Matrix,
    /// With the initial and with the current tangent.
    initial: Factor,
    current: Factor,
    /// d₁, v₁, a₁ and r of the current iterate.
    trial: Motion,
    force: Vec<f64>,
    /// r₀ and F₀; F₁.
    force_before: Vec<f64>,
    load_before: Vec<f64>,
    load: Vec<f64>,
    /// d of one and two steps before the last.
    earlier: [Vec<f64>; 2],
    /// R at the beginning of the step.
    out_of_balance: Vec<f64>,
    /// The question in progress, from one.
    question: usize,
    unsettled: u64,
    scratch: Vec<f64>,
    correction: Vec<f64>,
    /// Diagonal of the initial matrix.
    diagonal: Vec<f64>,
}

/// How often a correction of Newton's iteration is halved that does not bring the residual down.
const HALVINGS: usize = 4;

snapshot!(Implicit {
    stepper,
    trial,
    force,
    force_before,
    load_before,
    load,
    earlier,
    out_of_balance,
    question,
    unsettled
});

impl Implicit {
    pub fn new(
        problem: Problem,
        loading: &dyn Loading,
        weights: Weights,
        iteration: Iteration,
    ) -> Result<Self, BuildError> {
        let Weights {
            alpha_m,
            alpha_f,
            gamma,
            beta,
        } = weights;
        // As in `newmark`: Ω² < 2/(γ − 2β) where unconditional stability is lost.
        let critical = if 2.0 * beta < gamma {
            Some(problem.check_step((2.0 / (gamma - 2.0 * beta)).sqrt())?)
        } else {
            None
        };
        let dt = problem.dt;
        let (mass, damping) = (problem.total_mass(), problem.total_damping());
        let tangent = problem.total_stiffness();
        let base = Matrix::combine(&[
            ((1.0 - alpha_m) / (beta * dt * dt), &mass),
            ((1.0 - alpha_f) * gamma / (beta * dt), &damping),
        ]);
        let matrix = Matrix::combine(&[(1.0, &base), (1.0 - alpha_f, &tangent)]);
        let initial = Problem::factor(&matrix)?;
        let current = Problem::factor(&matrix)?;
        let dof = problem.structure.properties().dof();
        let zeros = vec![0.0; dof];
        let mut stepper = Stepper::new(problem, loading, critical);
        if let Iteration::Fixed { questions, .. } = iteration {
            stepper.properties.evaluations_per_step = questions;
        }
        let diagonal = (0..dof).map(|i| matrix.get(i, i).abs().max(f64::MIN_POSITIVE));
        let mut method = Self {
            diagonal: diagonal.collect(),
            correction: zeros.clone(),
            stepper,
            weights,
            iteration,
            mass,
            damping,
            base,
            tangent,
            matrix,
            initial,
            current,
            trial: Motion::at_rest(dof),
            force: zeros.clone(),
            force_before: zeros.clone(),
            load_before: zeros.clone(),
            load: zeros.clone(),
            earlier: [zeros.clone(), zeros.clone()],
            out_of_balance: zeros.clone(),
            question: 1,
            unsettled: 0,
            scratch: zeros,
        };
        method.begin(loading);
        Ok(method)
    }

    fn begin(&mut self, loading: &dyn Loading) {
        let s = &mut self.stepper;
        let dt = s.problem.dt;
        self.trial.copy_from(&s.response);
        s.described(&self.trial.displacement, &self.trial.velocity);
        s.problem.structure.commit();
        self.force.copy_from_slice(&s.force);
        for i in 0..self.scratch.len() {
            let (d, v) = (self.trial.displacement[i], self.trial.velocity[i]);
            self.earlier[0][i] = d - dt * v;
            self.earlier[1][i] = d - 2.0 * dt * v;
        }
        loading.force(0.0, &mut self.load);
        self.next_step(loading);
    }

    /// The end of a step becomes the beginning of the next.
    #[inline]
    fn next_step(&mut self, loading: &dyn Loading) {
        self.force_before.copy_from_slice(&self.force);
        self.load_before.copy_from_slice(&self.load);
        loading.force(self.stepper.end_of_step(), &mut self.load);
        self.question = 1;
        if let Iteration::Fixed { .. } = self.iteration {
            self.follow();
            self.ask();
        }
    }

    /// Velocity and acceleration of the trial displacement by Newmark.
    #[inline]
    fn follow(&mut self) {
        let Weights { gamma, beta, .. } = self.weights;
        let dt = self.stepper.problem.dt;
        let Motion {
            displacement: d,
            velocity: v,
            acceleration: a,
        } = &self.stepper.response;
        for i in 0..d.len() {
            let next = (self.trial.displacement[i] - d[i] - dt * v[i]) / (beta * dt * dt)
                - (0.5 / beta - 1.0) * a[i];
            self.trial.acceleration[i] = next;
            self.trial.velocity[i] = v[i] + dt * ((1.0 - gamma) * a[i] + gamma * next);
        }
    }

    /// R at the trial into the stepper's right-hand side.
    #[inline]
    fn residual(&mut self) {
        let Weights {
            alpha_m, alpha_f, ..
        } = self.weights;
        let s = &mut self.stepper;
        for i in 0..s.rhs.len() {
            s.rhs[i] = (1.0 - alpha_f) * (self.load[i] - self.force[i])
                + alpha_f * (self.load_before[i] - self.force_before[i]);
            self.scratch[i] =
                (1.0 - alpha_m) * self.trial.acceleration[i] + alpha_m * s.response.acceleration[i];
        }
        self.mass.mul_add(-1.0, &self.scratch, &mut s.rhs);
        for i in 0..s.rhs.len() {
            self.scratch[i] =
                (1.0 - alpha_f) * self.trial.velocity[i] + alpha_f * s.response.velocity[i];
        }
        self.damping.mul_add(-1.0, &self.scratch, &mut s.rhs);
    }

    /// The next of a fixed number of questions: the estimate e of the end from the residual, then
    /// the point at x = question/questions on the polynomial through e (x = 1), d_n (0), d_{n−1}
    /// (−1), d_{n−2} (−2); or a part of the way from the last question to e; or where the residual
    /// should be (1−x) of what it was at d_n.
    #[inline]
    fn ask(&mut self) {
        let Iteration::Fixed { questions, way } = self.iteration else {
            return;
        };
        self.residual();
        let s = &mut self.stepper;
        let x = self.question as f64 / questions as f64;
        if let Way::EquivalentForce { .. } = way {
            if self.question == 1 {
                self.out_of_balance.copy_from_slice(&s.rhs);
            }
            for (r, first) in s.rhs.iter_mut().zip(&self.out_of_balance) {
                *r -= (1.0 - x) * first;
            }
        }
        self.initial.solve_in_place(&mut s.rhs);
        match way {
            Way::EquivalentForce { gain } => {
                for (d, delta) in self.trial.displacement.iter_mut().zip(&s.rhs) {
                    *d += gain * delta;
                }
            }
            Way::Reduced { factor } => {
                for (d, delta) in self.trial.displacement.iter_mut().zip(&s.rhs) {
                    *d += factor * delta;
                }
            }
            Way::Interpolated { order } => {
                let [end, now, one, two] = interpolation(order, x);
                for i in 0..s.rhs.len() {
                    let estimate = self.trial.displacement[i] + s.rhs[i];
                    self.trial.displacement[i] = end * estimate
                        + now * s.response.displacement[i]
                        + one * self.earlier[0][i]
                        + two * self.earlier[1][i];
                }
            }
        }
        self.follow();
        let Motion {
            displacement: d,
            velocity: v,
            acceleration: a,
        } = &self.trial;
        self.stepper.ask_moving(d, v, a);
    }

    /// Newton's iteration; the structure's last trial is the end of the step.
    ///
    /// It starts where the last step ended, whose force and tangent are known: velocity and
    /// acceleration of a degree of freedom without mass only follow its displacement, and ring, so
    /// that a predictor would lead astray. A point is accepted when the correction that would come
    /// next is small enough: the last evaluation of the structure is that of the answer.
    ///
    /// Laws with kinks (cracks that open and close) can send the iteration in circles: a correction
    /// that does not bring the residual down is halved, a few times. The residual is measured by
    /// R_i²/A_ii with the diagonal of the initial matrix, so that forces and moments may stand
    /// beside each other.
    #[inline]
    fn settle(&mut self, tolerance: f64, most: usize) {
        let linear = self.stepper.problem.structure.properties().is_linear;
        self.trial
            .displacement
            .copy_from_slice(&self.stepper.response.displacement);
        self.follow();
        self.residual();
        let mut before = self.size();
        for iteration in 0..most {
            // After half of the iterations the initial stiffness, slow but sure.
            let fresh = !linear && iteration < most.div_ceil(2) && self.refactor();
            self.solve(fresh);
            self.correction.copy_from_slice(&self.stepper.rhs);
            for (d, delta) in self.trial.displacement.iter_mut().zip(&self.correction) {
                *d += delta;
            }
            // The first correction knows no more than the step before.
            let last = iteration > 0 && self.relative_correction() <= tolerance;
            self.evaluate();
            if linear || last {
                return;
            }
            self.residual();
            let mut after = self.size();
            // The factors at hand are those of the point before: near enough to judge by.
            self.scratch.copy_from_slice(&self.stepper.rhs);
            self.solve(fresh);
            if self.relative_correction() <= tolerance {
                return;
            }
            self.stepper.rhs.copy_from_slice(&self.scratch);
            let mut part = 1.0;
            for _ in 0..HALVINGS {
                if after < before {
                    break;
                }
                part *= 0.5;
                for (d, delta) in self.trial.displacement.iter_mut().zip(&self.correction) {
                    *d -= part * delta;
                }
                self.evaluate();
                self.residual();
                after = self.size();
            }
            before = after;
        }
        self.unsettled += 1;
    }

    /// Factors the matrix with the tangent of the last trial; says whether that could be done.
    #[inline]
    fn refactor(&mut self) -> bool {
        self.stepper.problem.structure.tangent(&mut self.tangent);
        self.matrix.assign_combination(&[
            (1.0, &self.base),
            (1.0 - self.weights.alpha_f, &self.tangent),
        ]);
        self.current.refactor(&self.matrix).is_ok()
    }

    #[inline]
    fn solve(&mut self, fresh: bool) {
        let factor = if fresh {
            &mut self.current
        } else {
            &mut self.initial
        };
        factor.solve_in_place(&mut self.stepper.rhs);
    }

    /// The correction in the right-hand side over the displacement, by their norms; not a number
    /// where one of them is not.
    #[inline]
    fn relative_correction(&self) -> f64 {
        let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        let correction = square(&self.stepper.rhs);
        if correction > 0.0 {
            (correction / square(&self.trial.displacement)).sqrt()
        } else {
            correction
        }
    }

    /// Size of the residual in the stepper's right-hand side.
    #[inline]
    fn size(&self) -> f64 {
        let terms = self.stepper.rhs.iter().zip(&self.diagonal);
        terms.map(|(r, a)| r * r / a).sum()
    }

    /// r, v and a at the trial displacement.
    #[inline]
    fn evaluate(&mut self) {
        self.follow();
        let s = &mut self.stepper;
        s.restoring(&self.trial.displacement, &self.trial.velocity, Answer::NONE);
        self.force.copy_from_slice(&s.force);
    }
}

impl Integrator for Implicit {
    from_stepper!();

    #[inline]
    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
        match self.iteration {
            Iteration::Newton { tolerance, most } => self.settle(tolerance, most),
            Iteration::Fixed { questions, .. } => {
                let s = &mut self.stepper;
                s.restoring(&self.trial.displacement, &self.trial.velocity, answer);
                self.force.copy_from_slice(&s.force);
                if self.question < questions {
                    self.question += 1;
                    self.ask();
                    return false;
                }
                // The last correction leaves the specimen where it is; r₁ stays as it was measured.
                self.residual();
                let s = &mut self.stepper;
                self.initial.solve_in_place(&mut s.rhs);
                for (d, delta) in self.trial.displacement.iter_mut().zip(&s.rhs) {
                    *d += delta;
                }
                self.follow();
            }
        }
        let s = &mut self.stepper;
        s.problem.structure.commit();
        let [one, two] = &mut self.earlier;
        std::mem::swap(one, two);
        one.copy_from_slice(&s.response.displacement);
        s.response.copy_from(&self.trial);
        s.steps += 1;
        self.next_step(loading);
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

impl IntegratorView for Implicit {
    fn target_fraction(&self) -> f64 {
        match self.iteration {
            Iteration::Fixed { questions, .. } => self.question as f64 / questions as f64,
            Iteration::Newton { .. } => 1.0,
        }
    }

    fn unsettled(&self) -> u64 {
        self.unsettled
    }
}
