//! Runge–Kutta of fourth order in state space.

mod linear;

use crate::coupled::{Stepper, from_stepper};
use crate::{
    Answer, Build, Integrator, IntegratorContext, IntegratorView, Loading, Problem, Stepping,
};
use linear::LinearStep;
use tandem_quantity::{BuildError, Entry, Method, Motion, Settings, choice, settings, snapshot};
use tandem_structure::Factor;

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "rk4",
        summary: "classical Runge–Kutta in state space; the specimen's force is held over the \
            step, or asked at every stage",
        reference: "Silva et al. 2020; Gálmez and Fermandois 2020, Eqs 14–15",
        parameters: <(Stepping, Rk4Settings)>::PARAMETERS,
    },
    build: &|values, problem, &IntegratorContext { loading, .. }| {
        let settings = Rk4Settings::read(values)?;
        let stages = match settings.force {
            Force::Stages if !problem.instantaneous => {
                return Err(BuildError::new(
                    "force",
                    "the rig cannot be asked at every stage: it has a transfer system",
                    "write force = \"held\" or force = \"continued\"",
                ));
            }
            Force::Stages => true,
            Force::Auto => problem.instantaneous,
            Force::Held | Force::Continued => false,
        };
        let continued = settings.force == Force::Continued;
        // Undamped limit of the method: Ω < 2√2.
        let critical = problem.check_step(8.0_f64.sqrt())?;
        let mass = if stages {
            problem.total_mass()
        } else {
            problem.structure.properties().mass.clone()
        };
        let mass = Problem::factor_mass(&mass)?;
        Ok(if stages {
            Box::new(Stages::new(problem, loading, mass, critical))
        } else {
            Box::new(Held::new(problem, loading, mass, critical, continued))
        })
    },
};

choice! {
    /// The specimen's force within a step.
    enum Force {
        Auto = "auto",
        Held = "held",
        Continued = "continued",
        Stages = "stages",
    }
}

settings! {
    struct Rk4Settings {
        /// held: the force of this instant acts over the whole step (real time); continued: the
        /// last two forces go on in a straight line, without the half step of lag that holding
        /// adds; stages: a rig without transfer system is asked at every stage; auto: stages where
        /// the rig is instantaneous, else held
        force: Force = choice(Force::WORDS)
            .or("\"auto\""),
    }
}

/// M a = F − r(d, v) − C v, without the specimen; the result stands in `rhs`.
#[inline]
fn balance(s: &mut Stepper, d: &[f64], v: &[f64], time: f64, loading: &dyn Loading) {
    loading.force(time, &mut s.rhs);
    s.problem.structure.restoring_force(d, v, &mut s.force);
    for (b, r) in s.rhs.iter_mut().zip(&s.force) {
        *b -= r;
    }
    s.problem
        .structure
        .properties()
        .damping
        .mul_add(-1.0, v, &mut s.rhs);
}

/// The force measured at t_k acts unchanged until t_{k+1}. The target is the motion of *this*
/// instant.
///
/// This is how the benchmark's block diagram runs: all continuous states advance together over one
/// sample, the discrete feedback is held. With a force that is `continued` over the step it comes
/// near to a block diagram in which the plant is one of the continuous states.
struct Held {
    stepper: Stepper,
    mass: Factor,
    continued: bool,
    /// The stages in one, where the structure allows it.
    linear: Option<LinearStep>,
    /// Force at the beginning of the current step.
    held: Vec<f64>,
    /// What it changes by in a step; zero where it is held.
    change: Vec<f64>,
    /// The force of a stage.
    acting: Vec<f64>,
    /// Slopes of the four stages: velocity and acceleration.
    slope_d: Vec<f64>,
    slope_v: Vec<f64>,
    sum_d: Vec<f64>,
    sum_v: Vec<f64>,
    stage_d: Vec<f64>,
    stage_v: Vec<f64>,
}

snapshot!(Held {
    stepper,
    held,
    change
});

