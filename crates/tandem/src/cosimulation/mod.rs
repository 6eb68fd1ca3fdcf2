//! Co-simulation: FMUs as the parts of a test, stepped by an orchestrator.
//!
//! ```text
//! plan with [cosimulation] ─▶ parts (FMUs; those given as plans are exported first)
//!                              └─▶ method: hybrid-testing (Lagrange multipliers), jacobi, gauss-seidel, iterative
//!                                   └─▶ the run folder of any test: plan.toml, run.h5, events.jsonl, summary.json, report.html
//! ```
//!
//! The hybrid-testing coupling is that of [`tandem_integrator::partitioned`]; here its substructures are FMUs.

mod black_box;
mod exchange;
mod loops;
mod member;
mod native;
mod page;
pub mod sections;
mod signals;
mod stepped;
mod system;
mod table;

pub use system::{FromSystem, StepError, of_system};

use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use tandem_coordinator::recorder::{Event, EventLog, Level, RecorderError};
use tandem_fmi::{FmuError, Launcher};
use tandem_quantity::settings::Setting;
use tandem_quantity::{BuildError, Values, format_number};
use tandem_signal::record::Record;

use crate::plan::{self, Refusal, Resolved, Source};
use crate::report::Verdict;
use crate::run::{Done, RunError, RunFolder, files, write_summary};
use crate::summary::{Outcome, Summary};
use sections::{CosimulationSettings, Method, PartSettings, Variant};
use signals::Order;
use table::Table;

/// Whether a plan file, or one that it extends, describes a co-simulation.
pub fn is_one(path: &Path) -> bool {
    /// As many plans as may build on one another, and as all of them together may be.
    const MOST: usize = 64;
    let mut waiting = vec![path.to_path_buf()];
    let mut seen = 0;
    while let Some(path) = waiting.pop() {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let Ok(table) = text.parse::<toml::Table>() else {
            // What is wrong with it says whoever reads it, by the sections that it seems to have.
            if text.contains("[cosimulation]") {
                return true;
            }
            continue;
        };
        if table.contains_key("cosimulation") {
            return true;
        }
        seen += 1;
        if seen == MOST {
            return false;
        }
        let bases = match table.get("extends") {
            Some(toml::Value::Array(list)) => list.as_slice(),
            Some(one) => std::slice::from_ref(one),
            None => &[],
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        waiting.extend(
            bases
                .iter()
                .filter_map(toml::Value::as_str)
                .map(|base| folder.join(base)),
        );
    }
    false
}

/// Reads such a plan.
pub fn read(path: &Path, overrides: &[String]) -> Result<Resolved, Refusal> {
    plan::read(sections::ROOT, Source::File(path), overrides)
}

/// What co-simulations need of the program that runs them.
pub struct Environment<'a> {
    /// The binary of exported FMUs.
    pub library: &'a [u8],
    /// How an FMU's process is started.
    pub launcher: Launcher,
}

/// Why a co-simulation does not take place, or does not go on.
#[derive(Debug, thiserror::Error)]
enum CosimulationError {
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

    /// The same, for whoever runs the plan.
    fn in_plan(self, plan: &Resolved) -> RunError {
        match self {
            Self::Plan(error) => RunError::Plan(Box::new(plan.refuse(vec![error]))),
            Self::Fmu(error) => RunError::Fmu(error),
            Self::Recorder(error) => RunError::Recorder(error),
        }
    }
}

/// What all methods share.
struct Scenario<'a> {
    values: &'a Values,
    settings: CosimulationSettings,
    parts: Vec<PartSettings>,
    seed: u64,
    ground: Option<Record>,
    dt: f64,
    steps: u64,
    /// The FMUs are loaded into this process.
    in_process: bool,
    /// How long an FMU may take for an answer, s.
    patience: f64,
    /// Everything is opened, wired and started; nothing is stepped.
    only_checked: bool,
    environment: &'a Environment<'a>,
    /// Where FMUs are made.
    folder: &'a Path,
}

impl Scenario<'_> {
    /// Whether substructures are coupled, by Lagrange multipliers.
    fn is_hybrid(&self) -> bool {
        self.settings.method == Method::HybridTesting
    }

    /// Everything is opened, wired and started: whether stepping begins now. Before it does, every
    /// key of the plan has been read.
    fn begins(&self) -> Result<bool, BuildError> {
        match self
            .values
            .unread()
            .into_iter()
            .find(|key| key != "description")
        {
            Some(key) => Err(BuildError::new(
                key.clone(),
                format!(
                    "`{}` would do nothing in this co-simulation",
                    key.rsplit('.').next().unwrap_or(&key)
                ),
                "remove this key",
            )),
            None => Ok(!self.only_checked),
        }
    }

    /// Ground acceleration, m/s².
    fn ground(&self, time: f64) -> f64 {
        self.ground.as_ref().map_or(0.0, |record| record.at(time))
    }

    #[allow(clippy::cast_precision_loss)] // far below 2^53
    fn time(&self, step: u64) -> f64 {
        step as f64 * self.dt
    }
}

