//! `tandem identify`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use tandem_identify::frf::Estimator;
use tandem_identify::outcome::data::Data;
use tandem_identify::outcome::{self, Error, Outcome};
use tandem_identify::pid::{Loop, Plant, Targets};
use tandem_identify::transfer::Shape;
use tandem_identify::{ats, transfer};
use tandem_quantity::{Dimension, parse_quantity};

use super::{Failure, PlanArgs, say};

/// Transfer system and specimen from characterisation data: numbers for the plan, and a page with
/// the plots.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tandem run examples/characterise/noise.toml --out noise
  tandem identify transfer noise            gain, delay, poles of the transfer system
  tandem identify ats data.csv -o ats.toml  start values of the compensator
  tandem identify stiffness cycles.csv --symmetric
  tandem identify modes hammer.csv --highest 50
  tandem identify base-spring examples/characterise/column.toml --frequency 18.24

DATA is the folder of a run, or columns of text with a line of names such as `time,command \
[mm],displacement [mm]`.")]
pub struct Identify {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Frequency response, gain, delay, poles, step response and sensor noise of the transfer
    /// system.
    Transfer(Transfer),
    /// Start values a0, a1, a2 of the adaptive time series compensator.
    Ats(Ats),
    /// Stiffness matrix of a specimen and gaps of its connections, from slow cycles.
    Stiffness(Stiffness),
    /// Frequencies, damping and shapes from hammer or ambient tests.
    Modes(Modes),
    /// Frequency, damping and mass from a decaying motion.
    FreeVibration(FreeVibration),
    /// Gains of a PID servo for an identified plant.
    Pid(Pid),
    /// Rotational spring of a semi-rigid base, so that the model has the measured frequencies.
    BaseSpring(BaseSpring),
}

/// What every identification takes and leaves.
#[derive(Args)]
struct Common {
    /// Write the fragment of a plan to this file.
    #[arg(short, long, value_name = "FILE.toml")]
    out: Option<PathBuf>,
    /// Write the page with the plots to this file. Without --json a page is written in any case.
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct DataArgs {
    /// Folder of a run, or a text file with columns.
    data: PathBuf,
    /// Samples per second, for data without a column of time.
    #[arg(long, value_name = "HZ")]
    rate: Option<f64>,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, ValueEnum)]
enum Frf {
    H1,
    H2,
    Hv,
}

#[derive(Args)]
struct Transfer {
    #[command(flatten)]
    from: DataArgs,
    /// Column of a command. May be repeated for several actuators.
    #[arg(long, value_name = "NAME")]
    input: Vec<String>,
    /// Column of a measured displacement. May be repeated.
    #[arg(long, value_name = "NAME")]
    output: Vec<String>,
    /// Estimator of the frequency response that is shown.
    #[arg(long, value_enum, default_value = "h1")]
    estimator: Frf,
    /// Seconds of a segment of the spectra.
    #[arg(long, value_name = "S")]
    segment: Option<f64>,
    /// Poles of the model; without it the order is chosen by cross-validation.
    #[arg(long)]
    poles: Option<usize>,
    /// Zeros of the model, with --poles.
    #[arg(long, default_value_t = 0)]
    zeros: usize,
    /// Lay the result beside the plant or actuator of this plan.
    #[arg(long, value_name = "PLAN.toml")]
    beside: Option<PathBuf>,
}

#[derive(Args)]
struct Ats {
    #[command(flatten)]
    from: DataArgs,
    /// Column of the command.
    #[arg(long, value_name = "NAME")]
    input: Option<String>,
    /// Column of the measured displacement.
    #[arg(long, value_name = "NAME")]
    output: Option<String>,
    /// Column of the measured acceleration; velocity is then fused from both.
    #[arg(long, value_name = "NAME")]
    acceleration: Option<String>,
    /// Fourier low-pass of all signals, Hz.
    #[arg(long, default_value_t = 20.0)]
    cutoff: f64,
    /// Frequency above which velocity comes from the acceleration, Hz.
    #[arg(long, default_value_t = 4.0)]
    crossover: f64,
    /// Seconds cut off at both ends.
    #[arg(long, default_value_t = 2.0)]
    crop: f64,
}

#[derive(Args)]
struct Stiffness {
    #[command(flatten)]
    from: DataArgs,
    /// Column of a displacement. May be repeated.
    #[arg(long, value_name = "NAME")]
    displacement: Vec<String>,
    /// Column of a force. May be repeated.
    #[arg(long, value_name = "NAME")]
    force: Vec<String>,
    /// Impose symmetry of the matrix.
    #[arg(long)]
    symmetric: bool,
    /// Use only samples with displacements up to this, such as "1 mm".
    #[arg(long, value_name = "LENGTH")]
    within: Option<String>,
}

