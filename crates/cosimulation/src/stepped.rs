//! The hybrid-testing coupling over Co-Simulation FMUs made for it: all velocities travel (cs-a),
//! or those of the interface (cs-b), or the coupling is an FMU too.

use tandem_fmi::{Instance, Interface as FmiInterface, Ports, Version};
use tandem_integrator::partitioned::Interface;
use tandem_quantity::BuildError;

use super::member::{Member, make, start, vectors};
use super::sections::{Part as Settings, Variant as Form};
use super::table::{Column, Table, Tied};
use super::{CosimulationError, Coupling, Scenario, Wired, Workshop};
use tandem_fmi::models::Variant;

/// A substructure and its ports.
struct Substructure {
    member: Member,
    force: Ports,
    ground: Option<Ports>,
    free: Ports,
    shown: Ports,
    /// Places of `a` in what is shown.
    acceleration: usize,
    /// Variant A: all degrees of freedom travel.
    all: bool,
    forces: Vec<f64>,
    frees: Vec<f64>,
    look: Vec<f64>,
}

impl Substructure {
    /// Puts interface forces in, spread over all degrees of freedom where they travel.
    fn push(&mut self, q: &[f64]) -> Result<(), CosimulationError> {
        if self.all {
            self.forces.fill(0.0);
            for (row, q) in self.member.rows.iter().zip(q) {
                if let Some(force) = self.forces.get_mut(*row) {
                    *force = *q;
                }
            }
        } else {
            self.forces.copy_from_slice(q);
        }
        Ok(self
            .force
            .write(self.member.instance.as_mut(), &self.forces)?)
    }

    fn shake(&mut self, ground: f64) -> Result<(), CosimulationError> {
        if let Some(ports) = &self.ground {
            ports.write(self.member.instance.as_mut(), &[ground])?;
        }
        Ok(())
    }

    /// Values at the rows, from a vector of all or of the interface.
    fn at_rows(&self, values: &[f64], into: &mut [f64]) {
        for (k, (x, row)) in into.iter_mut().zip(&self.member.rows).enumerate() {
            let place = if self.all { *row } else { k };
            *x = values.get(place).copied().unwrap_or(0.0);
        }
    }

    fn read_free(&mut self, into: &mut [f64], time: f64) -> Result<(), CosimulationError> {
        let mut frees = std::mem::take(&mut self.frees);
        self.free.read(self.member.instance.as_mut(), &mut frees)?;
        self.free.check(&frees, time)?;
        self.at_rows(&frees, into);
        self.frees = frees;
        Ok(())
    }

    /// One step: free velocities at the rows, and what is shown.
    fn step(
        &mut self,
        time: f64,
        dt: f64,
        ground: f64,
        free: &mut [f64],
    ) -> Result<(), CosimulationError> {
        self.shake(ground)?;
        self.member.advance(time, dt)?;
        self.read_free(free, time)?;
        self.shown
            .read(self.member.instance.as_mut(), &mut self.look)?;
        Ok(self.shown.check(&self.look, time)?)
    }

    /// Begins the initialisation, in which inputs act on outputs at once: accelerations without
    /// interface forces, what unit forces do to them, and H, both by rows.
    fn begin(
        &mut self,
        scenario: &Scenario,
        base: &mut [f64],
    ) -> Result<(Vec<f64>, Vec<f64>), CosimulationError> {
        let n = self.member.rows.len();
        let stop = scenario.time(scenario.steps + 1);
        self.member
            .instance
            .enter_initialization(None, 0.0, Some(stop))?;
        self.shake(scenario.ground(0.0))?;
        self.push(&vec![0.0; n])?;
        self.acceleration(base)?;
        let mut receptance = vec![0.0; n * n];
        for column in 0..n {
            let mut unit = vec![0.0; n];
            unit[column] = 1.0;
            self.push(&unit)?;
            self.acceleration(&mut unit)?;
            for row in 0..n {
                receptance[row * n + column] = unit[row] - base[row];
            }
        }
        let ports = vectors(&self.member.fmu.description, &["H"])?;
        let mut h = vec![0.0; ports.len()];
        ports.read(self.member.instance.as_mut(), &mut h)?;
        let width = self.force.len();
        same(&self.member.name, "H", h.len(), width * width)?;
        let places: Vec<usize> = if self.all {
            self.member.rows.clone()
        } else {
            (0..n).collect()
        };
        let at = |row: usize, column: usize| h.get(row * width + column).copied().unwrap_or(0.0);
        let pairs = places
            .iter()
            .flat_map(|row| places.iter().map(move |column| (*row, *column)));
        let mobility = pairs.map(|(row, column)| at(row, column)).collect();
        Ok((receptance, mobility))
    }

    /// L a of this instant.
    fn acceleration(&mut self, into: &mut [f64]) -> Result<(), CosimulationError> {
        self.shown
            .read(self.member.instance.as_mut(), &mut self.look)?;
        for (x, row) in into.iter_mut().zip(&self.member.rows) {
            *x = self
                .look
                .get(self.acceleration + row)
                .copied()
                .unwrap_or(0.0);
        }
        Ok(())
    }
}

