//! The hybrid-testing coupling over Model Exchange FMUs: theirs are only the derivatives, the
//! algorithm is here.
//!
//! With A_u = −∂a/∂u, A_v = −∂a/∂v, B = ∂a/∂λ and J = I + γ Δt A_v + β Δt² A_u, taken once before
//! the run: a_free = J⁻¹ a(u_p, v_p, λ = 0), H = γ Δt L J⁻¹ B, z = J⁻¹ B q.

use tandem_fmi::Interface as FmiInterface;
use tandem_integrator::partitioned::Interface;
use tandem_quantity::BuildError;
use tandem_structure::{Factor, Matrix};

use super::member::Member;
use super::native::largest_step;
use super::sections::Part as Settings;
use super::table::{Column, Table, Tied};
use super::{CosimulationError, Coupling, Scenario, Wired, Workshop};
use tandem_fmi::models::Variant;
use tandem_fmi::slots::second_order::{SecondOrder, Which};

struct Part {
    member: Member,
    motion: SecondOrder,
    jacobian: Factor,
    /// J⁻¹ B, one column per row of L.
    links: Vec<Vec<f64>>,
    /// B, likewise.
    inputs: Vec<Vec<f64>>,
    /// A_u by rows.
    stiffness: Vec<f64>,
}

impl Part {
    fn column(&mut self, which: Which) -> Result<Vec<f64>, CosimulationError> {
        let mut column = vec![0.0; self.motion.u.len()];
        self.motion
            .column(self.member.instance.as_mut(), which, &mut column)?;
        Ok(column)
    }

    /// a(u, v, λ = 0) at a time; u and v as they stand.
    fn evaluate(&mut self, time: f64, ground: f64) -> Result<(), CosimulationError> {
        let instance = self.member.instance.as_mut();
        Ok(self.motion.evaluate(instance, time, ground)?)
    }

    fn linearise(&mut self, dt: f64) -> Result<(), CosimulationError> {
        let (n, gamma, beta) = (self.motion.u.len(), self.member.gamma, self.member.beta);
        let mut j = vec![0.0; n * n];
        for column in 0..n {
            let by_v = self.column(Which::Velocity(column))?;
            let by_u = self.column(Which::Displacement(column))?;
            for row in 0..n {
                self.stiffness[row * n + column] = -by_u[row];
                let unit = f64::from(u8::from(row == column));
                j[row * n + column] = unit - gamma * dt * by_v[row] - beta * dt * dt * by_u[row];
            }
        }
        let refuse = |error: tandem_structure::LinalgError| {
            BuildError::new(
                "part",
                format!("the Jacobian cannot be inverted: {error}"),
                "check beta and dt",
            )
        };
        self.jacobian = Matrix::from_dense(n, &j)
            .and_then(|m| m.factor())
            .map_err(refuse)?;
        for index in 0..self.motion.forces() {
            let column = self.column(Which::Force(index))?;
            self.inputs.push(column.clone());
            let mut link = column;
            self.jacobian.solve_in_place(&mut link);
            self.links.push(link);
        }
        Ok(())
    }

    /// Initialises the FMU and takes its derivatives where it starts.
    fn begin(&mut self, scenario: &Scenario) -> Result<(), CosimulationError> {
        let instance = self.member.instance.as_mut();
        self.motion
            .start(instance, Some(scenario.time(scenario.steps)))?;
        self.motion.check_pairs(instance)?;
        self.linearise(scenario.dt)?;
        self.evaluate(0.0, scenario.ground(0.0))
    }

    /// A step without interface forces.
    fn step_freely(&mut self, time: f64, ground: f64, dt: f64) -> Result<(), CosimulationError> {
        let (gamma, beta) = (self.member.gamma, self.member.beta);
        for i in 0..self.motion.u.len() {
            self.motion.u[i] += dt * self.motion.v[i] + (0.5 - beta) * dt * dt * self.motion.a[i];
            self.motion.v[i] += (1.0 - gamma) * dt * self.motion.a[i];
        }
        self.evaluate(time, ground)?;
        self.jacobian.solve_in_place(&mut self.motion.a);
        for i in 0..self.motion.u.len() {
            self.motion.u[i] += beta * dt * dt * self.motion.a[i];
            self.motion.v[i] += gamma * dt * self.motion.a[i];
        }
        Ok(())
    }

    /// What interface forces add to it, and the events of the step.
    fn couple(&mut self, q: &[f64], dt: f64) -> Result<Option<bool>, CosimulationError> {
        let (gamma, beta) = (self.member.gamma, self.member.beta);
        for (link, q) in self.links.iter().zip(q) {
            for (i, l) in link.iter().enumerate() {
                let z = l * q;
                self.motion.a[i] += z;
                self.motion.v[i] += gamma * dt * z;
                self.motion.u[i] += beta * dt * dt * z;
            }
        }
        Ok(self.motion.accept(self.member.instance.as_mut())?)
    }

