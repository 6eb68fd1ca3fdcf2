//! Exact discretisation of a linear structure in state space.

use crate::coupled::{Stepper, from_stepper};
use crate::{Answer, Build, Integrator, IntegratorContext, Loading, Problem, Stepping};
use faer::Mat;
use tandem_quantity::{BuildError, Entry, Method, Motion, Settings, choice, settings, snapshot};
use tandem_structure::{Factor, Matrix};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "exact",
        summary: "exact discretisation of a linear structure by the matrix exponential; only the \
            load between two instants is approximated",
        reference: "Franklin, Powell and Workman 1998, §4.3",
        parameters: <(Stepping, ExactSettings)>::PARAMETERS,
    },
    build: &|values, problem, &IntegratorContext { loading, .. }| {
        let settings = ExactSettings::read(values)?;
        let ramp = settings.load == Load::Ramp;
        Ok(Box::new(Exact::new(problem, loading, ramp)?))
    },
};

choice! {
    /// The external load within a step.
    enum Load {
        Ramp = "ramp",
        Held = "held",
    }
}

settings! {
    struct ExactSettings {
        /// external load within a step: ramp: straight between its ends; held: that of its
        /// beginning
        load: Load = choice(Load::WORDS).or("\"ramp\""),
    }
}

/// More degrees of freedom would make full matrices that no real-time step can multiply.
const LARGEST: usize = 200;

/// With y = (d, Δt v) and u = Δt² M⁻¹(F − e): y₁ = Φ y + Γ₀ u₀ + Γ₁ (u₁ − u₀).
///
/// M, C and K contain what is known of the specimen; e = f − (K_e d + C_e v + M_e a) is what its
/// answer differs from that, held over the next step. The target is the motion at the end of the
/// step.
struct Exact {
    stepper: Stepper,
    ramp: bool,
    mass: Factor,
    damping: Matrix,
    stiffness: Matrix,
    /// Φ, Γ₀, Γ₁ beside each other: 2n rows of 4n.
    transition: Vec<f64>,
    /// Motion at the end of the step.
    next: Motion,
    /// e.
    surplus: Vec<f64>,
    /// F₀ and F₁.
    load_before: Vec<f64>,
    load: Vec<f64>,
    /// (d, Δt v, u₀, u₁ − u₀).
    input: Vec<f64>,
}

snapshot!(Exact {
    stepper,
    next,
    surplus,
    load_before,
    load
});

impl Exact {
    fn new(problem: Problem, loading: &dyn Loading, ramp: bool) -> Result<Self, BuildError> {
        let dof = problem.structure.properties().dof();
        if !problem.structure.properties().is_linear {
            return Err(BuildError::new(
                "method",
                "the exact discretisation needs a linear structure",
                "take \"alpha-os\" or \"newmark-iterated\"",
            ));
        }
        if dof > LARGEST {
            return Err(BuildError::new(
                "method",
                format!(
                    "{dof} degrees of freedom: the exact discretisation takes {LARGEST} at most"
                ),
                "reduce the structure, or take an implicit method such as \"newmark\"",
            ));
        }
        let (damping, stiffness) = (problem.total_damping(), problem.total_stiffness());
        let mut mass = Problem::factor_mass(&problem.total_mass())?;
        let transition = transition(&mut mass, &damping, &stiffness, problem.dt);
        let zeros = vec![0.0; dof];
        let mut stepper = Stepper::new(problem, loading, None);
        stepper.properties.works_within_steps = true;
        let mut method = Self {
            stepper,
            ramp,
            mass,
            damping,
            stiffness,
            transition,
            next: Motion::at_rest(dof),
            surplus: zeros.clone(),
            load_before: zeros.clone(),
            load: zeros,
            input: vec![0.0; 4 * dof],
        };
        loading.force(0.0, &mut method.load);
        method.advance(loading);
        Ok(method)
    }

