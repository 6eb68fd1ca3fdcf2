//! The hybrid-testing coupling over Model Exchange FMUs: theirs are only the derivatives, the algorithm is here.
//!
//! With A_u = −∂a/∂u, A_v = −∂a/∂v, B = ∂a/∂λ and J = I + γ Δt A_v + β Δt² A_u, taken once before the run:
//! a_free = J⁻¹ a(u_p, v_p, λ = 0), H = γ Δt L J⁻¹ B, z = J⁻¹ B q.

use tandem_fmi::Interface as Kind;
use tandem_integrator::partitioned::Interface;
use tandem_quantity::BuildError;
use tandem_structure::{Factor, Matrix};

use super::member::Member;
use super::table::{Table, Tied};
use super::{Scenario, Trouble};
use crate::fmu::Variant;
use crate::guest::second_order::{SecondOrder, Which};

struct Part {
    member: Member,
    motion: SecondOrder,
    jacobian: Factor,
    /// J⁻¹ B, one column per row of L.
    links: Vec<Vec<f64>>,
    /// B, likewise.
    inputs: Vec<Vec<f64>>,
}

impl Part {
    fn column(&mut self, which: Which) -> Result<Vec<f64>, Trouble> {
        let mut column = vec![0.0; self.motion.u.len()];
        self.motion
            .column(self.member.instance.as_mut(), which, &mut column)?;
        Ok(column)
    }

    /// a(u, v, λ = 0) at a time; u and v as they stand.
    fn evaluate(&mut self, time: f64, ground: f64) -> Result<(), Trouble> {
        let instance = self.member.instance.as_mut();
        Ok(self.motion.evaluate(instance, time, ground)?)
    }

    fn linearise(&mut self, dt: f64) -> Result<(), Trouble> {
        let (n, gamma, beta) = (self.motion.u.len(), self.member.gamma, self.member.beta);
        let mut j = vec![0.0; n * n];
        for column in 0..n {
            let by_v = self.column(Which::Velocity(column))?;
            let by_u = self.column(Which::Displacement(column))?;
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
        for index in 0..self.motion.forces() {
            let column = self.column(Which::Force(index))?;
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

pub fn run(
    scenario: &Scenario<'_>,
    table: &mut Table,
    notes: &mut Vec<String>,
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
        let force = member.ports(values, "force", "lambda")?;
        let states = (names("displacement", "u")?, names("velocity", "v")?);
        let ground = member.ground(values)?;
        let forces = force.len();
        let motion = SecondOrder::new(description, (&states.0, &states.1), force, ground)?;
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
        parts.push(Part {
            motion,
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
        for quantity in ["u", "v", "a"] {
            names.extend((1..=n).map(|i| format!("{}/{quantity}[{i}]", part.member.name)));
        }
        names.extend((1..=part.member.rows.len()).map(|i| format!("{}/q[{i}]", part.member.name)));
    }
    table.name(names);
    table.tie(&columns);
    couple(scenario, &mut parts, table, notes, progress)
}

fn couple(
    scenario: &Scenario<'_>,
    parts: &mut [Part],
    table: &mut Table,
    notes: &mut Vec<String>,
    progress: &mut dyn FnMut(f64),
) -> Result<(), Trouble> {
    let dt = scenario.dt;
    let rows: usize = parts.iter().map(|part| part.member.rows.len()).sum();
    let (mut free, mut q) = (vec![0.0; rows], vec![0.0; rows]);
    let mut at = 0;
    for part in parts.iter_mut() {
        let instance = part.member.instance.as_mut();
        part.motion
            .start(instance, Some(scenario.time(scenario.steps)))?;
        part.motion.check_pairs(instance)?;
        part.linearise(dt)?;
        part.evaluate(0.0, scenario.ground(0.0))?;
        for row in &part.member.rows {
            free[at] = part.motion.a[*row];
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
            for (a, b) in part.motion.a.iter_mut().zip(column) {
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
    let mut events = 0_u64;
    if scenario.only_checked {
        return Ok(());
    }
    for step in 0..scenario.steps {
        let time = scenario.time(step + 1);
        let ground = scenario.ground(time);
        let mut at = 0;
        for part in parts.iter_mut() {
            let (gamma, beta) = (part.member.gamma, part.member.beta);
            for i in 0..part.motion.u.len() {
                part.motion.u[i] +=
                    dt * part.motion.v[i] + (0.5 - beta) * dt * dt * part.motion.a[i];
                part.motion.v[i] += (1.0 - gamma) * dt * part.motion.a[i];
            }
            part.evaluate(time, ground)?;
            part.jacobian.solve_in_place(&mut part.motion.a);
            for i in 0..part.motion.u.len() {
                part.motion.u[i] += beta * dt * dt * part.motion.a[i];
                part.motion.v[i] += gamma * dt * part.motion.a[i];
            }
            for row in &part.member.rows {
                free[at] = part.motion.v[*row];
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
                    part.motion.a[i] += z;
                    part.motion.v[i] += gamma * dt * z;
                    part.motion.u[i] += beta * dt * dt * z;
                }
                at += 1;
            }
            let event = part.motion.accept(part.member.instance.as_mut())?;
            events += u64::from(event.is_some());
        }
        record(table, parts, time, &q);
        if step.is_multiple_of(256) {
            progress(time / scenario.time(scenario.steps));
        }
    }
    if events > 0 {
        notes.push(format!(
            "{events} events were handled at the ends of steps, which costs accuracy there: take a shorter dt to see how much"
        ));
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
            part.motion
                .u
                .iter()
                .chain(&part.motion.v)
                .chain(&part.motion.a)
                .chain(&q[at..at + n]),
        );
        at += n;
    }
    table.row(time, row);
}
