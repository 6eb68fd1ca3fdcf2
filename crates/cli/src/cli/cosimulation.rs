//! `tandem run` and `tandem check` of a plan with `[cosimulation]`.

use std::process::ExitCode;

use tandem::assemble::Body;
use tandem::plan::Plan;
use tandem::run::files;
use tandem::summary::Summary;

use super::fmu::ENVIRONMENT;
use super::{Failure, say};
use tandem_quantity::format_number;

/// A short summary for people.
pub fn readable(summary: &Summary) -> String {
    let mut text = format!("{}\n", summary.name);
    let mut line = |label: &str, value: String| text.push_str(&format!("  {label:<32}{value}\n"));
    let seconds = format_number(summary.simulated_s);
    line(
        "outcome",
        match &summary.reason {
            None => format!("completed, {seconds} s"),
            Some(reason) => format!("STOPPED, {seconds} s: {reason}"),
        },
    );
    if let (Some(wall), Some(factor)) = (summary.wall_s, summary.realtime_factor) {
        let (wall, factor) = (format_number(wall), format_number(factor));
        line("wall time", format!("{wall} s, {factor} times real time"));
    }
    if let Some(coupling) = &summary.coupling {
        if let Some(gap) = coupling.displacement_gap {
            line("gap of displacements", format!("{} m", format_number(gap)));
        }
        if let Some(gap) = coupling.velocity_gap {
            line("gap of velocities", format!("{} m/s", format_number(gap)));
        }
    }
    for (name, response) in &summary.response {
        line(&format!("peak {name}"), format_number(response.peak));
    }
    for (label, list) in [("note", &summary.notes), ("warning", &summary.warnings)] {
        for text in list {
            line(label, text.clone());
        }
    }
    for (label, file) in [("record", files::RUN), ("report", files::REPORT)] {
        line(label, summary.folder.join(file).display().to_string());
    }
    text.trim_end().to_owned()
}

/// Checks it and tells: its parts are opened, wired and initialised as in a run.
pub fn look(plan: &Plan, json: bool) -> Result<ExitCode, Failure> {
    let test = plan.assemble_in(&ENVIRONMENT)?;
    let Body::Coupled(coupled) = &test.body else {
        return Err(Failure::Other("no co-simulation".to_owned()));
    };
    let checked = coupled.check();
    if json {
        say(&serde_json::to_string(&checked).unwrap_or_default());
        return Ok(ExitCode::SUCCESS);
    }
    say(&checked.name);
    let line = |label: &str, text: String| say(&format!("  {label:<19} {text}"));
    line(
        "method",
        match (&checked.variant, checked.interface) {
            (Some(variant), Some(interface)) => format!(
                "{}, {variant}, {interface} degrees of freedom at the interface",
                checked.method
            ),
            _ => checked.method.clone(),
        },
    );
    let step = format_number(1e3 * checked.dt_s);
    line("steps", format!("{} of {step} ms", checked.steps));
    for part in &checked.parts {
        let limit = part.largest_stable_step_s.map(|limit| {
            let limit = format_number(1e3 * limit);
            format!("; explicit, stable alone up to {limit} ms")
        });
        let of = part.of.as_deref().unwrap_or("");
        let limit = limit.unwrap_or_default();
        line("part", format!("{}, {of}{limit}", part.name));
    }
    for (label, list) in [("note", &checked.notes), ("warning", &checked.warnings)] {
        for text in list {
            line(label, text.clone());
        }
    }
    say("The plan is valid: all parts are there, wired and initialised.");
    Ok(ExitCode::SUCCESS)
}
