//! The numerical substructure with its interface: what every method starts from.

use crate::{Answer, IntegratorProperties, Loading};
use tandem_quantity::{BuildError, Motion, Snapshot, SnapshotError, SpecimenMatrices, StateReader};
use tandem_structure::{Factor, Linear, Matrix, Structure, StructureProperties};

/// A numerical substructure, the degrees of freedom it shares with the specimen, and what is known
/// of the specimen.
///
/// The specimen's answer f to a question at (d*, v*, a*) is continued to the end of the step by f +
/// K_e (d − d*) + C_e (v − v*) + M_e (a − a*). That is operator splitting; for a linear specimen
/// whose matrices are known it is exact, and the partitioned test equals the undivided one.
pub struct Problem {
    /// The numerical substructure.
    pub structure: Box<dyn Structure>,
    /// Degrees of freedom shared with the specimen, counted from zero. Empty: an all-numerical
    /// structure.
    pub interface: Vec<usize>,
    /// What the method may assume of the specimen.
    pub specimen: SpecimenMatrices,
    /// Step of structural time, s.
    pub dt: f64,
    /// Whether the rig answers at once (no transfer system).
    pub instantaneous: bool,
}

impl Problem {
    /// A problem without specimen.
    pub fn all_numerical(structure: Box<dyn Structure>, dt: f64) -> Self {
        Self {
            structure,
            interface: Vec::new(),
            specimen: SpecimenMatrices::none(0),
            dt,
            instantaneous: true,
        }
    }

    /// The same interface without the structure behind it: what stands in for the problem where
    /// somebody else has it.
    #[must_use]
    pub fn interface_alone(&self) -> Self {
        let properties = self.structure.properties();
        let nothing = Matrix::zeros(properties.dof());
        let structure = Linear::of(StructureProperties {
            kind: properties.kind,
            labels: properties.labels.clone(),
            mass: nothing.clone(),
            damping: nothing.clone(),
            stiffness: nothing,
            influence: vec![1.0; properties.dof()],
            ground_mass: None,
            is_linear: true,
            moving_supports: 0,
        });
        Self {
            structure: Box::new(structure),
            interface: self.interface.clone(),
            specimen: self.specimen.clone(),
            dt: self.dt,
            instantaneous: self.instantaneous,
        }
    }

    /// M of the numerical substructure plus the specimen's.
    pub fn total_mass(&self) -> Matrix {
        self.with_specimen(&self.structure.properties().mass, &self.specimen.mass)
    }

    /// C of the numerical substructure plus the specimen's.
    pub fn total_damping(&self) -> Matrix {
        self.with_specimen(&self.structure.properties().damping, &self.specimen.damping)
    }

    /// Initial K of the numerical substructure plus the specimen's.
    pub fn total_stiffness(&self) -> Matrix {
        self.with_specimen(
            &self.structure.properties().stiffness,
            &self.specimen.stiffness,
        )
    }

    fn with_specimen(&self, base: &Matrix, extra: &[f64]) -> Matrix {
        let n = self.interface.len();
        let mut triplets = Vec::new();
        for (a, &i) in self.interface.iter().enumerate() {
            for (b, &j) in self.interface.iter().enumerate() {
                if extra[a * n + b] != 0.0 {
                    triplets.push((i, j, extra[a * n + b]));
                }
            }
        }
        match Matrix::from_triplets(base.order(), &triplets) {
            Ok(extra) if !triplets.is_empty() => Matrix::combine(&[(1.0, base), (1.0, &extra)]),
            _ => base.clone(),
        }
    }

    /// Subtracts an interface force from a right-hand side of all degrees of freedom.
    #[inline]
    pub(crate) fn subtract(&self, force: &[f64], rhs: &mut [f64]) {
        for (&dof, f) in self.interface.iter().zip(force) {
            rhs[dof] -= f;
        }
    }

    /// Copies the interface part of a vector of all degrees of freedom.
    #[inline(always)]
    pub(crate) fn gather(&self, all: &[f64], interface: &mut [f64]) {
        for (&dof, x) in self.interface.iter().zip(interface) {
            *x = all[dof];
        }
    }

