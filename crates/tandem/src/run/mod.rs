//! From a test to a run, into a folder or in memory.

#[cfg(feature = "fmi")]
mod coupled;
mod folder;
mod memory;
mod reference;

pub use crate::error::RunError;
pub(crate) use folder::RunFolder;
pub use folder::{files, plan_of, write_file};
pub use memory::{ActuatorDemand, Signals, is_astray};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
#[cfg(feature = "link")]
use std::sync::Arc;
use std::time::Instant;

use tandem_coordinator::machine::MachineState;
use tandem_coordinator::realtime::{ClockReport, Threads, run_realtime, spread};
use tandem_coordinator::recorder::{
    CHUNK_ROWS, Event, EventLog, Header, Level, RecorderError, RowBlock, RunReader, RunWriter,
};
use tandem_coordinator::{
    HybridLoop, Outcome, Parts, Recording, ReferenceRun, RowSink, RunControls, Stop, log_told,
    run_virtual,
};
use tandem_quantity::{BuildError, ExternalModel};

#[cfg(feature = "link")]
use crate::assemble::source::Targets;
use crate::assemble::{Body, NoLoop, Outline, Running, StepRows, Test};
use crate::driven;
use crate::figures::{find_steps, of_outcome, summarise};
use crate::plan::Plan;
use crate::summary::{SlowestStep, Summary, Timing};
use memory::Memory;
use reference::write_reference;

/// What came of a run.
pub struct Run {
    /// Its figures; of a run in memory, how it ended.
    pub summary: Summary,
    /// What stopped the test, if anything.
    pub stop: Option<Stop>,
    /// What was kept in memory.
    pub signals: Signals,
    /// The test as the run has left it, for those who make a page of it.
    pub test: Test,
}

/// Where a run goes.
#[derive(Clone, Copy)]
pub enum Output<'a> {
    /// Into a folder of its own, which the plan claims: `at`, else where the plan says, else under
    /// `runs/`.
    Folder {
        /// The plan that was assembled.
        plan: &'a Plan,
        /// The folder that is asked for.
        at: Option<&'a Path>,
    },
    /// Nowhere: the actuators' signals are kept in memory, and these displacements of the
    /// structure. Only models are run like this.
    Memory {
        /// Degrees of freedom, from zero.
        shown: &'a [usize],
    },
}

/// Which clock a test goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// Stepped: as fast as the machine can, or at the pace of the run_controls.
    #[default]
    Stepped,
    /// The wall clock, with absolute deadlines in a thread of its own.
    RealTime,
}

/// Who calls the loop, and who watches it. The default: stepped time, and nobody.
pub struct Controls<'a> {
    /// Which clock the test goes by.
    pub clock: Clock,
    /// What it is driven and watched through.
    pub run_controls: RunControls,
    /// Hears the share done, 0 … 1.
    pub progress: Box<dyn FnMut(f64) + 'a>,
    /// Hears what an external integrator does, while it happens.
    pub tell: Box<dyn Fn(driven::Line<'_>) + Sync + 'a>,
}

impl Default for Controls<'_> {
    fn default() -> Self {
        Self {
            clock: Clock::default(),
            run_controls: RunControls::default(),
            progress: Box::new(|_| {}),
            tell: Box::new(|_| {}),
        }
    }
}

/// What a real-time loop cannot wait for.
fn waiting(hybrid: &HybridLoop) -> Option<BuildError> {
    let parts = hybrid.parts();
    if parts.rig.properties().waits {
        return Some(BuildError::new(
            "rig",
            "this rig waits for its peers, which no real-time loop can do",
            "leave --realtime out: the clock then waits with it; an FMU may be loaded into this \
            process instead (in_process = true)",
        ));
    }
    let (place, _) = parts
        .external_models()
        .find(|(_, external)| external.waits())?;
    Some(BuildError::new(
        place,
        "this FMU runs in a process of its own, for which no real-time loop can wait",
        "write in_process = true, or leave --realtime out",
    ))
}

/// What keeps a test from the clock that is asked for.
fn untimely(body: &Body, controls: &Controls<'_>) -> Option<BuildError> {
    let by_the_clock = controls.clock == Clock::RealTime;
    match body {
        Body::Loop(hybrid) if by_the_clock => waiting(hybrid),
        Body::Coupled(_) if by_the_clock || controls.run_controls.pace.is_some() => {
            Some(BuildError::new(
                "cosimulation",
                "a co-simulation runs as fast as the machine can, not by the wall clock",
                "leave --realtime and --pace out, or put the FMU into a test as structure, rig or \
                 compensator (docs/fmi.md)",
            ))
        }
        _ => None,
    }
}

