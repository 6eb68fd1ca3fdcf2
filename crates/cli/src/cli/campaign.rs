//! `tandem campaign`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::{Args, ValueEnum};
use indicatif::ProgressBar;
use serde_json::json;
use tandem_studies::campaign::engine::{self, Shard};
use tandem_studies::campaign::lock::Lock;
use tandem_studies::campaign::summary::CampaignSummary;
use tandem_studies::campaign::{Campaign, CampaignError, files};
use tandem_studies::parallel::cores;

use super::bench::{at_least_one, bar, interrupted};
use super::{Failure, complain, say};
use tandem_quantity::format_number;

/// Run a plan many times, with keys drawn anew for every run, and judge the spread.
#[derive(Args)]
#[command(
    name = "campaign",
    after_help = "\
Examples:
  tandem campaign examples/single-actuator-benchmark/campaign.toml --runs 1000 --seed 1
  tandem campaign my.toml --runs 10000 --jobs 8 --out campaigns/mine
  tandem campaign my.toml --runs 10000 --engine hyperqueue
  tandem campaign my.toml --runs 10000 --slurm --shards 64 --out campaigns/mine

What varies stands in [[campaign.vary]] of the plan; without it the plant of the rig is drawn with \
its published uncertainty.
The numbers do not depend on cores, engine or kills: the same command goes on where it was stopped."
)]
pub struct CampaignArgs {
    /// Plan file.
    plan: PathBuf,
    /// Number of runs.
    #[arg(long, default_value_t = 100, value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    runs: u32,
    /// Seed of all draws.
    #[arg(long, default_value_t = 1, value_parser =
        clap::value_parser!(u64).range(0..=1_000_000_000_000))]
    seed: u64,
    /// Threads; default: all cores.
    #[arg(long, value_name = "N", value_parser = at_least_one())]
    jobs: Option<usize>,
    /// Folder of the campaign; default: campaigns/ with the name of the plan file and the seed.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Override a key of the plan: --set integration.dt=2ms; a table is replaced as a whole: --set
    /// 'compensator={method="ats"}'. May be repeated.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Who computes.
    #[arg(long, default_value = "local", conflicts_with_all = ["shard", "slurm", "merge"])]
    engine: Engine,
    /// Parts for --engine hyperqueue or --slurm; default: four for each core.
    #[arg(long, value_name = "N", value_parser = at_least_one(),
        conflicts_with_all = ["shard", "merge"])]
    shards: Option<usize>,
    /// Compute one part only and leave its file: 0/16 is the first of sixteen; auto/16 takes the
    /// number from the engine's task.
    #[arg(long, value_name = "I/N", conflicts_with_all = ["slurm", "merge"])]
    shard: Option<String>,
    /// Write the script of a Slurm array, and compute nothing.
    #[arg(long, conflicts_with = "merge")]
    slurm: bool,
    /// Put the parts of a folder together, and compute nothing.
    #[arg(long)]
    merge: bool,
    /// Print one JSON object on standard output, and nothing else there.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Engine {
    /// Threads of this program.
    Local,
    /// HyperQueue, by its Python package: a running server, else a local cluster.
    Hyperqueue,
}

impl From<CampaignError> for Failure {
    fn from(error: CampaignError) -> Self {
        match error {
            CampaignError::Plan(refusal) => Self::Plan(refusal),
            CampaignError::Another { .. }
            | CampaignError::Missing { .. }
            | CampaignError::Busy { .. } => Self::Usage(error.to_string()),
            other => Self::Other(other.to_string()),
        }
    }
}

impl CampaignArgs {
    fn folder(&self) -> PathBuf {
        self.out.clone().unwrap_or_else(|| {
            // Many plans are called campaign.toml: their folders tell them apart.
            let whole = self
                .plan
                .canonicalize()
                .unwrap_or_else(|_| self.plan.clone());
            let home = whole.parent().and_then(Path::file_name);
            let names = home.into_iter().chain(whole.file_stem());
            let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
            PathBuf::from("campaigns").join(format!("{}-seed-{}", names.join("-"), self.seed))
        })
    }