/// Runs a co-simulation and leaves the folder of a run. `progress` gets the share done, 0 … 1.
///
/// # Errors
/// [`RunError`] where it does not begin. An FMU that fails later ends a run that is kept.
pub fn run(
    plan: &Resolved,
    environment: &Environment<'_>,
    out: Option<&Path>,
    progress: &mut dyn FnMut(f64),
) -> Result<Done, RunError> {
    let values = plan.values.unmarked();
    let name = plan.values.text("name").unwrap_or("co-simulation");
    let refuse = |error: CosimulationError| error.in_plan(plan);
    let mut scenario = scenario(plan, &values, environment, Path::new("")).map_err(refuse)?;
    let folder = RunFolder::claim(name, out, plan)?;
    scenario.folder = folder.path();
    let mut events = EventLog::open(&folder.file(files::EVENTS))?;
    let header = folder.header(name, scenario.seed, 1.0, 1.0 / scenario.dt);
    let clock = Instant::now();
    let mut table = Table::into_file(folder.file(files::RUN), header);
    let mut notes = Vec::new();
    let lost = match by_method(&scenario, &mut table, &mut notes, progress) {
        Ok(()) => None,
        // Once it has begun, what was done until then is worth its record.
        Err(CosimulationError::Fmu(error)) if !table.times().is_empty() => Some(error),
        Err(error) => {
            folder.abandon();
            return Err(refuse(error));
        }
    };
    table.close()?;
    let wall_s = clock.elapsed().as_secs_f64();
    let hybrid = scenario.is_hybrid();
    if hybrid
        && lost.is_none()
        && let Some(undivided) = native::undivided(&scenario)
    {
        table.lay_beside(undivided);
    }
    let coupling = table.coupling(&scenario);
    let simulated_s = table.times().last().copied().unwrap_or(0.0);
    let (verdict, stopped_by) = match &lost {
        Some(error) => (
            Verdict::Bad(format!("after t = {simulated_s} s: {error}")),
            "part",
        ),
        None => page::verdict(&table, coupling.as_ref().filter(|_| hybrid)),
    };
    let reason = match &verdict {
        Verdict::Bad(reason) => Some(reason.clone()),
        _ => None,
    };
    let steps = table.times().len().saturating_sub(1) as u64;
    let (level, code, text) = match &reason {
        Some(reason) => (Level::Error, "run.stopped", reason.as_str()),
        None => (Level::Info, "run.completed", "All steps are done."),
    };
    events.log(&Event::new(steps, simulated_s, wall_s, level, code, text))?;
    let stopped = reason.is_some();
    let mut summary = Summary {
        outcome: if stopped {
            Outcome::Stopped
        } else {
            Outcome::Completed
        },
        reason,
        stopped_by: stopped.then(|| stopped_by.to_owned()),
        stopped_at_s: stopped.then_some(simulated_s),
        steps: Some(steps),
        simulated_s,
        wall_s: Some(wall_s),
        realtime_factor: Some(simulated_s / wall_s.max(1e-9)),
        response: table.response(),
        coupling,
        notes,
        warnings: warnings(&scenario, &table).1,
        ..Summary::of(name.to_owned(), scenario.seed)
    };
    write_summary(folder.path(), &mut summary)?;
    let page = page::page(plan, &scenario, &table, &summary, verdict);
    folder.write(files::REPORT, page.as_bytes())?;
    write_summary(folder.path(), &mut summary)?;
    progress(1.0);
    Ok(Done {
        folder: folder.into_path(),
        summary,
        stop: None,
    })
}