    /// Largest circular frequency of it alone, rad/s: the eigenvalues of M⁻¹ K are real and not
    /// negative, so that powers of it find the largest.
    fn highest(&self) -> Option<f64> {
        const ROUNDS: usize = 1000;
        let n = self.motion.u.len();
        // Not the shape of any mode, as a vector of ones may be.
        let mut shape: Vec<f64> = (0..n).map(|i| 1.0 + 0.3 * (i as f64).sin()).collect();
        let mut square = 0.0;
        for _ in 0..ROUNDS {
            let next: Vec<f64> = self
                .stiffness
                .chunks_exact(n.max(1))
                .map(|row| row.iter().zip(&shape).map(|(k, x)| k * x).sum())
                .collect();
            let size = next.iter().map(|x: &f64| x * x).sum::<f64>().sqrt();
            let before = shape.iter().map(|x| x * x).sum::<f64>().sqrt();
            if !(size > 0.0 && size.is_finite()) {
                return None;
            }
            let last = std::mem::replace(&mut square, size / before);
            if (square - last).abs() <= 1e-12 * square {
                break;
            }
            shape = next.iter().map(|x| x / size).collect();
        }
        Some(f64::sqrt(square))
    }

    fn over_rows(&self, columns: &[Vec<f64>], factor: f64) -> Vec<f64> {
        let rows = &self.member.rows;
        let entries = rows
            .iter()
            .flat_map(|row| columns.iter().map(move |column| factor * column[*row]));
        entries.collect()
    }
}

/// Parts of which only the derivatives are theirs.
struct Exchanged {
    parts: Vec<Part>,
    /// For accelerations and jumps of velocity.
    initial: Interface,
    coupling: Interface,
    free: Vec<f64>,
    q: Vec<f64>,
    events: u64,
}

impl Coupling for Exchanged {
    fn advance(
        &mut self,
        scenario: &Scenario,
        point: u64,
        row: &mut Vec<f64>,
    ) -> Result<(), CosimulationError> {
        if point > 0 {
            self.step(scenario, scenario.time(point))?;
        }
        let mut at = 0;
        for part in &self.parts {
            let n = part.member.rows.len();
            row.extend_from_slice(&part.motion.u);
            row.extend_from_slice(&part.motion.v);
            row.extend_from_slice(&part.motion.a);
            row.extend_from_slice(&self.q[at..at + n]);
            at += n;
        }
        Ok(())
    }

    fn end(&mut self, _: &Scenario, notes: &mut Vec<String>) -> Result<(), CosimulationError> {
        let events = self.events;
        if events > 0 {
            notes.push(format!(
                "Events were handled at the ends of steps ({events} in all), which costs accuracy \
                there: take a shorter dt to see how much"
            ));
        }
        for part in &mut self.parts {
            let ended = part.member.instance.terminate();
            ended.map_err(|error| CosimulationError::from(error).of(&part.member.name))?;
        }
        Ok(())
    }
}

impl Exchanged {
    /// The step that ends at `time`.
    fn step(&mut self, scenario: &Scenario, time: f64) -> Result<(), CosimulationError> {
        let dt = scenario.dt;
        let ground = scenario.ground(time);
        for part in &mut self.parts {
            part.step_freely(time, ground, dt)
                .map_err(|error| error.of(&part.member.name))?;
        }
        gather(&self.parts, &mut self.free, |motion| &motion.v);
        self.coupling.solve(&self.free, &mut self.q);
        let mut at = 0;
        let mut jumped = false;
        for part in &mut self.parts {
            let n = part.member.rows.len();
            let event = part
                .couple(&self.q[at..at + n], dt)
                .map_err(|error| error.of(&part.member.name))?;
            self.events += u64::from(event.is_some());
            jumped |= event == Some(true);
            at += n;
        }
        if jumped {
            // The parts move as one behind the jump too: an impulse at the interface makes the
            // velocities agree, and accelerations begin anew.
            gather(&self.parts, &mut self.free, |motion| &motion.v);
            self.initial.solve(&self.free, &mut self.q);
            scatter(&mut self.parts, &self.q, |motion| &mut motion.v);
            for part in &mut self.parts {
                part.evaluate(time, ground)
                    .map_err(|error| error.of(&part.member.name))?;
            }
            self.accelerate();
        }
        Ok(())
    }

    /// Accelerations that belong together, from those of the parts alone, and the interface forces
    /// q that make them so.
    fn accelerate(&mut self) {
        gather(&self.parts, &mut self.free, |motion| &motion.a);
        self.initial.solve(&self.free, &mut self.q);
        scatter(&mut self.parts, &self.q, |motion| &mut motion.a);
    }
}