impl Test {
    /// Runs it: the one way into a folder and in memory.
    ///
    /// # Errors
    /// [`RunError`] where it does not begin, or cannot be kept. What stops a test is no error.
    pub fn run(self, output: Output<'_>, controls: &mut Controls<'_>) -> Result<Run, RunError> {
        let plan = match output {
            Output::Folder { plan, .. } => Some(plan),
            Output::Memory { .. } => None,
        };
        let ran = self.run_into(output, controls);
        ran.map_err(|error| match plan {
            Some(plan) => error.in_plan(plan),
            None => error,
        })
    }

    fn run_into(
        mut self,
        output: Output<'_>,
        controls: &mut Controls<'_>,
    ) -> Result<Run, RunError> {
        if let Some(error) = untimely(&self.body, controls) {
            return Err(error.into());
        }
        let place = Place::claim(output, &self)?;
        let began = Instant::now();
        let reference = place.wants_reference(&self).then(|| self.reference());
        let reference = reference.transpose()?;
        let mut events = place.events()?;
        place.keep_reference(&self, reference.as_ref())?;
        let ran;
        (self.body, ran) = match self.body {
            Body::Loop(hybrid) => {
                let rows = place.rows(&self.name, self.seed, &self.outline, &hybrid)?;
                let about = About {
                    outline: &self.outline,
                    running: &self.running,
                    step_rows: &self.step_rows,
                };
                let (hybrid, ran) = run_loop(*hybrid, &about, rows, &mut events, controls)?;
                (Body::Loop(Box::new(hybrid)), ran)
            }
            Body::Numerical => {
                let wall_s = began.elapsed().as_secs_f64();
                let ran = all_numerical(&self.outline, wall_s, &mut events)?;
                (Body::Numerical, ran)
            }
            #[cfg(not(feature = "fmi"))]
            Body::Coupled(coupled) => match *coupled {},
            #[cfg(feature = "fmi")]
            Body::Coupled(mut coupled) => {
                let known = Summary {
                    warnings: self.warnings.clone(),
                    ..Summary::of(self.name.clone(), self.seed)
                };
                let file = place.file(&self.name, self.seed, &self.outline);
                let (orders, progress) =
                    (&mut controls.run_controls.orders, &mut controls.progress);
                match coupled.run(file.as_ref(), &mut events, orders, progress.as_mut()) {
                    Ok(ended) => {
                        let summary = Box::new(coupled::figures(&coupled, &ended, known));
                        let ran = Ran::of(End::Coupled(ended.stop, summary));
                        (Body::Coupled(coupled), ran)
                    }
                    // Nothing has come of it.
                    Err(error) => {
                        place.abandon();
                        return Err(error.into());
                    }
                }
            }
        };
        (controls.progress)(1.0);
        place.finish(self, ran, reference.as_ref())
    }
}

/// Where a run goes, claimed.
enum Place<'a> {
    Folder { folder: RunFolder },
    Memory { shown: &'a [usize] },
}

impl<'a> Place<'a> {
    fn claim(output: Output<'a>, test: &Test) -> Result<Self, RunError> {
        match output {
            Output::Folder { plan, at } => {
                let at = at.or(test.running.folder.as_deref());
                let folder = RunFolder::claim(&test.name, at, plan)?;
                Ok(Self::Folder { folder })
            }
            Output::Memory { shown } => {
                match &test.body {
                    // Nobody watches, and nothing is recorded: only a model may be moved so.
                    Body::Loop(hybrid) => _ = hybrid.rehearsal()?,
                    Body::Numerical => return Err(NoLoop::NoSpecimen.into()),
                    Body::Coupled(_) => {}
                }
                Ok(Self::Memory { shown })
            }
        }
    }

    /// Whether the undivided structure is computed: of a test without a specimen it is the test.
    fn wants_reference(&self, test: &Test) -> bool {
        let wanted = test.running.reference && test.has_structure();
        let is_test = matches!(test.body, Body::Numerical);
        matches!(self, Self::Folder { .. }) && (wanted || is_test)
    }

    fn events(&self) -> Result<EventLog, RunError> {
        match self {
            Self::Folder { folder } => Ok(EventLog::open(&folder.file(files::EVENTS))?),
            Self::Memory { .. } => Ok(EventLog::nowhere()),
        }
    }

    /// Writes the undivided structure down; of a test without a specimen it is the record.
    fn keep_reference(
        &self,
        test: &Test,
        reference: Option<&ReferenceRun>,
    ) -> Result<(), RunError> {
        let (Self::Folder { folder }, Some(reference)) = (self, reference) else {
            return Ok(());
        };
        let file = match test.body {
            Body::Numerical => files::RUN,
            Body::Loop(_) | Body::Coupled(_) => files::REFERENCE,
        };
        let outline = &test.outline;
        let header = folder.header(&test.name, test.seed, outline.timing);
        write_reference(&folder.file(file), outline, reference, &header)
    }

