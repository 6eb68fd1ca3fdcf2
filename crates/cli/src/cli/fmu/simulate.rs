//! `tandem fmu simulate`.

use std::io::{BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use tandem_fmi::binding::{InstanceOptions, flush_prints, instantiate};
use tandem_fmi::{
    End, Fmu, FmuError, Input, Interface, Options, Solver, Table, Version, WorkerInstance,
};

use super::launcher;
use crate::cli::{Failure, complain, say};

/// Simulate an FMU by itself; every communication point becomes a row of a CSV file.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tandem fmu simulate vanderpol.fmu --kind cs --step 0.01 --stop 20 --out out.csv
  tandem fmu simulate frame.fmu --kind me --solver rk45 --tolerance 1e-8 --step 0.01 --stop 12 \
  --input ag.csv --out out.csv

The table of --input has a column `time` (s) and one for each input; continuous inputs are \
interpolated, others are held.
The FMU runs in a process of its own: what crashes or hangs there is told, and nothing else is \
harmed.")]
pub struct Simulate {
    /// The FMU.
    fmu: PathBuf,
    /// Interface: co-simulation or model exchange; default: co-simulation where it is offered.
    #[arg(long, value_enum)]
    kind: Option<KindArg>,
    /// Communication step, s; default: the FMU's suggestion.
    #[arg(long, value_name = "DT", allow_negative_numbers = true)]
    step: Option<f64>,
    /// Stop time, s; default: the FMU's suggestion.
    #[arg(long, value_name = "T", allow_negative_numbers = true)]
    stop: Option<f64>,
    /// Start time, s.
    #[arg(
        long,
        value_name = "T",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    start: f64,
    /// CSV file for the result; default: standard output (not with --json).
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Solver of a model exchange: euler, heun, rk4 (the default), rk45 (with error control).
    #[arg(long, value_name = "SOLVER")]
    solver: Option<String>,
    /// Relative tolerance: told to the FMU, and of rk45 (1e-6 there).
    #[arg(long)]
    tolerance: Option<f64>,
    /// CSV file with inputs over time.
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// A start value: --set mass=2.5 (arrays: --set "x=1 2 3"). May be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    starts: Vec<String>,
    /// Variables to write, separated by commas; default: all outputs.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    outputs: Option<Vec<String>>,
    /// Use event mode in co-simulation where the FMU has it (FMI 3).
    #[arg(long)]
    event_mode: bool,
    /// Load the FMU into this process: quicker, but what it breaks is broken here.
    #[arg(long)]
    in_process: bool,
    /// Longest time for one answer of the FMU, s.
    #[arg(long, value_name = "S", default_value_t = 30.0)]
    timeout: f64,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum KindArg {
    /// Co-Simulation.
    Cs,
    /// Model Exchange.
    Me,
}

impl Simulate {
    pub fn run(self) -> Result<ExitCode, Failure> {
        let mut fmu = Fmu::open(&self.fmu)?;
        let options = self.options(&fmu)?;
        let faults = fmu.description.faults();
        fmu.description.configure(&options.starts)?;
        let steps = options.steps()?;
        fmu.description.offer(options.interface)?;
        let ports = tandem_fmi::columns(&fmu.description, &options)?;
        if ports.is_empty() {
            return Err(Failure::Usage(
                "the FMU has no outputs; name the variables to write with --outputs".into(),
            ));
        }
        let table = self.input.as_deref().map(Table::read).transpose()?;
        let mut input = match &table {
            Some(table) => Input::new(&fmu.description, table.clone())?,
            None => Input::default(),
        };
        tandem_fmi::simulate::check_starts(&fmu.description, &options.starts)?;
        for fault in faults {
            complain(&format!("warning: {fault}"));
        }
        if let Some(last) = options.short_of_stop()? {
            complain(&format!(
                "warning: {} s is no whole number of steps of {} s, and the FMU takes steps of one \
                size only (canHandleVariableCommunicationStepSize); \
                 the last point is t = {last} s",
                options.stop - options.start,
                options.step
            ));
        }
        // In this process an FMU prints where it likes: what it says goes to standard error, what
        // is asked for to where it belongs.
        let own = self.in_process.then(OwnOutput::take).transpose()?;
        let mut csv = Csv::create(self.out.as_deref(), !self.wants_rows(), own.as_ref())?;
        csv.head(ports.names())?;
        let bar = self.bar(steps);
        let mut count = 0_u64;
        let mut row = |time: f64, values: &[f64]| {
            count += 1;
            if count.is_multiple_of(4096) {
                bar.set_position(count);
            }
            csv.row(time, values)
        };
        let wish = InstanceOptions {
            interface: options.interface,
            event_mode: options.event_mode,
            logging: false,
        };
        let name = fmu.description.model.clone();
        let clock = Instant::now();
        let end = if self.in_process {
            let mut instance = instantiate(&fmu, &name, wish)?;
            tandem_fmi::simulate(
                instance.as_mut(),
                &fmu.description,
                &options,
                &mut input,
                &mut row,
            )
        } else {
            WorkerInstance::start(&launcher(self.timeout)?, &fmu, &name, wish)
                .and_then(|mut remote| remote.simulate(&ports, &options, table.as_ref(), &mut row))
        };
        bar.finish_and_clear();
        let wall = clock.elapsed().as_secs_f64();
        // What came before a failure is kept.
        csv.finish()?;
        drop(own);
        self.tell(&end?, &options, wall);
        Ok(ExitCode::SUCCESS)
    }

    /// With --json standard output is not theirs.
    fn wants_rows(&self) -> bool {
        !self.json || self.out.is_some()
    }

    fn options(&self, fmu: &Fmu) -> Result<Options, Failure> {
        let experiment = fmu.description.experiment;
        let stop = self.stop.or(experiment.stop).ok_or_else(|| {
            Failure::Usage("the FMU suggests no stop time; give --stop T, in seconds".into())
        })?;
        let cs_step = fmu
            .description
            .co_simulation
            .as_ref()
            .and_then(|offer| offer.internal_step);
        let step = self
            .step
            .or(experiment.step)
            .or(cs_step)
            .unwrap_or((stop - self.start) / 500.0);
        let starts = self.starts.iter().map(|text| {
            text.split_once('=')
                .map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()))
                .ok_or_else(|| Failure::Usage(format!("--set {text}: write NAME=VALUE")))
        });
        let interface = match self.kind {
            Some(KindArg::Cs) => Interface::CoSimulation,
            Some(KindArg::Me) => Interface::ModelExchange,
            None => fmu.description.preferred(),
        };
        if self.solver.is_some() && interface == Interface::CoSimulation {
            // No error: whoever tries both kinds with one command gets both.
            complain("warning: --solver is of no use here: a Co-Simulation brings its own");
        }
        if self.event_mode
            && (fmu.description.version == Version::Two || interface == Interface::ModelExchange)
        {
            return Err(Failure::Usage(
                "--event-mode is of no use here: only a Co-Simulation of FMI 3 has one; leave it \
                out"
                .into(),
            ));
        }
        Ok(Options {
            interface,
            start: self.start,
            stop,
            step,
            solver: Solver::named(self.solver.as_deref().unwrap_or("rk4"))?,
            tolerance: self.tolerance,
            starts: starts.collect::<Result<_, _>>()?,
            outputs: self.outputs.clone(),
            event_mode: self.event_mode,
            shorten: match interface {
                Interface::ModelExchange => true,
                Interface::CoSimulation => fmu
                    .description
                    .co_simulation
                    .as_ref()
                    .is_some_and(|offer| offer.variable_step),
            },
            rows: self.wants_rows(),
        })
    }

    fn bar(&self, steps: u64) -> ProgressBar {
        if self.json || self.out.is_none() || !std::io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new(steps);
        if let Ok(style) = ProgressStyle::with_template(
            "{spinner} {bar:40.cyan/blue} {percent:>3} % {elapsed} left {eta}",
        ) {
            bar.set_style(style);
        }
        bar
    }

    fn tell(&self, end: &End, options: &Options, wall: f64) {
        let rate = end.steps as f64 / wall.max(1e-9);
        if end.warnings > 0 {
            complain(&format!(
                "warning: the FMU answered {} of its calls by the status \"warning\": it doubts \
                its own results",
                end.warnings
            ));
        }
        if self.json {
            say(&json!({
                "kind": options.interface.name(),
                "steps": end.steps,
                "time_s": end.time,
                "terminated_by_fmu": end.terminated,
                "events": end.events,
                "derivative_evaluations": end.evaluations,
                "warnings": end.warnings,
                "wall_s": wall,
                "steps_per_s": rate,
                "file": self.out,
            })
            .to_string());
        } else if let Some(path) = &self.out {
            let early = if end.terminated {
                ", where the FMU asked for the end"
            } else {
                ""
            };
            say(&format!(
                "{} steps to t = {} s{early}; {} written.",
                end.steps,
                end.time,
                path.display()
            ));
        }
    }
}

