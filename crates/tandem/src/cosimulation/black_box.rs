//! The hybrid-testing coupling over any Co-Simulation FMU with a force input, a velocity output and get/set state.
//!
//! Each step is made twice: without interface forces for the free velocities, then, from the saved state, with them. H comes from
//! one probe per input at the start. Inputs are held over a step, so the ground acceleration of its middle is passed: order 2.

use tandem_fmi::{Interface as Kind, Ports, Saved};
use tandem_integrator::partitioned::Interface;
use tandem_quantity::BuildError;

use super::member::{Member, vectors};
use super::table::{Column, Table, Tied};
use super::{CosimulationError, Scenario};
use crate::fmu::Variant;

struct Part {
    member: Member,
    force: Ports,
    ground: Option<Ports>,
    velocity: Ports,
    shown: Ports,
    look: Vec<f64>,
    v: Vec<f64>,
    saved: Option<Saved>,
}

impl Part {
    /// One step from here with these forces; velocities after it.
    fn step(
        &mut self,
        time: f64,
        dt: f64,
        ground: f64,
        forces: &[f64],
    ) -> Result<(), CosimulationError> {
        let instance = self.member.instance.as_mut();
        if let Some(ports) = &self.ground {
            ports.write(instance, &[ground])?;
        }
        self.force.write(instance, forces)?;
        self.member.advance(time, dt)?;
        self.velocity
            .read(self.member.instance.as_mut(), &mut self.v)?;
        Ok(self.velocity.check(&self.v, time + dt)?)
    }

    /// Free velocities of the coming step: it is made without interface forces and taken back.
    fn try_out(
        &mut self,
        time: f64,
        dt: f64,
        ground: f64,
        free: &mut [f64],
    ) -> Result<(), CosimulationError> {
        self.saved = Some(self.member.instance.save(self.saved)?);
        self.step(time, dt, ground, &vec![0.0; free.len()])?;
        free.copy_from_slice(&self.v);
        self.back()
    }

    /// Initialises the FMU and finds H, by rows.
    fn begin(&mut self, scenario: &Scenario<'_>) -> Result<Vec<f64>, CosimulationError> {
        let dt = scenario.dt;
        let instance = self.member.instance.as_mut();
        instance.enter_initialization(None, 0.0, Some(scenario.time(scenario.steps)))?;
        instance.exit_initialization()?;
        let n = self.v.len();
        let mut base = vec![0.0; n];
        self.try_out(0.0, dt, 0.0, &mut base)?;
        let mut mobility = vec![0.0; n * n];
        for column in 0..n {
            let mut unit = vec![0.0; n];
            unit[column] = 1.0;
            self.step(0.0, dt, 0.0, &unit)?;
            for row in 0..n {
                mobility[row * n + column] = self.v[row] - base[row];
            }
            self.back()?;
        }
        Ok(mobility)
    }

    fn back(&mut self) -> Result<(), CosimulationError> {
        if let Some(saved) = self.saved {
            self.member.instance.restore(saved)?;
        }
        Ok(())
    }
}

