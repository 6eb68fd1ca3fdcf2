//! Central difference method.

use crate::coupled::{Stepper, from_stepper};
use crate::{Answer, Build, Integrator, IntegratorContext, Loading, Problem, Stepping};
use tandem_quantity::{BuildError, Entry, Method, Motion, Settings, snapshot};
use tandem_structure::{Factor, Matrix};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "central-difference",
        summary: "explicit central differences: velocities and accelerations follow from three \
            displacements",
        reference: "Takanashi et al. 1975; Mahin and Shing 1985",
        parameters: Stepping::PARAMETERS,
    },
    build: &|_, problem, &IntegratorContext { loading, .. }| {
        Ok(Box::new(CentralDifference::new(problem, loading)?))
    },
};

/// (M/Δt² + C/2Δt) d₊ = F − r(d) + 2M/Δt² d − (M/Δt² − C/2Δt) d₋,
/// v = (d₊ − d₋)/2Δt,  a = (d₊ − 2d + d₋)/Δt².
///
/// The specimen is asked at d₊; its own M_e and C_e act through the same differences.
struct CentralDifference {
    stepper: Stepper,
    effective: Factor,
    mass: Matrix,
    damping: Matrix,
    /// d₋, d and d₊.
    before: Vec<f64>,
    now: Vec<f64>,
    next: Vec<f64>,
    scratch: Vec<f64>,
    zero: Vec<f64>,
}

snapshot!(CentralDifference {
    stepper,
    before,
    now,
    next
});

impl CentralDifference {
    fn new(problem: Problem, loading: &dyn Loading) -> Result<Self, BuildError> {
        let dt = problem.dt;
        let (mass, damping) = (problem.total_mass(), problem.total_damping());
        Problem::factor_mass(&mass)?;
        let critical = problem.check_step(2.0)?;
        let effective = Problem::factor(&Matrix::combine(&[
            (1.0 / (dt * dt), &mass),
            (0.5 / dt, &damping),
        ]))?;
        let dof = problem.structure.properties().dof();
        let stepper = Stepper::new(problem, loading, Some(critical));
        // From rest: d₋ = ½Δt² a₀ (and d₊ the same), so that v₀ = 0 and a₀ comes out.
        let start: Vec<f64> = stepper
            .response
            .acceleration
            .iter()
            .map(|a| 0.5 * dt * dt * a)
            .collect();
        let mut method = Self {
            stepper,
            effective,
            mass,
            damping,
            before: start.clone(),
            now: vec![0.0; dof],
            next: start,
            scratch: vec![0.0; dof],
            zero: vec![0.0; dof],
        };
        method.ask();
        Ok(method)
    }

    /// Asks at d₊ with the velocity that is known before the step after it: the backward
    /// difference.
    #[inline]
    fn ask(&mut self) {
        let dt = self.stepper.problem.dt;
        for ((s, next), now) in self.scratch.iter_mut().zip(&self.next).zip(&self.now) {
            *s = (next - now) / dt;
        }
        self.stepper.ask(&self.next, &self.scratch);
    }
}

impl Integrator for CentralDifference {
    from_stepper!();

    #[inline]
    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
        // The answer belongs to d₊: it becomes the present, and the next displacement follows.
        std::mem::swap(&mut self.before, &mut self.now);
        std::mem::swap(&mut self.now, &mut self.next);
        let s = &mut self.stepper;
        let dt = s.problem.dt;
        loading.force(s.end_of_step(), &mut s.rhs);
        s.problem
            .structure
            .restoring_force(&self.now, &self.zero, &mut s.force);
        s.problem.structure.commit();
        for (b, r) in s.rhs.iter_mut().zip(&s.force) {
            *b -= r;
        }
        s.subtract_specimen(answer.force);
        // What was asked of the specimen's dashpots is taken out: C_e acts through the central
        // difference.
        let n = s.problem.interface.len();
        for (a, &i) in s.problem.interface.iter().enumerate() {
            let row = &s.problem.specimen.damping[a * n..(a + 1) * n];
            s.rhs[i] += row
                .iter()
                .zip(&s.target.velocity)
                .map(|(c, x)| c * x)
                .sum::<f64>();
        }
        for i in 0..self.now.len() {
            self.scratch[i] = (2.0 * self.now[i] - self.before[i]) / (dt * dt);
        }
        self.mass.mul_add(1.0, &self.scratch, &mut s.rhs);
        self.damping.mul_add(0.5 / dt, &self.before, &mut s.rhs);
        self.effective.solve_in_place(&mut s.rhs);
        self.next.copy_from_slice(&s.rhs);
        for i in 0..self.now.len() {
            s.response.displacement[i] = self.now[i];
            s.response.velocity[i] = (self.next[i] - self.before[i]) / (2.0 * dt);
            s.response.acceleration[i] =
                (self.next[i] - 2.0 * self.now[i] + self.before[i]) / (dt * dt);
        }
        s.steps += 1;
        self.ask();
        true
    }

    fn start_from(&mut self, motion: &Motion, _loading: &dyn Loading) {
        let dt = self.stepper.problem.dt;
        self.stepper.restart(motion);
        for i in 0..self.now.len() {
            let (d, v, a) = (
                motion.displacement[i],
                motion.velocity[i],
                motion.acceleration[i],
            );
            self.now[i] = d;
            self.next[i] = d + dt * v + 0.5 * dt * dt * a;
        }
        self.ask();
    }
}