/// Runs the method of a plan, or only sets it up.
fn by_method(
    scenario: &Scenario<'_>,
    table: &mut Table,
    notes: &mut Vec<String>,
    progress: &mut dyn FnMut(f64),
) -> Result<(), CosimulationError> {
    match scenario.settings.method {
        Method::HybridTesting => match scenario.settings.variant {
            Variant::Native => native::run(scenario, table, progress),
            Variant::ModelExchange => exchange::run(scenario, table, notes, progress),
            Variant::CsC => black_box::run(scenario, table, progress),
            Variant::CsA | Variant::CsB | Variant::CouplingFmu => {
                stepped::run(scenario, table, progress)
            }
        },
        Method::Jacobi => signals::run(scenario, Order::Jacobi, table, notes, progress),
        Method::GaussSeidel => signals::run(scenario, Order::GaussSeidel, table, notes, progress),
        Method::Iterative => signals::run(scenario, Order::Iterative, table, notes, progress),
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

/// Looks at a co-simulation before anything moves: its parts are opened (or made, in `folder`), wired and initialised as in a run, and
/// the explicit ones are asked for the step that they bear.
///
/// # Errors
/// What a run would refuse.
pub fn check(
    plan: &Resolved,
    environment: &Environment<'_>,
    folder: &Path,
) -> Result<CosimulationCheck, RunError> {
    let refuse = |error: CosimulationError| error.in_plan(plan);
    let values = plan.values.unmarked();
    let mut scenario = scenario(plan, &values, environment, folder).map_err(refuse)?;
    scenario.only_checked = true;
    let (mut table, mut notes) = (Table::default(), Vec::new());
    by_method(&scenario, &mut table, &mut notes, &mut |_| ()).map_err(refuse)?;
    let hybrid = scenario.is_hybrid();
    let (limits, warnings) = warnings(&scenario, &table);
    let parts = scenario.parts.iter().enumerate();
    let parts = parts.map(|(i, part)| PartCheck {
        name: part.name.clone(),
        of: part.source().map(str::to_owned),
        largest_stable_step_s: limits.get(i).and_then(|(_, limit, _)| *limit),
    });
    Ok(CosimulationCheck {
        name: plan.values.text("name").unwrap_or("").to_owned(),
        method: scenario.settings.method.word().to_owned(),
        variant: hybrid.then(|| scenario.settings.variant.word().to_owned()),
        interface: hybrid.then(|| table.shared().len()),
        dt_s: scenario.dt,
        steps: scenario.steps,
        parts: parts.collect(),
        columns: table.names().map(str::to_owned).collect(),
        notes,
        warnings,
    })
}

/// What a part bears alone: its name, the largest stable step where there is one, its own step, s.
type Bears = (String, Option<f64>, f64);

/// What is worth a warning before the run and beside its result.
fn warnings(scenario: &Scenario<'_>, table: &Table) -> (Vec<Bears>, Vec<String>) {
    if !scenario.is_hybrid() {
        return (Vec::new(), Vec::new());
    }
    let mut limits = native::largest_steps(scenario);
    for (name, limit, _) in &mut limits {
        // What only its derivatives tell.
        *limit = limit.or(table.limit(name));
    }
    let mut warnings = Vec::new();
    for (name, limit, dt) in &limits {
        if let Some(limit) = limit.filter(|limit| dt > limit) {
            warnings.push(format!(
                "Part `{name}` is explicit (beta = 0) and alone unstable with a step of {} ms: it bears {} ms. The others may hold it, but \
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
            "Parts with substeps cost accuracy: the coupling is of first order instead of second, and takes energy out at the interface (Gravouil \
             and Combescure 2001)."
                .to_owned(),
        );
    }
    (limits, warnings)
}

/// Keys that the method of the plan has no use for: whoever wrote them expects something that would not happen. How FMUs are made and run (`fmi`,
/// `in_process`, `timeout`) changes no result, and may stand in a plan whose variant is exchanged for `native`.
fn refuse_unused(
    plan: &Resolved,
    settings: &CosimulationSettings,
    parts: &[PartSettings],
) -> Result<(), BuildError> {
    let hybrid = settings.method == Method::HybridTesting;
    let form = |forms: &[Variant]| hybrid && forms.contains(&settings.variant);
    let native = form(&[Variant::Native]);
    let iterative = settings.method == Method::Iterative;
    if hybrid && !plan.values.list("connection").is_empty() {
        return Err(BuildError::new(
            "connection",
            "hybrid-testing couples its parts at the interface, not by wires",
            "remove the connections, or take method = \"jacobi\", \"gauss-seidel\" or \"iterative\"",
        ));
    }
    let first = |keys: &[(&'static str, bool, &'static str)], at: &str| {
        let written = |key: &str| plan.is_written(&format!("{at}.{key}"));
        let unused = |(key, used, _): &&(&str, bool, &str)| !used && written(key);
        match keys.iter().find(unused) {
            Some((key, _, why)) => Err(BuildError::new(
                format!("{at}.{key}"),
                format!("`{key}` would do nothing: {why}"),
                "remove this key",
            )),
            None => Ok(()),
        }
    };
    first(
        &[
            ("variant", hybrid, "it is of method = \"hybrid-testing\""),
            (
                "tolerance",
                iterative,
                "only method = \"iterative\" repeats steps",
            ),
            (
                "iterations",
                iterative,
                "only method = \"iterative\" repeats steps",
            ),
        ],
        "cosimulation",
    )?;
    for (i, part) in parts.iter().enumerate() {
        let of_plan = part.plan.is_some();
        if native && part.fmu.is_some() {
            let name = &part.name;
            return Err(BuildError::new(
                format!("part.{i}.fmu"),
                format!("part `{name}` is an FMU, and variant = \"native\" works without FMUs"),
                "give `plan` and `what` instead of `fmu`, or take variant = \"me\", \"cs-b\" or \"cs-c\"",
            ));
        }
        let states = form(&[Variant::ModelExchange, Variant::CsC]);
        let no_fmu = "variant = \"native\" works without FMUs";
        let (of_fmu, unknown) = (
            "it says what is exported from a plan; this part is an FMU already",
            "the integration is the FMU's own affair",
        );
        first(
            &[
                ("what", of_plan, of_fmu),
                ("fmi", of_plan, of_fmu),
                (
                    "gamma",
                    of_plan || (hybrid && !form(&[Variant::CsC])),
                    unknown,
                ),
                (
                    "beta",
                    of_plan || (hybrid && !form(&[Variant::CsC])),
                    unknown,
                ),
                (
                    "substeps",
                    native || part.substeps == 1,
                    "only variant = \"native\" takes shorter steps in a part",
                ),
                (
                    "control_error",
                    native,
                    "only variant = \"native\" moves a part by actuators; an FMU has its own",
                ),
                (
                    "stiffness_estimate",
                    part.control_error.is_some(),
                    "without control_error there is nothing to correct",
                ),
                (
                    "rows",
                    !of_plan,
                    "the plan of this part says itself which degrees of freedom are tied (interface.dof)",
                ),
                (
                    "rows",
                    !form(&[Variant::CsC]),
                    "a black box is known by its forces and velocities alone",
                ),
                (
                    "rows",
                    hybrid,
                    "nothing is tied at an interface by this method",
                ),
                (
                    "interface",
                    hybrid,
                    "nothing is tied at an interface by this method",
                ),
                (
                    "force",
                    hybrid,
                    "inputs are fed by connections in this method",
                ),
                ("force", !native, no_fmu),
                ("ground", !native, no_fmu),
                (
                    "displacement",
                    states,
                    "only the variants \"me\" and \"cs-c\" look for displacements by name",
                ),
                (
                    "velocity",
                    states,
                    "only the variants \"me\" and \"cs-c\" look for velocities by name",
                ),
                ("start", !native, no_fmu),
                (
                    "outputs",
                    !hybrid,
                    "hybrid-testing records displacements, velocities, accelerations and forces",
                ),
            ],
            &format!("part.{i}"),
        )?;
    }
    Ok(())
}

fn scenario<'a>(
    plan: &Resolved,
    values: &'a Values,
    environment: &'a Environment<'a>,
    folder: &'a Path,
) -> Result<Scenario<'a>, CosimulationError> {
    let settings = CosimulationSettings::at(values, "cosimulation")?;
    let parts = Vec::<PartSettings>::at(values, "part")?;
    refuse_unused(plan, &settings, &parts)?;
    for (i, PartSettings { name, .. }) in parts.iter().enumerate() {
        if parts[..i].iter().any(|other| other.name == *name) {
            return Err(BuildError::new(
                "part",
                format!("two parts are named `{name}`"),
                "give each part a name of its own: columns and connections go by it",
            )
            .into());
        }
    }
    let ground = match values.optional_table("excitation") {
        Some(table) => {
            let made = crate::assemble::excitation::build(table);
            Some(made.map_err(|error| error.within("excitation"))?.record)
        }
        None => None,
    };
    let dt = settings.dt;
    let duration = settings.duration.or(ground.as_ref().map(Record::duration));
    let duration = duration.ok_or_else(|| {
        BuildError::new(
            "cosimulation.duration",
            "how long is not said",
            "give duration = \"10 s\", or an [excitation]",
        )
    })?;
    let steps = (duration / dt + 1e-9).floor();
    if !(1.0..=1e8).contains(&steps) {
        return Err(BuildError::new(
            "cosimulation.dt",
            format!("{duration} s in steps of {dt} s are {steps} steps"),
            "choose between 1 and 100 million steps",
        )
        .into());
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // bounded just above
    let steps = steps as u64;
    values.text("name")?;
    Ok(Scenario {
        values,
        parts,
        seed: values.count("seed")? as u64,
        ground,
        dt,
        steps,
        in_process: settings.in_process,
        patience: settings.timeout,
        settings,
        only_checked: false,
        environment,
        folder,
    })
}
