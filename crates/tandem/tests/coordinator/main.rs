//! The coordinator as a whole: driven, watched, drilled, replayed, killed, by the clock and with devices.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss
)]

mod chaos;
mod device;
mod drill;
mod driver;
mod interrupted;
mod realtime;
mod seams;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tandem::assemble::assemble;
use tandem::plan::{self, Source, sections::ROOT};
use tandem_coordinator::HybridLoop;

const QUICK_START: &str = include_str!("../../../../examples/quick-start/plan.toml");

/// The loop of the quick start with these overrides.
fn quick_start(overrides: &[&str]) -> HybridLoop {
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    let source = Source::Text {
        name: "quick-start",
        text: QUICK_START,
    };
    let plan = plan::read(ROOT, source, &overrides).unwrap_or_else(|r| panic!("{}", r.to_text()));
    assemble(&plan.values).unwrap().hybrid.take().unwrap()
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn tandem(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tandem"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        let said = String::from_utf8_lossy(&output.stderr);
        panic!(
            "{error}: {}\n{said}",
            String::from_utf8_lossy(&output.stdout)
        )
    })
}
