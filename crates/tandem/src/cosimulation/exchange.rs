//! The hybrid-testing coupling over Model Exchange FMUs: theirs are only the derivatives, the algorithm is here.
//!
//! With A_u = −∂a/∂u, A_v = −∂a/∂v, B = ∂a/∂λ and J = I + γ Δt A_v + β Δt² A_u, taken once before the run:
//! a_free = J⁻¹ a(u_p, v_p, λ = 0), H = γ Δt L J⁻¹ B, z = J⁻¹ B q.

use tandem_fmi::{Description, Interface as Kind, Ports, Variable};
use tandem_integrator::partitioned::Interface;
use tandem_quantity::BuildError;
use tandem_structure::{Factor, Matrix};

use super::member::Member;
use super::native::share;
use super::table::Table;
use super::{Scenario, Trouble};
use crate::fmu::Variant;

struct Part {
    member: Member,
    force: Ports,
    ground: Option<Ports>,
    /// Places of displacements and velocities among the states.
    u_at: Vec<usize>,
    v_at: Vec<usize>,
    states: Vec<f64>,
    derivatives: Vec<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    zeros: Vec<f64>,
    jacobian: Factor,
    /// J⁻¹ B, one column per row of L.
    links: Vec<Vec<f64>>,
    /// B, likewise.
    inputs: Vec<Vec<f64>>,
}

/// Places of the values of named variables in the list of all states.
fn state_places(description: &Description, names: &[&str]) -> Result<Vec<usize>, Trouble> {
    let mut places = Vec::new();
    for name in names {
        let head = format!("{name}[");
        let mut at = 0;
        let before = places.len();
        for state in &description.states {
            let Some(variable): Option<&Variable> = description.variables.get(state.variable)
            else {
                continue;
            };
            let size = description.size(variable);
            if variable.name == *name || variable.name.starts_with(&head) {
                places.extend(at..at + size);
            }
            at += size;
        }
        if places.len() == before {
            return Err(BuildError::new(
                "part",
                format!("`{name}` is no continuous state of `{}`", description.model),
                "name the states with `displacement` and `velocity`; `tandem fmu info` lists them",
            )
            .into());
        }
    }
    Ok(places)
}

impl Part {
    /// a(u, v, λ) at a time; u and v as they stand.
    fn evaluate(&mut self, time: f64, ground: f64, forces: &[f64]) -> Result<(), Trouble> {
        for (place, u) in self.u_at.iter().zip(&self.u) {
            self.states[*place] = *u;
        }
        for (place, v) in self.v_at.iter().zip(&self.v) {
            self.states[*place] = *v;
        }
        let instance = self.member.instance.as_mut();
        instance.set_time(time)?;
        instance.set_states(&self.states)?;
        if let Some(ports) = &self.ground {
            ports.write(instance, &[ground])?;
        }
        self.force.write(instance, forces)?;
        instance.derivatives(&mut self.derivatives)?;
        for (a, place) in self.a.iter_mut().zip(&self.v_at) {
            *a = self.derivatives[*place];
        }
        if let Some(bad) = self.a.iter().find(|a| !a.is_finite()) {
            return Err(tandem_fmi::FmuError::NotFinite {
                name: format!("{}: acceleration", self.member.name),
                value: *bad,
                time,
            }
            .into());
        }
        Ok(())
    }

    /// The change of a for a small change of one value; central differences, exact for linear parts up to round-off.
    fn difference(&mut self, which: Which, index: usize) -> Result<Vec<f64>, Trouble> {
        let step = match which {
            Which::Force => 1.0,
            _ => 1e-3,
        };
        let mut sides = Vec::new();
        for sign in [1.0, -1.0] {
            let mut forces = self.zeros.clone();
            let (u, v) = (self.u.clone(), self.v.clone());
            match which {
                Which::U => self.u[index] += sign * step,
                Which::V => self.v[index] += sign * step,
                Which::Force => forces[index] += sign * step,
            }
            self.evaluate(0.0, 0.0, &forces)?;
            sides.push(self.a.clone());
            if let Which::V = which
                && sign > 0.0
            {
                // The pairing: the derivative of u must follow v.
                let follows = self.derivatives[self.u_at[index]] - v[index];
                if (follows - step).abs() > 1e-6 * step {
                    return Err(BuildError::new(
                        "part",
                        format!(
                            "`{}`: displacement and velocity {} do not belong together",
                            self.member.name,
                            index + 1
                        ),
                        "name them in the same order in `displacement` and `velocity`",
                    )
                    .into());
                }
            }
            (self.u, self.v) = (u, v);
        }
        let [plus, minus] = sides.as_slice() else {
            return Ok(Vec::new());
        };
        Ok(plus
            .iter()
            .zip(minus)
            .map(|(p, m)| (p - m) / (2.0 * step))
            .collect())
    }

