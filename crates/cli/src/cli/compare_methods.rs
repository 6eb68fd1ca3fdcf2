//! `tandem compare-methods`.

use std::fmt::Write;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use tandem::registry::standard;
use tandem_studies::compare::{Comparison, NOISE, RATE, compare, page};

use super::{Failure, check_page, say};
use tandem_quantity::whole;

/// Compare every compensator on every actuator and plant: delay, errors, effort, stable or not.
#[derive(Args)]
#[command(
    visible_alias = "compare-compensators",
    after_help = "\
Example:
  tandem compare-methods
  tandem compare-methods --report compensators.html
  tandem compare-methods --report docs/compensators.md
  tandem compare-methods --json"
)]
pub struct CompareMethods {
    /// Write a page: Markdown, or with pictures where the name ends in .html.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

impl CompareMethods {
    pub fn run(self) -> Result<ExitCode, Failure> {
        check_page(self.report.as_deref())?;
        let bar = if !self.json && std::io::stderr().is_terminal() {
            let bar = ProgressBar::new(1000);
            let template = "{spinner} {bar:40.cyan/blue} {percent:>3} % {elapsed} left {eta}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        } else {
            ProgressBar::hidden()
        };
        // a share between 0 and 1
        let found = compare(standard(), &mut |share| {
            bar.set_position(whole(share.clamp(0.0, 1.0) * 1000.0));
        });
        bar.finish_and_clear();
        let found = found.map_err(|error| Failure::Other(error.to_string()))?;
        if let Some(path) = &self.report {
            let html = path.extension().is_some_and(|e| e == "html" || e == "htm");
            let page = if html { page(&found) } else { markdown(&found) };
            std::fs::write(path, page)
                .map_err(|error| Failure::Other(format!("{}: {error}", path.display())))?;
        }
        say(&if self.json {
            to_json(&found).to_string()
        } else {
            table(&found)
        });
        Ok(ExitCode::SUCCESS)
    }
}

fn to_json(found: &Comparison) -> serde_json::Value {
    let systems: Vec<_> = found
        .systems
        .iter()
        .map(|(name, summary, fit)| {
            json!({ "name": name, "summary": summary, "a0": fit.a0, "a1_s": fit.a1,
                "a2_s2": fit.a2 })
        })
        .collect();
    let motions: Vec<_> = found
        .motions
        .iter()
        .map(|(name, summary)| json!({ "name": name, "summary": summary }))
        .collect();
    let cells: Vec<_> = found
        .cells
        .iter()
        .map(|cell| {
            json!({
                "system": cell.system,
                "compensator": cell.compensator,
                "method": cell.method,
                "motion": cell.motion,
                "stable": cell.stable,
                "delay_ms": cell.delay_ms,
                "nrmse_percent": cell.nrmse_percent,
                "peak_percent": cell.peak_percent,
                "effort": cell.effort,
                "settings": cell.settings,
            })
        })
        .collect();
    json!({ "rate_hz": RATE, "noise_m": NOISE, "systems": systems, "motions": motions,
        "cells": cells })
}

fn shown(value: Option<f64>, decimals: usize) -> String {
    value.map_or("–".to_owned(), |x| format!("{x:.decimals$}"))
}

/// The four figures of a cell, or the word for one that went astray.
fn figures(cell: &tandem_studies::compare::Cell) -> [String; 4] {
    if !cell.stable {
        return [
            "unstable".to_owned(),
            String::new(),
            String::new(),
            String::new(),
        ];
    }
    [
        shown(cell.delay_ms, 2),
        shown(cell.nrmse_percent, 2),
        shown(cell.peak_percent, 2),
        shown(cell.effort, 2),
    ]
}

fn table(found: &Comparison) -> String {
    let mut out = String::new();
    for (system, summary, fit) in &found.systems {
        let _ = writeln!(
            out,
            "{system} ({summary}); fitted delay {:.2} ms, gain {:.3}",
            fit.delay() * 1e3,
            fit.gain()
        );
        let _ = writeln!(
            out,
            "  {:<32}{:<10}{:>9} ms{:>9} %{:>9} %{:>9}",
            "compensator", "motion", "delay", "NRMSE", "peak", "effort"
        );
        for cell in found.cells.iter().filter(|cell| cell.system == *system) {
            let [delay, nrmse, peak, effort] = figures(cell);
            let _ = writeln!(
                out,
                "  {:<32}{:<10}{delay:>9}   {nrmse:>9}  {peak:>9}  {effort:>9}",
                cell.compensator, cell.motion
            );
        }
        out.push('\n');
    }
    for (name, summary) in &found.motions {
        let _ = writeln!(out, "motion {name}: {summary}");
    }
    let _ = write!(
        out,
        "Settings follow one rule from the fitted lag; --report FILE and --json show them."
    );
    out
}

fn markdown(found: &Comparison) -> String {
    let mut out = String::from(
        "# Compensators on transfer systems\n\nMade with `tandem compare-methods --report \
        docs/compensators.md`. \
         Each cell is a virtual run of compensator and rig",
    );
    let _ = writeln!(
        out,
        " at {RATE} Hz with {} µm of noise on the displacement; the wanted motion is given and \
         nothing goes back to a structure, so a cell shows tracking alone. The first three seconds \
         do not count.\n",
        NOISE * 1e6
    );
    for (name, summary) in &found.motions {
        let _ = writeln!(out, "- motion *{name}*: {summary}");
    }
    out.push_str(
        "\nDelay: by cross-correlation. NRMSE: RMS error over RMS of the motion. Peak: largest \
        error over largest motion. \
         Effort: RMS velocity of the command over that of the motion. *unstable*: the error grew \
         beyond three times the motion. \
         Left out: the actuator `ideal` and the plant `control-error`, which stand where the \
         command says (but for a random error that nobody can \
         foresee), and the compensator `per-actuator`, which is made of the others.\n",
    );
    for (system, summary, fit) in &found.systems {
        let (frequency, damping) = fit.second_order();
        let _ = writeln!(
            out,
            "\n## {system}\n\n{summary}. Fitted: delay {:.2} ms, gain {:.3}, as a second-order lag \
            {frequency:.1} Hz with \
             damping ratio {damping:.2}.\n",
            fit.delay() * 1e3,
            fit.gain()
        );
        out.push_str("| compensator |");
        for (name, _) in &found.motions {
            let _ = write!(out, " {name}: delay ms | NRMSE % | peak % | effort |");
        }
        out.push_str("\n|---|");
        out.push_str(&"---:|".repeat(4 * found.motions.len()));
        out.push('\n');
        for (name, _) in &found.rules {
            let _ = write!(out, "| {name} |");
            for (motion, _) in &found.motions {
                let cell = found.cells.iter().find(|cell| {
                    cell.system == *system && cell.compensator == *name && cell.motion == *motion
                });
                if let Some(cell) = cell {
                    for figure in figures(cell) {
                        let _ = write!(out, " {figure} |");
                    }
                }
            }
            out.push('\n');
        }
    }
    out.push_str(
        "\n## How the compensators were set\n\nBefore the cells, u = a0 x + a1 x' + a2 x'' is \
        fitted on an uncompensated run \
         over the motion *band* without noise. Everything not named here is a default of \
         `docs/plan.md`.\n\n",
    );
    for (name, rule) in &found.rules {
        let _ = writeln!(out, "- `{name}`: {rule}");
    }
    out
}