#[derive(Args)]
struct Modes {
    #[command(flatten)]
    from: DataArgs,
    /// Column of a motion. May be repeated.
    #[arg(long, value_name = "NAME")]
    motion: Vec<String>,
    /// Column of the hammer's force.
    #[arg(long, value_name = "NAME")]
    force: Option<String>,
    /// Highest frequency of interest, Hz.
    #[arg(long, value_name = "HZ")]
    highest: Option<f64>,
    /// Most modes looked for.
    #[arg(long, default_value_t = 8)]
    most: usize,
}

#[derive(Args)]
struct FreeVibration {
    #[command(flatten)]
    from: DataArgs,
    /// Column of the motion.
    #[arg(long, value_name = "NAME")]
    motion: Option<String>,
    /// Known stiffness such as "450 kN/m", for the mass.
    #[arg(long)]
    stiffness: Option<String>,
    /// Seconds before the release.
    #[arg(long, default_value_t = 0.0)]
    skip: f64,
}

#[derive(Args)]
#[command(after_help = "\
Example: a table that was identified while its loop was closed with a proportional gain of 3.5
  tandem identify pid --natural-frequency 9.5 --damping 0.7 --closed-with 3.5")]
struct Pid {
    /// Data of the transfer system, as for `tandem identify transfer`; or give the plant by the
    /// options below.
    data: Option<PathBuf>,
    /// Samples per second, for data without a column of time.
    #[arg(long, value_name = "HZ")]
    rate: Option<f64>,
    /// Proportional gain of the loop that was closed when the data were taken. Without it the plant
    /// is taken as it is.
    #[arg(long, value_name = "GAIN")]
    closed_with: Option<f64>,
    /// Static gain of the plant.
    #[arg(long, default_value_t = 1.0)]
    gain: f64,
    /// Pure delay of the plant, ms.
    #[arg(long, default_value_t = 0.0)]
    delay: f64,
    /// Natural frequency of a pair of poles, Hz.
    #[arg(long, value_name = "HZ")]
    natural_frequency: Option<f64>,
    /// Damping ratio of that pair.
    #[arg(long, default_value_t = 0.7)]
    damping: f64,
    /// Frequency of a real pole, Hz.
    #[arg(long, value_name = "HZ")]
    pole: Option<f64>,
    /// Rate of the servo, Hz.
    #[arg(long, default_value_t = 5000.0)]
    servo_rate: f64,
    /// Butterworth filter of the feedback, Hz; 0 for none.
    #[arg(long, default_value_t = 200.0)]
    filter: f64,
    /// Largest overshoot, %.
    #[arg(long, default_value_t = 5.0)]
    overshoot: f64,
    /// Longest time to settle within 2 %, ms.
    #[arg(long, default_value_t = 50.0)]
    settling: f64,
    /// Least gain margin, dB.
    #[arg(long, default_value_t = 6.0)]
    gain_margin: f64,
    /// Least phase margin, degrees.
    #[arg(long, default_value_t = 45.0)]
    phase_margin: f64,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct BaseSpring {
    #[command(flatten)]
    plan: PlanArgs,
    /// Measured frequency, Hz, lowest first. May be repeated.
    #[arg(long, value_name = "HZ", required = true)]
    frequency: Vec<f64>,
    /// Name of the spring, where the plan has several that turn.
    #[arg(long, value_name = "NAME")]
    spring: Option<String>,
    #[command(flatten)]
    common: Common,
}

impl Identify {
    /// Whether `--json` was asked for.
    fn common(&self) -> (&'static str, &Common) {
        match &self.what {
            What::Transfer(v) => ("transfer", &v.from.common),
            What::Ats(v) => ("ats", &v.from.common),
            What::Stiffness(v) => ("stiffness", &v.from.common),
            What::Modes(v) => ("modes", &v.from.common),
            What::FreeVibration(v) => ("free-vibration", &v.from.common),
            What::Pid(v) => ("pid", &v.common),
            What::BaseSpring(v) => ("base-spring", &v.common),
        }
    }

