//! Co-simulation: FMUs as the parts of a test, stepped by an orchestrator.
//!
//! ```text
//! plan with [cosimulation] ─▶ parts (FMUs; those given as plans are exported first)
//!                              └─▶ method: hybrid-testing (Lagrange multipliers), jacobi, gauss-seidel, iterative
//!                                   └─▶ result.csv, summary.json, report.html
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

pub use system::{FromSystem, of_system};

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};
use tandem_fmi::{FmuError, Launcher};
use tandem_quantity::{BuildError, Values};
use tandem_signal::record::Record;

use crate::plan::{self, Refusal, Resolved, Source};
use crate::report::Verdict;
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

/// What a run needs besides its plan.
pub struct Surroundings<'a> {
    /// Folder of the run; it is made.
    pub folder: &'a Path,
    /// The binary of exported FMUs.
    pub library: &'a [u8],
    /// How an FMU's process is started.
    pub launcher: Launcher,
}

/// Why a co-simulation did not take place.
pub enum Failed {
    /// The plan does not fit.
    Plan(Box<Refusal>),
    /// An FMU, or a file.
    Fmu(FmuError),
}

impl From<FmuError> for Failed {
    fn from(error: FmuError) -> Self {
        Self::Fmu(error)
    }
}

/// An error of the set-up: of the plan, or of an FMU.
enum Trouble {
    Plan(BuildError),
    Fmu(FmuError),
}

impl From<FmuError> for Trouble {
    fn from(error: FmuError) -> Self {
        Self::Fmu(error)
    }
}

impl From<BuildError> for Trouble {
    fn from(error: BuildError) -> Self {
        Self::Plan(error)
    }
}

impl Trouble {
    /// The same, with the part whose FMU it is.
    fn of(self, part: &str) -> Self {
        match self {
            Self::Plan(error) => Self::Plan(error),
            Self::Fmu(FmuError::Usage(text)) => {
                Self::Fmu(FmuError::Usage(format!("part `{part}`: {text}")))
            }
            Self::Fmu(FmuError::Missing(text)) => {
                Self::Fmu(FmuError::Missing(format!("part `{part}`: {text}")))
            }
            Self::Fmu(error) => Self::Fmu(FmuError::During {
                phase: format!("part `{part}`"),
                source: Box::new(error),
            }),
        }
    }
}

/// What all methods share.
struct Scenario<'a> {
    values: &'a Values,
    settings: &'a Values,
    ground: Option<Record>,
    dt: f64,
    steps: u64,
    /// Everything is opened, wired and started; nothing is stepped.
    only_checked: bool,
    around: &'a Surroundings<'a>,
}

impl Scenario<'_> {
    /// Ground acceleration, m/s².
    fn ground(&self, time: f64) -> f64 {
        self.ground.as_ref().map_or(0.0, |record| record.at(time))
    }

    #[allow(clippy::cast_precision_loss)] // far below 2^53
    fn time(&self, step: u64) -> f64 {
        step as f64 * self.dt
    }
}

