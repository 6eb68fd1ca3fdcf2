//! `tandem check`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tandem::check::{Check as Checked, check};
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
    if let Some(stability) = &checked.stability {
        line(
            "critical delay",
            match stability.exact {
                Some(delay) => format!(
                    "{} ms: a transfer system that lags more makes the loop unstable",
                    engineering(delay * 1e3)
                ),
                None => "none: no delay makes the loop unstable".to_owned(),
            },
        );
        line(
            "partition",
            format!(
                "the specimen has {} % of the stiffness and {} % of the mass at the interface; predictive stability indicator {}",
                engineering(100.0 * stability.shares.stiffness),
                engineering(100.0 * stability.shares.mass),
                engineering(stability.indicator)
            ),
        );
    }
    for (i, demand) in checked.demands.iter().enumerate() {
        let parts = Checked::against_limits(demand)
            .map(|(_, value, _, factor, unit)| format!("{} {unit}", engineering(value * factor)));
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