pub fn run(
    scenario: &Scenario<'_>,
    table: &mut Table,
    progress: &mut dyn FnMut(f64),
) -> Result<(), CosimulationError> {
    let dt = scenario.dt;
    let (mut parts, mut names, mut columns) = (Vec::new(), Vec::new(), Vec::new());
    for settings in &scenario.parts {
        let mut member = Member::open(scenario, settings, Kind::CoSimulation, Variant::B)?;
        if !member
            .fmu
            .description
            .co_simulation
            .as_ref()
            .is_some_and(|cs| cs.state)
        {
            return Err(BuildError::new(
                "part",
                format!(
                    "`{}` cannot save and bring back its state; cs-c needs that",
                    member.name
                ),
                "take another FMU, or variant = \"me\" if it offers Model Exchange",
            )
            .into());
        }
        let description = &member.fmu.description;
        if description.find("v_free").is_some() || description.find("v_free[1]").is_some() {
            return Err(BuildError::new(
                "part",
                format!(
                    "`{}` is made for a coupling (it has v_free): after a step it gives the motion of the step's beginning, so that no force of the step shows in it",
                    member.name
                ),
                "take variant = \"cs-b\", which these FMUs are for, or \"me\"; cs-c is for Co-Simulations of other tools",
            )
            .into());
        }
        let force = member.ports(settings.force.as_deref(), "lambda")?;
        let velocity = member.ports(settings.velocity.as_deref(), "v")?;
        let displacement = member.ports(settings.displacement.as_deref(), "u")?;
        if force.len() != velocity.len() {
            return Err(BuildError::new(
                "part",
                format!(
                    "`{}` has {} force inputs and {} velocity outputs",
                    member.name,
                    force.len(),
                    velocity.len()
                ),
                "name one velocity for every force, at the same degree of freedom",
            )
            .into());
        }
        if displacement.len() != velocity.len() {
            return Err(BuildError::new(
                "part",
                format!(
                    "`{}` has {} displacements and {} velocities",
                    member.name,
                    displacement.len(),
                    velocity.len()
                ),
                "name one displacement for every velocity, at the same degree of freedom",
            )
            .into());
        }
        member.rows = (0..force.len()).collect();
        if settings.interface.is_none() {
            member.map.clone_from(&member.rows);
        } else if member.map.len() != force.len() {
            return Err(BuildError::new(
                "part",
                format!(
                    "part `{}` has {} force inputs and ties {} of them",
                    member.name,
                    force.len(),
                    member.map.len()
                ),
                "give as many entries in `interface` as forces",
            )
            .into());
        }
        let lists: Vec<&str> = [&displacement, &velocity]
            .iter()
            .flat_map(|p| p.names())
            .map(String::as_str)
            .collect();
        let shown = vectors(&member.fmu.description, &lists)
            .map_err(|error| CosimulationError::from(error).of(&member.name))?;
        let base = names.len();
        for (row, shared) in member.map.iter().enumerate() {
            columns.push(Tied {
                shared: *shared,
                u: base + row,
                v: base + displacement.len() + row,
                q: base + shown.len() + row,
            });
        }
        names.extend(member.columns(shown.names()));
        names.extend(Column::vector(&member.name, "q", force.len(), "N"));
        parts.push(Part {
            ground: member.ground(settings)?,
            look: vec![0.0; shown.len()],
            v: vec![0.0; velocity.len()],
            force,
            velocity,
            shown,
            saved: None,
            member,
        });
    }
    table.name(names)?;
    table.tie(&columns);
    let mut mobilities = Vec::new();
    for part in &mut parts {
        let found = part.begin(scenario);
        mobilities.push(found.map_err(|error| error.of(&part.member.name))?);
    }
    let maps: Vec<Vec<usize>> = parts.iter().map(|part| part.member.map.clone()).collect();
    let names: Vec<&str> = parts.iter().map(|p| p.member.name.as_str()).collect();
    let mut interface = Interface::named(
        &names,
        &mobilities.iter().map(Vec::as_slice).collect::<Vec<_>>(),
        &maps,
    )?;
    let rows = interface.rows();
    let (mut free, mut q) = (vec![0.0; rows], vec![0.0; rows]);
    record(table, &mut parts, 0.0, &q)?;
    if !scenario.begins()? {
        return Ok(());
    }
    for step in 0..scenario.steps {
        let time = scenario.time(step);
        let ground = scenario.ground(time + 0.5 * dt);
        let mut at = 0;
        for part in &mut parts {
            let n = part.v.len();
            part.try_out(time, dt, ground, &mut free[at..at + n])
                .map_err(|error| error.of(&part.member.name))?;
            at += n;
        }
        interface.solve(&free, &mut q);
        let mut at = 0;
        for part in &mut parts {
            let n = part.v.len();
            part.step(time, dt, ground, &q[at..at + n])
                .map_err(|error| error.of(&part.member.name))?;
            at += n;
        }
        record(table, &mut parts, scenario.time(step + 1), &q)?;
        if step.is_multiple_of(256) {
            progress(time / scenario.time(scenario.steps));
        }
    }
    Ok(())
}

fn record(
    table: &mut Table,
    parts: &mut [Part],
    time: f64,
    q: &[f64],
) -> Result<(), CosimulationError> {
    let (mut at, mut row) = (0, Vec::new());
    for part in parts {
        let done = part
            .shown
            .read(part.member.instance.as_mut(), &mut part.look)
            .and_then(|()| part.shown.check(&part.look, time));
        done.map_err(|error| CosimulationError::from(error).of(&part.member.name))?;
        row.extend_from_slice(&part.look);
        row.extend_from_slice(&q[at..at + part.v.len()]);
        at += part.v.len();
    }
    Ok(table.row(time, row)?)
}
