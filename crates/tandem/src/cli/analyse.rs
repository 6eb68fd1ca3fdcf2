//! `tandem analyse`.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tandem::analyse::analyse;
use tandem::plan::{self, Source};
use tandem_quantity::{Kind, Parameter};

use super::{Failure, say};

/// Stability and accuracy of a time-stepping method over frequency, from the steps of the method itself.
#[derive(Args)]
#[command(after_help = "\
Example:
  tandem analyse alpha-os --set alpha=-0.1 --omega 0.1:3.0:0.1 --damping 0.02")]
pub struct Analyse {
    /// Name of the method, as in [integration] (see `tandem methods`).
    method: String,
    /// Parameter of the method: --set alpha=-0.1. May be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE", allow_hyphen_values = true)]
    overrides: Vec<String>,
    /// Ω = ω Δt, as first:last:step or as a list 0.1,0.5,1.
    #[arg(long, default_value = "0.1:3.0:0.1")]
    omega: String,
    /// Damping ratio of the oscillator.
    #[arg(long, default_value_t = 0.0)]
    damping: f64,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

static TABLE: &[Parameter] = &[Parameter::of(
    "integration",
    Kind::Slot(&tandem_integrator::SLOT),
    "time-stepping method",
)];

impl Analyse {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let omegas = self.omegas()?;
        // The step is set by Ω; the plan's checks and defaults serve for everything else.
        let overrides: Vec<String> = [format!("method={}", self.method), "dt=1s".to_owned()]
            .into_iter()
            .chain(self.overrides)
            .map(|word| format!("integration.{word}"))
            .collect();
        let source = Source::Text {
            name: "analyse",
            text: "[integration]\n",
        };
        let plan = plan::read(TABLE, source, &overrides)
            .map_err(|refusal| Failure::Plan(Box::new(refusal)))?;
        let values = plan
            .values
            .table("integration")
            .map_err(|error| Failure::Other(error.to_string()))?;
        let found = analyse(&self.method, values, &omegas, self.damping)
            .map_err(|error| Failure::Usage(error.to_string()))?;
        if self.json {
            let value = json!({
                "method": self.method,
                "damping": self.damping,
                "omega": found.omega,
                "spectral_radius": found.spectral_radius,
                "period_error": found.period_error,
                "numerical_damping": found.numerical_damping,
            });
            say(&value.to_string());
            return Ok(ExitCode::SUCCESS);
        }
        say(&format!(
            "{:>10} {:>16} {:>14} {:>18}",
            "Ω", "spectral radius", "period error", "numerical damping"
        ));
        let shown = |value: Option<f64>| value.map_or("–".to_owned(), |x| format!("{x:.6}"));
        for i in 0..found.omega.len() {
            say(&format!(
                "{:>10.4} {:>16.9} {:>14} {:>18}",
                found.omega[i],
                found.spectral_radius[i],
                shown(found.period_error[i]),
                shown(found.numerical_damping[i])
            ));
        }
        Ok(ExitCode::SUCCESS)
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
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
                // bounded just above
                let count = count as u32;
                Ok((0..=count).map(|k| first + f64::from(k) * step).collect())
            }
            _ => Err(refuse()),
        }
    }
}
