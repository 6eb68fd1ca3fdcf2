//! A part of a co-simulation: an FMU with its ports by their meaning.

use tandem_fmi::binding::{InstanceOptions, instantiate};
use tandem_fmi::{Fmu, FmuError, Instance, Interface, Ports, Version, WorkerInstance, co_step};
use tandem_quantity::{BuildError, Values};

use super::sections::{Part, Scheme, Variant as Form};
use super::table::Column;
use super::{CosimulationError, Scenario, Workshop};
use crate::fmu::{Content, Kinds, Request, What, export};
use crate::sections::Section;
use tandem_fmi::models::Variant;
use tandem_fmi::slots::starts;
pub use tandem_fmi::slots::vectors;

/// An FMU that runs.
pub struct Member {
    /// Name in the plan.
    pub name: String,
    // Before the FMU: its folder goes away last.
    /// The instance.
    pub instance: Box<dyn Instance>,
    /// The FMU.
    pub fmu: Fmu,
    /// Degrees of freedom that are tied, from zero, where that is known.
    pub rows: Vec<usize>,
    /// Interface degree of freedom of each row, from zero.
    pub map: Vec<usize>,
    /// Newmark's constants.
    pub gamma: f64,
    /// Newmark's constants.
    pub beta: f64,
}

/// The part of a plan that a table of a co-simulation names, with the table's constants laid over
/// it.
pub fn content(
    part: &Part,
    scenario: &Scenario,
    variant: Variant,
    what: What,
) -> Result<Content, CosimulationError> {
    let path = part.plan.as_deref();
    let path = path.ok_or_else(|| Values::missing("plan", "a text"))?;
    let refuse = |text: String| {
        CosimulationError::Plan(BuildError::new(
            "part",
            text,
            "check the plan of this part with `tandem check`",
        ))
    };
    let source = tandem_plan::Source::File(std::path::Path::new(path));
    let plan = crate::sections::open_with(crate::registry::standard(), source, &[])
        .map_err(|refusal| refuse(format!("{path}: {}", refusal.to_text())))?;
    let kind = Section::Rig.selected(&plan.values, &tandem_transfer::rig::SLOT);
    if let (What::Physical, Some(kind @ ("device" | "sites"))) = (what, kind) {
        return Err(refuse(format!(
            "{path}: its specimen stands elsewhere (rig.kind = \"{kind}\"), where a co-simulation \
             cannot move it yet; a model would stand in for it without a word. Run that plan as a \
             test, or couple its rehearsal with rig.kind = \"virtual\""
        )));
    }
    let mut content = Content::of(&plan, what, variant)
        .map_err(|errors| refuse(format!("{path}: {}", plan.refuse(errors).to_text())))?;
    content.dt = scenario.dt;
    content.gamma = part.gamma.unwrap_or(content.gamma);
    content.beta = part.beta.unwrap_or(content.beta);
    Ok(content)
}

/// What an FMU of ours was made of, with the table's constants laid over it; none for an FMU of
/// another tool.
pub fn exported(fmu: &Fmu, part: &Part) -> Result<Option<Content>, FmuError> {
    let path = fmu.folder().join("resources/tandem.json");
    let broken = |error: String| FmuError::Usage(format!("{}: {error}", path.display()));
    let json = match std::fs::read_to_string(&path) {
        Ok(json) => json,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(broken(error.to_string())),
    };
    let content: Result<Content, _> = serde_json::from_str(&json);
    let mut content = content.map_err(|error| broken(error.to_string()))?;
    content.gamma = part.gamma.unwrap_or(content.gamma);
    content.beta = part.beta.unwrap_or(content.beta);
    Ok(Some(content))
}

/// Makes an FMU.
pub fn make(
    workshop: &Workshop<'_>,
    content: &Content,
    name: &str,
    version: Version,
    interface: Interface,
) -> Result<Fmu, CosimulationError> {
    let clean: String = name
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || c == '-' {
                c
            } else {
                '_'
            }
        })
        .collect();
    let path = workshop.folder.join(format!("{clean}.fmu"));
    let kinds = Kinds {
        co_simulation: interface == Interface::CoSimulation,
        model_exchange: interface == Interface::ModelExchange,
    };
    let request = Request {
        content,
        version,
        kinds,
        binary: workshop.library,
    };
    export(request, &path)?;
    Ok(Fmu::open(&path)?)
}

/// Starts an FMU: in this process or in one of its own.
pub fn start(
    workshop: &Workshop<'_>,
    fmu: &Fmu,
    name: &str,
    interface: Interface,
) -> Result<Box<dyn Instance>, CosimulationError> {
    let wish = InstanceOptions::of(interface);
    if workshop.scenario.in_process {
        return Ok(instantiate(fmu, name, wish)?);
    }
    Ok(Box::new(WorkerInstance::start(
        &workshop.launcher,
        fmu,
        name,
        wish,
    )?))
}

