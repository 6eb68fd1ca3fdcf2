//! `tandem run` and `tandem check` of a plan with `[cosimulation]`.

use std::path::Path;
use std::process::ExitCode;

use indicatif::ProgressBar;
use serde_json::Value;
use tandem::cosimulation::{Failed, Surroundings, check, read, run};
use tandem::report::engineering;
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
    let summary = done.map_err(failure)?;
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
    for (key, label) in [("notes", "note"), ("warnings", "warning")] {
        for text in summary[key].as_array().into_iter().flatten() {
            line(label, text.as_str().unwrap_or("").to_owned());
        }
    }
    line("result", folder.join("result.csv").display().to_string());
    line("report", folder.join("report.html").display().to_string());
    say(text.trim_end());
    Ok(code)
}

fn failure(failed: Failed) -> Failure {
    match failed {
        Failed::Plan(refusal) => Failure::Plan(refusal),
        Failed::Fmu(error @ (FmuError::Usage(_) | FmuError::Missing(_))) => {
            Failure::Usage(error.to_string())
        }
        Failed::Fmu(error) => Failure::Other(error.to_string()),
    }
}

/// Checks it and tells.
pub fn look(path: &Path, overrides: &[String], json: bool) -> Result<ExitCode, Failure> {
    let plan = read(path, overrides).map_err(|refusal| Failure::Plan(Box::new(refusal)))?;
    // Parts of plans become FMUs, which go away again.
    let folder = tempfile::tempdir()
        .map_err(|error| Failure::Other(format!("cannot make a folder: {error}")))?;
    let around = Surroundings {
        folder: folder.path(),
        library: LIBRARY,
        launcher: launcher(30.0)?,
    };
    let checked = check(&plan, &around).map_err(failure)?;
    if json {
        say(&checked.to_string());
        return Ok(ExitCode::SUCCESS);
    }
    let word = |value: &Value| value.as_str().unwrap_or("").to_owned();
    say(&word(&checked["name"]));
    let line = |label: &str, text: String| say(&format!("  {label:<19} {text}"));
    let ms = |value: &Value| value.as_f64().map(|x| engineering(1e3 * x));
    line(
        "method",
        match checked["variant"].as_str() {
            Some(variant) => format!(
                "{}, {variant}, {} degrees of freedom at the interface",
                word(&checked["method"]),
                checked["interface"]
            ),
            None => word(&checked["method"]),
        },
    );
    line(
        "steps",
        format!(
            "{} of {} ms",
            checked["steps"],
            ms(&checked["dt_s"]).unwrap_or_default()
        ),
    );
    for part in checked["parts"].as_array().into_iter().flatten() {
        let limit = ms(&part["largest_stable_step_s"])
            .map(|limit| format!("; explicit, stable alone up to {limit} ms"));
        line(
            "part",
            format!(
                "{}, {}{}",
                word(&part["name"]),
                word(&part["of"]),
                limit.unwrap_or_default()
            ),
        );
    }
    for (key, label) in [("notes", "note"), ("warnings", "warning")] {
        for text in checked[key].as_array().into_iter().flatten() {
            line(label, word(text));
        }
    }
    say("The plan is valid: all parts are there, wired and initialised.");
    Ok(ExitCode::SUCCESS)
}
