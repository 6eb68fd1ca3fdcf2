//! `tandem new`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use tandem::QUICK_START;

use super::{Failure, say};

/// Write a commented plan to start from.
#[derive(Args)]
#[command(after_help = "Example:\n  tandem new my.toml && tandem run my.toml")]
pub struct New {
    /// File to write; it must not exist.
    path: PathBuf,
}

const HEADER: &str = "\
# A plan for a hybrid test. Sections stand in the order of the loop; every dimensioned value has a \
unit.
#   tandem check THIS     is it right, and what will happen?
#   tandem run THIS       run it and leave a report
#   tandem methods        what may stand in every section
#   tandem schema         JSON Schema for your editor

format = 1                    # by which rules this plan is written
";

impl New {
    pub fn run(self) -> Result<ExitCode, Failure> {
        use std::io::Write;
        let path = self.path.display().to_string();
        let text = format!("{HEADER}{QUICK_START}");
        std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&self.path)
            .and_then(|mut file| file.write_all(text.as_bytes()))
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::AlreadyExists => Failure::Usage(format!(
                    "{path} exists already; choose another name, nothing was changed"
                )),
                _ => Failure::Other(format!("cannot write {path}: {error}")),
            })?;
        say(&format!(
            "{path} written. Next: tandem check {path}, then tandem run {path}"
        ));
        Ok(ExitCode::SUCCESS)
    }
}
