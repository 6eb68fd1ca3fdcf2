//! `tandem export`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::json;
use tandem::export::{Format, export};

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
    #[arg(long, value_enum)]
    to: To,
    /// File to write; default: beside run.h5.
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum To {
    /// Comma-separated values with names and units in the first line.
    Csv,
    /// MATLAB 7.3.
    Mat,
    /// Apache Parquet.
    Parquet,
}

impl Export {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let format = match self.to {
            To::Csv => Format::Csv,
            To::Mat => Format::Mat,
            To::Parquet => Format::Parquet,
        };
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