/// Standard output, kept for ourselves while an FMU is in this process.
struct OwnOutput(std::fs::File);

impl OwnOutput {
    fn failed(error: impl std::fmt::Display) -> Failure {
        Failure::Other(format!(
            "cannot keep standard output for the result: {error}"
        ))
    }

    /// From now on whatever is printed goes to standard error.
    fn take() -> Result<Self, Failure> {
        use std::os::fd::AsFd;
        let kept = std::io::stdout().as_fd().try_clone_to_owned();
        let kept = kept.map_err(Self::failed)?;
        rustix::stdio::dup2_stdout(std::io::stderr()).map_err(Self::failed)?;
        Ok(Self(kept.into()))
    }

    fn clone(&self) -> Result<std::fs::File, Failure> {
        self.0.try_clone().map_err(Self::failed)
    }
}

/// Standard output is what it was, once what the FMU has printed is out.
impl Drop for OwnOutput {
    fn drop(&mut self) {
        flush_prints();
        let _ = rustix::stdio::dup2_stdout(&self.0);
    }
}

/// The result: numbers as short as they can be written without loss.
struct Csv {
    out: Box<dyn Write>,
    path: PathBuf,
    line: String,
    /// Nobody wants the rows.
    silent: bool,
}

impl Csv {
    fn create(
        path: Option<&std::path::Path>,
        silent: bool,
        own: Option<&OwnOutput>,
    ) -> Result<Self, Failure> {
        let (out, path): (Box<dyn Write>, _) = match path {
            Some(path) => {
                let file = std::fs::File::create(path).map_err(|error| {
                    Failure::Other(format!("cannot write {}: {error}", path.display()))
                })?;
                (
                    Box::new(BufWriter::with_capacity(1 << 16, file)),
                    path.to_path_buf(),
                )
            }
            None if silent => (Box::new(std::io::sink()), PathBuf::new()),
            None => (
                match own {
                    Some(own) => Box::new(BufWriter::new(own.clone()?)),
                    None => Box::new(BufWriter::new(std::io::stdout())),
                },
                PathBuf::from("standard output"),
            ),
        };
        Ok(Self {
            out,
            path,
            line: String::new(),
            silent,
        })
    }

