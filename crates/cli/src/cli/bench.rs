//! `tandem bench`.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::{Args, Subcommand, ValueEnum};
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::json;
use tandem::criteria::{CriteriaValues, name};
use tandem::run::ActuatorDemand;
use tandem::summary::Outcome as End;
use tandem_report::published::{self, Published};
use tandem_studies::bench::multi_axial::{self, Variant};
use tandem_studies::bench::page::{self, Contents, of_bench};
use tandem_studies::bench::single_actuator::{self, References};
use tandem_studies::bench::statistics::{self, ByForm};
use tandem_studies::bench::{
    ACTUATOR_FORCE, NOISE_FREE, Outcome, beyond_force, by_figure, goals, worst_demand,
};
use tandem_studies::parallel::cores;

use super::{Failure, check_page, complain, leave, say};

/// Run a published benchmark problem and print its criteria beside the published ones.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tandem bench single-actuator --case 1 --controller pi
  tandem bench single-actuator --case 4 --record kobe --runs 200 --report bench.html
  tandem bench multi-axial --variant as-coded --controller rls --json

The records of the benchmark packages are looked for in $TANDEM_DATA/benchmarks. Without them El \
Centro is the shipped record.")]
pub struct Bench {
    #[command(subcommand)]
    problem: Problem,
}

#[derive(Subcommand)]
enum Problem {
    /// Three storeys, one actuator (Silva et al. 2020).
    SingleActuator(Single),
    /// A frame of 29 equations, two actuators on a coupler (Condori Uribe et al. 2023).
    MultiAxial(Multi),
}

#[derive(Args)]
struct Common {
    /// Ground motion, scaled by 0.40.
    #[arg(long, default_value = "el-centro", value_parser = ["el-centro", "kobe", "morgan-hill"])]
    record: String,
    /// Without sensor noise and converters.
    #[arg(long)]
    no_noise: bool,
    /// Also run this many random plants with the published uncertainty.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    runs: Option<u32>,
    /// Seed of the noise and of the random plants; default: 1, multi-axial 2.
    #[arg(long, value_parser = clap::value_parser!(u64).range(0..=1_000_000_000_000))]
    seed: Option<u64>,
    /// Threads; default: all cores. The numbers do not depend on it.
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    jobs: Option<usize>,
    /// Write a page with table, histories and distributions.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    json: bool,
}

impl Common {
    /// What was asked for, for the page.
    fn settings(&self, controller: &str, noise: bool, seed: u64) -> Vec<(&'static str, String)> {
        let noise = if noise { "on" } else { "off" };
        vec![
            ("Controller", controller.to_owned()),
            ("Record", format!("{} x 0.40", self.record)),
            ("Noise and converters", noise.to_owned()),
            ("Random plants", self.runs.unwrap_or(0).to_string()),
            ("Seed", seed.to_string()),
        ]
    }
}

#[derive(Args)]
struct Single {
    /// Partitioning case.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=4))]
    case: u8,
    /// The controller; ours is adaptive-inverse.
    #[arg(long, default_value = single_actuator::CONTROLLERS[0],
        value_parser = single_actuator::CONTROLLERS)]
    controller: String,
    /// With our controller: leave the force one sample late, as it comes.
    #[arg(long)]
    no_force_prediction: bool,
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
struct Multi {
    /// Partition: what is fed back is what was taken out; as the distributed program has it;
    /// without transfer system.
    #[arg(long, default_value = "consistent")]
    variant: Which,
    /// The controller; default: adaptive-inverse, which is ours.
    #[arg(long, value_parser = multi_axial::CONTROLLERS)]
    controller: Option<String>,
    #[command(flatten)]
    common: Common,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Which {
    Consistent,
    AsCoded,
    Ideal,
}

impl Bench {
    pub fn run(self) -> Result<ExitCode, Failure> {
        match self.problem {
            Problem::SingleActuator(single) => single.run(),
            Problem::MultiAxial(multi) => multi.run(),
        }
    }
}

/// A count that is not zero.
pub(super) fn at_least_one() -> clap::builder::RangedU64ValueParser<usize> {
    clap::builder::RangedU64ValueParser::new().range(1..=1_000_000)
}

/// A flag that Ctrl-C raises.
pub(super) fn interrupted() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let _ = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            leave(4);
        }
    });
    stop
}

