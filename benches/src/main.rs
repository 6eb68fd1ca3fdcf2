//! What `cargo xtask bench` measures from inside: one module per subject, one JSON line per
//! measurement.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a program for developers' terminals

mod integrators;
mod monitors;
mod needed;
mod opensees;
mod stability_study;
mod structure;
mod tangent_study;
mod transfer;

use std::process::ExitCode;

/// What can be measured: its word, and the measurement with the words after it.
type Subject = (&'static str, fn(&[String]) -> Result<(), String>);

/// All subjects. A new one is one module and one line here.
const SUBJECTS: &[Subject] = &[
    ("integrators", integrators::measure),
    ("monitors", monitors::run),
    ("opensees", opensees::serve),
    ("stability-study", stability_study::run),
    ("structure", structure::measure),
    ("tangent-study", tangent_study::run),
    ("transfer", transfer::measure),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.split_first() {
        Some((word, rest)) => match SUBJECTS.iter().find(|(name, _)| name == word) {
            Some((_, measure)) => measure(rest),
            None => Err(format!("no subject `{word}`")),
        },
        None => Err("say what to measure".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
