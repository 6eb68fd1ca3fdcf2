//! A part of a co-simulation: an FMU with its ports by their meaning.

use tandem_fmi::binding::{InstanceOptions, instantiate};
use tandem_fmi::{Fmu, FmuError, Instance, Interface, Ports, Version, WorkerInstance, co_step};
use tandem_integrator::partitioned::Newmark;
use tandem_quantity::{BuildError, Values};

use super::content::{Content, Plans};
use super::sections::{Part, PlanPart, Scheme, Variant as Form};
use super::table::Column;
use super::{CosimulationError, Scenario, Workshop};
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
    (scenario, plans): (&Scenario, &dyn Plans),
    part: &Part,
    variant: Variant,
    what: PlanPart,
) -> Result<Box<dyn Content>, CosimulationError> {
    let path = part.plan.as_deref();
    let path = path.ok_or_else(|| Values::missing("plan", "a text"))?;
    let mut content = plans.part(path, what, variant)?;
    content.set_step(scenario.dt);
    lay_over(content.as_mut(), part);
    Ok(content)
}

/// What an FMU of ours was made of, with the table's constants laid over it; none for an FMU of
/// another tool.
pub fn exported(
    plans: &dyn Plans,
    fmu: &Fmu,
    part: &Part,
) -> Result<Option<Box<dyn Content>>, FmuError> {
    let mut content = plans.exported(fmu)?;
    if let Some(content) = &mut content {
        lay_over(content.as_mut(), part);
    }
    Ok(content)
}

fn lay_over(content: &mut dyn Content, part: &Part) {
    let Newmark { gamma, beta } = content.newmark();
    content.set_newmark(Newmark {
        gamma: part.gamma.unwrap_or(gamma),
        beta: part.beta.unwrap_or(beta),
    });
}

/// Makes an FMU.
pub fn make(
    workshop: &Workshop<'_>,
    content: &dyn Content,
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
    content.export(version, interface, &path)?;
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
                if let Some(content) = exported(workshop.plans, &fmu, part)? {
                    Newmark { gamma, beta } = content.newmark();
                    known_rows = Some(content.rows().to_vec());
                }
                fmu
            }
            (None, Some(_)) => {
                let content = content((scenario, workshop.plans), part, variant, part.what)?;
                Newmark { gamma, beta } = content.newmark();
                known_rows = Some(content.rows().to_vec());
                let version = if part.fmi == 3 {
                    Version::Three
                } else {
                    Version::Two
                };
                make(workshop, content.as_ref(), &name, version, interface)?
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
