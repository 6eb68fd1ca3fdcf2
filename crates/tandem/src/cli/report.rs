//! `tandem report`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;

use super::{Failure, say};

/// Write the report of a run again, also of one that was killed.
#[derive(Args)]
#[command(after_help = "Example:\n  tandem report runs/quick-start-20261115-093000")]
pub struct Report {
    /// Folder of the run.
    run: PathBuf,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

impl Report {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let (path, figures) = tandem::run::report_again(&self.run)?;
        if self.json {
            say(&json!({ "report": path, "outcome": figures["outcome"], "stopped_at_s": figures["stopped_at_s"] }).to_string());
        } else {
            if figures["stopped_by"] == "interrupted" {
                say(&format!(
                    "The run was interrupted; the record ends at {} s.",
                    figures["stopped_at_s"]
                ));
            }
            say(&format!("{} written.", path.display()));
        }
        Ok(ExitCode::SUCCESS)
    }
}