    /// This campaign as the command of a part, without `--shard`.
    fn command(&self, folder: &Path) -> Vec<String> {
        let program = std::env::current_exe().map_or_else(
            |_| "tandem".to_owned(),
            |path| path.to_string_lossy().into_owned(),
        );
        let mut words = vec![
            program,
            "campaign".into(),
            self.plan.to_string_lossy().into_owned(),
            "--runs".into(),
            self.runs.to_string(),
            "--seed".into(),
            self.seed.to_string(),
            "--out".into(),
            folder.to_string_lossy().into_owned(),
        ];
        for set in &self.overrides {
            words.push("--set".into());
            words.push(set.clone());
        }
        words
    }

    pub fn run(self) -> Result<ExitCode, Failure> {
        let clock = Instant::now();
        let folder = self.folder();
        let runs = self.runs as usize;
        if self.shards.is_some() && self.engine == Engine::Local && !self.slurm {
            complain("--shards does nothing without --engine hyperqueue or --slurm");
        }
        let campaign = Campaign::new(&self.plan, &self.overrides, self.seed)?;
        let shards = self.shards.unwrap_or(4 * cores(self.jobs)).clamp(1, runs);
        if self.slurm {
            return self.write_slurm(&campaign.name, &folder, shards);
        }
        if let Some(text) = &self.shard {
            return self.part(&campaign, &folder, text);
        }
        if self.merge && !folder.is_dir() {
            return Err(Failure::Usage(format!(
                "--merge: the folder {} is not there; give the one with the parts by --out",
                folder.display()
            )));
        }
        std::fs::create_dir_all(&folder)
            .map_err(|error| Failure::Other(format!("{}: {error}", folder.display())))?;
        let _lock = Lock::take(&folder.join("campaign"))?;
        let mut notes = Vec::new();
        if !self.merge {
            match self.engine {
                Engine::Local => {
                    if !self.local(&campaign, &folder)? {
                        return Ok(ExitCode::from(4));
                    }
                }
                // Nothing is left to compute.
                Engine::Hyperqueue if campaign.gather(&folder, runs).is_ok() => {}
                Engine::Hyperqueue => {
                    notes = self.hyperqueue(&campaign.name, &folder, shards)?;
                }
            }
        }
        let mut gathered = campaign.gather(&folder, runs)?;
        gathered.notes.extend(notes);
        let mut figures = campaign.finish(&folder, &gathered)?;
        figures.wall_s = Some(clock.elapsed().as_secs_f64());
        say(&if self.json {
            serde_json::to_string(&figures).unwrap_or_default()
        } else {
            readable(&figures, &folder)
        });
        // Nothing that could be judged: refused as a plan is, or stopped as a run is.
        Ok(match figures.completed {
            0 if figures.refused == figures.runs => ExitCode::from(2),
            0 => ExitCode::from(3),
            _ => ExitCode::SUCCESS,
        })
    }

    /// Computes one part and leaves its file.
    fn part(&self, campaign: &Campaign, folder: &Path, text: &str) -> Result<ExitCode, Failure> {
        let shard = Shard::read(text).map_err(|error| Failure::Usage(error.to_string()))?;
        let stop = interrupted();
        let numbers = shard.runs(self.runs as usize);
        let whole = campaign.rows(
            &numbers,
            cores(self.jobs),
            &shard.file(folder),
            |_| {},
            &stop,
        )?;
        let text = json!({
            "shard": shard.number,
            "of": shard.of,
            "runs": numbers.len(),
            "file": shard.file(folder),
        });
        say(&if self.json {
            text.to_string()
        } else {
            format!("{} runs in {}", numbers.len(), shard.file(folder).display())
        });
        Ok(ExitCode::from(if whole { 0 } else { 4 }))
    }

    /// Computes with the threads of this program; false: stopped before the end.
    fn local(&self, campaign: &Campaign, folder: &Path) -> Result<bool, Failure> {
        let mut progress = Progress::new(self.runs, self.json);
        let stop = interrupted();
        let numbers: Vec<usize> = (1..=self.runs as usize).collect();
        let whole = campaign.rows(
            &numbers,
            cores(self.jobs),
            &folder.join(files::ROWS),
            |done| progress.show(done),
            &stop,
        )?;
        drop(progress);
        if !whole {
            let text = format!(
                "stopped; the same command goes on from {}",
                folder.display()
            );
            say(&if self.json {
                json!({ "outcome": "stopped", "folder": folder, "message": text }).to_string()
            } else {
                text
            });
        }
        Ok(whole)
    }

