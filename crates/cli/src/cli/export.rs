//! `tandem export`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use serde_json::json;
use tandem::export::{FORMATS, Format, export};

use super::{Failure, say};

/// Write the channels of a run in another format.
#[derive(Args)]
#[command(after_help = "\
Example:
  tandem export runs/quick-start-20261115-093000 --to csv")]
pub struct Export {
    /// Folder of the run.
    run: PathBuf,
    /// Format to write.
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    to: String,
    /// File to write; default: beside run.h5.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

/// Their names, with what they are.
fn formats() -> PossibleValuesParser {
    let value = |format: &Format| PossibleValue::new(format.extension).help(format.summary);
    PossibleValuesParser::new(FORMATS.iter().map(value))
}

impl Export {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let format = Format::named(&self.to)
            .ok_or_else(|| Failure::Usage(format!("there is no format `{}`", self.to)))?;
        if let Some(path) = self.out.as_ref().filter(|path| path.exists()) {
            let text = format!(
                "{} exists already; choose another name, nothing was changed",
                path.display()
            );
            return Err(Failure::Usage(text));
        }
        if !self.run.join(tandem::run::files::RUN).is_file() {
            return Err(tandem::run::RunError::NotARun { folder: self.run }.into());
        }
        let path = export(&self.run, format, self.out.as_deref())
            .map_err(|error| Failure::Other(error.to_string()))?;
        say(&if self.json {
            json!({ "file": path }).to_string()
        } else {
            format!("{} written.", path.display())
        });
        Ok(ExitCode::SUCCESS)
    }
}
