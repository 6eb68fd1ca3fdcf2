//! One substructure of a partitioned step.

use tandem_quantity::{BuildError, Snapshot, SnapshotError, StateReader, snapshot};
use tandem_structure::{Factor, Matrix, Structure};

/// Newmark's constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newmark {
    /// γ.
    pub gamma: f64,
    /// β; zero is explicit: the structure is asked at the displacement of the answer, and never to
    /// go back.
    pub beta: f64,
}

impl Newmark {
    /// γ = ½, β = 0: for the physical part.
    pub const CENTRAL_DIFFERENCE: Self = Self {
        gamma: 0.5,
        beta: 0.0,
    };
    /// γ = ½, β = ¼: for the numerical part.
    pub const AVERAGE_ACCELERATION: Self = Self {
        gamma: 0.5,
        beta: 0.25,
    };
}

/// What moves a physical part: it does not reach quite what was asked for.
pub trait Actuation: Snapshot + Send {
    /// Where the part is moved to, m, when it is asked to go to `asked`. Called once a step.
    fn reach(&mut self, asked: &[f64], reached: &mut [f64]);
}

/// A part that is moved by actuators, and whose restoring force is measured where they have moved
/// it to.
struct Moved {
    by: Box<dyn Actuation>,
    /// K of Eq. 10 by rows; empty: no correction.
    stiffness: Vec<f64>,
    reached: Vec<f64>,
}

snapshot!(Moved { by });

/// A substructure with its own Newmark constants and step. Restoring forces that are not linear are
/// taken at the predictor and continued with the initial stiffness (operator splitting): no
/// iterations.
///
/// Ports of a step: ground acceleration at its end (m/s²), interface forces q (N) → velocities at
/// the rows of L (m/s).
pub struct Part {
    structure: Box<dyn Structure>,
    /// Degree of freedom of each row of L.
    rows: Vec<usize>,
    newmark: Newmark,
    dt: f64,
    /// D = M + γ Δt C + β Δt² K.
    effective: Factor,
    /// D⁻¹ Lᵀ, one column after the other.
    links: Vec<Vec<f64>>,
    /// H = γ Δt L D⁻¹ Lᵀ by rows.
    mobility: Vec<f64>,
    /// Force for a unit of ground acceleration, −M_g ι.
    per_unit: Vec<f64>,
    /// None: it goes exactly where it is asked to.
    moved: Option<Moved>,
    state: State,
}

/// What changes.
struct State {
    displacement: Vec<f64>,
    velocity: Vec<f64>,
    acceleration: Vec<f64>,
    restoring: Vec<f64>,
}

snapshot!(State {
    displacement,
    velocity,
    acceleration,
    restoring
});

impl Snapshot for Part {
    fn save(&self, into: &mut Vec<f64>) {
        self.structure.save(into);
        self.state.save(into);
        if let Some(moved) = &self.moved {
            moved.save(into);
        }
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.structure.restore(from)?;
        self.state.restore(from)?;
        match &mut self.moved {
            Some(moved) => moved.restore(from),
            None => Ok(()),
        }
    }
}

impl Part {
    /// A substructure whose degrees of freedom `rows` are tied to the interface.
    pub fn new(
        structure: Box<dyn Structure>,
        rows: Vec<usize>,
        newmark: Newmark,
        dt: f64,
    ) -> Result<Self, BuildError> {
        let n = structure.properties().dof();
        if let Some(row) = rows.iter().find(|row| **row >= n) {
            return Err(BuildError::new(
                "interface",
                format!(
                    "degree of freedom {} is tied to the interface, the part has {n}",
                    row + 1
                ),
                format!("take degrees of freedom from 1 to {n}"),
            ));
        }
        let Newmark { gamma, beta } = newmark;
        let effective = Matrix::combine(&[
            (1.0, &structure.properties().mass),
            (gamma * dt, &structure.properties().damping),
            (beta * dt * dt, &structure.properties().stiffness),
        ]);
        let mut effective = effective.factor().map_err(|error| {
            BuildError::new(
                "beta",
                format!("the equations of a step of this part cannot be solved: {error}"),
                "give every degree of freedom a mass, or take beta = 0.25",
            )
        })?;
        let mut links = Vec::new();
        for row in &rows {
            let mut unit = vec![0.0; n];
            unit[*row] = 1.0;
            effective.solve_in_place(&mut unit);
            links.push(unit);
        }
        let mobility = rows
            .iter()
            .flat_map(|row| links.iter().map(move |link| gamma * dt * link[*row]))
            .collect();
        let per_unit = structure.properties().ground_force();
        let zeros = || vec![0.0; n];
        Ok(Self {
            rows,
            newmark,
            dt,
            effective,
            links,
            mobility,
            per_unit,
            moved: None,
            state: State {
                displacement: zeros(),
                velocity: zeros(),
                acceleration: zeros(),
                restoring: zeros(),
            },
            structure,
        })
    }

