#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! ```text
//! plan with [cosimulation] ─▶ parts (FMUs; those given as plans are exported first)
//!                              └─▶ method: hybrid-testing (Lagrange multipliers), jacobi, gauss-seidel, iterative
//!                                   └─▶ the run folder of any test
//! ```
//!
//! The hybrid-testing coupling is that of [`tandem_integrator::partitioned`]; here its
//! substructures are FMUs.

mod black_box;
mod content;
mod exchange;
mod judgement;
mod loops;
mod member;
mod native;
pub mod sections;
mod signals;
mod stepped;
mod system;
mod table;

pub use content::{Content, Plans};
pub use system::{FromSystem, StepError, of_system};
pub use table::{Column, Figures, Gap, Table, Tied};

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;
use tandem_coordinator::machine::Order;
use tandem_coordinator::recorder::{Event, EventLog, Header, Level, RecorderError};
use tandem_coordinator::{Orders, Stop, Timing};
use tandem_fmi::slots::launcher;
use tandem_fmi::{FmuError, Launcher};
use tandem_quantity::{BuildError, Registry, Settings, Values, format_number};
use tandem_signal::record::Record;

use sections::{ConnectionSettings, CoupledPlan, Part, Scheme, Variant};

/// Why a co-simulation does not take place, or does not go on.
#[derive(Debug, thiserror::Error)]
pub enum CosimulationError {
    /// The plan does not fit.
    #[error(transparent)]
    Plan(#[from] BuildError),
    /// An FMU, or a file.
    #[error(transparent)]
    Fmu(#[from] FmuError),
    /// The record cannot be kept.
    #[error(transparent)]
    Recorder(#[from] RecorderError),
}

impl CosimulationError {
    /// The same, with the part whose FMU it is.
    fn of(self, part: &str) -> Self {
        let within = |text: String| format!("part `{part}`: {text}");
        match self {
            Self::Fmu(FmuError::Usage(text)) => Self::Fmu(FmuError::Usage(within(text))),
            Self::Fmu(FmuError::Missing(text)) => Self::Fmu(FmuError::Missing(within(text))),
            Self::Fmu(error) => Self::Fmu(FmuError::During {
                phase: format!("part `{part}`"),
                source: Box::new(error),
            }),
            other => other,
        }
    }
}

/// What all methods share.
pub struct Scenario {
    name: String,
    description: Option<String>,
    seed: u64,
    scheme: Scheme,
    parts: Vec<Part>,
    connections: Vec<ConnectionSettings>,
    ground: Option<Arc<Record>>,
    dt: f64,
    steps: u64,
    /// The FMUs are loaded into this process.
    in_process: bool,
    /// How long an FMU may take for an answer, s.
    patience: f64,
}

impl Scenario {
    /// Reads the plan, of which every key is read that means something for its method.
    ///
    /// # Errors
    /// [`BuildError`] at the key that does not fit.
    pub fn read(values: &Values, registry: &Registry) -> Result<Self, BuildError> {
        let plan = CoupledPlan::read(values)?;
        let settings = &plan.cosimulation;
        let within = |error: BuildError| error.within("cosimulation");
        let scheme = Scheme::of(settings).map_err(within)?;
        let shaken = plan.excitation.is_some();
        let mut names = BTreeSet::new();
        let mut parts = Vec::new();
        for (i, part) in plan.part.iter().enumerate() {
            if !names.insert(part.name.as_str()) {
                return Err(BuildError::new(
                    "part",
                    format!("two parts are named `{}`", part.name),
                    "give each part a name of its own: columns and connections go by it",
                ));
            }
            let within = |error: BuildError| error.within(&i.to_string()).within("part");
            parts.push(Part::of(part, scheme, shaken).map_err(within)?);
        }
        let connections = match scheme {
            Scheme::AtInterface(_) => Vec::new(),
            _ => plan.connection.read()?,
        };
        let ground = match &plan.excitation {
            Some(table) => {
                let made = tandem_model::excitation::build(table, registry);
                Some(Arc::new(
                    made.map_err(|error| error.within("excitation"))?.record,
                ))
            }
            None => None,
        };
        let duration = settings
            .duration
            .or(ground.as_ref().map(|record| record.duration()));
        let duration = duration.ok_or_else(|| {
            BuildError::new(
                "cosimulation.duration",
                "how long is not said",
                "give duration = \"10 s\", or an [excitation]",
            )
        })?;
        Ok(Self {
            name: plan.name,
            description: plan.description,
            seed: plan.seed,
            scheme,
            parts,
            connections,
            ground,
            dt: settings.dt,
            steps: steps(duration, settings.dt)?,
            in_process: settings.in_process,
            patience: settings.timeout,
        })
    }

    /// Why a key that nothing reads would do nothing.
    #[must_use]
    pub fn why_unread(&self) -> String {
        let method = self.scheme.method().word();
        match self.scheme.variant() {
            Some(variant) => format!("{method}, {} has no use for it", variant.word()),
            None => format!("method = \"{method}\" has no use for it"),
        }
    }

    /// One tick a communication step.
    fn timing(&self) -> Timing {
        Timing {
            period: self.dt,
            time_scale: 1.0,
            steps: self.steps,
        }
    }

    /// Whether substructures are coupled, by Lagrange multipliers.
    fn is_hybrid(&self) -> bool {
        self.scheme.variant().is_some()
    }

    /// Ground acceleration, m/s².
    fn ground(&self, time: f64) -> f64 {
        self.ground.as_ref().map_or(0.0, |record| record.at(time))
    }

    fn time(&self, step: u64) -> f64 {
        step as f64 * self.dt
    }
}

fn steps(duration: f64, dt: f64) -> Result<u64, BuildError> {
    let steps = (duration / dt + 1e-9).floor();
    if !(1.0..=1e8).contains(&steps) {
        return Err(BuildError::new(
            "cosimulation.dt",
            format!("{duration} s in steps of {dt} s are {steps} steps"),
            "choose between 1 and 100 million steps",
        ));
    }
    #[allow(clippy::cast_possible_truncation)] // bounded just above
    Ok(steps as u64)
}

/// Where parts are made and started.
struct Workshop<'a> {
    scenario: &'a Scenario,
    plans: &'a dyn Plans,
    launcher: Launcher,
    /// Where FMUs are made.
    folder: &'a Path,
}

/// Parts that are wired and initialised. There is one for each method.
trait Coupling: Send {
    /// Brings the parts to a communication point, and says what they show there.
    fn advance(
        &mut self,
        scenario: &Scenario,
        point: u64,
        row: &mut Vec<f64>,
    ) -> Result<(), CosimulationError>;

    /// All points are done: the parts are told, and what is worth knowing goes to the notes.
    fn end(&mut self, _: &Scenario, _: &mut Vec<String>) -> Result<(), CosimulationError> {
        Ok(())
    }
}

/// What a method leaves behind when it has set its parts up.
type Wired = Result<Box<dyn Coupling>, CosimulationError>;

/// A co-simulation, ready to run.
pub struct Coupled {
    scenario: Scenario,
    // Before the folder: the FMUs are gone when it goes.
    parts: Box<dyn Coupling>,
    table: Table,
    /// What each part bears alone.
    bears: Vec<Bears>,
    /// Who has read the plans of its parts.
    plans: Box<dyn Plans>,
    notes: Vec<String>,
    warnings: Vec<String>,
    folder: tempfile::TempDir,
}

/// How a co-simulation ended.
pub struct Ended {
    /// A person has stopped it.
    pub stop: Option<Stop>,
    /// Why it did not come to its end or cannot be relied on, and what kept it from that.
    pub fault: Option<(String, &'static str)>,
    /// Wall time that it took, s.
    pub wall_s: f64,
    /// What is worth knowing.
    pub notes: Vec<String>,
}

impl Coupled {
    /// Opens the parts, wires and initialises them.
    ///
    /// # Errors
    /// [`CosimulationError`] where one of them cannot be opened, or does not fit to the others.
    pub fn of(scenario: Scenario, plans: Box<dyn Plans>) -> Result<Self, CosimulationError> {
        let file = |what: &str, error: std::io::Error| FmuError::Usage(format!("{what}: {error}"));
        let folder = tempfile::tempdir().map_err(|error| file("cannot make a folder", error))?;
        let launcher = launcher(Duration::from_secs_f64(scenario.patience));
        let launcher = launcher.map_err(|error| file("this program cannot find itself", error))?;
        let workshop = Workshop {
            scenario: &scenario,
            plans: plans.as_ref(),
            launcher,
            folder: folder.path(),
        };
        let (mut table, mut notes) = (Table::default(), Vec::new());
        let parts = match scenario.scheme {
            Scheme::AtInterface(Variant::Native) => native::wire(&workshop, &mut table),
            Scheme::AtInterface(Variant::ModelExchange) => exchange::wire(&workshop, &mut table),
            Scheme::AtInterface(Variant::CsC) => black_box::wire(&workshop, &mut table),
            Scheme::AtInterface(form) => stepped::wire(&workshop, form, &mut table),
            Scheme::Jacobi | Scheme::GaussSeidel | Scheme::Iterative { .. } => {
                signals::wire(&workshop, &mut table, &mut notes)
            }
        }?;
        let (bears, warnings) = warnings(&scenario, &table, plans.as_ref())?;
        Ok(Self {
            scenario,
            parts,
            table,
            bears,
            plans,
            notes,
            warnings,
            folder,
        })
    }

    /// Steps the parts to the end, into the file where there is one.
    ///
    /// # Errors
    /// [`CosimulationError`] where it does not begin. An FMU that fails later ends a run that is
    /// kept.
    pub fn run(
        &mut self,
        file: Option<&(PathBuf, Header)>,
        events: &mut EventLog,
        orders: &mut Orders,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Ended, CosimulationError> {
        let clock = Instant::now();
        let mut notes = self.notes.clone();
        if let Some((path, header)) = file {
            self.table.record_into(path, header)?;
        }
        let (lost, stop) = match self.step(orders, &mut notes, progress) {
            Ok(stop) => (None, stop),
            // Once it has begun, what was done until then is worth its record.
            Err(CosimulationError::Fmu(error)) if !self.table.times().is_empty() => {
                (Some(error), None)
            }
            Err(error) => return Err(error),
        };
        self.table.close()?;
        let wall_s = clock.elapsed().as_secs_f64();
        let scenario = &self.scenario;
        if scenario.is_hybrid() && lost.is_none() && stop.is_none() {
            match native::undivided(scenario, self.plans.as_ref()) {
                Ok(Some(undivided)) => self.table.lay_beside(undivided),
                Ok(None) => {}
                Err(error) => {
                    notes.push(format!(
                        "The undivided structure cannot be computed: {error}"
                    ));
                }
            }
        }
        let simulated_s = self.simulated_s();
        let fault = match (&lost, stop) {
            (Some(error), _) => Some((format!("after t = {simulated_s} s: {error}"), "part")),
            (None, Some(stop)) => Some((stop.reason(), stop.name())),
            (None, None) => judgement::fault(&self.table, self.gap().as_ref()),
        };
        let (level, code, text) = match &fault {
            Some((reason, _)) => (Level::Error, "run.stopped", reason.as_str()),
            None => (Level::Info, "run.completed", "All steps are done."),
        };
        events.log(&Event::new(
            self.steps(),
            simulated_s,
            wall_s,
            level,
            code,
            text,
        ))?;
        if let Some(folder) = file.as_ref().and_then(|(path, _)| path.parent()) {
            self.leave_fmus(folder)
                .map_err(|error| FmuError::Usage(format!("{}: {error}", folder.display())))?;
        }
        Ok(Ended {
            stop,
            fault,
            wall_s,
            notes,
        })
    }

    /// Goes from point to point, unless a person wants it to stop.
    fn step(
        &mut self,
        orders: &mut Orders,
        notes: &mut Vec<String>,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Option<Stop>, CosimulationError> {
        let scenario = &self.scenario;
        let mut row = Vec::new();
        for point in 0..=scenario.steps {
            for order in orders.take() {
                match order {
                    Order::Stop => return Ok(Some(Stop::Operator)),
                    Order::EmergencyStop => return Ok(Some(Stop::Emergency)),
                    _ => {}
                }
            }
            row.clear();
            self.parts.advance(scenario, point, &mut row)?;
            self.table.row(scenario.time(point), row.iter().copied())?;
            if point.is_multiple_of(256) {
                progress(scenario.time(point) / scenario.time(scenario.steps));
            }
        }
        self.parts.end(scenario, notes)?;
        Ok(None)
    }

    /// Leaves the FMUs that were made in the folder of the run.
    fn leave_fmus(&self, folder: &Path) -> std::io::Result<()> {
        for entry in std::fs::read_dir(self.folder.path())? {
            let entry = entry?;
            std::fs::copy(entry.path(), folder.join(entry.file_name()))?;
        }
        Ok(())
    }

    /// What was recorded.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// How its parts are coupled.
    #[must_use]
    pub fn scheme(&self) -> Scheme {
        self.scenario.scheme
    }

    /// Its parts.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.scenario.parts
    }

    /// Communication step, s.
    #[must_use]
    pub fn dt(&self) -> f64 {
        self.scenario.dt
    }

    /// What it is for.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.scenario.description.as_deref()
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.scenario.name
    }

    /// Seed of everything random.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.scenario.seed
    }

    /// The ground motion, where there is one.
    #[must_use]
    pub fn ground(&self) -> Option<&Arc<Record>> {
        self.scenario.ground.as_ref()
    }

    /// Its clocks: one tick a communication step.
    #[must_use]
    pub fn timing(&self) -> Timing {
        self.scenario.timing()
    }

    /// What is worth knowing before it runs.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What may go wrong.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// How far its parts are apart, where they meet at an interface.
    #[must_use]
    pub fn gap(&self) -> Option<Gap> {
        self.scenario.is_hybrid().then(|| self.table.gap())
    }

    /// Time that was reached, s.
    #[must_use]
    pub fn simulated_s(&self) -> f64 {
        self.table.times().last().copied().unwrap_or(0.0)
    }

    /// Communication steps that were made.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.table.times().len().saturating_sub(1) as u64
    }

    /// What is known before anything moves: the parts stand opened, wired and initialised.
    #[must_use]
    pub fn check(&self) -> CosimulationCheck {
        let scenario = &self.scenario;
        let limits = self.bears.iter().map(|(_, limit, _)| *limit);
        let limits = limits.chain(std::iter::repeat(None));
        let parts = scenario
            .parts
            .iter()
            .zip(limits)
            .map(|(part, limit)| PartCheck {
                name: part.name.clone(),
                of: part.source().map(str::to_owned),
                largest_stable_step_s: limit,
            });
        let variant = scenario.scheme.variant();
        CosimulationCheck {
            name: scenario.name.clone(),
            method: scenario.scheme.method().word().to_owned(),
            variant: variant.map(|variant| variant.word().to_owned()),
            interface: variant.map(|_| self.table.shared().len()),
            dt_s: scenario.dt,
            steps: scenario.steps,
            parts: parts.collect(),
            columns: self.table.names().map(str::to_owned).collect(),
            notes: self.notes.clone(),
            warnings: self.warnings.clone(),
        }
    }
}

/// What a check of a co-simulation found.
#[derive(Clone, Debug, Serialize)]
pub struct CosimulationCheck {
    /// Name of the plan.
    pub name: String,
    /// The order of stepping.
    pub method: String,
    /// The form of the hybrid-testing coupling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// Degrees of freedom at the interface, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface: Option<usize>,
    /// Communication step, s.
    pub dt_s: f64,
    /// Number of steps.
    pub steps: u64,
    /// The parts.
    pub parts: Vec<PartCheck>,
    /// What the run will record.
    pub columns: Vec<String>,
    /// What is worth knowing.
    pub notes: Vec<String>,
    /// What may go wrong.
    pub warnings: Vec<String>,
}

/// What a check found of a part.
#[derive(Clone, Debug, Serialize)]
pub struct PartCheck {
    /// Its name.
    pub name: String,
    /// The FMU or the plan that it is of.
    pub of: Option<String>,
    /// The longest step that it bears alone, s, where it is explicit and its matrices are known.
    pub largest_stable_step_s: Option<f64>,
}

/// What a part bears alone: its name, the largest stable step where there is one, its own step, s.
type Bears = (String, Option<f64>, f64);

/// What is worth a warning before the run and beside its result.
fn warnings(
    scenario: &Scenario,
    table: &Table,
    plans: &dyn Plans,
) -> Result<(Vec<Bears>, Vec<String>), CosimulationError> {
    if !scenario.is_hybrid() {
        return Ok((Vec::new(), Vec::new()));
    }
    let mut limits = native::largest_steps(scenario, plans)?;
    for (name, limit, _) in &mut limits {
        // What only its derivatives tell.
        *limit = limit.or(table.limit(name));
    }
    let mut warnings = Vec::new();
    for (name, limit, dt) in &limits {
        if let Some(limit) = limit.filter(|limit| dt > limit) {
            warnings.push(format!(
                "Part `{name}` is explicit (beta = 0) and alone unstable with a step of {} ms: it \
                bears {} ms. The others may hold it, but \
                 nothing promises that; take a shorter cosimulation.dt, or substeps.",
                format_number(1e3 * dt),
                format_number(1e3 * limit)
            ));
        }
    }
    let substeps = || scenario.parts.iter().map(|part| part.substeps);
    // The same number in all of them is only a shorter step of the whole.
    if substeps().min() != substeps().max() {
        warnings.push(
            "Parts with substeps cost accuracy: the coupling is of first order instead of second, \
            and takes energy out at the interface (Gravouil \
             and Combescure 2001)."
                .to_owned(),
        );
    }
    Ok((limits, warnings))
}
