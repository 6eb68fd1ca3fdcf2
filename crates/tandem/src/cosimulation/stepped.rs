//! The hybrid-testing coupling over Co-Simulation FMUs made for it: all velocities travel (cs-a), or those of the interface
//! (cs-b), or the coupling is an FMU too.

use tandem_fmi::{Instance, Interface as Kind, Ports, Version};
use tandem_integrator::partitioned::Interface;
use tandem_quantity::BuildError;

use super::member::{Member, content, make, start, vector};
use super::table::{Table, Tied};
use super::{Scenario, Trouble};
use crate::fmu::{Variant, What};

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
    fn push(&mut self, q: &[f64]) -> Result<(), Trouble> {
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

    fn shake(&mut self, ground: f64) -> Result<(), Trouble> {
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

    fn read_free(&mut self, into: &mut [f64], time: f64) -> Result<(), Trouble> {
        let mut frees = std::mem::take(&mut self.frees);
        self.free.read(self.member.instance.as_mut(), &mut frees)?;
        self.free.check(&frees, time)?;
        self.at_rows(&frees, into);
        self.frees = frees;
        Ok(())
    }

    /// L a of this instant.
    fn acceleration(&mut self, into: &mut [f64]) -> Result<(), Trouble> {
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

pub fn run(
    scenario: &Scenario<'_>,
    form: &str,
    table: &mut Table,
    progress: &mut dyn FnMut(f64),
) -> Result<(), Trouble> {
    let all = form == "cs-a";
    let variant = if all { Variant::A } else { Variant::B };
    let mut parts = Vec::new();
    for values in scenario.values.tables("part") {
        let mut member = Member::open(scenario, values, Kind::CoSimulation, variant)?;
        let description = &member.fmu.description;
        let force = member.ports(values, "force", if all { "g" } else { "lambda" })?;
        let free = vector(description, "v_free")?;
        let u = vector(description, "u")?;
        let shown = super::member::vectors(description, &["u", "v", "a", "r"])?;
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
        // Constants that the plan gives are parameters of the FMU.
        let starts: Vec<(String, String)> = ["gamma", "beta"]
            .iter()
            .filter_map(|key| Some(((*key).to_owned(), values.optional_number(key)?.to_string())))
            .chain([("dt".to_owned(), scenario.dt.to_string())])
            .collect();
        tandem_fmi::simulate::set_starts(member.instance.as_mut(), description, &starts)?;
        parts.push(Substructure {
            acceleration: 2 * u.len(),
            forces: vec![0.0; force.len()],
            frees: vec![0.0; free.len()],
            look: vec![0.0; shown.len()],
            ground: member.ground(values)?,
            force,
            free,
            shown,
            all,
            member,
        });
    }
    name(table, &parts);
    // Initialisation: inputs act on outputs at once there, so that q(0) can be found (probing with unit forces).
    let stop = scenario.time(scenario.steps + 1);
    let rows: usize = parts.iter().map(|part| part.member.rows.len()).sum();
    let (mut free, mut q) = (vec![0.0; rows], vec![0.0; rows]);
    let (mut receptances, mut mobilities, mut maps) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = 0;
    for part in &mut parts {
        let n = part.member.rows.len();
        part.member
            .instance
            .enter_initialization(None, 0.0, Some(stop))?;
        part.shake(scenario.ground(0.0))?;
        part.push(&vec![0.0; n])?;
        let mut base = vec![0.0; n];
        part.acceleration(&mut base)?;
        let mut receptance = vec![0.0; n * n];
        for column in 0..n {
            let mut unit = vec![0.0; n];
            unit[column] = 1.0;
            part.push(&unit)?;
            part.acceleration(&mut unit)?;
            for row in 0..n {
                receptance[row * n + column] = unit[row] - base[row];
            }
        }
        free[at..at + n].copy_from_slice(&base);
        receptances.push(receptance);
        let ports = vector(&part.member.fmu.description, "H")?;
        let mut h = vec![0.0; ports.len()];
        ports.read(part.member.instance.as_mut(), &mut h)?;
        let width = part.force.len();
        let mobility =
            |row: usize, column: usize| h.get(row * width + column).copied().unwrap_or(0.0);
        let places: Vec<usize> = if all {
            part.member.rows.clone()
        } else {
            (0..n).collect()
        };
        let pairs = places
            .iter()
            .flat_map(|row| places.iter().map(move |column| (*row, *column)));
        mobilities.push(
            pairs
                .map(|(row, column)| mobility(row, column))
                .collect::<Vec<f64>>(),
        );
        maps.push(part.member.map.clone());
        at += n;
    }
    let mut initial = Interface::new(
        &receptances.iter().map(Vec::as_slice).collect::<Vec<_>>(),
        &maps,
    )?;
    initial.solve(&free, &mut q);
    let mut at = 0;
    for part in &mut parts {
        let n = part.member.rows.len();
        part.push(&q[at..at + n])?;
        part.member.instance.exit_initialization()?;
        at += n;
    }
    let mut master = if form == "coupling-fmu" {
        coupling(scenario, &mobilities)?
    } else {
        Master::Here(Interface::new(
            &mobilities.iter().map(Vec::as_slice).collect::<Vec<_>>(),
            &maps,
        )?)
    };
    // One step more than there are points: what is coupled at the end of a step shows in the next.
    let mut last = q.clone();
    for step in 0..=scenario.steps {
        let time = scenario.time(step);
        let ground = scenario.ground(scenario.time(step + 1));
        let mut at = 0;
        for part in &mut parts {
            let n = part.member.rows.len();
            part.shake(ground)?;
            part.member.advance(time, scenario.dt)?;
            part.read_free(&mut free[at..at + n], time)?;
            part.shown
                .read(part.member.instance.as_mut(), &mut part.look)?;
            part.shown.check(&part.look, time)?;
            at += n;
        }
        record(table, &parts, time, &last);
        match &mut master {
            Master::Here(interface) => interface.solve(&free, &mut q),
            Master::Fmu {
                instance,
                free: ports,
                force,
                ..
            } => {
                ports.write(instance.as_mut(), &free)?;
                instance.step(time, scenario.dt)?;
                force.read(instance.as_mut(), &mut q)?;
            }
        }
        let mut at = 0;
        for part in &mut parts {
            let n = part.member.rows.len();
            part.push(&q[at..at + n])?;
            at += n;
        }
        last.copy_from_slice(&q);
        if step.is_multiple_of(256) {
            progress(time / scenario.time(scenario.steps));
        }
    }
    for part in &mut parts {
        part.member.instance.terminate()?;
    }
    Ok(())
}

/// The coupling as an FMU, made from the plan of the first part.
fn coupling(scenario: &Scenario<'_>, mobilities: &[Vec<f64>]) -> Result<Master, Trouble> {
    let tables = scenario.values.tables("part");
    let first = tables
        .iter()
        .find(|table| table.has("plan"))
        .ok_or_else(|| {
            BuildError::new(
                "part",
                "the coupling is made from the plan of a part, and no part has one",
                "give plan = \"plan.toml\" in the parts, or take variant = \"cs-b\"",
            )
        })?;
    let content = content(first, scenario, Variant::B, What::Coupling)?;
    let version = if first.count("fmi")? == 3 {
        Version::Three
    } else {
        Version::Two
    };
    let fmu = make(scenario, &content, "coupling", version, Kind::CoSimulation)?;
    let mut instance = start(scenario, &fmu, "coupling", Kind::CoSimulation)?;
    let h = vector(&fmu.description, "H_in")?;
    instance.enter_initialization(None, 0.0, None)?;
    h.write(instance.as_mut(), &mobilities.concat())?;
    instance.exit_initialization()?;
    Ok(Master::Fmu {
        free: vector(&fmu.description, "v_free")?,
        force: vector(&fmu.description, "lambda")?,
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
        names.extend(
            part.shown
                .names()
                .iter()
                .map(|name| format!("{}/{name}", part.member.name)),
        );
        names.extend((1..=part.member.rows.len()).map(|i| format!("{}/q[{i}]", part.member.name)));
    }
    table.name(names);
    table.tie(&columns);
}

fn record(table: &mut Table, parts: &[Substructure], time: f64, q: &[f64]) {
    let mut at = 0;
    let mut row = Vec::new();
    for part in parts {
        let n = part.member.rows.len();
        row.extend_from_slice(&part.look);
        row.extend_from_slice(&q[at..at + n]);
        at += n;
    }
    table.row(time, row);
}