/// Runs a co-simulation. `progress` gets the share done, 0 … 1.
pub fn run(
    plan: &Resolved,
    around: &Surroundings<'_>,
    progress: &mut dyn FnMut(f64),
) -> Result<Value, Failed> {
    let refuse = |trouble: Trouble| match trouble {
        Trouble::Plan(error) => Failed::Plan(Box::new(plan.refuse(vec![error]))),
        Trouble::Fmu(error) => Failed::Fmu(error),
    };
    let file = |what: &'static str, path: PathBuf| {
        move |source: std::io::Error| Failed::Fmu(FmuError::File { what, path, source })
    };
    let scenario = scenario(plan, around).map_err(refuse)?;
    std::fs::create_dir_all(around.folder).map_err(file("make", around.folder.into()))?;
    let clock = Instant::now();
    let mut table = Table::default();
    let mut notes = Vec::new();
    let method = scenario.settings.text("method").unwrap_or("").to_owned();
    let variant = scenario.settings.text("variant").unwrap_or("").to_owned();
    let lost = match by_method(&scenario, &mut table, &mut notes, progress) {
        Ok(()) => None,
        // Once it has begun, what was done until then is worth its record.
        Err(Trouble::Fmu(error)) if !table.times().is_empty() => Some(error.to_string()),
        Err(trouble) => return Err(refuse(trouble)),
    };
    let wall = clock.elapsed().as_secs_f64();
    if method == "hybrid-testing"
        && lost.is_none()
        && let Some(undivided) = native::undivided(&scenario)
    {
        table.lay_beside(undivided);
    }
    let simulated = table.times().last().copied().unwrap_or(0.0);
    let csv = around.folder.join("result.csv");
    table.write(&csv).map_err(file("write", csv.clone()))?;
    let mut summary = json!({
        "name": plan.values.text("name").unwrap_or(""),
        "outcome": "completed",
        "method": method,
        "steps": table.times().len().saturating_sub(1),
        "simulated_s": simulated,
        "wall_s": wall,
        "realtime_factor": simulated / wall.max(1e-9),
        "response": table.response(),
        "folder": around.folder,
        "files": ["result.csv", "summary.json", "report.html"],
    });
    if method == "hybrid-testing" {
        summary["variant"] = json!(variant);
        summary["interface"] = table.gaps();
    }
    if !notes.is_empty() {
        summary["notes"] = json!(notes);
    }
    let (_, warnings) = warnings(&scenario, &table);
    if !warnings.is_empty() {
        summary["warnings"] = json!(warnings);
    }
    let verdict = match lost {
        Some(text) => Verdict::Bad(format!("after t = {simulated} s: {text}")),
        None => page::verdict(&table, &summary),
    };
    if let Verdict::Bad(reason) = &verdict {
        summary["outcome"] = json!("failed");
        summary["reason"] = json!(reason);
    }
    let path = around.folder.join("summary.json");
    let text = serde_json::to_string_pretty(&summary).unwrap_or_default();
    std::fs::write(&path, text).map_err(file("write", path))?;
    let path = around.folder.join("report.html");
    let page = page::page(plan, &scenario, &table, &summary, verdict);
    std::fs::write(&path, page).map_err(file("write", path))?;
    progress(1.0);
    Ok(summary)
}

/// Runs the method of a plan, or only sets it up.
fn by_method(
    scenario: &Scenario<'_>,
    table: &mut Table,
    notes: &mut Vec<String>,
    progress: &mut dyn FnMut(f64),
) -> Result<(), Trouble> {
    let word = |key| scenario.settings.text(key).unwrap_or("");
    match (word("method"), word("variant")) {
        ("hybrid-testing", "native") => native::run(scenario, table, progress),
        ("hybrid-testing", "me") => exchange::run(scenario, table, notes, progress),
        ("hybrid-testing", "cs-c") => black_box::run(scenario, table, progress),
        ("hybrid-testing", form) => stepped::run(scenario, form, table, progress),
        (order, _) => signals::run(scenario, order, table, notes, progress),
    }
}

/// Looks at a co-simulation before anything moves: its parts are opened (or made), wired and initialised as in a run, and the explicit ones are asked
/// for the step that they bear.
pub fn check(plan: &Resolved, around: &Surroundings<'_>) -> Result<Value, Failed> {
    let refuse = |trouble: Trouble| match trouble {
        Trouble::Plan(error) => Failed::Plan(Box::new(plan.refuse(vec![error]))),
        Trouble::Fmu(error) => Failed::Fmu(error),
    };
    let mut scenario = scenario(plan, around).map_err(refuse)?;
    scenario.only_checked = true;
    let (mut table, mut notes) = (Table::default(), Vec::new());
    by_method(&scenario, &mut table, &mut notes, &mut |_| ()).map_err(refuse)?;
    let word = |key| scenario.settings.text(key).unwrap_or("").to_owned();
    let hybrid = word("method") == "hybrid-testing";
    let (limits, warnings) = warnings(&scenario, &table);
    let parts: Vec<Value> = scenario
        .values
        .tables("part")
        .into_iter()
        .enumerate()
        .map(|(i, part)| {
            let name = part.optional_text("name").unwrap_or("");
            let limit = limits.get(i).and_then(|(_, limit, _)| *limit);
            let of = part.optional_text("fmu").or(part.optional_text("plan"));
            json!({ "name": name, "of": of, "largest_stable_step_s": limit })
        })
        .collect();
    let mut value = json!({
        "name": plan.values.text("name").unwrap_or(""),
        "method": word("method"),
        "dt_s": scenario.dt,
        "steps": scenario.steps,
        "parts": parts,
        "columns": table.names(),
        "notes": notes,
        "warnings": warnings,
    });
    if hybrid {
        value["variant"] = json!(word("variant"));
        value["interface"] = json!(table.shared().len());
    }
    Ok(value)
}