    /// The same by the FMU's own directional derivatives, where it has them.
    fn directional(&mut self, which: Which, index: usize) -> Result<Option<Vec<f64>>, Trouble> {
        let description = &self.member.fmu.description;
        let offered = description
            .model_exchange
            .as_ref()
            .is_some_and(|me| me.directional_derivatives);
        // Arrays have one reference for all their values: all seeds but one are zero.
        let scalars: Vec<&Variable> = description
            .states
            .iter()
            .filter_map(|s| description.variables.get(s.variable))
            .collect();
        if !offered || scalars.iter().any(|v| !v.dimensions.is_empty()) {
            return Ok(None);
        }
        let reference = |place: usize, derivative: bool| {
            let state = description.states.get(place)?;
            let index = if derivative {
                state.derivative
            } else {
                state.variable
            };
            description.variables.get(index).map(|v| v.reference)
        };
        let known = match which {
            Which::U => self
                .u_at
                .get(index)
                .and_then(|place| reference(*place, false)),
            Which::V => self
                .v_at
                .get(index)
                .and_then(|place| reference(*place, false)),
            Which::Force => {
                let name = self.force.names().get(index);
                name.and_then(|name| description.find(name))
                    .map(|v| v.reference)
            }
        };
        let unknowns: Option<Vec<u32>> = self
            .v_at
            .iter()
            .map(|place| reference(*place, true))
            .collect();
        let (Some(known), Some(unknowns)) = (known, unknowns) else {
            return Ok(None);
        };
        let mut answer = vec![0.0; unknowns.len()];
        self.member
            .instance
            .directional(&unknowns, &[known], &[1.0], &mut answer)?;
        Ok(Some(answer))
    }

    fn column(&mut self, which: Which, index: usize) -> Result<Vec<f64>, Trouble> {
        // Differences also check the pairing of the states.
        let differences = self.difference(which, index)?;
        Ok(self.directional(which, index)?.unwrap_or(differences))
    }

