//! `tandem fmu`: what an FMU is, run one by itself, make one from a plan.

mod export;
mod info;
mod simulate;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};
use tandem::fmu::Environment;
use tandem_fmi::{FmuError, Launcher};

use super::Failure;

/// Functional Mock-up Units: look into one, simulate one, make one.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tandem fmu info oscillator.fmu
  tandem fmu simulate oscillator.fmu --kind me --solver rk4 --step 0.01 --stop 10 --out out.csv
  tandem fmu export my.toml --what numerical --fmi 3 --kind both -o frame.fmu")]
pub struct Fmu {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Info(info::Info),
    Simulate(simulate::Simulate),
    Export(export::Export),
    /// The process that an FMU lives in; the program starts it itself.
    #[command(hide = true)]
    Worker(Worker),
}

#[derive(Args)]
struct Worker {
    socket: PathBuf,
}

impl Fmu {
    /// Whether one JSON object is wanted.
    pub fn run(self) -> Result<ExitCode, Failure> {
        match self.verb {
            Verb::Info(verb) => verb.run(),
            Verb::Simulate(verb) => verb.run(),
            Verb::Export(verb) => verb.run(),
            Verb::Worker(worker) => {
                tandem_fmi::serve(&worker.socket)?;
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

impl From<FmuError> for Failure {
    fn from(error: FmuError) -> Self {
        match error {
            FmuError::Usage(_) | FmuError::Missing(_) => Self::Usage(error.to_string()),
            other => Self::Other(other.to_string()),
        }
    }
}

/// What this program gives to co-simulations.
pub static ENVIRONMENT: Environment = Environment {
    library: export::LIBRARY,
};

/// How an FMU's process is started: this program, told to serve.
pub fn launcher(patience: f64) -> Result<Launcher, Failure> {
    if !(patience > 0.0 && patience < 1e6) {
        return Err(Failure::Usage(format!(
            "--timeout {patience}: give seconds, more than zero"
        )));
    }
    tandem::launcher(Duration::from_secs_f64(patience))
        .map_err(|error| Failure::Other(format!("this program cannot find itself: {error}")))
}