/// A progress bar over runs with the time that is left; hidden where nobody looks.
pub(super) fn bar(runs: u64, json: bool) -> ProgressBar {
    use std::io::IsTerminal;
    if json || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(runs);
    let template = "{spinner} {bar:40.cyan/blue} {pos}/{len} runs, {elapsed} gone, {eta} left{msg}";
    if let Ok(style) = indicatif::ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// What is asked of an actuator, in words.
fn needs(demand: &ActuatorDemand) -> String {
    format!(
        "{:.2} mm of command, {:.1} mm/s, {:.3} kN",
        1e3 * demand.command,
        1e3 * demand.velocity,
        1e-3 * demand.force
    )
}

/// What a bench has found.
#[derive(Serialize)]
struct Found {
    #[serde(skip)]
    title: String,
    #[serde(flatten)]
    problem: Asked,
    outcome: End,
    #[serde(flatten)]
    nominal: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<PublishedRow>,
    wall_s: f64,
    simulated_s: f64,
    #[serde(flatten)]
    plants: Option<RandomPlants>,
}

/// Which problem it was.
#[derive(Serialize)]
#[serde(tag = "problem", rename_all = "kebab-case")]
enum Asked {
    SingleActuator {
        case: u8,
        controller: String,
        record: String,
        noise: bool,
        force_prediction: bool,
        seed: u64,
        notes: Vec<String>,
    },
    MultiAxial {
        variant: &'static str,
        controller: String,
        record: String,
        noise: bool,
        seed: u64,
        /// Largest command of each actuator, V.
        volts: Option<Vec<f64>>,
        notes: Vec<String>,
    },
}

impl Asked {
    fn notes(&self) -> &[String] {
        match self {
            Self::SingleActuator { notes, .. } | Self::MultiAxial { notes, .. } => notes,
        }
    }
}

/// The published values beside which the nominal run stands.
#[derive(Serialize)]
struct PublishedRow {
    controller: &'static str,
    criteria: CriteriaValues,
}

impl From<&'static Published> for PublishedRow {
    fn from(row: &'static Published) -> Self {
        Self {
            controller: row.controller,
            criteria: row.values(),
        }
    }
}

/// What came of random plants.
#[derive(Serialize)]
struct RandomPlants {
    runs: u32,
    completed: usize,
    unstable: usize,
    /// Runs that need more force than the actuator of the single-actuator problem has.
    #[serde(skip_serializing_if = "Option::is_none")]
    beyond_force: Option<usize>,
    /// Largest command of each actuator of the multi-axial problem, V.
    #[serde(skip_serializing_if = "Option::is_none")]
    worst_volts: Option<Vec<f64>>,
    /// Goals that are missed; none where these runs have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    goals_missed: Option<Vec<String>>,
    #[serde(serialize_with = "by_figure")]
    worst_demand: Vec<ActuatorDemand>,
    mean: ByForm,
    std: ByForm,
    worst: ByForm,
}

impl RandomPlants {
    fn of(problem: &Asked, runs: &[Option<Outcome>], missed: Option<Vec<String>>) -> Self {
        let done: Vec<&Outcome> = runs.iter().flatten().collect();
        let [mean, std, worst] = statistics::over(&done);
        let worst_demand = worst_demand(&done);
        let (beyond_force, worst_volts) = match problem {
            Asked::SingleActuator { .. } => (Some(beyond_force(&done)), None),
            Asked::MultiAxial { .. } => (None, Some(multi_axial::volts(&worst_demand))),
        };
        Self {
            runs: u32::try_from(runs.len()).unwrap_or(u32::MAX),
            completed: done.len(),
            unstable: runs.len() - done.len(),
            beyond_force,
            worst_volts,
            goals_missed: missed,
            worst_demand,
            mean,
            std,
            worst,
        }
    }
}

