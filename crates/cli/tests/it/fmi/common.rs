//! FMUs of our own making, and peers that judge the program.

pub use crate::TANDEM;
pub use serde_json::Value;
pub use std::path::{Path, PathBuf};
use tandem_coordinator::recorder::RunReader;
pub use tandem_test_support::{Table, apart, done, example, json, last_json, peak, refused};

use std::process::{Command, Output};

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Ten steps of an FMU, from zero to one second; more words may follow.
pub fn ten_steps(fmu: &Path) -> [&str; 7] {
    ["fmu", "simulate", text(fmu), "--step", "0.1", "--stop", "1"]
}

/// Writes an archive.
pub fn archive(path: &Path, entries: &[(&str, &[u8])]) {
    let file = std::fs::File::create(path).unwrap();
    let mut writer = tandem_fmi::zip::Writer::new(file);
    for (name, contents) in entries {
        writer.add(name, contents).unwrap();
    }
    writer.finish().unwrap();
}

/// Compiles C into a shared library. The compiler is there: Rust links with it.
pub fn compile(folder: &Path, name: &str, code: &str) -> PathBuf {
    let [source, library] = ["c", "so"].map(|kind| folder.join(format!("{name}.{kind}")));
    std::fs::write(&source, code).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-O1", "-w", "-o"]);
    compiler.args([&library, &source]).arg("-lm");
    assert!(compiler.status().unwrap().success());
    library
}

/// Writes an FMU: its description, and its library for the platform of these tests.
pub fn write_fmu(path: &Path, version: u8, description: &[u8], library: &Path) {
    let platform = ["linux64", "x86_64-linux"][usize::from(version) - 2];
    let name = library.file_name().unwrap().to_str().unwrap();
    let binary = std::fs::read(library).unwrap();
    archive(
        path,
        &[
            ("modelDescription.xml", description),
            (&format!("binaries/{platform}/{name}"), &binary),
        ],
    );
}

/// What the check of a plan says.
pub fn check(folder: &Path, plan: &str) -> Output {
    std::fs::write(folder.join("plan.toml"), plan).unwrap();
    TANDEM.run(&["check", "plan.toml", "--json"], folder)
}

/// The record that a co-simulation leaves, row by row, the time first.
pub fn result(run: &Path) -> Table {
    let run = RunReader::open(&run.join("run.h5")).unwrap();
    let names = run.columns().map(|channel| channel.name.clone());
    let names: Vec<String> = names.collect();
    let columns: Vec<Vec<f64>> = names.iter().map(|name| run.read(name).unwrap()).collect();
    // To the last digit.
    let row = |i: usize| {
        columns
            .iter()
            .map(|column| format!("{:?}", column[i]))
            .collect()
    };
    let rows = (0..columns[0].len()).map(row).collect();
    Table { names, rows }
}

/// A script of the Python peers that judges the program: given its path, the plan of an oscillator
/// and a folder to work in. What went wrong stands last: some peers are talkative.
pub fn judged_by(python: &Path, script: &str) {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(python)
        .args(["-c", script, TANDEM.0])
        .arg(example("fmi-split-mass/oscillator.toml"))
        .arg(folder.path())
        // Peers leave what they unpack: eighty megabytes for each FMU of an unoptimised build.
        .env("TMPDIR", folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = errors.lines().count().saturating_sub(40);
    let last: Vec<&str> = errors.lines().skip(last).collect();
    assert!(output.status.success(), "{said}\n{}", last.join("\n"));
    println!("{said}");
}
