//! Parts that are only wired: jacobi, gauss-seidel, and iterations with steps taken back.

use std::collections::HashSet;

use tandem_fmi::{Causality, FmuError, Interface as FmiInterface, Item, Ports, Saved};
use tandem_quantity::BuildError;

use super::loops::{self, Wire};
use super::member::{Member, vectors};
use super::sections::{Part as Settings, Scheme};
use super::table::Table;
use super::{CosimulationError, Coupling, Scenario, Wired, Workshop};
use tandem_fmi::models::Variant;

struct Part {
    member: Member,
    ground: Option<Ports>,
    inputs: Ports,
    input_values: Vec<f64>,
    outputs: Ports,
    values: Vec<f64>,
    shown: Ports,
    look: Vec<f64>,
    saved: Option<Saved>,
}

/// One value that goes from an output to an input: part and place, twice.
struct Link {
    from: (usize, usize),
    to: (usize, usize),
}

/// Parts that are only wired.
struct Wiring {
    parts: Vec<Part>,
    links: Vec<Link>,
    /// Rounds of all steps.
    rounds: u64,
}

impl Coupling for Wiring {
    fn advance(
        &mut self,
        scenario: &Scenario,
        point: u64,
        row: &mut Vec<f64>,
    ) -> Result<(), CosimulationError> {
        if point > 0 {
            let time = scenario.time(point - 1);
            match scenario.scheme {
                Scheme::Iterative { tolerance, most } => {
                    self.iterate(scenario, time, (tolerance, most))?;
                }
                Scheme::GaussSeidel => self.one_by_one(scenario, time)?,
                Scheme::Jacobi | Scheme::AtInterface(_) => self.all_at_once(scenario, time)?,
            }
            self.look(scenario.time(point))?;
        }
        for part in &self.parts {
            row.extend_from_slice(&part.look);
        }
        Ok(())
    }

    fn end(
        &mut self,
        scenario: &Scenario,
        notes: &mut Vec<String>,
    ) -> Result<(), CosimulationError> {
        if let Scheme::Iterative { .. } = scenario.scheme {
            let rounds = self.rounds;
            notes.push(format!("{rounds} rounds in {} steps", scenario.steps));
        }
        Ok(())
    }
}

impl Wiring {
    /// A step of all parts with the outputs of the last point.
    fn all_at_once(&mut self, scenario: &Scenario, time: f64) -> Result<(), CosimulationError> {
        for index in 0..self.parts.len() {
            pull(&mut self.parts, &self.links, index);
        }
        for part in &mut self.parts {
            push(part, scenario.ground(time))?;
            advance(part, time, scenario.dt)?;
        }
        Ok(())
    }

    /// A step of each part with the newest outputs.
    fn one_by_one(&mut self, scenario: &Scenario, time: f64) -> Result<(), CosimulationError> {
        for index in 0..self.parts.len() {
            pull(&mut self.parts, &self.links, index);
            push(&mut self.parts[index], scenario.ground(time))?;
            advance(&mut self.parts[index], time, scenario.dt)?;
        }
        Ok(())
    }

    /// The same, repeated until nothing changes.
    fn iterate(
        &mut self,
        scenario: &Scenario,
        time: f64,
        (tolerance, most): (f64, usize),
    ) -> Result<(), CosimulationError> {
        for part in &mut self.parts {
            let saved = part.member.instance.save(part.saved);
            let saved = saved.map_err(|error| CosimulationError::from(error).of(&part.member.name));
            part.saved = Some(saved?);
        }
        let mut round = 0;
        loop {
            let before: Vec<Vec<f64>> = self.parts.iter().map(|p| p.values.clone()).collect();
            self.one_by_one(scenario, time)?;
            self.rounds += 1;
            round += 1;
            let changes = before.iter().zip(&self.parts);
            let changes = changes.map(|(old, part)| change(old, &part.values));
            let worst = changes.fold(0.0_f64, f64::max);
            if round > 1 && worst <= tolerance {
                return Ok(());
            }
            if round == most {
                return Err(FmuError::Reported(format!(
                    "the step at t = {time} s does not settle: after {most} rounds outputs still \
                    change by {worst:.3e}; take a \
                     shorter dt, or a larger tolerance"
                ))
                .into());
            }
            for part in &mut self.parts {
                if let Some(saved) = part.saved {
                    let done = part.member.instance.restore(saved);
                    done.map_err(|error| CosimulationError::from(error).of(&part.member.name))?;
                }
            }
        }
    }

