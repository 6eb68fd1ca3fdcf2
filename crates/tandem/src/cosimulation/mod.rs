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

/// Whether a plan file describes a co-simulation.
pub fn is_one(path: &Path) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .any(|line| line.trim_start().starts_with("[cosimulation]"))
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

/// What all methods share.
struct Scenario<'a> {
    values: &'a Values,
    settings: &'a Values,
    ground: Option<Record>,
    dt: f64,
    steps: u64,
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
    let done = match (method.as_str(), variant.as_str()) {
        ("hybrid-testing", "native") => native::run(&scenario, &mut table, progress),
        ("hybrid-testing", "me") => exchange::run(&scenario, &mut table, &mut notes, progress),
        ("hybrid-testing", "cs-c") => black_box::run(&scenario, &mut table, progress),
        ("hybrid-testing", form) => stepped::run(&scenario, form, &mut table, progress),
        (order, _) => signals::run(&scenario, order, &mut table, &mut notes, progress),
    };
    done.map_err(refuse)?;
    let wall = clock.elapsed().as_secs_f64();
    if method == "hybrid-testing"
        && let Some(undivided) = native::undivided(&scenario)
    {
        table.lay_beside(undivided);
    }
    let simulated = scenario.time(scenario.steps);
    let csv = around.folder.join("result.csv");
    table.write(&csv).map_err(file("write", csv.clone()))?;
    let mut summary = json!({
        "name": plan.values.text("name").unwrap_or(""),
        "outcome": "completed",
        "method": method,
        "steps": scenario.steps,
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
    let verdict = page::verdict(&table, &summary);
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

fn scenario<'a>(plan: &'a Resolved, around: &'a Surroundings<'a>) -> Result<Scenario<'a>, Trouble> {
    let values = &plan.values;
    let settings = values.table("cosimulation")?;
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
        around,
    })
}