impl Found {
    fn text(&self) -> String {
        let mut out = format!("{}\n", self.title);
        for note in self.problem.notes() {
            let _ = writeln!(out, "  note: {note}");
        }
        let Some(nominal) = &self.nominal else {
            out.push_str("  the nominal run was stopped: the loop is unstable or left a limit");
            if let Some(RandomPlants { runs, unstable, .. }) = &self.plants {
                let _ = write!(out, "\n  {runs} random plants: {unstable} unstable");
            }
            return out;
        };
        let one = |criteria: &CriteriaValues, number: u8| {
            let values = criteria.get(number).iter();
            let texts: Vec<String> = values.map(|x| format!("{x:.3}")).collect();
            texts.join(" ")
        };
        let mut columns: Vec<(&str, &CriteriaValues)> = vec![
            ("as coded", &nominal.criteria),
            ("with RMS", &nominal.criteria_rms),
            ("estimated", &nominal.criteria_estimated),
            ("noise-free", &nominal.criteria_noise_free),
        ];
        if let Some(plants) = &self.plants {
            let of = [("mean", &plants.mean), ("worst", &plants.worst)].into_iter();
            columns.extend(of.filter_map(|(title, form)| Some((title, form.get(NOISE_FREE)?))));
        }
        if let Some(row) = &self.published {
            columns.push(("published", &row.criteria));
        }
        let wide = nominal.criteria.are_multi_axial();
        let width = if wide { 24 } else { 12 };
        let _ = write!(out, "  {:<6}", "");
        for (title, _) in &columns {
            let _ = write!(out, "{title:>width$}");
        }
        out.push('\n');
        for (number, _) in nominal.criteria.iter() {
            let unit = nominal.criteria.unit(number);
            let _ = write!(out, "  {:<3}{unit:<3}", name(number));
            for (_, criteria) in &columns {
                let _ = write!(out, "{:>width$}", one(criteria, number));
            }
            out.push('\n');
        }
        let _ = writeln!(
            out,
            "  as coded, with RMS: {}. {} noise-free: true.",
            if wide {
                "strokes measured, J5, J6, J7, J9 estimated"
            } else {
                "measured"
            },
            page::estimate(nominal)
        );
        for (i, demand) in nominal.demand.iter().enumerate() {
            let _ = writeln!(out, "  actuator {} needs {}", i + 1, needs(demand));
        }
        if let Some(plants) = &self.plants {
            let _ = writeln!(
                out,
                "  {} random plants: {} unstable; mean and worst are of the noise-free criteria",
                plants.runs, plants.unstable
            );
            for (i, demand) in plants.worst_demand.iter().enumerate() {
                let _ = writeln!(out, "  actuator {} needs up to {}", i + 1, needs(demand));
            }
            if let Some(beyond) = plants.beyond_force.filter(|count| *count > 0) {
                let _ = writeln!(
                    out,
                    "  {beyond} of them need more than the {:.1} kN of the actuator",
                    1e-3 * ACTUATOR_FORCE
                );
            }
            for goal in plants.goals_missed.iter().flatten() {
                let _ = writeln!(out, "  goal missed: {goal}");
            }
        }
        if let Some(row) = &self.published {
            let _ = writeln!(out, "  published: {}", row.controller);
        }
        let _ = write!(
            out,
            "  {:.3} s for {:.2} s of structural time",
            self.wall_s, self.simulated_s
        );
        out
    }

    fn tell(&self, common: &Common) -> Result<ExitCode, Failure> {
        say(&if common.json {
            serde_json::to_string(self).unwrap_or_default()
        } else {
            self.text()
        });
        Ok(ExitCode::from(if self.nominal.is_some() { 0 } else { 3 }))
    }
}

fn write_page(path: &PathBuf, contents: &Contents<'_>) -> Result<(), Failure> {
    std::fs::write(path, of_bench(contents))
        .map_err(|error| Failure::Other(format!("{}: {error}", path.display())))
}

/// How a nominal run ended.
fn end(outcome: Option<&Outcome>) -> End {
    match outcome {
        Some(_) => End::Completed,
        None => End::Stopped,
    }
}

/// There is nothing to show of a nominal run that was stopped.
fn no_page(common: &Common, outcome: Option<&Outcome>) {
    if let (Some(path), None) = (&common.report, outcome) {
        complain(&format!(
            "{} is not written: the nominal run was stopped",
            path.display()
        ));
    }
}

impl Single {
    fn problem(&self) -> Result<single_actuator::Benchmark, Failure> {
        let common = &self.common;
        if self.no_force_prediction && self.controller != single_actuator::CONTROLLERS[0] {
            return Err(Failure::Usage(format!(
                "--no-force-prediction means nothing with --controller {}, which has none; leave \
                it out",
                self.controller
            )));
        }
        Ok(single_actuator::Benchmark {
            case: usize::from(self.case),
            controller: self.controller.clone(),
            record: common.record.clone(),
            noise: !common.no_noise,
            prediction: !self.no_force_prediction,
            seed: common.seed.unwrap_or(1),
        })
    }