    /// Refuses a step above `limit / ω_max`, the stability limit of a conditionally stable method;
    /// returns that limit.
    pub(crate) fn check_step(&self, limit: f64) -> Result<f64, BuildError> {
        let critical = self.critical_step(limit)?;
        if self.dt > critical {
            return Err(BuildError::new(
                "dt",
                format!(
                    "{:.4} ms is above the stability limit of this method, {:.4} ms",
                    self.dt * 1e3,
                    critical * 1e3
                ),
                format!("take dt ≤ {:.4} ms, or an implicit method", critical * 1e3),
            ));
        }
        Ok(critical)
    }

    /// The largest stable step for a method that is stable while Ω = ω Δt stays below `limit`.
    fn critical_step(&self, limit: f64) -> Result<f64, BuildError> {
        let two_over_omega =
            tandem_structure::critical_time_step(&self.total_mass(), &self.total_stiffness())
                .map_err(|error| {
                    BuildError::new(
                        "method",
                        format!("the highest frequency cannot be found: {error}"),
                        MASSLESS_HELP,
                    )
                })?;
        Ok(0.5 * limit * two_over_omega)
    }

    /// Factor of a mass matrix, or the reason why an explicit method cannot be used.
    pub(crate) fn factor_mass(mass: &Matrix) -> Result<Factor, BuildError> {
        mass.factor().map_err(|error| {
            BuildError::new(
                "method",
                format!("this method needs a regular mass matrix: {error}"),
                MASSLESS_HELP,
            )
        })
    }

    /// Factor of an effective matrix.
    pub(crate) fn factor(matrix: &Matrix) -> Result<Factor, BuildError> {
        matrix.factor().map_err(|error| {
            BuildError::new(
                "method",
                format!("the effective matrix of this method cannot be factored: {error}"),
                "check supports, masses and stiffnesses of the structure",
            )
        })
    }

    /// Acceleration at the start, from rest: M a = F(0). Without a regular mass matrix it is zero.
    pub(crate) fn initial_acceleration(&self, loading: &dyn Loading) -> Vec<f64> {
        let mut a = vec![0.0; self.structure.properties().dof()];
        if let Ok(mut mass) = self.total_mass().factor() {
            loading.force(0.0, &mut a);
            mass.solve_in_place(&mut a);
        }
        a
    }
}

const MASSLESS_HELP: &str =
    "condense degrees of freedom without mass, or take an implicit method such as \"newmark\"";

/// The state that the methods share: motion of all degrees of freedom, the question, counters.
pub(crate) struct Stepper {
    pub problem: Problem,
    pub response: Motion,
    pub target: Motion,
    pub steps: u64,
    pub properties: IntegratorProperties,
    /// Scratch of the size of the structure.
    pub force: Vec<f64>,
    pub rhs: Vec<f64>,
}

impl Stepper {
    /// `critical_dt`: the largest stable step, s, of a conditionally stable method.
    pub fn new(problem: Problem, loading: &dyn Loading, critical_dt: Option<f64>) -> Self {
        let dof = problem.structure.properties().dof();
        let mut response = Motion::at_rest(dof);
        response.acceleration = problem.initial_acceleration(loading);
        let target = Motion::at_rest(problem.interface.len());
        Self {
            properties: IntegratorProperties {
                critical_dt,
                ..IntegratorProperties::of(problem.dt)
            },
            problem,
            response,
            target,
            steps: 0,
            force: vec![0.0; dof],
            rhs: vec![0.0; dof],
        }
    }

    /// Structural time at the end of the step in progress.
    #[inline]
    pub fn end_of_step(&self) -> f64 {
        let n = (self.steps + 1) as f64;
        n * self.problem.dt
    }

    /// Sets the question from vectors of all degrees of freedom.
    #[inline]
    pub fn ask(&mut self, displacement: &[f64], velocity: &[f64]) {
        self.problem
            .gather(displacement, &mut self.target.displacement);
        self.problem.gather(velocity, &mut self.target.velocity);
        // The acceleration of the end is not known yet; the specimen is asked at the last one, and
        // its inertia is continued with M_e.
        self.problem
            .gather(&self.response.acceleration, &mut self.target.acceleration);
    }

    /// Sets the question where the method knows the acceleration as well.
    #[inline]
    pub fn ask_moving(&mut self, displacement: &[f64], velocity: &[f64], acceleration: &[f64]) {
        self.ask(displacement, velocity);
        self.problem
            .gather(acceleration, &mut self.target.acceleration);
    }