    pub fn run(self) -> Result<ExitCode, Failure> {
        let (name, common) = self.common();
        match &self.what {
            What::Transfer(v) => leave(name, common, &v.identify()?),
            What::Ats(v) => leave(name, common, &v.identify()?),
            What::Stiffness(v) => leave(name, common, &v.identify()?),
            What::Modes(v) => leave(name, common, &v.identify()?),
            What::FreeVibration(v) => leave(name, common, &v.identify()?),
            What::Pid(v) => leave(name, common, &v.identify()?),
            What::BaseSpring(v) => leave(name, common, &v.identify()?),
        }
    }
}

/// What `--json` prints.
#[derive(Serialize)]
struct Told<'a, Figures> {
    #[serde(flatten)]
    figures: &'a Figures,
    fragment: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<&'a Path>,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<&'a Path>,
}

/// Writes what was asked for and tells of it.
fn leave<Figures: Serialize>(
    name: &str,
    common: &Common,
    outcome: &Outcome<Figures>,
) -> Result<ExitCode, Failure> {
    let write = |path: &Path, text: &str| {
        std::fs::write(path, text)
            .map_err(|error| Failure::Other(format!("cannot write {}: {error}", path.display())))
    };
    if let Some(path) = &common.out {
        write(path, &outcome.fragment)?;
    }
    let page = common
        .report
        .clone()
        .or_else(|| (!common.json).then(|| PathBuf::from(format!("identify-{name}.html"))));
    if let Some(path) = &page {
        write(path, &outcome.page)?;
    }
    if common.json {
        let told = Told {
            figures: &outcome.figures,
            fragment: &outcome.fragment,
            out: common.out.as_deref(),
            report: page.as_deref(),
        };
        let value = serde_json::to_value(&told).map_err(|e| Failure::Other(e.to_string()))?;
        say(&value.to_string());
        return Ok(ExitCode::SUCCESS);
    }
    for (label, text) in &outcome.lines {
        say(&format!("  {label:<32}{text}"));
    }
    match &common.out {
        Some(path) => say(&format!(
            "{} written, for a plan to extend.",
            path.display()
        )),
        None => say(&format!("\n{}", outcome.fragment.trim_end())),
    }
    if let Some(path) = &page {
        say(&format!("{} written.", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Usage(error.to_string())
    }
}

impl DataArgs {
    fn read(&self) -> Result<Data, Failure> {
        Ok(Data::read(&self.data, self.rate)?)
    }
}

impl Transfer {
    fn identify(&self) -> Result<Outcome<outcome::transfer::Figures>, Failure> {
        let shape = match self.poles {
            Some(poles) if (1..=6).contains(&poles) && self.zeros < poles => Some(Shape {
                poles,
                zeros: self.zeros,
            }),
            Some(_) => {
                return Err(Failure::Usage(
                    "give 1 to 6 poles, and fewer zeros than poles".into(),
                ));
            }
            None => None,
        };
        let request = outcome::transfer::Request {
            inputs: self.input.clone(),
            outputs: self.output.clone(),
            estimator: match self.estimator {
                Frf::H1 => Estimator::H1,
                Frf::H2 => Estimator::H2,
                Frf::Hv => Estimator::Hv,
            },
            segment_s: self.segment,
            shape,
            beside: None,
        };
        let data = self.from.read()?;
        let beside = match &self.beside {
            Some(path) => {
                let plan = tandem::plan::read(
                    tandem::sections::ROOT,
                    tandem::plan::Source::File(path),
                    &[],
                )
                .map_err(|refusal| Failure::Plan(Box::new(refusal)))?;
                let axes = outcome::transfer::inputs(&data, &request)?;
                Some(outcome::known::Known::of_plan(&plan, axes)?)
            }
            None => None,
        };
        let request = outcome::transfer::Request { beside, ..request };
        Ok(outcome::transfer::identify(&data, &request)?)
    }
}

impl Ats {
    fn identify(&self) -> Result<Outcome<outcome::ats::Figures>, Failure> {
        let request = outcome::ats::Request {
            input: self.input.iter().cloned().collect(),
            output: self.output.iter().cloned().collect(),
            acceleration: self.acceleration.iter().cloned().collect(),
            options: ats::Options {
                cutoff: self.cutoff,
                crossover: self.crossover,
                crop: self.crop,
            },
        };
        if !(self.cutoff > 0.0 && self.crossover > 0.0 && (0.0..1e6).contains(&self.crop)) {
            return Err(Failure::Usage(
                "--cutoff and --crossover must be above zero, --crop not below it".into(),
            ));
        }
        Ok(outcome::ats::identify(&self.from.read()?, &request)?)
    }
}

fn quantity(
    text: Option<&String>,
    option: &str,
    dimension: Dimension,
) -> Result<Option<f64>, Failure> {
    text.map(|text| {
        parse_quantity(text, dimension)
            .map_err(|error| Failure::Usage(format!("{option} {text}: {error}")))
    })
    .transpose()
}

impl Stiffness {
    fn identify(&self) -> Result<Outcome<outcome::stiffness::Figures>, Failure> {
        let request = outcome::stiffness::Request {
            displacements: self.displacement.clone(),
            forces: self.force.clone(),
            symmetric: self.symmetric,
            within: quantity(self.within.as_ref(), "--within", Dimension::LENGTH)?,
        };
        Ok(outcome::stiffness::identify(&self.from.read()?, &request)?)
    }
}

impl Modes {
    fn identify(&self) -> Result<Outcome<outcome::modes::Figures>, Failure> {
        let request = outcome::modes::Request {
            motions: self.motion.clone(),
            force: self.force.iter().cloned().collect(),
            highest: self.highest,
            most: self.most.clamp(1, 100),
        };
        if self.highest.is_some_and(|f| !(f > 0.0 && f.is_finite())) {
            return Err(Failure::Usage("--highest must be above zero".into()));
        }
        Ok(outcome::modes::identify(&self.from.read()?, &request)?)
    }
}

impl FreeVibration {
    fn identify(&self) -> Result<Outcome<outcome::free_vibration::Figures>, Failure> {
        let request = outcome::free_vibration::Request {
            motion: self.motion.iter().cloned().collect(),
            stiffness: quantity(self.stiffness.as_ref(), "--stiffness", Dimension::STIFFNESS)?,
            skip_s: self.skip,
        };
        Ok(outcome::free_vibration::identify(
            &self.from.read()?,
            &request,
        )?)
    }
}

impl Pid {
    fn identify(&self) -> Result<Outcome<outcome::pid::Figures>, Failure> {
        let positive = [
            self.servo_rate,
            self.overshoot,
            self.settling,
            self.gain_margin,
            self.phase_margin,
        ];
        if positive.iter().any(|x| !(*x > 0.0 && x.is_finite())) || self.servo_rate > 1e6 {
            return Err(Failure::Usage(
                "rates, overshoot, settling time and margins must be above zero".into(),
            ));
        }
        let (path, source) = match &self.data {
            Some(file) => {
                let data = Data::read(file, self.rate)?;
                (outcome::transfer::single_path(&data)?, data.source)
            }
            None => (self.given()?, "the plant on the command line".to_owned()),
        };
        let around = Loop {
            plant: Plant {
                path,
                closed_with: self.closed_with,
            },
            rate: self.servo_rate,
            filter: (self.filter > 0.0).then_some(self.filter),
        };
        let targets = Targets {
            overshoot_percent: self.overshoot,
            settling_s: self.settling / 1e3,
            gain_margin_db: self.gain_margin,
            phase_margin_degrees: self.phase_margin,
        };
        Ok(outcome::pid::identify(&around, &targets, &source)?)
    }

    fn given(&self) -> Result<transfer::Path, Failure> {
        let fits = |x: Option<f64>| x.is_none_or(|x| x > 0.0 && x.is_finite());
        if self.natural_frequency.is_none() && self.pole.is_none() {
            return Err(Failure::Usage(
                "give DATA, or the plant by --natural-frequency and --damping, or by --pole".into(),
            ));
        }
        if !(fits(self.natural_frequency)
            && fits(self.pole)
            && self.damping > 0.0
            && (0.0..1e5).contains(&self.delay))
        {
            return Err(Failure::Usage(
                "frequencies and damping of the plant must be above zero, its delay not below it"
                    .into(),
            ));
        }
        let circular = |f: f64| f * std::f64::consts::TAU;
        Ok(transfer::Path {
            gain: self.gain,
            delay: self.delay / 1e3,
            zeros: Vec::new(),
            pairs: self
                .natural_frequency
                .map(|f| [circular(f), self.damping])
                .into_iter()
                .collect(),
            single: self.pole.map(circular),
        })
    }
}

impl BaseSpring {
    fn identify(&self) -> Result<Outcome<outcome::base_spring::Figures>, Failure> {
        let plan = self.plan.read()?;
        let source = match &self.plan.plan {
            Some(path) => path.display().to_string(),
            None => "the built-in plan".into(),
        };
        let request = outcome::base_spring::Request {
            frequencies: self.frequency.clone(),
            spring: self.spring.clone(),
            range: None,
        };
        Ok(outcome::base_spring::identify(&plan, &request, &source)?)
    }
}
