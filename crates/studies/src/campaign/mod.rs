//! `tandem campaign`: many virtual runs of a plan, with keys drawn anew for each, on all cores or
//! on a cluster.
//!
//! A run is a pure function of plan, seed and its number, so that neither the number of cores nor
//! the engine nor a kill in between changes a bit. `vary` draws, `table` keeps, `summary` counts,
//! `page` shows, `engine` hands shards to others.

pub mod engine;
pub mod lock;
mod page;
pub mod summary;
pub mod table;
pub mod vary;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use tandem::registry::standard;

use sha2::{Digest, Sha256};
use tandem_coordinator::Stop;
use tandem_quantity::{BuildError, Context, Dimension, Registry, Settings as _, Values, settings};
use tandem_signal::correlate;
use tandem_transfer::plant::{self, Plant};

use crate::bench::FORMS;
use crate::bench::single_actuator::References;
use crate::parallel::{self, mix_seed};
use lock::Lock;
use summary::CampaignSummary;
use table::{Cells, Growing, Heading, Row, Status};
use tandem::assemble::assemble;
use tandem::criteria::{Output, name};
use tandem::plan::{self, Plan, PlanErrors, Source};
use tandem::run::{Controls, Output as Goes, RunError};
use tandem::sections::CampaignSettings;
use tandem_model::excitation;
use vary::Variation;

