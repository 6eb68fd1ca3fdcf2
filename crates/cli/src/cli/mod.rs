//! The command line. Exit codes: 0 done, 1 an internal or outside failure, 2 bad plan or usage, 3
//! the test was stopped by a limit or a verdict, 4 stopped by the operator.

mod analyse;
mod bench;
mod campaign;
mod check;
mod compare_methods;
mod cosimulation;
mod drill;
mod export;
mod fmu;
mod identify;
mod import;
mod methods;
mod new;
mod replay;
mod report;
mod run;
mod schema;
mod screen;
mod serve;
mod watch;

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use tandem::QUICK_START;
use tandem::plan::{self, Plan, PlanErrors, Source};
use tandem_fmi::FmuError;

/// Rehearse, check, run, guard, record and judge hybrid tests of structures.
#[derive(Parser)]
#[command(
    name = "tandem",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  tandem run                         run the built-in example and leave a report
  tandem new my.toml                 write a commented plan to start from
  tandem check my.toml               is the plan right, and what will happen?
  tandem drill my.toml               what happens when something fails?
  tandem run my.toml --set integration.dt=2ms"
)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

macro_rules! verbs {
    ($($verb:ident($file:ident::$arguments:ident),)*) => {
        #[derive(Subcommand)]
        enum Verb {
            $($verb($file::$arguments),)*
        }

        impl Verb {
            fn run(self) -> Result<ExitCode, Failure> {
                match self {
                    $(Self::$verb(verb) => verb.run(),)*
                }
            }
        }
    };
}

// A new verb is one file and its line here.
verbs! {
    Run(run::Run),
    Check(check::Check),
    Analyse(analyse::Analyse),
    New(new::New),
    Report(report::Report),
    Drill(drill::Drill),
    Replay(replay::Replay),
    Watch(watch::Watch),
    Export(export::Export),
    Identify(identify::Identify),
    Import(import::Import),
    Methods(methods::Methods),
    CompareMethods(compare_methods::CompareMethods),
    Bench(bench::Bench),
    Campaign(campaign::CampaignArgs),
    Schema(schema::Schema),
    Serve(serve::Serve),
    Fmu(fmu::Fmu),
}

/// Whether a verb, or one within it, is to print JSON.
fn asks_for_json(matches: &ArgMatches) -> bool {
    let here = matches.try_get_one::<bool>("json").ok().flatten();
    let within = || {
        matches
            .subcommand()
            .is_some_and(|(_, verb)| asks_for_json(verb))
    };
    here.copied().unwrap_or(false) || within()
}

/// A plan with its overrides, as most verbs take it.
#[derive(Args, Clone)]
struct PlanArgs {
    /// Plan file; without it, the built-in quick start.
    plan: Option<PathBuf>,
    /// Override a key of the plan: --set integration.dt=2ms; a table is replaced as a whole: --set
    /// 'compensator={method="ats"}'. May be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
}

impl PlanArgs {
    fn read(&self) -> Result<Plan, Failure> {
        let source = match &self.plan {
            Some(path) => Source::File(path),
            None => Source::Text {
                name: "quick-start",
                text: QUICK_START,
            },
        };
        plan::open(source, &self.overrides).map_err(|refusal| Failure::Plan(Box::new(refusal)))
    }
}

/// Why a verb failed; its kind decides the exit code.
enum Failure {
    /// Bad plan or usage.
    Plan(Box<PlanErrors>),
    /// Bad usage, said in a sentence.
    Usage(String),
    /// A test that was stopped, where it should have come to its end.
    Stopped(String),
    /// An internal or outside failure.
    Other(String),
}

impl From<tandem::run::RunError> for Failure {
    fn from(error: tandem::run::RunError) -> Self {
        match error {
            tandem::run::RunError::Plan(refusal) => Self::Plan(refusal),
            tandem::run::RunError::NotARun { .. }
            | tandem::run::RunError::Coupled { .. }
            | tandem::run::RunError::Fmu(FmuError::Usage(_) | FmuError::Missing(_)) => {
                Self::Usage(error.to_string())
            }
            tandem::run::RunError::StopsByItself { .. } => Self::Stopped(error.to_string()),
            other => Self::Other(other.to_string()),
        }
    }
}