impl Held {
    fn new(
        problem: Problem,
        loading: &dyn Loading,
        mut mass: Factor,
        critical: f64,
        continued: bool,
    ) -> Self {
        let (dof, interface) = (
            problem.structure.properties().dof(),
            problem.interface.len(),
        );
        let zeros = || vec![0.0; dof];
        let linear = LinearStep::new(&problem, &mut mass);
        let mut stepper = Stepper::new(problem, loading, Some(critical));
        stepper.properties.works_within_steps = true;
        stepper.properties.looks_ahead = false;
        stepper.properties.holds_force = !continued;
        let mut method = Self {
            linear,
            stepper,
            mass,
            continued,
            held: vec![0.0; interface],
            change: vec![0.0; interface],
            acting: vec![0.0; interface],
            slope_d: zeros(),
            slope_v: zeros(),
            sum_d: zeros(),
            sum_v: zeros(),
            stage_d: zeros(),
            stage_v: zeros(),
        };
        method.finish(0.0, loading);
        method
    }

    /// Acceleration at (stage_d, stage_v), `ahead` of the step's beginning, into slope_v.
    #[inline]
    fn accelerate(&mut self, time: f64, ahead: f64, loading: &dyn Loading) {
        let s = &mut self.stepper;
        balance(s, &self.stage_d, &self.stage_v, time, loading);
        for i in 0..self.held.len() {
            self.acting[i] = self.held[i] + ahead * self.change[i];
        }
        s.problem.subtract(&self.acting, &mut s.rhs);
        self.mass.solve_in_place(&mut s.rhs);
        self.slope_d.copy_from_slice(&self.stage_v);
        self.slope_v.copy_from_slice(&s.rhs);
    }

    /// Displacement and velocity to the end of the step, stage by stage.
    #[inline(never)]
    fn go(&mut self, end: f64, loading: &dyn Loading) {
        let (dt, dof) = (self.stepper.problem.dt, self.sum_d.len());
        // Stage 1 is known: it is the acceleration of the last instant.
        self.slope_d
            .copy_from_slice(&self.stepper.response.velocity);
        self.slope_v
            .copy_from_slice(&self.stepper.response.acceleration);
        self.sum_d.fill(0.0);
        self.sum_v.fill(0.0);
        for (weight, ahead) in [(1.0, 0.5), (2.0, 0.5), (2.0, 1.0), (1.0, 0.0)] {
            for i in 0..dof {
                self.sum_d[i] += weight * self.slope_d[i];
                self.sum_v[i] += weight * self.slope_v[i];
            }
            if ahead > 0.0 {
                let Motion {
                    displacement: d,
                    velocity: v,
                    ..
                } = &self.stepper.response;
                for i in 0..dof {
                    self.stage_d[i] = d[i] + ahead * dt * self.slope_d[i];
                    self.stage_v[i] = v[i] + ahead * dt * self.slope_v[i];
                }
                self.accelerate(end - dt + ahead * dt, ahead, loading);
            }
        }
        let response = &mut self.stepper.response;
        for i in 0..dof {
            response.displacement[i] += dt / 6.0 * self.sum_d[i];
            response.velocity[i] += dt / 6.0 * self.sum_v[i];
        }
    }

    /// Acceleration and target at the present state under the held force.
    #[inline(never)]
    fn finish(&mut self, time: f64, loading: &dyn Loading) {
        self.stage_d
            .copy_from_slice(&self.stepper.response.displacement);
        self.stage_v
            .copy_from_slice(&self.stepper.response.velocity);
        self.accelerate(time, 0.0, loading);
        let s = &mut self.stepper;
        s.problem.structure.commit();
        s.response.acceleration.copy_from_slice(&self.slope_v);
        self.aim();
    }

    /// The target is the present motion of the interface.
    #[inline(always)]
    fn aim(&mut self) {
        let s = &mut self.stepper;
        s.problem
            .gather(&s.response.displacement, &mut s.target.displacement);
        s.problem
            .gather(&s.response.velocity, &mut s.target.velocity);
        s.problem
            .gather(&s.response.acceleration, &mut s.target.acceleration);
    }

    /// A step under the force that was held, then the new one.
    #[inline(always)]
    fn step(&mut self, answer: Answer<'_>, loading: &dyn Loading) {
        let end = self.stepper.end_of_step();
        let Stepper {
            problem, response, ..
        } = &mut self.stepper;
        match &mut self.linear {
            Some(step) => step.go(problem, response, end, [&self.held, &self.change], loading),
            None => self.go(end, loading),
        }
        for (i, force) in answer.force.iter().enumerate() {
            self.change[i] = if self.continued {
                force - self.held[i]
            } else {
                0.0
            };
            self.held[i] = *force;
        }
        self.stepper.steps += 1;
        let Stepper {
            problem, response, ..
        } = &mut self.stepper;
        match &mut self.linear {
            Some(step) => {
                step.accelerate(problem, response, &self.held);
                problem.structure.take_up(&response.displacement);
                self.aim();
            }
            None => self.finish(end, loading),
        }
    }
}

