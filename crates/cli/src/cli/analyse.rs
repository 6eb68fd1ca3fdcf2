//! `tandem analyse`.

use std::path::PathBuf;
use std::process::ExitCode;
use tandem::assemble::steppers;
use tandem::registry::standard;

use clap::Args;
use serde_json::json;
use tandem::assemble::method_table;
use tandem_studies::analyse::{self, Analysis};

use super::{Failure, say};

/// Stability, accuracy and growth of control errors of time-stepping methods over frequency, from
/// the steps of the methods themselves.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tandem analyse alpha-os --set alpha=-0.1 --omega 0.1:3.0:0.1 --damping 0.02
  tandem analyse osm kr-alpha hht --report methods.html
  tandem analyse all --json

The page draws spectral radius, period error, numerical damping and the growth of errors of the \
imposed displacement.")]
pub struct Analyse {
    /// Names of methods, as in [integration] (see `tandem methods`), or `all`.
    #[arg(required = true)]
    methods: Vec<String>,
    /// Parameter of the methods that have it: --set alpha=-0.1. May be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE", allow_hyphen_values = true)]
    overrides: Vec<String>,
    /// Ω = ω Δt, as first:last:step or as a list 0.1,0.5,1.
    #[arg(long, default_value = "0.1:3.0:0.1")]
    omega: String,
    /// Damping ratio of the oscillator.
    #[arg(long, default_value_t = 0.0)]
    damping: f64,
    /// Page with the plots. Without --json a page is written in any case.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

/// The page where none is named.
const PAGE: &str = "analyse.html";

impl Analyse {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let omegas = self.omegas()?;
        let names: Vec<&str> = if self.methods == ["all"] {
            steppers(standard())
                .map(|entry| entry.method.name)
                .collect()
        } else {
            self.methods.iter().map(String::as_str).collect()
        };
        let found = names
            .iter()
            .map(|name| Ok((*name, self.one(name, names.len() > 1, &omegas)?)))
            .collect::<Result<Vec<_>, Failure>>()?;
        let page = self
            .report
            .clone()
            .or_else(|| (!self.json).then(|| PathBuf::from(PAGE)));
        if let Some(path) = &page {
            let text = tandem_studies::analyse::page(&found, self.damping);
            std::fs::write(path, text)
                .map_err(|error| Failure::Other(format!("{}: {error}", path.display())))?;
        }
        if self.json {
            let mut value = match &found[..] {
                [(name, analysis)] => json!(analysis.summary(name, self.damping)),
                several => json!({
                    "methods": several
                        .iter()
                        .map(|(name, analysis)| analysis.summary(name, self.damping))
                        .collect::<Vec<_>>()
                }),
            };
            if let Some(path) = page {
                value["report"] = json!(path);
            }
            say(&value.to_string());
            return Ok(ExitCode::SUCCESS);
        }
        for (name, analysis) in &found {
            show(name, analysis);
        }
        if let Some(path) = page {
            say(&format!("{} written.", path.display()));
        }
        Ok(ExitCode::SUCCESS)
    }

    /// One method with its parameters. Among several, a parameter goes to those that have it.
    fn one(&self, method: &str, several: bool, omegas: &[f64]) -> Result<Analysis, Failure> {
        let entry = steppers(standard()).find(|entry| entry.method.name == method);
        if entry.is_none() && matches!(method, "outside" | "prescribed") {
            return Err(Failure::Usage(format!(
                "`{method}` steps nothing: there the targets come from another program or from \
                signals; see `tandem methods` for what can be analysed"
            )));
        }
        let has = |word: &str| {
            let key = word.split('=').next().unwrap_or(word).trim();
            !several || entry.is_none_or(|e| e.method.parameters.iter().any(|p| p.key == key))
        };
        let overrides: Vec<String> = self
            .overrides
            .iter()
            .filter(|word| has(word))
            .cloned()
            .collect();
        // The step is set by Ω; the plan's checks and defaults serve for everything else.
        let values = method_table(standard(), method, 1.0, &overrides).map_err(Failure::Plan)?;
        analyse::analyse(standard(), method, &values, omegas, self.damping)
            .map_err(|error| Failure::Usage(format!("{method}: {error}")))
    }

    fn omegas(&self) -> Result<Vec<f64>, Failure> {
        let refuse = || {
            let text = format!(
                "--omega {}: give first:last:step with positive numbers, or a list 0.1,0.5,1",
                self.omega
            );
            Failure::Usage(text)
        };
        let number = |text: &str| {
            text.trim()
                .parse::<f64>()
                .ok()
                .filter(|x| x.is_finite() && *x > 0.0)
                .ok_or_else(refuse)
        };
        match self.omega.split(':').collect::<Vec<_>>()[..] {
            [list] => list.split(',').map(number).collect(),
            [first, last, step] => {
                let (first, last, step) = (number(first)?, number(last)?, number(step)?);
                let count = ((last - first) / step + 1e-9).floor();
                if !(0.0..=1e5).contains(&count) {
                    return Err(refuse());
                }
                #[allow(clippy::cast_possible_truncation)]
                // bounded just above
                let count = count as u32;
                Ok((0..=count).map(|k| first + f64::from(k) * step).collect())
            }
            _ => Err(refuse()),
        }
    }
}

fn show(name: &str, found: &Analysis) {
    say(name);
    say(&format!(
        "{:>10} {:>16} {:>14} {:>18} {:>14} {:>12}",
        "Ω",
        "spectral radius",
        "period error",
        "numerical damping",
        "1 % undershoot",
        "noise grows"
    ));
    let shown = |value: Option<f64>| value.map_or("–".to_owned(), |x| format!("{x:.6}"));
    for i in 0..found.omega.len() {
        let growth = found.error_growth[i];
        say(&format!(
            "{:>10.4} {:>16.9} {:>14} {:>18} {:>14} {:>12}",
            found.omega[i],
            found.spectral_radius[i],
            shown(found.period_error[i]),
            shown(found.numerical_damping[i]),
            shown(growth.map(|g| g.undershoot_damping)),
            growth.map_or("–".to_owned(), |g| format!("{:.3}", g.noise)),
        ));
    }
}