    /// The same part, moved by actuators; `stiffness` is the estimate of K that corrects for what
    /// they miss (Eq. 10), by rows; empty: nothing is corrected.
    pub fn moved_by(
        mut self,
        by: Box<dyn Actuation>,
        stiffness: Vec<f64>,
    ) -> Result<Self, BuildError> {
        let n = self.dof();
        if self.newmark.beta != 0.0 {
            return Err(BuildError::new(
                "beta",
                "a part that actuators move cannot be asked to go back within a step",
                "take beta = 0 for it",
            ));
        }
        if !(stiffness.is_empty() || stiffness.len() == n * n) {
            return Err(BuildError::new(
                "stiffness_estimate",
                format!("{} values for {n} degrees of freedom", stiffness.len()),
                format!("give {n} rows of {n} values"),
            ));
        }
        self.moved = Some(Moved {
            by,
            stiffness,
            reached: vec![0.0; n],
        });
        Ok(self)
    }

    /// Degrees of freedom.
    pub fn dof(&self) -> usize {
        self.structure.properties().dof()
    }
    /// Number of rows of L.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }
    /// Degree of freedom of each row of L.
    pub fn tied(&self) -> &[usize] {
        &self.rows
    }
    /// Step, s.
    pub fn dt(&self) -> f64 {
        self.dt
    }
    /// H = γ Δt L D⁻¹ Lᵀ by rows, m/s per N.
    pub fn mobility(&self) -> &[f64] {
        &self.mobility
    }
    /// The substructure.
    pub fn structure(&self) -> &dyn Structure {
        self.structure.as_ref()
    }
    /// Displacements u, m.
    pub fn displacement(&self) -> &[f64] {
        &self.state.displacement
    }
    /// Velocities v, m/s.
    pub fn velocity(&self) -> &[f64] {
        &self.state.velocity
    }
    /// Accelerations a, m/s².
    pub fn acceleration(&self) -> &[f64] {
        &self.state.acceleration
    }
    /// Restoring force at the last predictor, N.
    pub fn restoring(&self) -> &[f64] {
        &self.state.restoring
    }

    /// Sets where it starts. Parts must agree at the interface.
    ///
    /// # Panics
    /// When the lengths are not the degrees of freedom.
    pub fn place(&mut self, displacement: &[f64], velocity: &[f64]) {
        self.state.displacement.copy_from_slice(displacement);
        self.state.velocity.copy_from_slice(velocity);
    }

    /// L M⁻¹ Lᵀ by rows: what q(0) is found with. Empty where the mass cannot be inverted.
    pub fn inverse_mass(&self) -> Vec<f64> {
        let Ok(mut mass) = self.structure.properties().mass.factor() else {
            return self.mobility.clone();
        };
        let mut links = Vec::new();
        for row in &self.rows {
            let mut unit = vec![0.0; self.dof()];
            unit[*row] = 1.0;
            mass.solve_in_place(&mut unit);
            links.push(unit);
        }
        let entries = self
            .rows
            .iter()
            .flat_map(|row| links.iter().map(move |link| link[*row]));
        entries.collect()
    }

    /// The acceleration at the start without interface forces: M⁻¹ (f − C v − r).
    pub fn start(&mut self, ground: f64) {
        let State {
            displacement,
            velocity,
            acceleration,
            restoring,
        } = &mut self.state;
        self.structure
            .restoring_force(displacement, velocity, restoring);
        self.structure.commit();
        for ((a, unit), r) in acceleration
            .iter_mut()
            .zip(&self.per_unit)
            .zip(restoring.iter())
        {
            *a = unit * ground - r;
        }
        self.structure
            .properties()
            .damping
            .mul_add(-1.0, velocity, acceleration);
        match self.structure.properties().mass.factor() {
            Ok(mut mass) => mass.solve_in_place(acceleration),
            Err(_) => acceleration.fill(0.0),
        }
    }

    /// Adds M⁻¹ Lᵀ q(0) to it.
    pub fn start_coupled(&mut self, forces: &[f64]) {
        let Ok(mut mass) = self.structure.properties().mass.factor() else {
            return;
        };
        let mut load = vec![0.0; self.dof()];
        for (row, q) in self.rows.iter().zip(forces) {
            load[*row] += q;
        }
        mass.solve_in_place(&mut load);
        for (a, z) in self.state.acceleration.iter_mut().zip(&load) {
            *a += z;
        }
    }