/// Who solves the interface problem.
enum Master {
    Here(Interface),
    Fmu {
        _fmu: tandem_fmi::Fmu,
        instance: Box<dyn Instance>,
        free: Ports,
        force: Ports,
    },
}

/// Substructures whose FMUs step themselves.
struct Stepped {
    parts: Vec<Substructure>,
    master: Master,
    /// Free velocities of the coming step, at the rows of all parts.
    free: Vec<f64>,
    /// Interface forces, likewise.
    q: Vec<f64>,
}

impl Coupling for Stepped {
    /// One step more than there are points: what is coupled at the end of a step shows in the next.
    fn advance(
        &mut self,
        scenario: &Scenario,
        point: u64,
        row: &mut Vec<f64>,
    ) -> Result<(), CosimulationError> {
        if point > 0 {
            self.couple(scenario.time(point - 1), scenario.dt)?;
        }
        let time = scenario.time(point);
        let ground = scenario.ground(scenario.time(point + 1));
        let mut at = 0;
        for part in &mut self.parts {
            let n = part.member.rows.len();
            part.step(time, scenario.dt, ground, &mut self.free[at..at + n])
                .map_err(|error| error.of(&part.member.name))?;
            row.extend_from_slice(&part.look);
            row.extend_from_slice(&self.q[at..at + n]);
            at += n;
        }
        Ok(())
    }

    fn end(&mut self, _: &Scenario, _: &mut Vec<String>) -> Result<(), CosimulationError> {
        for part in &mut self.parts {
            let ended = part.member.instance.terminate();
            ended.map_err(|error| CosimulationError::from(error).of(&part.member.name))?;
        }
        Ok(())
    }
}

impl Stepped {
    /// Interface forces that make the parts move as one at the end of a step.
    fn couple(&mut self, time: f64, dt: f64) -> Result<(), CosimulationError> {
        match &mut self.master {
            Master::Here(interface) => interface.solve(&self.free, &mut self.q),
            Master::Fmu {
                instance,
                free: ports,
                force,
                ..
            } => {
                let done = ports
                    .write(instance.as_mut(), &self.free)
                    .and_then(|()| instance.step(time, dt))
                    .and_then(|_| force.read(instance.as_mut(), &mut self.q))
                    .and_then(|()| force.check(&self.q, time));
                done.map_err(|error| CosimulationError::from(error).of("coupling"))?;
            }
        }
        let mut at = 0;
        for part in &mut self.parts {
            let n = part.member.rows.len();
            part.push(&self.q[at..at + n])
                .map_err(|error| error.of(&part.member.name))?;
            at += n;
        }
        Ok(())
    }
}

/// Opens the parts and finds q(0).
pub fn wire(workshop: &Workshop<'_>, form: Form, table: &mut Table) -> Wired {
    let all = form == Form::CsA;
    let parts = workshop.scenario.parts.iter();
    let parts = parts.map(|settings| open(workshop, settings, all));
    let parts = parts.collect::<Result<Vec<_>, _>>()?;
    name(table, &parts);
    Ok(Box::new(initialise(workshop, form, parts)?))
}

/// Opens the FMU of a part and finds its ports.
fn open(
    workshop: &Workshop<'_>,
    settings: &Settings,
    all: bool,
) -> Result<Substructure, CosimulationError> {
    let variant = if all { Variant::A } else { Variant::B };
    let mut member = Member::open(workshop, settings, FmiInterface::CoSimulation, variant)?;
    let description = &member.fmu.description;
    let force = member.ports(settings.force.as_deref(), if all { "g" } else { "lambda" })?;
    let ports = |names: &[&str]| {
        vectors(description, names).map_err(|error| CosimulationError::from(error).of(&member.name))
    };
    let free = ports(&["v_free"])?;
    let u = ports(&["u"])?;
    let shown = ports(&["u", "v", "a", "r"])?;
    if !all && force.len() != member.rows.len() {
        return Err(BuildError::new(
            "part",
            format!(
                "part `{}` takes {} forces for {} rows",
                member.name,
                force.len(),
                member.rows.len()
            ),
            "give `rows`: the degree of freedom that each force acts on",
        )
        .into());
    }
    same(&member.name, "v_free", free.len(), force.len())?;
    same(&member.name, "u, v, a and r", shown.len(), 4 * u.len())?;
    if let Some(row) = member.rows.iter().find(|row| **row >= u.len()) {
        return Err(BuildError::new(
            "part",
            format!(
                "part `{}` has {} degrees of freedom; row {} is none of them",
                member.name,
                u.len(),
                row + 1
            ),
            "give `rows`: the degree of freedom that each force acts on",
        )
        .into());
    }
    // Constants that the plan gives are parameters of the FMU.
    let constants = [("gamma", settings.gamma), ("beta", settings.beta)].into_iter();
    let starts: Vec<(String, String)> = constants
        .filter_map(|(key, constant)| Some((key.to_owned(), constant?.to_string())))
        .chain([("dt".to_owned(), workshop.scenario.dt.to_string())])
        .collect();
    tandem_fmi::simulate::set_starts(member.instance.as_mut(), description, &starts)
        .map_err(|error| CosimulationError::from(error).of(&member.name))?;
    Ok(Substructure {
        acceleration: 2 * u.len(),
        forces: vec![0.0; force.len()],
        frees: vec![0.0; free.len()],
        look: vec![0.0; shown.len()],
        ground: member.ground(settings)?,
        force,
        free,
        shown,
        all,
        member,
    })
}

