//! `tandem run` of a plan with `[cosimulation]`.

use std::path::Path;
use std::process::ExitCode;

use indicatif::ProgressBar;
use tandem::cosimulation::{Failed, Surroundings, read, run};
use tandem_fmi::FmuError;

use super::fmu::{LIBRARY, launcher};
use super::{Failure, say};

/// Runs it and tells.
pub fn go(
    path: &Path,
    overrides: &[String],
    out: Option<&Path>,
    json: bool,
    bar: &ProgressBar,
) -> Result<ExitCode, Failure> {
    let plan = read(path, overrides).map_err(|refusal| Failure::Plan(Box::new(refusal)))?;
    let folder = match out {
        Some(folder) => folder.to_path_buf(),
        None => tandem::run::fresh_folder(plan.values.text("name").unwrap_or("co-simulation")),
    };
    if folder.join("summary.json").exists() {
        return Err(Failure::Usage(format!(
            "{} holds a run already; choose another folder",
            folder.display()
        )));
    }
    let around = Surroundings {
        folder: &folder,
        library: LIBRARY,
        launcher: launcher(30.0)?,
    };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a share between 0 and 1
    let done = run(&plan, &around, &mut |share| {
        bar.set_position((share.clamp(0.0, 1.0) * 1000.0) as u64);
    });
    bar.finish_and_clear();
    let summary = done.map_err(|failed| match failed {
        Failed::Plan(refusal) => Failure::Plan(refusal),
        Failed::Fmu(error @ (FmuError::Usage(_) | FmuError::Missing(_))) => {
            Failure::Usage(error.to_string())
        }
        Failed::Fmu(error) => Failure::Other(error.to_string()),
    })?;
    let code = match summary["outcome"].as_str() {
        Some("completed") => ExitCode::SUCCESS,
        _ => ExitCode::from(3),
    };
    if json {
        say(&summary.to_string());
        return Ok(code);
    }
    let mut text = format!("{}\n", summary["name"].as_str().unwrap_or(""));
    let mut line = |label: &str, value: String| text.push_str(&format!("  {label:<32}{value}\n"));
    let number = |value: &serde_json::Value| {
        value
            .as_f64()
            .map(tandem::report::engineering)
            .unwrap_or_default()
    };
    let seconds = number(&summary["simulated_s"]);
    line(
        "outcome",
        match summary["reason"].as_str() {
            None => format!("completed, {seconds} s"),
            Some(reason) => format!("FAILED, {seconds} s: {reason}"),
        },
    );
    line(
        "wall time",
        format!(
            "{} s, {} times real time",
            number(&summary["wall_s"]),
            number(&summary["realtime_factor"])
        ),
    );
    if summary["interface"].is_object() {
        line(
            "gap of displacements",
            format!("{} m", number(&summary["interface"]["displacement_gap"])),
        );
        line(
            "gap of velocities",
            format!("{} m/s", number(&summary["interface"]["velocity_gap"])),
        );
    }
    for (name, value) in summary["response"].as_object().into_iter().flatten() {
        line(&format!("peak {name}"), number(&value["peak"]));
    }
    for note in summary["notes"].as_array().into_iter().flatten() {
        line("note", note.as_str().unwrap_or("").to_owned());
    }
    line("result", folder.join("result.csv").display().to_string());
    line("report", folder.join("report.html").display().to_string());
    say(text.trim_end());
    Ok(code)
}