    fn run(self) -> Result<ExitCode, Failure> {
        let common = &self.common;
        check_page(common.report.as_deref())?;
        let problem = self.problem()?;
        let references = References::default();
        let stop = interrupted();
        let clock = Instant::now();
        let nominal = problem
            .run(0, problem.seed, &references)
            .map_err(Failure::Plan)?;
        let wall_s = clock.elapsed().as_secs_f64();
        let bar = bar(u64::from(common.runs.unwrap_or(0)), common.json);
        let runs = match common.runs {
            Some(runs) => problem
                .runs(
                    runs as usize,
                    cores(common.jobs),
                    &references,
                    || bar.inc(1),
                    &stop,
                )
                .map_err(Failure::Plan)?,
            None => Vec::new(),
        };
        bar.finish_and_clear();
        if stop.load(Ordering::Relaxed) {
            return Ok(ExitCode::from(4));
        }
        let simulated_s = nominal.signals.target.first().map_or(0, Vec::len) as f64 * nominal.dt;
        let own = self.controller == single_actuator::CONTROLLERS[0];
        let title = format!(
            "Single-actuator benchmark, case {}, {} x 0.40, {}",
            self.case, common.record, self.controller
        );
        let missed = match &nominal.outcome {
            Some(outcome) if own && problem.prediction && problem.noise => {
                Some(goals::missed_single(outcome, &runs))
            }
            _ => None,
        };
        let row = published::single_actuator(problem.case, &common.record);
        let asked = Asked::SingleActuator {
            case: self.case,
            controller: self.controller.clone(),
            record: common.record.clone(),
            noise: !common.no_noise,
            force_prediction: own && problem.prediction,
            seed: problem.seed,
            notes: nominal.notes.clone(),
        };
        let found = Found {
            title: title.clone(),
            outcome: end(nominal.outcome.as_ref()),
            nominal: nominal.outcome.clone(),
            published: row.map(Into::into),
            wall_s,
            simulated_s,
            plants: (common.runs.is_some())
                .then(|| RandomPlants::of(&asked, &runs, missed.clone())),
            problem: asked,
        };
        no_page(common, nominal.outcome.as_ref());
        if let (Some(path), Some(outcome)) = (&common.report, &nominal.outcome) {
            let signals = &nominal.signals;
            write_page(
                path,
                &Contents {
                    title,
                    nominal: outcome,
                    published: row,
                    dt: nominal.dt,
                    strokes: vec![[
                        &signals.target[0],
                        &signals.measured.strokes[0],
                        &signals.truth.strokes[0],
                    ]],
                    runs: &runs,
                    missed: missed.as_deref(),
                    notes: &nominal.notes,
                    settings: {
                        let mut list = vec![("Case", self.case.to_string())];
                        list.extend(common.settings(&self.controller, problem.noise, problem.seed));
                        if own {
                            let used = if problem.prediction { "yes" } else { "no" };
                            list.push(("Force prediction", used.to_owned()));
                        }
                        list
                    },
                },
            )?;
        }
        found.tell(common)
    }
}

impl Multi {
    fn problem(&self) -> Result<multi_axial::Benchmark, Failure> {
        let common = &self.common;
        let controller = self
            .controller
            .as_deref()
            .unwrap_or(multi_axial::CONTROLLERS[0]);
        let delayed = controller == multi_axial::DELAYED;
        if delayed && common.runs.is_some() {
            return Err(Failure::Usage(format!(
                "--runs means nothing with --controller {controller}, which has no plant; leave it \
                out"
            )));
        }
        Ok(multi_axial::Benchmark {
            variant: if self.variant == Which::AsCoded {
                Variant::AsCoded
            } else {
                Variant::Consistent
            },
            controller: controller.to_owned(),
            record: common.record.clone(),
            noise: !common.no_noise && !delayed,
            seed: common.seed.unwrap_or(multi_axial::SEED),
        })
    }