    /// The file of the record, and its header; none in memory.
    fn file(&self, name: &str, seed: u64, outline: &Outline) -> Option<(PathBuf, Header)> {
        let Self::Folder { folder } = self else {
            return None;
        };
        let header = folder.header(name, seed, outline.timing);
        Some((folder.file(files::RUN), header))
    }

    /// Who gets the rows.
    fn rows(
        &self,
        name: &str,
        seed: u64,
        outline: &Outline,
        hybrid: &HybridLoop,
    ) -> Result<Rows, RunError> {
        if let Some((path, header)) = self.file(name, seed, outline) {
            let writer = RunWriter::create(&path, hybrid.channels(), &header)?;
            return Ok(Rows::File(Box::new(writer)));
        }
        let shown = match self {
            Self::Memory { shown } => shown,
            Self::Folder { .. } => &[][..],
        };
        Ok(Rows::Memory(Box::new(Memory::of(hybrid, outline, shown))))
    }

    /// Nothing has come of the run.
    #[cfg(feature = "fmi")]
    fn abandon(self) {
        if let Self::Folder { folder } = self {
            folder.abandon();
        }
    }

    /// The figures.
    fn finish(
        self,
        mut test: Test,
        ran: Ran,
        reference: Option<&ReferenceRun>,
    ) -> Result<Run, RunError> {
        let Ran {
            end,
            timing,
            words,
            slowest,
            warnings,
            signals,
        } = ran;
        test.warnings.extend(warnings);
        let (stop, mut summary) = match (end, &self) {
            #[cfg(feature = "fmi")]
            (End::Coupled(stop, summary), _) => (stop, *summary),
            (End::Loop(outcome), Self::Memory { .. }) => {
                (outcome.stop, of_outcome(&test, &outcome))
            }
            (End::Loop(outcome), Self::Folder { folder }) => {
                let record = RunReader::open(&folder.file(files::RUN))?;
                find_steps(&mut test, &record)?;
                let reference = reference.filter(|_| !test.outline.interface.is_empty());
                let mut summary = summarise(&test, &record, reference, Some(&outcome))?;
                summary.timing = timing.or(summary.timing);
                summary.words = words;
                [summary.rig, summary.structure, summary.compensator] = slowest;
                (outcome.stop, summary)
            }
        };
        if let Self::Folder { folder } = &self {
            write_summary(folder.path(), &mut summary)?;
        }
        Ok(Run {
            summary,
            stop,
            signals,
            test,
        })
    }
}

/// Who gets the rows of a loop.
enum Rows {
    File(Box<RunWriter>),
    Memory(Box<Memory>),
}

impl RowSink for &mut Rows {
    fn block_rows(&self) -> usize {
        match self {
            Rows::File(_) => CHUNK_ROWS,
            Rows::Memory(memory) => memory.block_rows(),
        }
    }

    #[inline]
    fn before_tick(&mut self, hybrid: &HybridLoop) {
        if let Rows::Memory(memory) = self {
            memory.before_tick(hybrid);
        }
    }

    fn keep(&mut self, block: &mut RowBlock, recording: &Recording) -> Result<(), RecorderError> {
        match self {
            Rows::File(writer) => Some(writer.as_mut()).keep(block, recording),
            Rows::Memory(memory) => memory.keep(block, recording),
        }
    }
}

/// How a test ended.
enum End {
    Loop(Outcome),
    #[cfg(feature = "fmi")]
    Coupled(Option<Stop>, Box<Summary>),
}

/// What a run has besides its record.
struct Ran {
    end: End,
    /// How deadlines were kept, where there were any.
    timing: Option<Timing>,
    words: BTreeMap<String, String>,
    slowest: [Option<SlowestStep>; 3],
    warnings: Vec<String>,
    signals: Signals,
}

impl Ran {
    fn of(end: End) -> Self {
        Self {
            end,
            timing: None,
            words: BTreeMap::new(),
            slowest: [None, None, None],
            warnings: Vec::new(),
            signals: Signals::default(),
        }
    }
}

/// What is known of a test whose loop runs.
struct About<'a> {
    outline: &'a Outline,
    running: &'a Running,
    step_rows: &'a StepRows,
}

/// The structural time at which all steps are done, s.
fn end(outline: &Outline) -> f64 {
    let steps = outline.timing.steps as f64;
    outline.dt * steps
}

