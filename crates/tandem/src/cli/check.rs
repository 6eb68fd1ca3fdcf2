//! `tandem check`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tandem::check::{Check as Checked, CriticalDelay, check};
use tandem::report::{self, engineering};
use tandem_structure::Structure;

use super::{Failure, PlanArgs, say};

/// Check a plan before anything moves: is it right, and what will happen?
#[derive(Args)]
#[command(after_help = "\
Examples:
  tandem check examples/quick-start/plan.toml
  tandem check my.toml --report check.html      also a page with the stability map and the demands")]
pub struct Check {
    #[command(flatten)]
    plan: PlanArgs,
    /// Also write the figures as one self-contained HTML page.
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

impl Check {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let plan = self.plan.read()?;
        let checked = check(&plan)?;
        if let Some(path) = &self.report {
            let page = report::of_check(&plan, &checked);
            std::fs::write(path, page).map_err(|error| {
                Failure::Other(format!("cannot write {}: {error}", path.display()))
            })?;
        }
        if self.json {
            let mut value = checked.to_json();
            if let Some(path) = &self.report {
                value["report"] = json!(path);
            }
            say(&value.to_string());
        } else {
            tell(&checked);
            if let Some(path) = &self.report {
                say(&format!("Report: {}", path.display()));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The figures for people.
fn tell(checked: &Checked) {
    let test = &checked.test;
    let line = |label: &str, text: String| say(&format!("  {label:<20}{text}"));
    let list = |values: &[f64], factor: f64| {
        values
            .iter()
            .map(|x| engineering(x * factor))
            .collect::<Vec<_>>()
            .join(", ")
    };
    say(&test.name);
    line(
        "structure",
        format!(
            "{}, {} degrees of freedom",
            test.whole.kind(),
            test.whole.dof()
        ),
    );
    line(
        "frequencies",
        format!("{} Hz", list(&checked.modes.frequencies_hz, 1.0)),
    );
    line(
        "damping",
        format!("{} %", list(&checked.damping_ratios, 100.0)),
    );
    line(
        "ground motion",
        format!(
            "{}: peak {} g, {} s",
            test.record.name,
            engineering(test.record.peak() / tandem_quantity::STANDARD_GRAVITY),
            engineering(test.record.duration())
        ),
    );
    line(
        "input work",
        format!("about {} J expected", engineering(checked.input_work)),
    );
    let limit = test
        .critical_dt
        .map_or("stable for any step".to_owned(), |dt| {
            format!("stable up to {} ms", engineering(dt * 1e3))
        });
    line(
        "integration",
        format!(
            "{}, {} steps of {} ms ({limit})",
            test.method,
            test.timing.steps,
            engineering(test.dt * 1e3)
        ),
    );
    let delay = match &checked.stability.exact {
        CriticalDelay::Found(delay) => Some(format!(
            "{} ms: a transfer system that lags more makes the loop unstable",
            engineering(delay * 1e3)
        )),
        CriticalDelay::Stable => Some("none: no delay makes the loop unstable".to_owned()),
        CriticalDelay::Unstable => {
            Some("0 ms: unstable without any delay, or with an arbitrarily small one".to_owned())
        }
        CriticalDelay::Unknown(_) => Some("not known, see the warning".to_owned()),
        CriticalDelay::NoSpecimen => None,
    };
    if let Some(text) = delay {
        line("critical delay", text);
    }
    if let Some(divided) = &checked.stability.divided {
        line(
            "partition",
            format!(
                "the specimen has {} % of the stiffness and {} % of the mass at the interface; predictive stability indicator {}",
                engineering(100.0 * divided.shares.stiffness),
                engineering(100.0 * divided.shares.mass),
                engineering(divided.indicator)
            ),
        );
    }
    for (i, demand) in checked.demands.iter().enumerate() {
        let parts = demand
            .figures()
            .map(|f| format!("{} {}", engineering(f.value * f.factor), f.unit));
        line(&format!("actuator {} needs", i + 1), parts.join(", "));
    }
    for (label, list) in [
        ("warning", &checked.warnings),
        ("advice", &checked.advice),
        ("note", &test.notes),
    ] {
        for text in list {
            line(label, text.clone());
        }
    }
    say(&match checked.warnings.len() {
        0 => "The plan is valid.".to_owned(),
        1 => "The plan is valid, with a warning.".to_owned(),
        n => format!("The plan is valid, with {n} warnings."),
    });
}