    /// u ← u + Δt v + (½ − β) Δt² a, v ← v + (1 − γ) Δt a (Eqs 2, 6).
    pub fn predict(&mut self) {
        let (Newmark { gamma, beta }, dt) = (self.newmark, self.dt);
        let State {
            displacement,
            velocity,
            acceleration,
            ..
        } = &mut self.state;
        for ((u, v), a) in displacement
            .iter_mut()
            .zip(velocity.iter_mut())
            .zip(acceleration.iter())
        {
            *u += dt * *v + (0.5 - beta) * dt * dt * a;
            *v += (1.0 - gamma) * dt * a;
        }
    }

    /// The restoring force at the predictor: of the structure itself, or as it is measured where
    /// actuators have moved it to, corrected to the displacement that was asked for (Eq. 10): r =
    /// r_measured + K (u − u_measured).
    pub fn evaluate(&mut self) {
        let State {
            displacement,
            velocity,
            restoring,
            ..
        } = &mut self.state;
        let Some(moved) = &mut self.moved else {
            self.structure
                .restoring_force(displacement, velocity, restoring);
            self.structure.commit();
            return;
        };
        let Moved {
            by,
            stiffness,
            reached,
        } = moved;
        by.reach(displacement, reached);
        self.structure.restoring_force(reached, velocity, restoring);
        self.structure.commit();
        let n = restoring.len();
        for (r, row) in restoring.iter_mut().zip(stiffness.chunks_exact(n.max(1))) {
            for ((k, asked), reached) in row.iter().zip(displacement.iter()).zip(reached.iter()) {
                *r += k * (asked - reached);
            }
        }
    }

    /// The step without interface forces: a ← D⁻¹ (f − C v − r), u ← u + β Δt² a, v ← v + γ Δt a
    /// (Eqs 3–4, 7–8).
    pub fn free(&mut self, ground: f64) {
        let State {
            displacement,
            velocity,
            acceleration,
            restoring,
        } = &mut self.state;
        for ((a, unit), r) in acceleration
            .iter_mut()
            .zip(&self.per_unit)
            .zip(restoring.iter())
        {
            *a = unit * ground - r;
        }
        self.structure
            .properties()
            .damping
            .mul_add(-1.0, velocity, acceleration);
        self.effective.solve_in_place(acceleration);
        let (v_step, u_step) = (
            self.newmark.gamma * self.dt,
            self.newmark.beta * self.dt * self.dt,
        );
        for ((u, v), a) in displacement
            .iter_mut()
            .zip(velocity.iter_mut())
            .zip(acceleration.iter())
        {
            *u += u_step * a;
            *v += v_step * a;
        }
    }

    /// Adds what interface forces do: z = D⁻¹ Lᵀ q, a ← a + z, v ← v + γ Δt z, u ← u + β Δt² z (Eqs
    /// 13–16).
    pub fn couple(&mut self, forces: &[f64]) {
        let (v_step, u_step) = (
            self.newmark.gamma * self.dt,
            self.newmark.beta * self.dt * self.dt,
        );
        let state = &mut self.state;
        for (link, q) in self.links.iter().zip(forces) {
            for (i, l) in link.iter().enumerate() {
                let z = l * q;
                state.acceleration[i] += z;
                state.velocity[i] += v_step * z;
                state.displacement[i] += u_step * z;
            }
        }
    }

    /// The same for forces on all degrees of freedom, N; `scratch` has their number.
    pub fn couple_all(&mut self, forces: &[f64], scratch: &mut [f64]) {
        scratch.copy_from_slice(forces);
        self.effective.solve_in_place(scratch);
        let (v_step, u_step) = (
            self.newmark.gamma * self.dt,
            self.newmark.beta * self.dt * self.dt,
        );
        let state = &mut self.state;
        for (i, z) in scratch.iter().enumerate() {
            state.acceleration[i] += z;
            state.velocity[i] += v_step * z;
            state.displacement[i] += u_step * z;
        }
    }

    /// L v.
    pub fn velocity_at_rows(&self, into: &mut [f64]) {
        for (x, row) in into.iter_mut().zip(&self.rows) {
            *x = self.state.velocity[*row];
        }
    }

    /// L a.
    pub fn acceleration_at_rows(&self, into: &mut [f64]) {
        for (x, row) in into.iter_mut().zip(&self.rows) {
            *x = self.state.acceleration[*row];
        }
    }

    /// `from` −= H q.
    pub(super) fn subtract_mobility(&self, forces: &[f64], from: &mut [f64]) {
        let n = self.rows.len();
        for (row, x) in from.iter_mut().enumerate() {
            let line = &self.mobility[row * n..(row + 1) * n];
            *x -= line.iter().zip(forces).map(|(h, q)| h * q).sum::<f64>();
        }
    }
}
