#![doc = include_str!("../README.md")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails by a panic

mod examples;
mod figures;
#[cfg(feature = "filled-in")]
mod filled_in;
mod larger;
#[cfg(feature = "plans")]
pub mod plans;
mod program;
mod random;
#[cfg(feature = "records")]
pub mod records;
#[cfg(feature = "sections")]
pub mod sections;
#[cfg(feature = "single-actuator")]
pub mod single_actuator;
mod skip;
mod table;

pub use examples::{ExampleRun, example_runs};
pub use figures::{apart, close, json_numbers, number_at, peak};
#[cfg(feature = "filled-in")]
pub use filled_in::filled_in;
pub use larger::larger;
pub use program::{Program, done, json, last_json, refused};
pub use random::{seeded, splitmix64};
pub use skip::{skip, skip_part};
pub use table::{Table, cells, numbers, oracle};

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// Folder of the workspace.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file or folder below `examples/`.
#[must_use]
pub fn example(path: &str) -> PathBuf {
    root().join("examples").join(path)
}

/// A file of the reference data that may not be shipped, or a skip.
///
/// # Panics
/// Where there is a folder of the data without this file: it is another one, or not whole.
#[must_use]
pub fn data(file: &str) -> Option<PathBuf> {
    let found = known_data(file);
    if found.is_none() {
        skip(&no_data(file));
    }
    found
}

/// As [`data`] for a part of a test that does more without it.
///
/// # Panics
/// As [`data`].
#[must_use]
pub fn data_for_part(part: &str, file: &str) -> Option<PathBuf> {
    let found = known_data(file);
    if found.is_none() {
        skip_part(part, &no_data(file));
    }
    found
}

fn known_data(file: &str) -> Option<PathBuf> {
    let path = data_folder()?.join(file);
    let is_there = path.exists();
    assert!(
        is_there,
        "TANDEM_DATA is set, but {} is missing",
        path.display()
    );
    Some(path)
}

/// The folder of the reference data, where there is one; for tests that do as well without it.
#[must_use]
pub fn data_folder() -> Option<PathBuf> {
    std::env::var_os("TANDEM_DATA").map(PathBuf::from)
}

fn no_data(file: &str) -> String {
    format!("no reference data {file}; set TANDEM_DATA to the folder that holds it")
}

/// Python with these modules, or a skip.
#[must_use]
pub fn python(modules: &[&str]) -> Option<PathBuf> {
    let Some(python) = std::env::var_os("TANDEM_PYTHON").map(PathBuf::from) else {
        skip("no Python peers; `cargo xtask test` installs them and sets TANDEM_PYTHON");
        return None;
    };
    for module in modules {
        if !imports(&python, module) {
            let remedy = match *module {
                "tkinter" => "it belongs to the system's Python (Debian: python3-tk)",
                _ => "`cargo xtask test` installs it, and the libraries of OpenSees where it may",
            };
            skip(&format!(
                "the Python module {module} does not load; {remedy}"
            ));
            return None;
        }
    }
    Some(python)
}

/// Whether a module loads; asked once a process.
fn imports(python: &Path, module: &str) -> bool {
    static KNOWN: Mutex<Vec<(String, bool)>> = Mutex::new(Vec::new());
    let mut known = KNOWN
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if let Some((_, loads)) = known.iter().find(|(name, _)| name == module) {
        return *loads;
    }
    let loads = Command::new(python)
        .args(["-c", &format!("import {module}")])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap_or_else(|error| panic!("TANDEM_PYTHON: {}: {error}", python.display()))
        .success();
    known.push((module.to_owned(), loads));
    loads
}

/// FMUs of other tools, or a skip.
#[must_use]
pub fn fmus() -> Option<PathBuf> {
    variable(
        "TANDEM_FMUS",
        "no FMUs of other tools; `cargo xtask test` fetches them and sets TANDEM_FMUS",
    )
}

/// A Chromium, or a skip.
#[must_use]
pub fn browser() -> Option<PathBuf> {
    variable("TANDEM_BROWSER", NO_BROWSER)
}

/// As [`browser`] for a part of a test that does more without it.
#[must_use]
pub fn browser_for_part(part: &str) -> Option<PathBuf> {
    let found = std::env::var_os("TANDEM_BROWSER").map(PathBuf::from);
    if found.is_none() {
        skip_part(part, NO_BROWSER);
    }
    found
}

const NO_BROWSER: &str = "no browser; install Chromium or set TANDEM_BROWSER to its path \
    (`cargo xtask test` installs it where it may)";

/// Playwright, which drives the browser, or a skip.
#[must_use]
pub fn playwright() -> Option<PathBuf> {
    variable(
        "TANDEM_PLAYWRIGHT",
        "no Playwright; install Node 18 or later with npm (`cargo xtask test` does the rest and \
        sets TANDEM_PLAYWRIGHT)",
    )
}

fn variable(name: &str, missing: &str) -> Option<PathBuf> {
    let found = std::env::var_os(name).map(PathBuf::from);
    if found.is_none() {
        skip(missing);
    }
    found
}