/// A step, with the widest vectors of the machine at hand.
struct Feed<'a> {
    method: &'a mut Held,
    answer: Answer<'a>,
    loading: &'a dyn Loading,
}

impl pulp::WithSimd for Feed<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        self.method.step(self.answer, self.loading);
    }
}

impl Integrator for Held {
    from_stepper!();

    #[inline]
    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
        pulp::Arch::new().dispatch(Feed {
            method: self,
            answer,
            loading,
        });
        true
    }

    /// The acceleration follows from displacement, velocity and what is known of the specimen.
    fn start_from(&mut self, motion: &Motion, loading: &dyn Loading) {
        let s = &mut self.stepper;
        s.restart(motion);
        let Problem {
            interface,
            specimen,
            ..
        } = &s.problem;
        for (a, f) in self.held.iter_mut().enumerate() {
            let row = specimen.stiffness[a * interface.len()..].iter();
            *f = row
                .zip(interface)
                .map(|(k, &j)| k * motion.displacement[j])
                .sum();
        }
        self.change.fill(0.0);
        self.finish(0.0, loading);
    }

    fn observe(&self) -> &dyn IntegratorView {
        self
    }
}

impl IntegratorView for Held {
    fn target_fraction(&self) -> f64 {
        0.0
    }
}

/// The specimen is asked at every stage: with a rig that has no transfer system the algebraic loop
/// through the specimen's mass is solved with M + M_e, and the answer is that of the undivided
/// structure.
struct Stages {
    stepper: Stepper,
    mass: Factor,
    /// Question in progress: 1, 2, 3 are the inner stages, 0 the state at the end of the step.
    stage: usize,
    /// Slopes of the stage that was answered last.
    slope_d: Vec<f64>,
    slope_v: Vec<f64>,
    sum_d: Vec<f64>,
    sum_v: Vec<f64>,
    stage_d: Vec<f64>,
    stage_v: Vec<f64>,
}

snapshot!(Stages {
    stepper,
    stage,
    slope_d,
    slope_v,
    sum_d,
    sum_v,
    stage_d,
    stage_v
});

/// Weight of the stage just answered, and how far ahead the next one stands.
const TABLEAU: [(f64, f64); 4] = [(1.0, 0.5), (2.0, 0.5), (2.0, 1.0), (1.0, 0.0)];

impl Stages {
    fn new(problem: Problem, loading: &dyn Loading, mass: Factor, critical: f64) -> Self {
        let dof = problem.structure.properties().dof();
        let zeros = || vec![0.0; dof];
        let mut stepper = Stepper::new(problem, loading, Some(critical));
        stepper.properties.works_within_steps = true;
        stepper.properties.needs_instant_answers = true;
        let mut method = Self {
            mass,
            stage: 0,
            slope_d: zeros(),
            slope_v: stepper.response.acceleration.clone(),
            sum_d: zeros(),
            sum_v: zeros(),
            stage_d: zeros(),
            stage_v: zeros(),
            stepper,
        };
        method.next_question();
        method
    }

    /// Adds the slopes of the stage just answered and asks the next.
    #[inline]
    fn next_question(&mut self) {
        let dt = self.stepper.problem.dt;
        let (weight, ahead) = TABLEAU[self.stage];
        let Motion {
            displacement: d,
            velocity: v,
            ..
        } = &self.stepper.response;
        for i in 0..d.len() {
            self.sum_d[i] += weight * self.slope_d[i];
            self.sum_v[i] += weight * self.slope_v[i];
        }
        if self.stage < 3 {
            for i in 0..d.len() {
                self.stage_d[i] = d[i] + ahead * dt * self.slope_d[i];
                self.stage_v[i] = v[i] + ahead * dt * self.slope_v[i];
            }
            self.stage += 1;
        } else {
            for i in 0..d.len() {
                self.stage_d[i] = d[i] + dt / 6.0 * self.sum_d[i];
                self.stage_v[i] = v[i] + dt / 6.0 * self.sum_v[i];
            }
            self.stage = 0;
        }
        self.stepper.ask(&self.stage_d, &self.stage_v);
    }
}