    fn head(&mut self, names: &[String]) -> Result<(), Failure> {
        self.line = "time".to_owned();
        for name in names {
            self.line.push(',');
            if name.contains([',', '"', '\n']) {
                self.line
                    .push_str(&format!("\"{}\"", name.replace('"', "\"\"")));
            } else {
                self.line.push_str(name);
            }
        }
        self.line.push('\n');
        Ok(self.write()?)
    }

    fn row(&mut self, time: f64, values: &[f64]) -> Result<(), FmuError> {
        use std::fmt::Write as _;
        if self.silent {
            return Ok(());
        }
        self.line.clear();
        let _ = write!(self.line, "{time}");
        for value in values {
            // A height of 2e-308 m, as a ball at rest has it, would be three hundred digits long.
            let size = value.abs();
            let _ = if size == 0.0 || (1e-5..1e21).contains(&size) {
                write!(self.line, ",{value}")
            } else {
                write!(self.line, ",{value:e}")
            };
        }
        self.line.push('\n');
        self.write()
    }

    fn write(&mut self) -> Result<(), FmuError> {
        self.out
            .write_all(self.line.as_bytes())
            .map_err(|source| self.failed(source))
    }

    fn finish(&mut self) -> Result<(), FmuError> {
        self.out.flush().map_err(|source| self.failed(source))
    }

    fn failed(&self, source: std::io::Error) -> FmuError {
        FmuError::File {
            what: "write",
            path: self.path.clone(),
            source,
        }
    }
}