/// Inputs act on outputs at once in the initialisation, so that q(0) can be found there, by probing
/// with unit forces.
fn initialise(
    workshop: &Workshop<'_>,
    form: Form,
    mut parts: Vec<Substructure>,
) -> Result<Stepped, CosimulationError> {
    let rows: usize = parts.iter().map(|part| part.member.rows.len()).sum();
    let (mut free, mut q) = (vec![0.0; rows], vec![0.0; rows]);
    let (mut receptances, mut mobilities, mut maps) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    for part in &mut parts {
        let n = part.member.rows.len();
        let found = part.begin(workshop.scenario, &mut free[at..at + n]);
        let (mut receptance, mobility) = found.map_err(|error| error.of(&part.member.name))?;
        // Without mass somewhere no force makes an acceleration at the start: it begins at rest, as
        // `Part::inverse_mass` has it.
        if receptance.iter().all(|x| *x == 0.0) {
            receptance.clone_from(&mobility);
        }
        receptances.push(receptance);
        mobilities.push(mobility);
        maps.push(part.member.map.clone());
        at += n;
    }
    let names: Vec<String> = parts.iter().map(|p| p.member.name.clone()).collect();
    let mut initial = Interface::named(
        &names,
        &receptances.iter().map(Vec::as_slice).collect::<Vec<_>>(),
        &maps,
    )?;
    initial.solve(&free, &mut q);
    let mut at = 0;
    for part in &mut parts {
        let n = part.member.rows.len();
        let done = part.push(&q[at..at + n]).and_then(|()| {
            part.member.instance.exit_initialization()?;
            Ok(())
        });
        done.map_err(|error| error.of(&part.member.name))?;
        at += n;
    }
    let master = if form == Form::CouplingFmu {
        coupling(workshop, &mobilities, &maps)?
    } else {
        Master::Here(Interface::named(
            &names,
            &mobilities.iter().map(Vec::as_slice).collect::<Vec<_>>(),
            &maps,
        )?)
    };
    Ok(Stepped {
        parts,
        master,
        free,
        q,
    })
}

/// Refuses an FMU whose vectors do not fit together: what is missing would count as nought.
fn same(name: &str, what: &str, found: usize, wanted: usize) -> Result<(), CosimulationError> {
    if found == wanted {
        return Ok(());
    }
    Err(BuildError::new(
        "part",
        format!("`{name}` has {found} values in {what} where {wanted} are needed"),
        "export it anew with `tandem fmu export`, or take variant = \"cs-c\" or \"me\" for an FMU \
        of another tool",
    )
    .into())
}

/// The coupling of all parts as an FMU.
fn coupling(
    workshop: &Workshop<'_>,
    mobilities: &[Vec<f64>],
    maps: &[Vec<usize>],
) -> Result<Master, CosimulationError> {
    let scenario = workshop.scenario;
    let content = workshop.plans.coupling(scenario.dt, maps);
    let version = if scenario.parts.first().is_some_and(|first| first.fmi == 3) {
        Version::Three
    } else {
        Version::Two
    };
    let fmu = make(
        workshop,
        content.as_ref(),
        "coupling",
        version,
        FmiInterface::CoSimulation,
    )?;
    let mut instance = start(workshop, &fmu, "coupling", FmiInterface::CoSimulation)?;
    let h = vectors(&fmu.description, &["H_in"])?;
    let free = vectors(&fmu.description, &["v_free"])?;
    let force = vectors(&fmu.description, &["lambda"])?;
    let mobilities = mobilities.concat();
    let rows: usize = maps.iter().map(Vec::len).sum();
    same("coupling", "H_in", h.len(), mobilities.len())?;
    same("coupling", "v_free", free.len(), rows)?;
    same("coupling", "lambda", force.len(), rows)?;
    instance.enter_initialization(None, 0.0, None)?;
    h.write(instance.as_mut(), &mobilities)?;
    instance.exit_initialization()?;
    Ok(Master::Fmu {
        free,
        force,
        instance,
        _fmu: fmu,
    })
}

fn name(table: &mut Table, parts: &[Substructure]) {
    let (mut names, mut columns) = (Vec::new(), Vec::new());
    for part in parts {
        let n = part.acceleration / 2;
        let base = names.len();
        for (j, (row, shared)) in part.member.rows.iter().zip(&part.member.map).enumerate() {
            columns.push(Tied {
                shared: *shared,
                u: base + row,
                v: base + n + row,
                q: base + part.shown.len() + j,
            });
        }
        names.extend(part.member.columns(part.shown.names()));
        let member = &part.member;
        names.extend(Column::vector(&member.name, "q", member.rows.len(), "N"));
    }
    table.name(names);
    table.tie(&columns);
}