/// Opens the parts and takes their derivatives where they start.
pub fn wire(workshop: &Workshop<'_>, table: &mut Table) -> Wired {
    let scenario = workshop.scenario;
    let parts = scenario.parts.iter();
    let parts = parts.map(|settings| open(workshop, settings));
    let mut parts = parts.collect::<Result<Vec<_>, _>>()?;
    name(table, &parts);
    let rows: usize = parts.iter().map(|part| part.member.rows.len()).sum();
    for part in &mut parts {
        part.begin(scenario)
            .map_err(|error| error.of(&part.member.name))?;
        if part.member.beta == 0.0
            && let Some(circular) = part.highest()
        {
            table.bears(&part.member.name, largest_step(part.member.gamma, circular));
        }
    }
    let maps: Vec<Vec<usize>> = parts.iter().map(|part| part.member.map.clone()).collect();
    let names: Vec<String> = parts.iter().map(|part| part.member.name.clone()).collect();
    let interface = |list: Vec<Vec<f64>>| {
        let views: Vec<&[f64]> = list.iter().map(Vec::as_slice).collect();
        Interface::named(&names, &views, &maps)
    };
    let inputs = parts.iter().map(|p| p.over_rows(&p.inputs, 1.0));
    let initial = interface(inputs.collect())?;
    let links = parts.iter();
    let links = links.map(|p| p.over_rows(&p.links, p.member.gamma * scenario.dt));
    let coupling = interface(links.collect())?;
    let mut coupled = Exchanged {
        parts,
        initial,
        coupling,
        free: vec![0.0; rows],
        q: vec![0.0; rows],
        events: 0,
    };
    coupled.accelerate();
    Ok(Box::new(coupled))
}

/// Opens the FMU of a part and finds its states.
fn open(workshop: &Workshop<'_>, settings: &Settings) -> Result<Part, CosimulationError> {
    let member = Member::open(workshop, settings, FmiInterface::ModelExchange, Variant::B)?;
    let description = &member.fmu.description;
    let names = |written: &Option<Vec<String>>, usual: &str| {
        written.clone().unwrap_or_else(|| vec![usual.to_owned()])
    };
    let force = member.ports(settings.force.as_deref(), "lambda")?;
    let states = (
        names(&settings.displacement, "u"),
        names(&settings.velocity, "v"),
    );
    let ground = member.ground(settings)?;
    let forces = force.len();
    let motion = SecondOrder::new(description, (&states.0, &states.1), force, ground)
        .map_err(|error| CosimulationError::from(error).of(&member.name))?;
    if motion.other_states() > 0 {
        return Err(BuildError::new(
            "part",
            format!(
                "part `{}` has {} states besides displacements and velocities, which the coupling \
                does not integrate",
                member.name,
                motion.other_states()
            ),
            "name all displacements and velocities, or take variant = \"cs-c\" if it offers \
            Co-Simulation",
        )
        .into());
    }
    let n = motion.u.len();
    if forces != member.rows.len() || member.rows.iter().any(|row| *row >= n) {
        return Err(BuildError::new(
            "part",
            format!(
                "part `{}`: {n} displacements, {forces} forces, rows {:?}",
                member.name,
                member.rows.iter().map(|r| r + 1).collect::<Vec<_>>()
            ),
            "give in `rows` the displacement that each force acts on",
        )
        .into());
    }
    Ok(Part {
        motion,
        jacobian: Matrix::diagonal(&vec![1.0; n]).factor().map_err(|_| {
            BuildError::new("part", "a part without displacements", "name its states")
        })?,
        links: Vec::new(),
        inputs: Vec::new(),
        stiffness: vec![0.0; n * n],
        member,
    })
}

fn name(table: &mut Table, parts: &[Part]) {
    let (mut names, mut columns) = (Vec::new(), Vec::new());
    for part in parts {
        let n = part.motion.u.len();
        let base = names.len();
        for (j, (row, shared)) in part.member.rows.iter().zip(&part.member.map).enumerate() {
            columns.push(Tied {
                shared: *shared,
                u: base + row,
                v: base + n + row,
                q: base + 3 * n + j,
            });
        }
        let name = &part.member.name;
        for (quantity, unit) in [("u", "m"), ("v", "m/s"), ("a", "m/s^2")] {
            names.extend(Column::vector(name, quantity, n, unit));
        }
        names.extend(Column::vector(name, "q", part.member.rows.len(), "N"));
    }
    table.name(names);
    table.tie(&columns);
}

/// Values at the rows of all parts.
fn gather(parts: &[Part], into: &mut [f64], of: impl Fn(&SecondOrder) -> &[f64]) {
    let rows = parts
        .iter()
        .flat_map(|part| part.member.rows.iter().map(|row| of(&part.motion)[*row]));
    for (x, value) in into.iter_mut().zip(rows) {
        *x = value;
    }
}

/// Adds B q.
fn scatter(parts: &mut [Part], q: &[f64], of: impl Fn(&mut SecondOrder) -> &mut [f64]) {
    let mut forces = q.iter();
    for part in parts {
        for (column, q) in part.inputs.iter().zip(&mut forces) {
            for (x, b) in of(&mut part.motion).iter_mut().zip(column) {
                *x += b * q;
            }
        }
    }
}