    /// Computes the parts by HyperQueue; what it says on the way.
    fn hyperqueue(&self, name: &str, folder: &Path, shards: usize) -> Result<Vec<String>, Failure> {
        let commands: Vec<Vec<String>> = (0..shards)
            .map(|number| {
                let mut words = self.command(folder);
                words.extend([
                    "--jobs".into(),
                    "1".into(),
                    "--shard".into(),
                    format!("{number}/{shards}"),
                ]);
                words
            })
            .collect();
        let mut progress = Progress::new(self.runs, self.json);
        Ok(engine::hyperqueue(name, folder, &commands, |done| {
            progress.show(done);
        })?)
    }

    fn write_slurm(&self, name: &str, folder: &Path, shards: usize) -> Result<ExitCode, Failure> {
        let path = folder.join(engine::SLURM_SCRIPT);
        let failed = |error: std::io::Error| Failure::Other(format!("{}: {error}", path.display()));
        std::fs::create_dir_all(folder).map_err(failed)?;
        std::fs::write(
            &path,
            engine::slurm(name, folder, shards, &self.command(folder)),
        )
        .map_err(failed)?;
        say(&if self.json {
            json!({ "script": path, "shards": shards }).to_string()
        } else {
            format!(
                "{} written. Next: sbatch {}, and when all tasks are done the same command with \
                --merge instead of --slurm",
                path.display(),
                engine::quoted(&path.to_string_lossy())
            )
        });
        Ok(ExitCode::SUCCESS)
    }
}

/// The bar over the runs that were not there before: rows of an earlier start would make the time
/// that is left too short.
struct Progress {
    bar: ProgressBar,
    runs: u64,
    /// Rows that were there at the first look.
    before: Option<u64>,
}

impl Progress {
    fn new(runs: u32, json: bool) -> Self {
        Self {
            bar: bar(u64::from(runs), json),
            runs: u64::from(runs),
            before: None,
        }
    }

    fn show(&mut self, done: usize) {
        let done = done as u64;
        let before = *self.before.get_or_insert_with(|| {
            self.bar.set_length(self.runs.saturating_sub(done));
            if done > 0 {
                self.bar.set_message(format!("; {done} were there"));
            }
            done
        });
        self.bar.set_position(done.saturating_sub(before));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A short summary for people.
fn readable(figures: &CampaignSummary, folder: &Path) -> String {
    let mut out = format!(
        "{}\n  {} runs: {} completed, {} stopped by a limit, {} unstable, {} refused, in {:.1} s\n",
        figures.name,
        figures.runs,
        figures.completed,
        figures.stopped_by_limit,
        figures.unstable,
        figures.refused,
        figures.wall_s.unwrap_or(0.0)
    );
    for (reason, count) in figures.reasons.iter().take(5) {
        let _ = writeln!(out, "  {count} x {reason}");
    }
    let _ = writeln!(
        out,
        "  {:<28}{:>4}{:>13}{:>13}{:>13}{:>13}",
        "", "", "mean", "std", "95 %", "worst"
    );
    let mut names: Vec<&String> = figures.criteria.keys().collect();
    names.sort_by_key(|name| {
        let digits: String = name
            .chars()
            .skip(1)
            .take_while(char::is_ascii_digit)
            .collect();
        (
            !name.starts_with('J'),
            digits.parse::<u32>().unwrap_or(99),
            (*name).clone(),
        )
    });
    for name in names {
        let spread = &figures.criteria[name];
        let _ = writeln!(
            out,
            "  {name:<28}{:>4}{:>13}{:>13}{:>13}{:>13}",
            spread.unit,
            format_number(spread.mean),
            format_number(spread.std),
            format_number(spread.q95),
            format_number(spread.worst)
        );
    }
    for note in &figures.notes {
        let _ = writeln!(out, "  note: {note}");
    }
    if let Some(text) = &figures.matters_most {
        let _ = writeln!(out, "  {text}");
    }
    if let Some(worst) = &figures.worst {
        let _ = writeln!(
            out,
            "  worst run                   {}: {}/{}/report.html",
            worst.run,
            folder.display(),
            files::WORST
        );
    }
    let _ = write!(
        out,
        "  report                      {}/{}",
        folder.display(),
        files::REPORT
    );
    out
}