/// Leads the loop through its test, into the record and the log.
fn run_loop(
    mut hybrid: HybridLoop,
    test: &About<'_>,
    mut rows: Rows,
    events: &mut EventLog,
    controls: &mut Controls<'_>,
) -> Result<(HybridLoop, Ran), RunError> {
    let Controls {
        clock,
        run_controls,
        progress,
        tell,
    } = controls;
    if run_controls.driver_timeout.is_none() {
        run_controls.driver_timeout = test.running.timeout;
    }
    if hybrid.parts().rig.properties().needs_wall_clock && run_controls.pace.is_none() {
        // Stepped time would run away from a device.
        run_controls.pace = Some(1.0);
    }
    let settings = test.running.realtime;
    let mut threads = Threads::default();
    if *clock == Clock::RealTime {
        (hybrid, threads) = spread(hybrid, settings, run_controls.guard);
    }
    let end = end(test.outline);
    let mut share = |time| progress(time / end);
    let stop_ordered = run_controls.orders.stop_flag();
    let (told, inbox) = std::sync::mpsc::channel();
    #[cfg(feature = "link")]
    let desk = driven::EventStamper::new(Arc::clone(&run_controls.now), told);
    #[cfg(not(feature = "link"))]
    drop((told, stop_ordered, tell));
    run_controls.told = Some(inbox);
    let mut report: Option<ClockReport> = None;
    let mut go = |events: &mut EventLog| match (*clock, &mut rows) {
        (Clock::RealTime, Rows::File(writer)) => {
            let record = Some(writer.as_mut());
            let (outcome, clock) = run_realtime(
                &mut hybrid,
                record,
                events,
                &mut share,
                run_controls,
                settings,
                &threads,
            )?;
            report = Some(clock);
            Ok(outcome)
        }
        (_, rows) => run_virtual(&mut hybrid, rows, events, &mut share, run_controls),
    };
    let mut warnings = Vec::new();
    let outcome = match &test.outline.targets {
        #[cfg(feature = "link")]
        Targets::External(driver) => {
            let (outcome, complaints) =
                driven::run(driver, &stop_ordered, &desk, events, tell.as_ref(), go)?;
            warnings.extend(complaints);
            outcome
        }
        _ => go(events)?,
    };
    // What came when the loop had ended.
    log_told(run_controls.told.as_ref(), events)?;
    if let Some(text) = hybrid.parts().fault_message() {
        warnings.push(text.to_owned());
    }
    let slowest = slowest_steps(hybrid.parts());
    let clocks = threads.stop();
    let words = hybrid.words().map(|(name, text)| (name.to_owned(), text));
    let words = words.collect();
    let signals = match rows {
        Rows::File(writer) => {
            writer.finish()?;
            Signals::default()
        }
        Rows::Memory(memory) => {
            let signals;
            (signals, hybrid) = memory.signals(hybrid, test.outline, test.step_rows, outcome.stop);
            signals
        }
    };
    let ran = Ran {
        timing: report.map(|report| Timing::of_threads(&report, &clocks)),
        end: End::Loop(outcome),
        words,
        slowest,
        warnings,
        signals,
    };
    Ok((hybrid, ran))
}

/// The end of a test without a specimen.
fn all_numerical(outline: &Outline, wall_s: f64, events: &mut EventLog) -> Result<Ran, RunError> {
    let (steps, time_s) = (outline.timing.steps, end(outline));
    let text = "All steps are done, without a specimen.";
    let event = Event::new(steps, time_s, wall_s, Level::Info, "run.completed", text);
    events.log(&event)?;
    let outcome = Outcome {
        stop: None,
        reason: None,
        state: MachineState::Stopped { off: true },
        steps,
        ticks: steps + 1,
        time_s,
        wall_s,
    };
    Ok(Ran::of(End::Loop(outcome)))
}

/// The longest step of what is an FMU: in the rig, as the structure, as the compensator.
fn slowest_steps(parts: &Parts) -> [Option<SlowestStep>; 3] {
    let of = |guest: Option<&dyn ExternalModel>| guest.map(ExternalModel::slowest_step);
    [
        parts.rig.observe().slowest_step(),
        of(parts.integrator.external()),
        of(parts.compensator.external()),
    ]
    .map(|step| step.map(|slowest_step_s| SlowestStep { slowest_step_s }))
}

/// Writes `summary.json` with the list of files that are there by now.
pub fn write_summary(folder: &Path, figures: &mut Summary) -> Result<(), RunError> {
    let present: Vec<_> = files::ALL
        .into_iter()
        .filter(|name| *name == files::SUMMARY || folder.join(name).exists())
        .map(str::to_owned)
        .collect();
    figures.folder = folder.into();
    figures.files = present;
    let text = serde_json::to_string_pretty(figures).unwrap_or_default();
    write_file(&folder.join(files::SUMMARY), text.as_bytes())
}