/// A list counted from one, as one from zero.
pub fn from_zero(list: &[usize]) -> Vec<usize> {
    list.iter().map(|x| x.saturating_sub(1)).collect()
}

impl Member {
    /// Opens the FMU of a table, or makes it.
    pub fn open(
        workshop: &Workshop<'_>,
        part: &Part,
        interface: Interface,
        variant: Variant,
    ) -> Result<Self, CosimulationError> {
        Self::of(workshop, part, (interface, variant)).map_err(|error| error.of(&part.name))
    }

    fn of(
        workshop: &Workshop<'_>,
        part: &Part,
        (interface, variant): (Interface, Variant),
    ) -> Result<Self, CosimulationError> {
        let scenario = workshop.scenario;
        let name = part.name.clone();
        let mut known_rows = None;
        let (mut gamma, mut beta) = (0.5, 0.25);
        let mut fmu = match (&part.fmu, &part.plan) {
            (Some(path), None) => {
                let fmu = Fmu::open(std::path::Path::new(path))?;
                // One of ours says which degrees of freedom it ties.
                if let Some(content) = exported(&fmu, part)? {
                    (gamma, beta) = (content.gamma, content.beta);
                    known_rows = Some(content.rows);
                }
                fmu
            }
            (None, Some(_)) => {
                let content = content(part, scenario, variant, part.what.what())?;
                (gamma, beta) = (content.gamma, content.beta);
                known_rows = Some(content.rows.clone());
                let version = if part.fmi == 3 {
                    Version::Three
                } else {
                    Version::Two
                };
                make(workshop, &content, &name, version, interface)?
            }
            _ => {
                return Err(BuildError::new(
                    "part",
                    format!("part `{name}` has not exactly one of `fmu` and `plan`"),
                    "give fmu = \"model.fmu\", or plan = \"plan.toml\" with what = \"numerical\"",
                )
                .into());
            }
        };
        gamma = part.gamma.unwrap_or(gamma);
        beta = part.beta.unwrap_or(beta);
        let rows = match &part.rows {
            Some(rows) => from_zero(rows),
            None => known_rows.unwrap_or_else(|| vec![0]),
        };
        let map = match &part.interface {
            Some(map) => from_zero(map),
            None => (0..rows.len()).collect(),
        };
        // A black box has as many rows as forces, which are counted later.
        let black_box = scenario.scheme == Scheme::AtInterface(Form::CsC);
        if map.len() != rows.len() && !black_box {
            return Err(BuildError::new(
                "part",
                format!(
                    "part `{name}` has {} rows and ties {} of them",
                    rows.len(),
                    map.len()
                ),
                "give as many entries in `interface` as in `rows`",
            )
            .into());
        }
        let starts = starts(&part.start)?;
        fmu.description.configure(&starts)?;
        let mut instance = start(workshop, &fmu, &name, interface)?;
        tandem_fmi::simulate::set_starts(instance.as_mut(), &fmu.description, &starts)?;
        Ok(Self {
            name,
            instance,
            fmu,
            rows,
            map,
            gamma,
            beta,
        })
    }

    /// Columns of variables of this part.
    pub fn columns<'a>(&'a self, names: &'a [String]) -> impl Iterator<Item = Column> + 'a {
        names.iter().map(|name| Column {
            part: self.name.clone(),
            variable: name.clone(),
            unit: self
                .fmu
                .description
                .find(name)
                .and_then(|variable| variable.unit.clone())
                .unwrap_or_else(|| "1".to_owned()),
        })
    }

    /// One step of co-simulation.
    pub fn advance(&mut self, time: f64, dt: f64) -> Result<(), CosimulationError> {
        let reached = co_step(self.instance.as_mut(), time, dt)?;
        if reached.terminate {
            return Err(FmuError::Reported(format!(
                "the FMU asked for the end at t = {} s",
                reached.time
            ))
            .into());
        }
        Ok(())
    }

    /// Ports that the plan names, or the usual ones.
    pub fn ports(
        &self,
        written: Option<&[String]>,
        usual: &str,
    ) -> Result<Ports, CosimulationError> {
        let found = match written {
            Some(names) => vectors(&self.fmu.description, names),
            None => vectors(&self.fmu.description, &[usual]),
        };
        found.map_err(|error| CosimulationError::from(error).of(&self.name))
    }

    /// The input of the ground acceleration, if it has one.
    pub fn ground(&self, part: &Part) -> Result<Option<Ports>, CosimulationError> {
        let description = &self.fmu.description;
        let name = match &part.ground {
            Some(name) => name.clone(),
            None if description.find("ag").is_some() => "ag".to_owned(),
            None => return Ok(None),
        };
        vectors(description, &[name])
            .map(Some)
            .map_err(|error| CosimulationError::from(error).of(&self.name))
    }
}