    /// Reads what is shown.
    fn look(&mut self, time: f64) -> Result<(), CosimulationError> {
        for part in &mut self.parts {
            part.shown
                .read(part.member.instance.as_mut(), &mut part.look)
                .and_then(|()| part.shown.check(&part.look, time))
                .map_err(|error| CosimulationError::from(error).of(&part.member.name))?;
        }
        Ok(())
    }
}

/// Largest change of an output, over the largest of them.
fn change(old: &[f64], new: &[f64]) -> f64 {
    let size = new.iter().fold(1e-12_f64, |m, x| m.max(x.abs()));
    let apart = old.iter().zip(new).map(|(a, b)| (a - b).abs());
    apart.fold(0.0_f64, f64::max) / size
}

/// Opens the parts, wires them and lets what they start with go round.
pub fn wire(workshop: &Workshop<'_>, table: &mut Table, notes: &mut Vec<String>) -> Wired {
    let scenario = workshop.scenario;
    let members = scenario.parts.iter();
    let members =
        members.map(|part| Member::open(workshop, part, FmiInterface::CoSimulation, Variant::B));
    let members = members.collect::<Result<Vec<_>, _>>()?;
    let names: Vec<String> = members.iter().map(|m| m.name.clone()).collect();
    let wires = wires(scenario, &members)?;
    let (parts, links) = join(scenario, members, &wires)?;
    let iterative = matches!(scenario.scheme, Scheme::Iterative { .. });
    let descriptions: Vec<_> = parts.iter().map(|p| &p.member.fmu.description).collect();
    for path in loops::find(&names, &descriptions, &wires)? {
        notes.push(format!(
            "algebraic loop: {}{}",
            path.join(" → "),
            if iterative {
                ""
            } else {
                "; its values lag by a step, method = \"iterative\" solves it"
            }
        ));
    }
    if iterative {
        can_go_back(&parts)?;
    }
    let columns = parts.iter().flat_map(|p| p.member.columns(p.shown.names()));
    table.name(columns.collect());
    let mut coupled = Wiring {
        parts,
        links,
        rounds: 0,
    };
    coupled.initialise(scenario)?;
    coupled.look(0.0)?;
    Ok(Box::new(coupled))
}

/// Whether all parts can go back to the start of a step.
fn can_go_back(parts: &[Part]) -> Result<(), BuildError> {
    let stays = |part: &&Part| {
        let steps = part.member.fmu.description.co_simulation.as_ref();
        !steps.is_some_and(|steps| steps.state)
    };
    match parts.iter().find(stays) {
        None => Ok(()),
        Some(part) => Err(BuildError::new(
            "cosimulation.method",
            format!(
                "`{}` cannot go back to the start of a step (no get/set state)",
                part.member.name
            ),
            "take method = \"gauss-seidel\", or another FMU",
        )),
    }
}

impl Wiring {
    /// Outputs of the start reach inputs before anything moves; feedthrough needs as many rounds as
    /// the longest chain.
    fn initialise(&mut self, scenario: &Scenario) -> Result<(), CosimulationError> {
        for part in &mut self.parts {
            let stop = Some(scenario.time(scenario.steps));
            let done = part.member.instance.enter_initialization(None, 0.0, stop);
            done.map_err(|error| CosimulationError::from(error).of(&part.member.name))?;
        }
        for _ in 0..self.parts.len() {
            for index in 0..self.parts.len() {
                pull(&mut self.parts, &self.links, index);
                push(&mut self.parts[index], scenario.ground(0.0))?;
                read(&mut self.parts[index], 0.0)?;
            }
        }
        for part in &mut self.parts {
            let done = part.member.instance.exit_initialization();
            done.map_err(|error| CosimulationError::from(error).of(&part.member.name))?;
            read(part, 0.0)?;
        }
        Ok(())
    }
}

