//! The hybrid-testing coupling over any Co-Simulation FMU with a force input, a velocity output and
//! get/set state.
//!
//! Each step is made twice: without interface forces for the free velocities, then, from the saved
//! state, with them. H comes from one probe per input at the start. Inputs are held over a step, so
//! the ground acceleration of its middle is passed: order 2.

use tandem_fmi::{Interface as FmiInterface, Ports, Saved};
use tandem_integrator::partitioned::Interface;
use tandem_quantity::BuildError;

use super::member::{Member, vectors};
use super::sections::Part as Settings;
use super::table::{Column, Table, Tied};
use super::{CosimulationError, Coupling, Scenario, Wired, Workshop};
use tandem_fmi::models::Variant;

struct Part {
    member: Member,
    force: Ports,
    ground: Option<Ports>,
    velocity: Ports,
    /// Number of displacements, which stand first in what is shown.
    displacements: usize,
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
    fn begin(&mut self, scenario: &Scenario) -> Result<Vec<f64>, CosimulationError> {
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

/// Parts that are black boxes.
struct BlackBoxes {
    parts: Vec<Part>,
    interface: Interface,
    free: Vec<f64>,
    q: Vec<f64>,
}

impl Coupling for BlackBoxes {
    fn advance(
        &mut self,
        scenario: &Scenario,
        point: u64,
        row: &mut Vec<f64>,
    ) -> Result<(), CosimulationError> {
        if point > 0 {
            self.step(scenario, point - 1)?;
            self.look(scenario.time(point))?;
        }
        let mut at = 0;
        for part in &self.parts {
            row.extend_from_slice(&part.look);
            row.extend_from_slice(&self.q[at..at + part.v.len()]);
            at += part.v.len();
        }
        Ok(())
    }
}

impl BlackBoxes {
    fn step(&mut self, scenario: &Scenario, step: u64) -> Result<(), CosimulationError> {
        let dt = scenario.dt;
        let time = scenario.time(step);
        let ground = scenario.ground(time + 0.5 * dt);
        let mut at = 0;
        for part in &mut self.parts {
            let n = part.v.len();
            part.try_out(time, dt, ground, &mut self.free[at..at + n])
                .map_err(|error| error.of(&part.member.name))?;
            at += n;
        }
        self.interface.solve(&self.free, &mut self.q);
        let mut at = 0;
        for part in &mut self.parts {
            let n = part.v.len();
            part.step(time, dt, ground, &self.q[at..at + n])
                .map_err(|error| error.of(&part.member.name))?;
            at += n;
        }
        Ok(())
    }

    /// Reads what is shown.
    fn look(&mut self, time: f64) -> Result<(), CosimulationError> {
        for part in &mut self.parts {
            let done = part
                .shown
                .read(part.member.instance.as_mut(), &mut part.look)
                .and_then(|()| part.shown.check(&part.look, time));
            done.map_err(|error| CosimulationError::from(error).of(&part.member.name))?;
        }
        Ok(())
    }
}

/// Opens the parts and finds how they answer.
pub fn wire(workshop: &Workshop<'_>, table: &mut Table) -> Wired {
    let parts = workshop.scenario.parts.iter();
    let parts = parts.map(|settings| open(workshop, settings));
    let mut parts = parts.collect::<Result<Vec<_>, _>>()?;
    let (mut names, mut columns) = (Vec::new(), Vec::new());
    for part in &parts {
        let (base, member) = (names.len(), &part.member);
        for (row, shared) in member.map.iter().enumerate() {
            columns.push(Tied {
                shared: *shared,
                u: base + row,
                v: base + part.displacements + row,
                q: base + part.shown.len() + row,
            });
        }
        names.extend(member.columns(part.shown.names()));
        names.extend(Column::vector(&member.name, "q", part.force.len(), "N"));
    }
    table.name(names);
    table.tie(&columns);
    let mut mobilities = Vec::new();
    for part in &mut parts {
        let found = part.begin(workshop.scenario);
        mobilities.push(found.map_err(|error| error.of(&part.member.name))?);
    }
    let maps: Vec<Vec<usize>> = parts.iter().map(|part| part.member.map.clone()).collect();
    let names: Vec<&str> = parts.iter().map(|p| p.member.name.as_str()).collect();
    let interface = Interface::named(
        &names,
        &mobilities.iter().map(Vec::as_slice).collect::<Vec<_>>(),
        &maps,
    )?;
    let rows = interface.rows();
    let mut coupled = BlackBoxes {
        parts,
        interface,
        free: vec![0.0; rows],
        q: vec![0.0; rows],
    };
    coupled.look(0.0)?;
    Ok(Box::new(coupled))
}

/// Opens the FMU of a part and finds its ports.
fn open(workshop: &Workshop<'_>, settings: &Settings) -> Result<Part, CosimulationError> {
    let mut member = Member::open(workshop, settings, FmiInterface::CoSimulation, Variant::B)?;
    fits(&member)?;
    let force = member.ports(settings.force.as_deref(), "lambda")?;
    let velocity = member.ports(settings.velocity.as_deref(), "v")?;
    let displacement = member.ports(settings.displacement.as_deref(), "u")?;
    let refuse = |text: String, help: &str| Err(BuildError::new("part", text, help).into());
    let (forces, velocities) = (force.len(), velocity.len());
    if forces != velocities {
        return refuse(
            format!(
                "`{}` has {forces} force inputs and {velocities} velocity outputs",
                member.name
            ),
            "name one velocity for every force, at the same degree of freedom",
        );
    }
    let displacements = displacement.len();
    if displacements != velocities {
        return refuse(
            format!(
                "`{}` has {displacements} displacements and {velocities} velocities",
                member.name
            ),
            "name one displacement for every velocity, at the same degree of freedom",
        );
    }
    member.rows = (0..forces).collect();
    if settings.interface.is_none() {
        member.map.clone_from(&member.rows);
    } else if member.map.len() != forces {
        return refuse(
            format!(
                "part `{}` has {forces} force inputs and ties {} of them",
                member.name,
                member.map.len()
            ),
            "give as many entries in `interface` as forces",
        );
    }
    let lists: Vec<&str> = [&displacement, &velocity]
        .iter()
        .flat_map(|p| p.names())
        .map(String::as_str)
        .collect();
    let shown = vectors(&member.fmu.description, &lists)
        .map_err(|error| CosimulationError::from(error).of(&member.name))?;
    Ok(Part {
        ground: member.ground(settings)?,
        look: vec![0.0; shown.len()],
        v: vec![0.0; velocities],
        displacements,
        force,
        velocity,
        shown,
        saved: None,
        member,
    })
}

/// Whether an FMU can be coupled as a black box.
fn fits(member: &Member) -> Result<(), BuildError> {
    let description = &member.fmu.description;
    let steps = description.co_simulation.as_ref();
    if !steps.is_some_and(|steps| steps.state) {
        return Err(BuildError::new(
            "part",
            format!(
                "`{}` cannot save and bring back its state; cs-c needs that",
                member.name
            ),
            "take another FMU, or variant = \"me\" if it offers Model Exchange",
        ));
    }
    if description.find("v_free").is_some() || description.find("v_free[1]").is_some() {
        return Err(BuildError::new(
            "part",
            format!(
                "`{}` is made for a coupling (it has v_free): after a step it gives the motion of \
                the step's beginning, so that no force of the step shows in it",
                member.name
            ),
            "take variant = \"cs-b\", which these FMUs are for, or \"me\"; cs-c is for \
            Co-Simulations of other tools",
        ));
    }
    Ok(())
}