    /// `force` = restoring force of numerical substructure and specimen at the question: r(d*, v*)
    /// and f − C_e v* − M_e a*. What is known of the specimen's damping and inertia then belongs to
    /// the total C and M of the method.
    #[inline]
    pub fn restoring(&mut self, displacement: &[f64], velocity: &[f64], answer: Answer<'_>) {
        self.problem
            .structure
            .restoring_force(displacement, velocity, &mut self.force);
        for (a, (&i, f)) in self.problem.interface.iter().zip(answer.force).enumerate() {
            self.force[i] += f - self.known(a);
        }
    }

    /// C_e v* + M_e a* at one interface degree of freedom.
    #[inline]
    fn known(&self, a: usize) -> f64 {
        let specimen = &self.problem.specimen;
        row(&specimen.damping, a, &self.target.velocity)
            + row(&specimen.mass, a, &self.target.acceleration)
    }

    /// The specimen's restoring force alone, over the interface.
    #[inline]
    pub fn specimen_force(&self, measured: &[f64], force: &mut [f64]) {
        for (a, (r, f)) in force.iter_mut().zip(measured).enumerate() {
            *r = f - self.known(a);
        }
    }

    /// `force` = restoring force at a displacement where nobody was asked: the specimen's part is
    /// K_e d.
    pub fn described(&mut self, displacement: &[f64], velocity: &[f64]) {
        let problem = &mut self.problem;
        problem
            .structure
            .restoring_force(displacement, velocity, &mut self.force);
        let n = problem.interface.len();
        for (a, &i) in problem.interface.iter().enumerate() {
            let row = &problem.specimen.stiffness[a * n..(a + 1) * n];
            for (k, &j) in row.iter().zip(&problem.interface) {
                self.force[i] += k * displacement[j];
            }
        }
    }

    /// `rhs` = F(time) − `force` − C v: what is left for the inertia.
    #[inline]
    pub fn balance(
        &mut self,
        time: f64,
        damping: &Matrix,
        velocity: &[f64],
        loading: &dyn Loading,
    ) {
        loading.force(time, &mut self.rhs);
        for (b, r) in self.rhs.iter_mut().zip(&self.force) {
            *b -= r;
        }
        damping.mul_add(-1.0, velocity, &mut self.rhs);
    }

    /// Begins again with this motion of all degrees of freedom.
    pub fn restart(&mut self, motion: &Motion) {
        self.response.copy_from(motion);
        self.steps = 0;
    }

    /// `rhs` −= specimen's force without the inertia that was asked: −(f − M_e a*).
    #[inline]
    pub fn subtract_specimen(&mut self, force: &[f64]) {
        self.problem.subtract(force, &mut self.rhs);
        for (a, &i) in self.problem.interface.iter().enumerate() {
            self.rhs[i] += row(&self.problem.specimen.mass, a, &self.target.acceleration);
        }
    }
}

/// Row `a` of a matrix over the interface, times a vector over the interface.
#[inline]
fn row(matrix: &[f64], a: usize, x: &[f64]) -> f64 {
    let n = x.len();
    matrix[a * n..(a + 1) * n]
        .iter()
        .zip(x)
        .map(|(m, x)| m * x)
        .sum()
}

/// What every method answers from its `stepper`.
macro_rules! from_stepper {
    () => {
        fn properties(&self) -> &$crate::IntegratorProperties {
            &self.stepper.properties
        }

        fn target(&self) -> &Motion {
            &self.stepper.target
        }

        fn response(&self) -> &Motion {
            &self.stepper.response
        }

        fn steps(&self) -> u64 {
            self.stepper.steps
        }

        fn problem(&self) -> &Problem {
            &self.stepper.problem
        }

        fn structure_mut(&mut self) -> &mut dyn $crate::Structure {
            self.stepper.problem.structure.as_mut()
        }
    };
}
pub(crate) use from_stepper;

impl Snapshot for Stepper {
    fn save(&self, into: &mut Vec<f64>) {
        self.problem.structure.save(into);
        self.response.save(into);
        self.target.save(into);
        self.steps.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.problem.structure.restore(from)?;
        self.response.restore(from)?;
        self.target.restore(from)?;
        self.steps.restore(from)
    }
}