/// The connections of the plan, by part and variable.
fn wires(scenario: &Scenario, members: &[Member]) -> Result<Vec<Wire>, CosimulationError> {
    let mut wires = Vec::new();
    for connection in &scenario.connections {
        let end = |key: &str, text: &str| -> Result<(usize, String), CosimulationError> {
            // Names may have dots themselves: the longest that fits is meant.
            let fits = members.iter().enumerate().filter_map(|(index, member)| {
                let rest = text.strip_prefix(member.name.as_str())?.strip_prefix('.')?;
                // As columns are named: `x[1,2]`.
                let description = &member.fmu.description;
                let name = match tandem_fmi::item(description, rest) {
                    Ok(Item {
                        variable,
                        element: Some(element),
                    }) => description.element_name(variable, element),
                    _ => rest.to_owned(),
                };
                Some((index, name))
            });
            let found = fits.min_by_key(|(_, variable)| variable.len());
            Ok(found.ok_or_else(|| {
                BuildError::new(
                    "connection",
                    format!("{key} = \"{text}\" names no part"),
                    format!(
                        "write part.variable; the parts are {}",
                        members
                            .iter()
                            .map(|m| m.name.as_str())
                            .collect::<Vec<_>>()
                            .join(", ")
                    ),
                )
            })?)
        };
        wires.push(Wire {
            from: end("from", &connection.from)?,
            to: end("to", &connection.to)?,
        });
    }
    Ok(wires)
}

/// Finds the ports of all connections.
fn join(
    scenario: &Scenario,
    members: Vec<Member>,
    wires: &[Wire],
) -> Result<(Vec<Part>, Vec<Link>), CosimulationError> {
    let mut parts = Vec::new();
    for (index, (member, settings)) in members.into_iter().zip(&scenario.parts).enumerate() {
        parts.push(open(scenario, (index, member, settings), wires)?);
    }
    if scenario.ground.is_some() && parts.iter().all(|part| part.ground.is_none()) {
        return Err(BuildError::new(
            "excitation",
            "no part has an input that takes the ground acceleration, so that this does nothing",
            "name one with `ground` in its [[part]], or remove [excitation] and give \
            cosimulation.duration",
        )
        .into());
    }
    let mut links = Vec::new();
    let mut fed = HashSet::new();
    for wire in wires {
        links.extend(link(wire, &parts, &mut fed)?);
    }
    Ok((parts, links))
}

/// Finds the ports of a part.
fn open(
    scenario: &Scenario,
    (index, member, settings): (usize, Member, &Settings),
    wires: &[Wire],
) -> Result<Part, CosimulationError> {
    let description = &member.fmu.description;
    let names = |taking: bool| {
        let mut list: Vec<&str> = Vec::new();
        for wire in wires {
            let (part, name) = if taking { &wire.to } else { &wire.from };
            if *part == index && !list.contains(&name.as_str()) {
                list.push(name);
            }
        }
        list
    };
    let wrong = |error: FmuError| CosimulationError::from(error).of(&member.name);
    let ports = |names: &[&str]| vectors(description, names).map_err(wrong);
    let inputs = ports(&names(true))?;
    for name in names(true) {
        if tandem_fmi::item(description, name)
            .is_ok_and(|item| item.variable.causality != Causality::Input)
        {
            return Err(BuildError::new(
                "connection",
                format!("`{}.{name}` is no input", member.name),
                "connect outputs with inputs; `tandem fmu info` lists them",
            )
            .into());
        }
    }
    let outputs = ports(&names(false))?;
    let shown = match &settings.outputs {
        Some(names) => vectors(description, names).map_err(wrong)?,
        None => Ports::new(
            description,
            description
                .outputs
                .iter()
                .filter_map(|i| description.variables.get(*i))
                .filter(|v| v.kind.is_number()),
        )?,
    };
    // An input that another part feeds is not shaken as well, unless the plan says so.
    let fed = settings.ground.is_none() && names(true).contains(&"ag");
    let ground = if scenario.ground.is_some() && !fed {
        member.ground(settings)?
    } else {
        None
    };
    Ok(Part {
        input_values: vec![0.0; inputs.len()],
        values: vec![0.0; outputs.len()],
        look: vec![0.0; shown.len()],
        saved: None,
        ground,
        inputs,
        outputs,
        shown,
        member,
    })
}