    /// The motion at the end of the coming step, as if the specimen went on as it does.
    #[inline]
    fn advance(&mut self, loading: &dyn Loading) {
        let s = &mut self.stepper;
        let (n, dt) = (self.surplus.len(), s.problem.dt);
        std::mem::swap(&mut self.load_before, &mut self.load);
        loading.force(s.end_of_step(), &mut self.load);
        for i in 0..n {
            self.input[i] = s.response.displacement[i];
            self.input[n + i] = dt * s.response.velocity[i];
            self.input[2 * n + i] = dt * dt * (self.load_before[i] - self.surplus[i]);
            let rise = if self.ramp {
                self.load[i] - self.load_before[i]
            } else {
                0.0
            };
            self.input[3 * n + i] = dt * dt * rise;
        }
        self.mass.solve_in_place(&mut self.input[2 * n..3 * n]);
        self.mass.solve_in_place(&mut self.input[3 * n..]);
        let times = |row: &[f64]| -> f64 { row.iter().zip(&self.input).map(|(a, x)| a * x).sum() };
        for (i, row) in self.transition.chunks_exact(4 * n.max(1)).enumerate() {
            if i < n {
                self.next.displacement[i] = times(row);
            } else {
                self.next.velocity[i - n] = times(row) / dt;
            }
        }
        self.stiffness
            .mul_into(&self.next.displacement, &mut s.force);
        for (r, e) in s.force.iter_mut().zip(&self.surplus) {
            *r += e;
        }
        self.accelerate();
        let Motion {
            displacement: d,
            velocity: v,
            acceleration: a,
        } = &self.next;
        self.stepper.ask_moving(d, v, a);
    }

    /// M a = F₁ − C v − `force` at the end of the step.
    #[inline]
    fn accelerate(&mut self) {
        let s = &mut self.stepper;
        for i in 0..self.load.len() {
            s.rhs[i] = self.load[i] - s.force[i];
        }
        self.damping.mul_add(-1.0, &self.next.velocity, &mut s.rhs);
        self.mass.solve_in_place(&mut s.rhs);
        self.next.acceleration.copy_from_slice(&s.rhs);
    }
}

impl Integrator for Exact {
    from_stepper!();

    #[inline]
    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
        let s = &mut self.stepper;
        s.restoring(&self.next.displacement, &self.next.velocity, answer);
        s.problem.structure.commit();
        self.surplus.copy_from_slice(&s.force);
        self.stiffness
            .mul_add(-1.0, &self.next.displacement, &mut self.surplus);
        self.accelerate();
        let s = &mut self.stepper;
        s.response.copy_from(&self.next);
        s.steps += 1;
        self.advance(loading);
        true
    }

    fn start_from(&mut self, motion: &Motion, loading: &dyn Loading) {
        self.stepper.restart(motion);
        self.surplus.fill(0.0);
        loading.force(0.0, &mut self.load);
        self.advance(loading);
    }
}

/// Φ, Γ₀, Γ₁ by rows, from the exponential of [A B 0; 0 0 I; 0 0 0] with time counted in steps (Van
/// Loan 1978): A = [0 I; −Δt²M⁻¹K −ΔtM⁻¹C], B = [0; I].
fn transition(mass: &mut Factor, damping: &Matrix, stiffness: &Matrix, dt: f64) -> Vec<f64> {
    let n = stiffness.order();
    let mut rate = Mat::<f64>::zeros(4 * n, 4 * n);
    let mut column = vec![0.0; n];
    for (matrix, scale, offset) in [(stiffness, dt * dt, 0), (damping, dt, n)] {
        for j in 0..n {
            for (i, x) in column.iter_mut().enumerate() {
                *x = matrix.get(i, j);
            }
            mass.solve_in_place(&mut column);
            for (i, x) in column.iter().enumerate() {
                rate[(n + i, offset + j)] = -scale * x;
            }
        }
    }
    for i in 0..3 * n {
        rate[(i, i + n)] += 1.0;
    }
    let phi = exponential(&rate);
    (0..2 * n)
        .flat_map(|i| (0..4 * n).map(move |j| (i, j)))
        .map(|(i, j)| phi[(i, j)])
        .collect()
}

/// e^A by Taylor's series of A/2^s, squared s times.
fn exponential(a: &Mat<f64>) -> Mat<f64> {
    let n = a.nrows();
    let norm = (0..n)
        .map(|i| (0..n).map(|j| a[(i, j)].abs()).sum::<f64>())
        .fold(0.0_f64, f64::max);
    let (mut scale, mut squarings) = (1.0, 0);
    while norm * scale > 0.5 && squarings < 200 {
        scale *= 0.5;
        squarings += 1;
    }
    let small = Mat::from_fn(n, n, |i, j| scale * a[(i, j)]);
    // ½¹⁵/15! is below the rounding of one.
    let mut sum = Mat::<f64>::identity(n, n);
    for k in (1..=15).rev() {
        sum = &small * &sum;
        for i in 0..n {
            for j in 0..n {
                sum[(i, j)] /= f64::from(k);
            }
            sum[(i, i)] += 1.0;
        }
    }
    for _ in 0..squarings {
        sum = &sum * &sum;
    }
    sum
}