    fn linearise(&mut self, dt: f64) -> Result<(), Trouble> {
        let (n, gamma, beta) = (self.u.len(), self.member.gamma, self.member.beta);
        let mut j = vec![0.0; n * n];
        for column in 0..n {
            let by_v = self.column(Which::V, column)?;
            let by_u = self.column(Which::U, column)?;
            for row in 0..n {
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
        for index in 0..self.force.len() {
            let column = self.column(Which::Force, index)?;
            self.inputs.push(column.clone());
            let mut link = column;
            self.jacobian.solve_in_place(&mut link);
            self.links.push(link);
        }
        Ok(())
    }

    fn over_rows(&self, columns: &[Vec<f64>], factor: f64) -> Vec<f64> {
        let rows = &self.member.rows;
        let entries = rows
            .iter()
            .flat_map(|row| columns.iter().map(move |column| factor * column[*row]));
        entries.collect()
    }
}

#[derive(Clone, Copy)]
enum Which {
    U,
    V,
    Force,
}

pub fn run(
    scenario: &Scenario<'_>,
    table: &mut Table,
    progress: &mut dyn FnMut(f64),
) -> Result<(), Trouble> {
    let mut parts = Vec::new();
    for values in scenario.values.tables("part") {
        let member = Member::open(scenario, values, Kind::ModelExchange, Variant::B)?;
        let description = &member.fmu.description;
        let names = |key: &str, usual: &'static str| {
            if values.has(key) {
                values.texts(key)
            } else {
                Ok(vec![usual])
            }
        };
        let u_at = state_places(description, &names("displacement", "u")?)?;
        let v_at = state_places(description, &names("velocity", "v")?)?;
        let force = member.ports(values, "force", "lambda")?;
        let n = u_at.len();
        if v_at.len() != n
            || force.len() != member.rows.len()
            || member.rows.iter().any(|row| *row >= n)
        {
            return Err(BuildError::new(
                "part",
                format!(
                    "part `{}`: {n} displacements, {} velocities, {} forces, rows {:?}",
                    member.name,
                    v_at.len(),
                    force.len(),
                    member.rows.iter().map(|r| r + 1).collect::<Vec<_>>()
                ),
                "give as many velocities as displacements, and in `rows` the displacement that each force acts on",
            )
            .into());
        }
        let states = description.state_count();
        parts.push(Part {
            ground: member.ground(values)?,
            zeros: vec![0.0; force.len()],
            force,
            u_at,
            v_at,
            states: vec![0.0; states],
            derivatives: vec![0.0; states],
            u: vec![0.0; n],
            v: vec![0.0; n],
            a: vec![0.0; n],
            jacobian: Matrix::diagonal(&vec![1.0; n]).factor().map_err(|_| {
                BuildError::new("part", "a part without displacements", "name its states")
            })?,
            links: Vec::new(),
            inputs: Vec::new(),
            member,
        });
    }
    let (mut names, mut columns) = (Vec::new(), Vec::new());
    for part in &parts {
        let n = part.u.len();
        for (row, shared) in part.member.rows.iter().zip(&part.member.map) {
            columns.push((*shared, true, names.len() + row));
            columns.push((*shared, false, names.len() + n + row));
        }
        for quantity in ["u", "v", "a"] {
            names.extend((1..=n).map(|i| format!("{}/{quantity}[{i}]", part.member.name)));
        }
        names.extend((1..=part.member.rows.len()).map(|i| format!("{}/q[{i}]", part.member.name)));
    }
    table.name(names);
    share(table, &columns);
    couple(scenario, &mut parts, table, progress)
}

fn couple(
    scenario: &Scenario<'_>,
    parts: &mut [Part],
    table: &mut Table,
    progress: &mut dyn FnMut(f64),
) -> Result<(), Trouble> {
    let dt = scenario.dt;
    let rows: usize = parts.iter().map(|part| part.member.rows.len()).sum();
    let (mut free, mut q) = (vec![0.0; rows], vec![0.0; rows]);
    let mut at = 0;
    for part in parts.iter_mut() {
        let instance = part.member.instance.as_mut();
        instance.enter_initialization(None, 0.0, Some(scenario.time(scenario.steps)))?;
        instance.exit_initialization()?;
        instance.update_discrete_states()?;
        instance.enter_continuous_time()?;
        instance.states(&mut part.states)?;
        for (u, place) in part.u.iter_mut().zip(&part.u_at) {
            *u = part.states[*place];
        }
        for (v, place) in part.v.iter_mut().zip(&part.v_at) {
            *v = part.states[*place];
        }
        part.linearise(dt)?;
        let zeros = part.zeros.clone();
        part.evaluate(0.0, scenario.ground(0.0), &zeros)?;
        for row in &part.member.rows {
            free[at] = part.a[*row];
            at += 1;
        }
    }
    let maps: Vec<Vec<usize>> = parts.iter().map(|part| part.member.map.clone()).collect();
    let interface = |list: Vec<Vec<f64>>| {
        Interface::new(&list.iter().map(Vec::as_slice).collect::<Vec<_>>(), &maps)
    };
    let mut initial = interface(parts.iter().map(|p| p.over_rows(&p.inputs, 1.0)).collect())?;
    initial.solve(&free, &mut q);
    let mut at = 0;
    for part in parts.iter_mut() {
        for column in &part.inputs {
            for (a, b) in part.a.iter_mut().zip(column) {
                *a += b * q[at];
            }
            at += 1;
        }
    }
    let mut coupling = interface(
        parts
            .iter()
            .map(|p| p.over_rows(&p.links, p.member.gamma * dt))
            .collect(),
    )?;
    record(table, parts, 0.0, &q);
    for step in 0..scenario.steps {
        let time = scenario.time(step + 1);
        let ground = scenario.ground(time);
        let mut at = 0;
        for part in parts.iter_mut() {
            let (gamma, beta) = (part.member.gamma, part.member.beta);
            for i in 0..part.u.len() {
                part.u[i] += dt * part.v[i] + (0.5 - beta) * dt * dt * part.a[i];
                part.v[i] += (1.0 - gamma) * dt * part.a[i];
            }
            let zeros = std::mem::take(&mut part.zeros);
            part.evaluate(time, ground, &zeros)?;
            part.zeros = zeros;
            part.jacobian.solve_in_place(&mut part.a);
            for i in 0..part.u.len() {
                part.u[i] += beta * dt * dt * part.a[i];
                part.v[i] += gamma * dt * part.a[i];
            }
            for row in &part.member.rows {
                free[at] = part.v[*row];
                at += 1;
            }
        }
        coupling.solve(&free, &mut q);
        let mut at = 0;
        for part in parts.iter_mut() {
            let (gamma, beta) = (part.member.gamma, part.member.beta);
            for link in &part.links {
                for (i, l) in link.iter().enumerate() {
                    let z = l * q[at];
                    part.a[i] += z;
                    part.v[i] += gamma * dt * z;
                    part.u[i] += beta * dt * dt * z;
                }
                at += 1;
            }
            for (place, u) in part.u_at.iter().zip(&part.u) {
                part.states[*place] = *u;
            }
            for (place, v) in part.v_at.iter().zip(&part.v) {
                part.states[*place] = *v;
            }
            let instance = part.member.instance.as_mut();
            instance.set_states(&part.states)?;
            if instance.completed_step()?.event {
                instance.enter_event_mode()?;
                instance.update_discrete_states()?;
                instance.enter_continuous_time()?;
            }
        }
        record(table, parts, time, &q);
        if step.is_multiple_of(256) {
            progress(time / scenario.time(scenario.steps));
        }
    }
    for part in parts.iter_mut() {
        part.member.instance.terminate()?;
    }
    Ok(())
}

fn record(table: &mut Table, parts: &[Part], time: f64, q: &[f64]) {
    let mut at = 0;
    let mut row = Vec::new();
    for part in parts {
        let n = part.member.rows.len();
        row.extend(
            part.u
                .iter()
                .chain(&part.v)
                .chain(&part.a)
                .chain(&q[at..at + n]),
        );
        at += n;
    }
    table.row(time, row);
}
