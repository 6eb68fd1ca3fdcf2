//! `tandem schema`.

use std::process::ExitCode;
use tandem::registry::standard;

use clap::Args;
use tandem::plan::{json_schema, reference};
use tandem::sections::ROOT;
use tandem::summary::Summary;

use super::{Failure, say};

/// Print the JSON Schema of the plan file, for editors, or of a run's summary, for programs.
#[derive(Args)]
#[command(after_help = "\
Example:
  tandem schema > tandem.schema.json
  tandem schema --summary > summary.schema.json
then put this line at the top of a plan (Taplo, Even Better TOML):
  #:schema ./tandem.schema.json")]
pub struct Schema {
    /// Print the reference of all keys as Markdown instead.
    #[arg(long)]
    markdown: bool,
    /// Of plans with [cosimulation] instead.
    #[arg(long)]
    cosimulation: bool,
    /// Of summary.json and `tandem run --json` instead.
    #[arg(long, conflicts_with_all = ["markdown", "cosimulation"])]
    summary: bool,
}

impl Schema {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let (title, root) = if self.cosimulation {
            (
                "Co-simulation plan reference",
                tandem_cosimulation::sections::ROOT,
            )
        } else {
            ("Plan reference", ROOT)
        };
        if self.summary {
            say(&Summary::schema());
        } else if self.markdown {
            say(reference(title, root, standard()).trim_end());
        } else {
            let text = serde_json::to_string_pretty(&json_schema(root, standard()).to_value())
                .map_err(|e| Failure::Other(e.to_string()))?;
            say(&text);
        }
        Ok(ExitCode::SUCCESS)
    }
}