impl From<Box<tandem::plan::PlanErrors>> for Failure {
    fn from(refusal: Box<tandem::plan::PlanErrors>) -> Self {
        Self::Plan(refusal)
    }
}

impl From<tandem_opensees::ImportError> for Failure {
    fn from(error: tandem_opensees::ImportError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<tandem_screen::watch::WatchError> for Failure {
    fn from(error: tandem_screen::watch::WatchError) -> Self {
        Self::Other(error.to_string())
    }
}

impl From<tandem_coordinator::recorder::RecorderError> for Failure {
    fn from(error: tandem_coordinator::recorder::RecorderError) -> Self {
        Self::Other(error.to_string())
    }
}

/// Parses the command line and does what it says.
pub fn main() -> ExitCode {
    let parsed = Cli::command().try_get_matches().and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches);
        let cli = cli.map_err(|error| error.format(&mut Cli::command()))?;
        Ok((cli, asks_for_json(&matches)))
    });
    let (cli, json) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            if error.use_stderr() && std::env::args().any(|word| word == "--json") {
                let message = error.kind().to_string();
                say(&serde_json::json!({ "error": "usage", "message": message }).to_string());
            }
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    match cli.verb.run() {
        Ok(code) => code,
        Err(failure) => tell(failure, json),
    }
}

/// Prints a failure: for people on standard error, and as one JSON object on standard output where
/// that was asked for.
fn tell(failure: Failure, json: bool) -> ExitCode {
    let (code, value) = match &failure {
        Failure::Plan(refusal) => (
            2,
            serde_json::json!({ "error": "plan", "problems": refusal.reports() }),
        ),
        Failure::Usage(text) => (2, serde_json::json!({ "error": "usage", "message": text })),
        Failure::Stopped(text) => (
            3,
            serde_json::json!({ "error": "stopped", "message": text }),
        ),
        Failure::Other(text) => (
            1,
            serde_json::json!({ "error": "failure", "message": text }),
        ),
    };
    if json {
        say(&value.to_string());
    }
    match failure {
        Failure::Plan(refusal) if std::io::stderr().is_terminal() => {
            complain(&format!("{:?}", miette::Report::new(*refusal)));
        }
        Failure::Plan(refusal) => complain(&refusal.to_text()),
        Failure::Usage(text) | Failure::Stopped(text) | Failure::Other(text) => {
            complain(&format!("error: {text}"));
        }
    }
    ExitCode::from(code)
}

/// A page that could not be written (`--report`) is refused before anything runs.
fn check_page(path: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = path else {
        return Ok(());
    };
    let slash = path.as_os_str().as_encoded_bytes().ends_with(b"/");
    if path.is_dir() || slash {
        return Err(Failure::Usage(format!(
            "--report {}: this is a folder; give the name of a file",
            path.display()
        )));
    }
    let folder = path.parent();
    match folder.filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) if !folder.is_dir() => Err(Failure::Usage(format!(
            "--report {}: the folder {} is not there",
            path.display(),
            folder.display()
        ))),
        _ => Ok(()),
    }
}

/// The exit code of a run: its own, or that of its page, which loses nothing of the run where it
/// cannot be written.
fn with_page(page: Result<(), tandem::run::RunError>, code: ExitCode) -> ExitCode {
    match page {
        Ok(()) => code,
        Err(error) => {
            complain(&format!(
                "error: the run is whole, but not its report: {error}"
            ));
            ExitCode::FAILURE
        }
    }
}

/// Ends the program at once.
fn leave(code: i32) -> ! {
    tandem_fmi::binding::leaving();
    std::process::exit(code)
}

/// Prints to standard output. A reader that went away is no error; a full disk is.
fn say(text: &str) {
    use std::io::{ErrorKind, Write};
    let mut out = std::io::stdout();
    if let Err(error) = writeln!(out, "{text}").and_then(|()| out.flush())
        && error.kind() != ErrorKind::BrokenPipe
    {
        complain(&format!("error: cannot write to standard output: {error}"));
        leave(1);
    }
}

/// Prints to standard error; there is nobody to tell if that fails.
fn complain(text: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{}", text.trim_end());
}