    fn run(self) -> Result<ExitCode, Failure> {
        let common = &self.common;
        if self.variant == Which::Ideal {
            return self.ideal();
        }
        let problem = self.problem()?;
        let controller = problem.controller.as_str();
        check_page(common.report.as_deref())?;
        let stop = interrupted();
        let prepared = problem.prepare().map_err(Failure::Plan)?;
        let failed = |error: tandem_quantity::BuildError| Failure::Other(error.to_string());
        let clock = Instant::now();
        let nominal = prepared.run(0, problem.seed).map_err(failed)?;
        let wall_s = clock.elapsed().as_secs_f64();
        let bar = bar(u64::from(common.runs.unwrap_or(0)), common.json);
        let runs = match common.runs {
            Some(runs) => prepared
                .runs(runs as usize, cores(common.jobs), || bar.inc(1), &stop)
                .map_err(failed)?,
            None => Vec::new(),
        };
        bar.finish_and_clear();
        if stop.load(Ordering::Relaxed) {
            return Ok(ExitCode::from(4));
        }
        let simulated_s = prepared.samples() as f64 / multi_axial::RATE;
        let variant = if self.variant == Which::AsCoded {
            "as-coded"
        } else {
            "consistent"
        };
        let title = format!(
            "Multi-axial benchmark, {variant}, {} x 0.40, {controller}",
            common.record
        );
        let has_goals = controller == multi_axial::CONTROLLERS[0]
            && self.variant == Which::Consistent
            && problem.noise;
        let missed = has_goals.then(|| goals::missed_multi(&runs));
        let row = (common.record == "el-centro").then(published::multi_axial);
        let volts = |o: &Outcome| multi_axial::volts(&o.demand);
        let asked = Asked::MultiAxial {
            variant,
            controller: controller.to_owned(),
            record: common.record.clone(),
            noise: problem.noise,
            seed: problem.seed,
            volts: nominal.outcome.as_ref().map(volts),
            notes: prepared.notes.clone(),
        };
        let found = Found {
            title: title.clone(),
            outcome: end(nominal.outcome.as_ref()),
            nominal: nominal.outcome.clone(),
            published: row.map(Into::into),
            wall_s,
            simulated_s,
            plants: (common.runs.is_some())
                .then(|| RandomPlants::of(&asked, &runs, missed.clone())),
            problem: asked,
        };
        no_page(common, nominal.outcome.as_ref());
        if let (Some(path), Some(outcome)) = (&common.report, &nominal.outcome) {
            let [target, measured, truth, _] = &nominal.strokes;
            write_page(
                path,
                &Contents {
                    title,
                    nominal: outcome,
                    published: row,
                    dt: 1.0 / multi_axial::RATE,
                    strokes: (0..2)
                        .map(|i| [target[i].as_slice(), &measured[i], &truth[i]])
                        .collect(),
                    runs: &runs,
                    missed: missed.as_deref(),
                    notes: &prepared.notes,
                    settings: {
                        let mut list = vec![("Variant", variant.to_owned())];
                        list.extend(common.settings(controller, problem.noise, problem.seed));
                        list
                    },
                },
            )?;
        }
        found.tell(common)
    }

    /// The partition without transfer system.
    fn ideal(&self) -> Result<ExitCode, Failure> {
        let common = &self.common;
        let useless = [
            ("--controller", self.controller.is_some()),
            ("--seed", common.seed.is_some()),
            ("--jobs", common.jobs.is_some()),
            ("--runs", common.runs.is_some()),
            ("--no-noise", common.no_noise),
            ("--report", common.report.is_some()),
        ];
        if let Some((option, _)) = useless.iter().find(|(_, given)| *given) {
            return Err(Failure::Usage(format!(
                "{option} means nothing with --variant ideal, which has no transfer system; leave \
                it out"
            )));
        }
        let clock = Instant::now();
        let (difference, dof) =
            multi_axial::Benchmark::ideal(&self.common.record).map_err(Failure::Plan)?;
        let wall_s = clock.elapsed().as_secs_f64();
        say(&if self.common.json {
            json!({
                "problem": "multi-axial",
                "variant": "ideal",
                "record": self.common.record,
                "dof": dof,
                "largest_difference": difference,
                "wall_s": wall_s,
            })
            .to_string()
        } else {
            format!(
                "Multi-axial benchmark, ideal partition, {} x 0.40\n  largest difference from the \
                undivided frame: {difference:.2e} of the peak of its degree of freedom ({dof} of \
                them)",
                self.common.record
            )
        });
        Ok(ExitCode::SUCCESS)
    }
}