/// Why a campaign did not take place or could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The plan does not fit.
    #[error("{0}")]
    Plan(Box<PlanErrors>),
    /// A file or folder.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file of another campaign.
    #[error(
        "{} belongs to another campaign (another plan, seed or version); choose another folder \
        with --out",
        path.display()
    )]
    Another {
        /// Which.
        path: PathBuf,
    },
    /// Somebody else is at work there.
    #[error(
        "{holder} computes there already ({} is locked); wait for it, or choose another folder \
        with --out",
        path.display()
    )]
    Busy {
        /// Who.
        holder: String,
        /// Where its number stands.
        path: PathBuf,
    },
    /// Parquet.
    #[error("cannot write the table: {0}")]
    Parquet(#[from] parquet::errors::ParquetError),
    /// Runs are missing in the shards.
    #[error("{missing} of {runs} runs are missing in {}; run the missing shards \
        first", folder.display())]
    Missing {
        /// How many.
        missing: usize,
        /// Of how many.
        runs: usize,
        /// Where.
        folder: PathBuf,
    },
    /// The engine.
    #[error("{0}")]
    Engine(String),
    /// The run of the worst case.
    #[error(transparent)]
    Run(#[from] tandem::run::RunError),
}

/// A plan with what varies in it.
pub struct Campaign {
    path: PathBuf,
    overrides: Vec<String>,
    seed: u64,
    /// Name of the plan.
    pub name: String,
    /// The plan as it is written.
    pub nominal: Plan,
    /// What varies.
    pub variations: Vec<Variation>,
    /// What is worth knowing about it.
    pub notes: Vec<String>,
    heading: Heading,
    /// What random plants differ by, as columns after the seed: empty where no number of a plant is
    /// drawn.
    plant_columns: Vec<String>,
    references: References,
}

/// What a plan says of the plant of its rig.
fn plant_section(plan: &Plan) -> Option<&Values> {
    plan.values.optional_table("rig")?.optional_table("plant")
}

/// The plant of a plan's rig, where it has one.
fn plant_of(plan: &Plan) -> Option<Box<dyn Plant>> {
    let table = plant_section(plan)?;
    let entry = plan.registry().find(&plant::SLOT, table).ok()?;
    let context = |axes| Context {
        registry: plan.registry(),
        ..Context::of(axes, 1e-3)
    };
    (1..=4).find_map(|axes| (entry.build)(table, &context(axes)).ok())
}

/// The rows of a folder.
#[derive(Debug)]
pub struct Gathered {
    /// In the order of the runs.
    pub rows: Vec<Row>,
    /// Which files were left out.
    pub notes: Vec<String>,
}

/// A text that is one cell of a line.
fn one_cell(text: &str) -> String {
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace(',', ";")
}

/// The key whose values are files with a time step of their own.
const RECORD: &str = "excitation.record";
/// The key whose values are numbers of random plants.
const DRAW: &str = "rig.plant.draw";

/// Names of the files in the folder of a campaign.
pub mod files {
    /// Rows as they come.
    pub const ROWS: &str = "runs.csv";
    /// All runs.
    pub const TABLE: &str = "table.parquet";
    /// The figures.
    pub const SUMMARY: &str = "summary.json";
    /// The page for people.
    pub const REPORT: &str = "report.html";
    /// Folder of the worst run.
    pub const WORST: &str = "worst";
}

settings! {
    /// Which of its random plants a plant is, where it has such a key.
    struct Drawn {
        /// number of the draw
        draw: Option<u64> = integer(),
    }
}

settings! {
    /// The time step that a plan states for its record.
    struct Stated {
        /// time step of the file
        dt: Option<f64> = number(Dimension::TIME),
    }
}

/// What a campaign of this plan draws, and what there is to be said of it.
fn variations(path: &Path, nominal: &Plan) -> Result<(Vec<Variation>, Vec<String>), BuildError> {
    let mut variations = Vec::new();
    if let Some(section) = nominal.values.optional_table("campaign") {
        let vary = CampaignSettings::read(section)?.vary;
        for (i, table) in vary.iter().enumerate() {
            let variation = Variation::new(table)
                .map_err(|error| error.within(&format!("campaign.vary.{i}")))?;
            variations.push(variation);
        }
    }
    let mut notes = Vec::new();
    if variations.is_empty() {
        let plant = plant_section(nominal).map(Drawn::read).transpose()?;
        if plant.is_some_and(|plant| plant.draw.is_some()) {
            variations.push(Variation::of_draws());
        } else {
            notes.push(
                "Only the seed of the noise differs from run to run: the plan has no \
                 [[campaign.vary]], and its rig no plant with a published uncertainty."
                    .to_owned(),
            );
        }
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    for variation in &mut variations {
        variation.find_files(folder);
        // The plan's time step is meant for its own record; another file may state another.
        if variation.key == RECORD
            && let Some(section) = nominal.values.optional_table("excitation")
            && Stated::read(section)?.dt.is_some()
        {
            variation
                .set_with(|written| {
                    let step = excitation::stated_step(section, written)?;
                    Ok(step.map(|step| format!("excitation.dt={step:?} s")))
                })
                .map_err(|error| error.within("excitation"))?;
        }
    }
    for i in 1..=variations.len() {
        let (earlier, _) = variations.split_at(i);
        drawn_once(earlier)?;
    }
    Ok((variations, notes))
}

/// Refuses the last of these where one before it draws the same.
fn drawn_once(variations: &[Variation]) -> Result<(), BuildError> {
    let Some((variation, earlier)) = variations.split_last() else {
        return Ok(());
    };
    let refuse = |message: String, help: &str| {
        let key = format!("campaign.vary.{}.key", earlier.len());
        Err(BuildError::new(key, message, help))
    };
    if variation.key == "seed" || earlier.iter().any(|other| other.key == variation.key) {
        return refuse(
            format!("\"{}\" is drawn already", variation.key),
            "vary every key once; the seed of the noise is drawn anyway",
        );
    }
    // A table that is drawn as a whole would undo what was drawn inside it.
    let holds = |a: &str, b: &str| b.strip_prefix(a).is_some_and(|rest| rest.starts_with('.'));
    let within = earlier
        .iter()
        .find(|other| holds(&other.key, &variation.key) || holds(&variation.key, &other.key));
    match within {
        None => Ok(()),
        Some(other) => refuse(
            format!(
                "\"{}\" and \"{}\" lie within each other: one draw would undo the other",
                other.key, variation.key
            ),
            "vary the table or keys inside it, not both",
        ),
    }
}

impl Campaign {
    /// Reads the plan and does its nominal run, which tells the figures there will be.
    ///
    /// # Errors
    /// A refusal of the plan.
    pub fn new(path: &Path, overrides: &[String], seed: u64) -> Result<Self, CampaignError> {
        Self::with(standard(), path, overrides, seed)
    }

    /// The same with methods that were added to those of the program.
    ///
    /// # Errors
    /// As [`Campaign::new`].
    pub fn with(
        registry: &Registry,
        path: &Path,
        overrides: &[String],
        seed: u64,
    ) -> Result<Self, CampaignError> {
        let refusal = |refusal| CampaignError::Plan(Box::new(refusal));
        let nominal = plan::open_with(registry, Source::File(path), overrides).map_err(refusal)?;
        let refuse = |error: BuildError| refusal(nominal.refuse(vec![error]));
        let (variations, notes) = variations(path, &nominal).map_err(refuse)?;
        let mut campaign = Self {
            path: path.into(),
            overrides: overrides.to_vec(),
            seed,
            variations,
            notes,
            heading: Heading {
                identity: String::new(),
                columns: Vec::new(),
            },
            plant_columns: Vec::new(),
            references: References::default(),
            name: String::new(),
            nominal,
        };
        let test = campaign.nominal.assemble();
        campaign.name = test.map_err(|found| refusal(*found))?.name;
        let figures = campaign
            .figures(&campaign.nominal)
            .map_err(|errors| refusal(campaign.nominal.refuse(errors)))?;
        // A key that no plan has, or a value of another unit, is refused before anything runs; so
        // is a record that is not there.
        let first = campaign
            .plan(1)
            .map_err(|found| refusal(campaign.in_the_plan(found)))?;
        first
            .assemble()
            .map_err(|found| refusal(campaign.in_the_plan(*found)))?;
        campaign.check_records().map_err(refusal)?;
        // A nominal run at rest has no criteria, which those that are drawn may well have: all of
        // them would be refused in the end.
        let judges =
            |figures: &[(String, f64)]| figures.iter().any(|(name, _)| name.starts_with('J'));
        if !judges(&figures.1)
            && let Ok((_, drawn)) = campaign.figures(&first)
            && judges(&drawn)
        {
            let error = BuildError::new(
                "record.criteria",
                "nothing moves in the nominal run, so that its criteria, which name those of all \
                others, cannot be told",
                "shake the structure of the plan itself (excitation.scale)",
            );
            return Err(refusal(campaign.nominal.refuse(vec![error])));
        }
        campaign.heading.identity = campaign.identity(&figures.1);
        campaign.plant_columns = campaign.drawn_of_plants();
        let mut columns: Vec<String> = campaign.variations.iter().map(|v| v.key.clone()).collect();
        columns.push("seed".into());
        columns.extend(campaign.plant_columns.iter().cloned());
        columns.extend(figures.1.into_iter().map(|(name, _)| name));
        campaign.heading.columns = columns;
        Ok(campaign)
    }

    /// What tells this campaign from others. The figures of the nominal run stand for all that they
    /// depend on: records, matrices and FMUs beside the plan, and the program.
    fn identity(&self, figures: &[(String, f64)]) -> String {
        let mut hash = Sha256::new();
        hash.update(self.nominal.to_toml());
        hash.update(self.seed.to_le_bytes());
        hash.update(env!("CARGO_PKG_VERSION"));
        for (name, value) in figures {
            hash.update(name);
            hash.update(value.to_le_bytes());
        }
        // Files that only some runs use.
        for contents in self.variations.iter().flat_map(Variation::contents) {
            hash.update(contents);
        }
        hash.finalize().iter().map(|b| format!("{b:02x}")).collect()
    }

    /// Columns of the numbers by which random plants differ.
    fn drawn_of_plants(&self) -> Vec<String> {
        if self.variations.iter().all(|v| v.key != DRAW) {
            return Vec::new();
        }
        let plant = plant_of(&self.nominal);
        let names = plant.iter().flat_map(|plant| plant.drawn());
        names.map(|(name, _)| format!("{DRAW}/{name}")).collect()
    }

    /// Names of the figures, in the order of the columns.
    #[must_use]
    pub fn figure_names(&self) -> &[String] {
        &self.heading.columns[self.drawn()..]
    }

    /// Number of drawn values before the figures: the variations, the seed, and what the plants
    /// differ by.
    fn drawn(&self) -> usize {
        self.variations.len() + 1 + self.plant_columns.len()
    }

    /// What the columns of the Parquet table hold.
    fn cells(&self) -> Vec<Cells> {
        let mut cells: Vec<Cells> = self.variations.iter().map(Variation::cells).collect();
        cells.push(Cells::Counts);
        cells.resize(self.heading.columns.len(), Cells::Numbers);
        cells
    }

    /// A refusal of a drawn value at the place where the plan says that it is drawn: nobody has
    /// written the number.
    fn in_the_plan(&self, refusal: PlanErrors) -> PlanErrors {
        let place = |key: &str| {
            let of = |v: &Variation| {
                let rest = key.strip_prefix(v.key.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            };
            self.variations.iter().position(of)
        };
        let errors: Option<Vec<BuildError>> = refusal
            .problems()
            .iter()
            .map(|problem| {
                let i = place(&problem.key)?;
                Some(BuildError::new(
                    format!("campaign.vary.{i}.key"),
                    format!("{}: {}", problem.key, problem.sentence()),
                    problem.help.clone(),
                ))
            })
            .collect();
        match errors {
            Some(errors) if !errors.is_empty() => self.nominal.refuse(errors),
            _ => refusal,
        }
    }

    /// Every record that may be drawn is read once: one that is missing would be found out after
    /// hours.
    fn check_records(&self) -> Result<(), PlanErrors> {
        let all = self.variations.iter().enumerate();
        for (i, variation) in all.filter(|(_, v)| v.key == RECORD) {
            let mut errors = Vec::new();
            for (k, set) in variation.every().enumerate() {
                let overrides: Vec<String> = self.overrides.iter().cloned().chain(set).collect();
                let plan = plan::open_with(
                    self.nominal.registry(),
                    Source::File(&self.path),
                    &overrides,
                )
                .map_err(|refusal| self.in_the_plan(refusal))?;
                let section = plan.values.optional_table("excitation");
                if let Some(Err(error)) =
                    section.map(|table| excitation::build(table, plan.registry()))
                {
                    errors.push(BuildError::new(
                        format!("campaign.vary.{i}.values.{k}"),
                        error.message,
                        error.help,
                    ));
                }
            }
            if !errors.is_empty() {
                return Err(self.nominal.refuse(errors));
            }
        }
        Ok(())
    }

    /// The overrides of a run, and the numbers behind them.
    #[must_use]
    pub fn overrides(&self, run: usize) -> (Vec<String>, Vec<f64>) {
        let run = run as u64;
        let mut texts = self.overrides.clone();
        let mut numbers = Vec::new();
        // Noise differs from run to run; 53 bits, so that the table holds it exactly.
        let noise = mix_seed(self.seed, run, 0) % 1_000_000_000_000;
        texts.push(format!("seed={noise}"));
        for (place, variation) in self.variations.iter().enumerate() {
            let drawn = variation.draw(self.seed, run, place as u64);
            texts.push(format!("{}={}", variation.key, drawn.text));
            texts.extend(drawn.with);
            numbers.push(drawn.number);
        }
        numbers.push(noise as f64);
        (texts, numbers)
    }

    /// The plan of a run.
    ///
    /// # Errors
    /// A refusal of a drawn value.
    pub fn plan(&self, run: usize) -> Result<Plan, PlanErrors> {
        let set = self.overrides(run).0;
        plan::open_with(self.nominal.registry(), Source::File(&self.path), &set)
    }

    /// One run, whatever comes of it.
    #[must_use]
    pub fn run(&self, run: usize) -> Row {
        let mut values = self.overrides(run).1;
        let plan = self.plan(run);
        if let (Ok(plan), false) = (&plan, self.plant_columns.is_empty()) {
            let plant = plant_of(plan);
            let drawn = plant.iter().flat_map(|plant| plant.drawn());
            values.extend(drawn.map(|(_, deviation)| deviation));
        }
        values.resize(self.drawn(), f64::NAN);
        let found = plan
            .map_err(|refusal| {
                let first = refusal.problems().first();
                first.map_or_else(|| refusal.to_string(), |problem| problem.sentence())
            })
            .and_then(|plan| {
                self.figures(&plan)
                    .map_err(|errors| errors.first().map_or_else(String::new, ToString::to_string))
            });
        let (status, reason) = match found {
            Ok((end, figures)) => {
                let same = figures.iter().map(|(name, _)| name).eq(self.figure_names());
                match end {
                    Some(end) => end,
                    None if same => {
                        values.extend(figures.into_iter().map(|(_, value)| value));
                        (Status::Completed, String::new())
                    }
                    None => {
                        let reason = "its figures are others than those of the nominal run";
                        (Status::Refused, reason.to_owned())
                    }
                }
            }
            Err(reason) => (Status::Refused, reason),
        };
        values.resize(self.heading.columns.len(), f64::NAN);
        Row {
            run,
            status,
            reason: one_cell(&reason),
            values,
        }
    }

    /// How the run of a plan ended, if before its end, and its figures by name.
    #[allow(clippy::type_complexity)]
    fn figures(
        &self,
        plan: &Plan,
    ) -> Result<(Option<(Status, String)>, Vec<(String, f64)>), Vec<BuildError>> {
        let test = assemble(&plan.values, plan.registry())?;
        let reference = self
            .references
            .of(plan, &test)
            .map_err(|error| vec![error])?;
        let criteria = test.criteria.clone();
        let shown = criteria.as_ref().map_or_else(
            || test.outline.interface.clone(),
            |criteria| criteria.shown(&test.outline.interface),
        );
        let dt = test.outline.dt;
        let run = test.run(Goes::Memory { shown: &shown }, &mut Controls::default());
        let signals = run.map_err(|error| vec![error.into_build_error()])?.signals;
        let history: Vec<Vec<f64>> = shown.iter().map(|&dof| reference.history(dof)).collect();
        let mut figures = Vec::new();
        if let Some(criteria) = &criteria {
            let judge = |output: &Output| {
                let judged =
                    criteria.compare(&signals.target, output, &signals.numerical, &history, dt);
                judged.unwrap_or_default()
            };
            let [coded, printed] = judge(&signals.measured);
            let [estimated, _] = judge(&signals.estimated);
            let [free, _] = judge(&signals.truth);
            for (form, table) in FORMS.iter().zip([coded, printed, estimated, free]) {
                let ending = form.strip_prefix("criteria").unwrap_or("");
                for (criterion, list) in table.iter() {
                    let name = name(criterion);
                    for (i, value) in list.iter().enumerate() {
                        let number = if list.len() > 1 {
                            format!("/{}", i + 1)
                        } else {
                            String::new()
                        };
                        figures.push((format!("{name}{ending}{number}"), *value));
                    }
                }
            }
        }
        let percent = |signal: &[f64], wanted: &[f64]| {
            let n = signal.len().min(wanted.len());
            correlate::errors(&signal[..n], &wanted[..n]).map_or(f64::NAN, |e| 100.0 * e.rms)
        };
        for (i, demand) in signals.demand.iter().enumerate() {
            let n = i + 1;
            figures.push((
                format!("tracking_percent/{n}"),
                percent(&signals.measured.strokes[i], &signals.target[i]),
            ));
            figures.push((
                format!("tracking_true_percent/{n}"),
                percent(&signals.truth.strokes[i], &signals.target[i]),
            ));
            figures.push((format!("command_m/{n}"), demand.command));
            figures.push((format!("velocity_m_per_s/{n}"), demand.velocity));
            figures.push((format!("force_n/{n}"), demand.force));
        }
        for (i, (numerical, reference)) in signals.numerical.iter().zip(&history).enumerate() {
            figures.push((
                format!("reference_percent/{}", i + 1),
                percent(numerical, reference),
            ));
        }
        let astray = signals.is_unstable(&history);
        let end = match &signals.stop {
            None if !astray => None,
            None => Some((
                Status::Unstable,
                "further from the reference or from the target than their largest motion"
                    .to_owned(),
            )),
            Some(stop @ Stop::Limit(_)) if !astray => Some((Status::Limit, stop.name().to_owned())),
            Some(stop) => Some((Status::Unstable, stop.name().to_owned())),
        };
        Ok((end, figures))
    }

    /// Runs `numbers`, on `jobs` threads, into a file of rows; those that are there already are not
    /// run again. `done` hears how many are there. Returns false where `stop` ended it.
    ///
    /// # Errors
    /// [`CampaignError`] where the file cannot be kept.
    pub fn rows(
        &self,
        numbers: &[usize],
        jobs: usize,
        path: &Path,
        mut done: impl FnMut(usize) + Send,
        stop: &AtomicBool,
    ) -> Result<bool, CampaignError> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|source| CampaignError::File {
                path: folder.into(),
                source,
            })?;
        }
        let _lock = Lock::take(path)?;
        let (mut growing, there) = Growing::open(path, &self.heading)?;
        let mut known: Vec<usize> = there.iter().map(|row| row.run).collect();
        known.sort_unstable();
        let missing: Vec<usize> = numbers
            .iter()
            .copied()
            .filter(|run| known.binary_search(run).is_err())
            .collect();
        let mut count = numbers.len() - missing.len();
        done(count);
        let mut failure = None;
        parallel::each(
            &missing,
            jobs,
            |run| self.run(run),
            |_, row| {
                if let Err(error) = growing.add(row) {
                    failure.get_or_insert(error);
                    stop.store(true, Ordering::Relaxed);
                }
                count += 1;
                done(count);
            },
            stop,
        );
        match failure {
            Some(error) => Err(error),
            None => Ok(!stop.load(Ordering::Relaxed)),
        }
    }

    /// All rows of the folder, from its shards too, in the order of the runs 1 … `runs`. Files that
    /// are not of this campaign, and do not have the name of one, are left out.
    ///
    /// # Errors
    /// [`CampaignError`] where runs are missing or a file belongs to another campaign.
    pub fn gather(&self, folder: &Path, runs: usize) -> Result<Gathered, CampaignError> {
        let list = std::fs::read_dir(folder).map_err(|source| CampaignError::File {
            path: folder.into(),
            source,
        })?;
        let mut rows: Vec<Option<Row>> = vec![None; runs];
        let mut notes = Vec::new();
        let mut paths: Vec<PathBuf> = list.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths
            .iter()
            .filter(|path| path.extension().is_some_and(|e| e == "csv"))
        {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let found = match table::read(path, &self.heading) {
                Err(_) if name != files::ROWS && !name.starts_with("shard-") => {
                    notes.push(format!(
                        "{name} in the folder is not of this campaign and was left out."
                    ));
                    continue;
                }
                found => found?,
            };
            for row in found {
                if let Some(place) = row.run.checked_sub(1).and_then(|i| rows.get_mut(i)) {
                    *place = Some(row);
                }
            }
        }
        let missing = rows.iter().filter(|row| row.is_none()).count();
        if missing > 0 {
            return Err(CampaignError::Missing {
                missing,
                runs,
                folder: folder.into(),
            });
        }
        Ok(Gathered {
            rows: rows.into_iter().flatten().collect(),
            notes,
        })
    }

    /// Writes table, summary, report and the worst run into the folder. Returns the summary.
    ///
    /// # Errors
    /// [`CampaignError`] where a file cannot be written.
    pub fn finish(
        &self,
        folder: &Path,
        gathered: &Gathered,
    ) -> Result<CampaignSummary, CampaignError> {
        let rows = &gathered.rows;
        // What shards have brought is there for the next start too, whoever computes then.
        let (mut growing, there) = Growing::open(&folder.join(files::ROWS), &self.heading)?;
        let known: HashSet<usize> = there.iter().map(|row| row.run).collect();
        for row in rows.iter().filter(|row| !known.contains(&row.run)) {
            growing.add(row)?;
        }
        let path = folder.join(files::TABLE);
        table::write_parquet(&path, &self.heading, &self.cells(), rows)?;
        let mut figures = summary::of(self, rows);
        figures.notes = self.notes.iter().chain(&gathered.notes).cloned().collect();
        figures.folder = folder.into();
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).map_err(|source| CampaignError::File { path, source })
        };
        let path = folder.join(files::WORST);
        // The worst run of a shorter campaign gives way; what others have put there stays.
        for name in tandem::run::files::ALL {
            let old = path.join(name);
            if old.is_file() {
                std::fs::remove_file(&old).map_err(table::file_error(&old))?;
            }
        }
        if let Some(worst) = &figures.worst
            && let Ok(plan) = self.plan(worst.run)
        {
            let at = Goes::Folder {
                plan: &plan,
                at: Some(&path),
            };
            let test = plan.assemble().map_err(RunError::from)?;
            let mut run = test.run(at, &mut Controls::default())?;
            tandem_report::write_page(&plan, &mut run)?;
        }
        write(
            files::SUMMARY,
            &serde_json::to_string_pretty(&figures).unwrap_or_default(),
        )?;
        write(files::REPORT, &page::of_campaign(self, rows, &figures))?;
        Ok(figures)
    }
}