/// Inputs that are fed: part and name.
type Fed = HashSet<(usize, Option<String>)>;

/// Which values a wire leads where.
fn link(wire: &Wire, parts: &[Part], fed: &mut Fed) -> Result<Vec<Link>, BuildError> {
    let places = |part: usize, name: &str, taking: bool| {
        let head = format!("{name}[");
        let ports = parts
            .get(part)
            .map(|p| if taking { &p.inputs } else { &p.outputs });
        let each = ports.into_iter().flat_map(|p| p.names().iter().enumerate());
        let own = each.filter(|(_, n)| *n == name || n.starts_with(&head));
        // A value may stand there twice, by itself and in its array.
        let mut seen = HashSet::new();
        let own = own.filter(|(_, n)| seen.insert(n.as_str()));
        own.map(|(place, _)| (part, place)).collect::<Vec<_>>()
    };
    let from = places(wire.from.0, &wire.from.1, false);
    let to = places(wire.to.0, &wire.to.1, true);
    for (part, place) in &to {
        let input = parts.get(*part).and_then(|p| p.inputs.names().get(*place));
        if !fed.insert((*part, input.cloned())) {
            let name = parts.get(*part).map_or("", |p| p.member.name.as_str());
            return Err(BuildError::new(
                "connection",
                format!("two connections feed `{name}.{}`", wire.to.1),
                "leave one of them out: an input takes one output",
            ));
        }
    }
    if from.len() != to.len() {
        return Err(BuildError::new(
            "connection",
            format!(
                "`{}` has {} values, `{}` takes {}",
                wire.from.1,
                from.len(),
                wire.to.1,
                to.len()
            ),
            "connect variables of the same size",
        ));
    }
    let pairs = from.into_iter().zip(to);
    Ok(pairs.map(|(from, to)| Link { from, to }).collect())
}

/// Takes what others give into the inputs of a part.
fn pull(parts: &mut [Part], links: &[Link], index: usize) {
    for link in links.iter().filter(|link| link.to.0 == index) {
        let value = parts
            .get(link.from.0)
            .and_then(|p| p.values.get(link.from.1))
            .copied();
        if let (Some(value), Some(part)) = (value, parts.get_mut(index))
            && let Some(place) = part.input_values.get_mut(link.to.1)
        {
            *place = value;
        }
    }
}

/// Puts ground motion and inputs in.
fn push(part: &mut Part, ground: f64) -> Result<(), CosimulationError> {
    let instance = part.member.instance.as_mut();
    let shaken = match &part.ground {
        Some(ports) => ports.write(instance, &[ground]),
        None => Ok(()),
    };
    shaken
        .and_then(|()| part.inputs.write(instance, &part.input_values))
        .map_err(|error| CosimulationError::from(error).of(&part.member.name))
}

/// One step, and the outputs after it.
fn advance(part: &mut Part, time: f64, dt: f64) -> Result<(), CosimulationError> {
    let done = part.member.advance(time, dt);
    done.map_err(|error| error.of(&part.member.name))?;
    read(part, time + dt)
}

fn read(part: &mut Part, time: f64) -> Result<(), CosimulationError> {
    part.outputs
        .read(part.member.instance.as_mut(), &mut part.values)
        .and_then(|()| part.outputs.check(&part.values, time))
        .map_err(|error| CosimulationError::from(error).of(&part.member.name))
}