/// What a part bears alone: its name, the largest stable step where there is one, its own step, s.
type Bears = (String, Option<f64>, f64);

/// What is worth a warning before the run and beside its result.
fn warnings(scenario: &Scenario<'_>, table: &Table) -> (Vec<Bears>, Vec<String>) {
    if scenario.settings.text("method").unwrap_or("") != "hybrid-testing" {
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
                crate::report::engineering(1e3 * dt),
                crate::report::engineering(1e3 * limit)
            ));
        }
    }
    let parts = scenario.values.tables("part");
    let substeps = |part: &&Values| part.count("substeps").unwrap_or(1);
    // The same number in all of them is only a shorter step of the whole.
    if parts.iter().map(substeps).min() != parts.iter().map(substeps).max() {
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
fn refuse_unused(plan: &Resolved, settings: &Values) -> Result<(), BuildError> {
    let values = &plan.values;
    let (method, variant) = (settings.text("method")?, settings.text("variant")?);
    let hybrid = method == "hybrid-testing";
    let form = |names: &[&str]| hybrid && names.contains(&variant);
    let native = form(&["native"]);
    let iterative = method == "iterative";
    if hybrid && !values.tables("connection").is_empty() {
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
    for (i, part) in values.tables("part").into_iter().enumerate() {
        let of_plan = part.has("plan");
        if native && part.has("fmu") {
            let name = part.optional_text("name").unwrap_or("");
            return Err(BuildError::new(
                format!("part.{i}.fmu"),
                format!("part `{name}` is an FMU, and variant = \"native\" works without FMUs"),
                "give `plan` and `what` instead of `fmu`, or take variant = \"me\", \"cs-b\" or \"cs-c\"",
            ));
        }
        let states = form(&["me", "cs-c"]);
        let no_fmu = "variant = \"native\" works without FMUs";
        let (of_fmu, unknown) = (
            "it says what is exported from a plan; this part is an FMU already",
            "the integration is the FMU's own affair",
        );
        first(
            &[
                ("what", of_plan, of_fmu),
                ("fmi", of_plan, of_fmu),
                ("gamma", of_plan || (hybrid && !form(&["cs-c"])), unknown),
                ("beta", of_plan || (hybrid && !form(&["cs-c"])), unknown),
                (
                    "substeps",
                    native || part.count("substeps")? == 1,
                    "only variant = \"native\" takes shorter steps in a part",
                ),
                (
                    "control_error",
                    native,
                    "only variant = \"native\" moves a part by actuators; an FMU has its own",
                ),
                (
                    "stiffness_estimate",
                    part.has("control_error"),
                    "without control_error there is nothing to correct",
                ),
                (
                    "rows",
                    !of_plan,
                    "the plan of this part says itself which degrees of freedom are tied (interface.dof)",
                ),
                (
                    "rows",
                    !form(&["cs-c"]),
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

fn scenario<'a>(plan: &'a Resolved, around: &'a Surroundings<'a>) -> Result<Scenario<'a>, Trouble> {
    let values = &plan.values;
    let settings = values.table("cosimulation")?;
    refuse_unused(plan, settings)?;
    let mut names = Vec::new();
    for part in values.tables("part") {
        let name = part.text("name")?;
        if names.contains(&name) {
            return Err(BuildError::new(
                "part",
                format!("two parts are named `{name}`"),
                "give each part a name of its own: columns and connections go by it",
            )
            .into());
        }
        names.push(name);
    }
    let ground = match values.optional_table("excitation") {
        Some(table) => {
            let made = crate::assemble::excitation::build(table);
            Some(made.map_err(|error| error.within("excitation"))?.record)
        }
        None => None,
    };
    let dt = settings.number("dt")?;
    let duration = settings
        .optional_number("duration")
        .or(ground.as_ref().map(Record::duration));
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
    Ok(Scenario {
        values,
        settings,
        ground,
        dt,
        steps,
        only_checked: false,
        around,
    })
}