impl Integrator for Stages {
    from_stepper!();

    #[inline]
    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
        let s = &mut self.stepper;
        let ahead = if self.stage == 0 {
            1.0
        } else {
            TABLEAU[self.stage - 1].1
        };
        let time = s.end_of_step() + (ahead - 1.0) * s.problem.dt;
        balance(s, &self.stage_d, &self.stage_v, time, loading);
        s.subtract_specimen(answer.force);
        self.mass.solve_in_place(&mut s.rhs);
        self.slope_d.copy_from_slice(&self.stage_v);
        self.slope_v.copy_from_slice(&s.rhs);
        let complete = self.stage == 0;
        if complete {
            s.problem.structure.commit();
            s.response.displacement.copy_from_slice(&self.stage_d);
            s.response.velocity.copy_from_slice(&self.stage_v);
            s.response.acceleration.copy_from_slice(&self.slope_v);
            s.steps += 1;
            self.sum_d.fill(0.0);
            self.sum_v.fill(0.0);
        }
        self.next_question();
        complete
    }

    fn start_from(&mut self, motion: &Motion, _loading: &dyn Loading) {
        self.stepper.restart(motion);
        self.stage = 0;
        self.sum_d.fill(0.0);
        self.sum_v.fill(0.0);
        self.slope_d.copy_from_slice(&motion.velocity);
        self.slope_v.copy_from_slice(&motion.acceleration);
        self.next_question();
    }

    fn observe(&self) -> &dyn IntegratorView {
        self
    }
}

impl IntegratorView for Stages {
    fn needs_instant_answer(&self) -> bool {
        self.stage != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_quantity::SpecimenMatrices;
    use tandem_structure::{Linear, Matrix};

    /// 7 N, whenever.
    struct Steady;

    impl Loading for Steady {
        fn force(&self, _time: f64, force: &mut [f64]) {
            force.fill(7.0);
        }
    }

    /// Under what stands still over a step, Runge–Kutta of fourth order is the exponential up to
    /// its fourth power: with y = (d, v), y' = A y + b, y₊ = Σ_{k≤4} (hA)^k/k! y + h Σ_{k≤3}
    /// (hA)^k/(k+1)! b. Both ways to make the step are: all stages in one, and one after the other.
    #[test]
    fn a_held_force_gives_the_series_of_the_exponential() {
        let (m, c, k, h): (f64, f64, f64, f64) = (2.0, 3.0, 800.0, 0.01);
        let one = |x: f64| Matrix::from_rows(&[vec![x]]).unwrap();
        for at_once in [true, false] {
            let structure = Linear::new(one(m), one(c), one(k)).unwrap();
            let problem = Problem {
                structure: Box::new(structure),
                interface: vec![0],
                specimen: SpecimenMatrices::none(1),
                dt: h,
                instantaneous: false,
            };
            let mass = Problem::factor_mass(&problem.structure.properties().mass).unwrap();
            let mut method = Held::new(problem, &Steady, mass, 1.0, false);
            assert!(method.linear.is_some());
            if !at_once {
                method.linear = None;
            }
            let (mut y, mut held) = ([0.0, 0.0], 0.0);
            for step in 0..300_u32 {
                let b = [0.0, (7.0 - held) / m];
                let slope = |x: [f64; 2]| [x[1], -(k * x[0] + c * x[1]) / m];
                // The term (hA)^k y/k!, and that of b, which lags by one power.
                let (mut of_y, mut of_b, mut next) = (y, b.map(|x| h * x), y);
                for power in 1..=4_u32 {
                    let n = f64::from(power);
                    of_y = slope(of_y).map(|x| h * x / n);
                    for i in 0..2 {
                        next[i] += of_y[i] + of_b[i];
                    }
                    of_b = slope(of_b).map(|x| h * x / (n + 1.0));
                }
                y = next;
                held = 5.0 * (0.3 * f64::from(step)).sin();
                assert!(method.feed(Answer::new(&[0.0], &[held]), &Steady));
                let Motion {
                    displacement: d,
                    velocity: v,
                    acceleration: a,
                } = method.response();
                let expected = slope(y)[1] + (7.0 - held) / m;
                assert!((d[0] - y[0]).abs() < 1e-14 && (v[0] - y[1]).abs() < 1e-13);
                assert!((a[0] - expected).abs() < 1e-11, "{step}: {a:?} {expected}");
            }
        }
    }
}
