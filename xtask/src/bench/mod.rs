//! `cargo xtask bench [WHAT] [--json]`: our programs beside their peers, one after the other in the
//! same run.

mod fmi;
mod hybrid_loop;
mod integrators;
mod monitors;
mod opensees;
mod problems;
mod realtime;
mod screen;
mod structure;
mod structure_plot;
mod transfer;

pub use monitors::measured;

use std::path::PathBuf;
use std::process::Command;

use crate::{Result, root};

/// What can be measured: its word, and the measurement.
type Bench = (&'static str, fn(bool) -> Result<()>);

/// All benches. A new one is a file here, one line, and, where Rust code is measured from inside, a
/// module of the package `tandem-bench`.
const BENCHES: &[Bench] = &[
    ("loop", hybrid_loop::run),
    ("fmi", fmi::run),
    ("integrators", integrators::run),
    ("monitors", monitors::run),
    ("opensees", opensees::run),
    ("problems", problems::run),
    ("rt", realtime::run),
    ("screen", screen::run),
    ("structure", structure::run),
    ("transfer", transfer::run),
];

/// Runs the bench that is named first, or the loop's.
pub fn run(arguments: &[&str]) -> Result<()> {
    let json = arguments.contains(&"--json");
    let words: Vec<&str> = arguments
        .iter()
        .copied()
        .filter(|word| *word != "--json")
        .collect();
    let name = match words.as_slice() {
        [] => "loop",
        [one] => one,
        other => return Err(format!("unknown arguments `{}`", other.join(" "))),
    };
    match BENCHES.iter().find(|(word, _)| *word == name) {
        Some((_, bench)) => bench(json),
        None => {
            let known: Vec<&str> = BENCHES.iter().map(|(word, _)| *word).collect();
            Err(format!(
                "no bench `{name}`; there are: {}",
                known.join(", ")
            ))
        }
    }
}

/// Builds a package for measuring.
fn build(program: &str) -> Result<()> {
    let package = if program == "tandem" {
        "tandem-cli"
    } else {
        program
    };
    crate::run(Command::new("cargo").current_dir(root()).args([
        "build",
        "--release",
        "--quiet",
        "--package",
        package,
    ]))
}

/// What our own measurements print for these words.
fn printed(words: &[&str]) -> Result<String> {
    build("tandem-bench")?;
    let output = Command::new(program("tandem-bench"))
        .args(words)
        .output()
        .map_err(|error| format!("tandem-bench: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("tandem-bench: {said}"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A program of the workspace in its release build.
pub fn release(name: &str) -> Result<PathBuf> {
    build(name)?;
    Ok(program(name))
}

/// Where a built program is.
fn program(name: &str) -> PathBuf {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    target.join("release").join(name)
}
