//! `tandem check`.

use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tandem::assemble::{Test, assemble};
use tandem::report::engineering;
use tandem_coordinator::ReferenceRun;
use tandem_monitor::stability::{
    Partition, Synchronisation, critical_delay_exact, critical_delay_first_order,
};
use tandem_structure::{Structure, modes::modes};

use super::{Failure, PlanArgs, say};

/// Check a plan before anything moves: is it right, and what will happen?
#[derive(Args)]
#[command(after_help = "\
Example:
  tandem check examples/quick-start/plan.toml")]
pub struct Check {
    #[command(flatten)]
    plan: PlanArgs,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

impl Check {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let plan = self.plan.read()?;
        let test = assemble(&plan.values)
            .map_err(|errors| Failure::Plan(Box::new(plan.refuse(errors))))?;
        let found =
            modes(test.whole.as_ref(), 20).map_err(|error| Failure::Other(error.to_string()))?;
        let ratios = found.damping_ratios(test.whole.damping());
        let reference = test
            .reference()
            .map_err(|error| Failure::Plan(Box::new(plan.refuse(vec![error]))))?;
        let peak = |values: &[f64], dof: usize| {
            values
                .iter()
                .skip(dof)
                .step_by(reference.dof.max(1))
                .fold(0.0_f64, |m, x| m.max(x.abs()))
        };
        let mut warnings = test.warnings.clone();
        let limits = plan.values.optional_table("limits");
        let mut demands = Vec::new();
        for (i, &dof) in test.interface.iter().enumerate() {
            let (x, v) = (
                peak(&reference.displacement, dof),
                peak(&reference.velocity, dof),
            );
            let f = peak_force(&test, &reference, i);
            demands.push(json!({ "displacement_m": x, "velocity_m_s": v / test.timing.time_scale, "force_n": f }));
            for (key, value, unit) in [
                ("stroke", x, "m"),
                ("velocity", v / test.timing.time_scale, "m/s"),
                ("force", f, "N"),
            ] {
                if let Some(bound) = limits.and_then(|l| l.optional_number(key))
                    && value > bound
                {
                    warnings.push(format!(
                        "Actuator {} will need {value:.4} {unit}; the limit {key} is {bound:.4} {unit}: the test will trip.",
                        i + 1
                    ));
                }
            }
        }
        if limits.is_none() && !test.interface.is_empty() {
            warnings.push("There are no [limits]: nothing but a value that is not finite would stop the test.".to_owned());
        }
        let (exact, first_order) = critical_delays(&test);
        let value = json!({
            "name": test.name,
            "dof": test.whole.dof(),
            "structure": test.whole.kind(),
            "frequencies_hz": found.frequencies_hz,
            "damping_ratios": ratios,
            "method": test.method,
            "dt_s": test.dt,
            "steps": test.timing.steps,
            "critical_dt_s": test.critical_dt,
            "critical_delay_s": exact,
            "critical_delay_first_order_s": first_order,
            "interface": test.interface.iter().map(|dof| dof + 1).collect::<Vec<_>>(),
            "demands": demands,
            "record": { "name": test.record.name, "peak_m_s2": test.record.peak(), "duration_s": test.record.duration() },
            "warnings": warnings,
        });
        if self.json {
            say(&value.to_string());
            return Ok(ExitCode::SUCCESS);
        }
        let list = |values: &[f64], factor: f64| {
            values
                .iter()
                .map(|x| engineering(x * factor))
                .collect::<Vec<_>>()
                .join(", ")
        };
        say(&test.name);
        say(&format!(
            "  structure           {}, {} degrees of freedom",
            test.whole.kind(),
            test.whole.dof()
        ));
        say(&format!(
            "  frequencies         {} Hz",
            list(&found.frequencies_hz, 1.0)
        ));
        say(&format!("  damping             {} %", list(&ratios, 100.0)));
        say(&format!(
            "  ground motion       {}: peak {} g, {} s",
            test.record.name,
            engineering(test.record.peak() / tandem_quantity::STANDARD_GRAVITY),
            engineering(test.record.duration())
        ));
        let limit = test
            .critical_dt
            .map_or("stable for any step".to_owned(), |dt| {
                format!("stable up to {} ms", engineering(dt * 1e3))
            });
        say(&format!(
            "  integration         {}, {} steps of {} ms ({limit})",
            test.method,
            test.timing.steps,
            engineering(test.dt * 1e3)
        ));
        if let Some(delay) = exact {
            say(&format!(
                "  critical delay      {} ms: a transfer system that lags more makes the loop unstable",
                engineering(delay * 1e3)
            ));
        }
        for (i, demand) in demands.iter().enumerate() {
            let get =
                |key: &str, factor: f64| engineering(demand[key].as_f64().unwrap_or(0.0) * factor);
            say(&format!(
                "  actuator {} needs    {} mm, {} mm/s, {} kN",
                i + 1,
                get("displacement_m", 1e3),
                get("velocity_m_s", 1e3),
                get("force_n", 1e-3)
            ));
        }
        for warning in &warnings {
            say(&format!("  warning             {warning}"));
        }
        for note in &test.notes {
            say(&format!("  note                {note}"));
        }
        say(&match warnings.len() {
            0 => "The plan is valid.".to_owned(),
            1 => "The plan is valid, with a warning.".to_owned(),
            n => format!("The plan is valid, with {n} warnings."),
        });
        Ok(ExitCode::SUCCESS)
    }
}

/// Largest force K x + C v + M a of the specimen along the reference, N, as a test at this time scale would measure it.
fn peak_force(test: &Test, reference: &ReferenceRun, row: usize) -> f64 {
    let (n, dof, slow) = (
        test.specimen.dof,
        reference.dof.max(1),
        1.0 / test.timing.time_scale,
    );
    let rows = reference
        .displacement
        .chunks_exact(dof)
        .zip(reference.velocity.chunks_exact(dof))
        .zip(reference.acceleration.chunks_exact(dof));
    rows.map(|((d, v), a)| {
        (0..n)
            .map(|j| {
                let (at, i) = (row * n + j, test.interface[j]);
                test.specimen.stiffness[at] * d[i]
                    + slow * test.specimen.damping[at] * v[i]
                    + slow * slow * test.specimen.mass[at] * a[i]
            })
            .sum::<f64>()
            .abs()
    })
    .fold(0.0, f64::max)
}

/// Largest delay of the transfer system before the loop becomes unstable, s of wall time: from the characteristic roots,
/// and by the first-order hybrid equation of motion (Gao and You 2019). None where any delay is stable, where
/// there is no specimen, and above a size at which the sweep would take too long.
fn critical_delays(test: &Test) -> (Option<f64>, Option<f64>) {
    const MOST_DOF: usize = 60;
    let Some(hybrid) = test
        .hybrid
        .as_ref()
        .filter(|_| test.whole.dof() <= MOST_DOF)
    else {
        return (None, None);
    };
    let Ok(partition) = Partition::of(hybrid.parts().integrator.problem()) else {
        return (None, None);
    };
    let wall = |delay: f64| delay * test.timing.time_scale;
    let uniform = Synchronisation::uniform(test.whole.dof());
    (
        critical_delay_exact(&partition).map(wall),
        critical_delay_first_order(&partition, &uniform)
            .ok()
            .flatten()
            .map(wall),
    )
}
