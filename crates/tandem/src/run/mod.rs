//! `tandem run`: from a plan to a run folder.

mod again;
mod folder;
mod reference;

pub(crate) use again::plan_of;
pub use again::{compare_runs, drill_run, report_again};
pub(crate) use folder::RunFolder;
pub use folder::files;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tandem_coordinator::machine::State;
use tandem_coordinator::realtime::{ClockReport, Threads, run_realtime, spread};
use tandem_coordinator::recorder::{Event, EventLog, Level, RecorderError, RunReader, RunWriter};
use tandem_coordinator::{HybridLoop, Outcome, Parts, Seams, Stop, log_told, run_virtual};
use tandem_fmi::FmuError;
use tandem_quantity::{BuildError, Guest};

use crate::assemble::Test;
use crate::plan::{Refusal, Resolved};
use crate::summary::{SlowestStep, Summary, SummaryError, Timing, find_steps, summarise};
use crate::{driven, report};
use folder::write;
use reference::write_reference;

/// Why a run did not take place or could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The plan does not fit.
    #[error("{0}")]
    Plan(Box<Refusal>),
    /// A file or folder.
    #[error("{what} {}: {source}", path.display())]
    File {
        /// What was tried.
        what: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The folder holds no run.
    #[error("{} is not the folder of a run: it holds no run.h5", folder.display())]
    NotARun {
        /// The folder that was given.
        folder: PathBuf,
    },
    /// What is asked of the run needs a loop, and there was none.
    #[error(
        "{} is the run of a co-simulation, which has no loop to replay or drill, and whose page is made by its run",
        folder.display()
    )]
    Coupled {
        /// The folder that was given.
        folder: PathBuf,
    },
    /// A rehearsal of another test.
    #[error("{} is no rehearsal of this test: {what} differ (`tandem report A B` sets any two runs side by side)", folder.display())]
    OtherTest {
        /// The folder that was given.
        folder: PathBuf,
        /// In which parts of the plan.
        what: String,
    },
    /// No door can be opened for the driver.
    #[error("cannot listen for the driver: {source} (is the port taken? see integration.port)")]
    Listen {
        /// What the system says.
        source: std::io::Error,
    },
    /// The model cannot be examined.
    #[error("the structure cannot be examined: {0}")]
    Model(String),
    /// A rehearsal without any fault that does not come to its end.
    #[error("the plan does not run to its end without any fault: {reason} (see `tandem run`)")]
    StopsByItself {
        /// What stopped it.
        reason: String,
    },
    /// The operator's screen.
    #[error("{0}")]
    Screen(String),
    /// An FMU that a co-simulation has as a part.
    #[error(transparent)]
    Fmu(#[from] FmuError),
    /// The recorder.
    #[error(transparent)]
    Recorder(#[from] RecorderError),
    /// The figures of an earlier run.
    #[error(transparent)]
    Summary(#[from] SummaryError),
}

impl From<Box<Refusal>> for RunError {
    fn from(refusal: Box<Refusal>) -> Self {
        Self::Plan(refusal)
    }
}

/// What a run left.
pub struct Done {
    /// The run folder.
    pub folder: PathBuf,
    /// Contents of `summary.json`.
    pub summary: Summary,
    /// What stopped the test, if anything.
    pub stop: Option<Stop>,
}

/// Which clock a test goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// Stepped: as fast as the machine can, or at the pace of the seams.
    #[default]
    Stepped,
    /// The wall clock, with absolute deadlines in a thread of its own.
    RealTime,
}

/// Runs the test that the plan describes in stepped time; see [`run_by`].
pub fn run(
    plan: &Resolved,
    out: Option<&Path>,
    progress: &mut dyn FnMut(f64),
    seams: &mut Seams,
) -> Result<Done, RunError> {
    run_by(Clock::Stepped, plan, out, progress, seams, &|_| {})
}

/// What a real-time loop cannot wait for.
fn waiting(hybrid: &HybridLoop) -> Option<BuildError> {
    let parts = hybrid.parts();
    if parts.rig.properties().waits {
        return Some(BuildError::new(
            "rig",
            "this rig waits for its peers, which no real-time loop can do",
            "leave --realtime out: the clock then waits with it; an FMU may be loaded into this process instead (in_process = true)",
        ));
    }
    let (place, _) = parts.guests().find(|(_, guest)| guest.waits())?;
    Some(BuildError::new(
        place,
        "this FMU runs in a process of its own, for which no real-time loop can wait",
        "write in_process = true, or leave --realtime out",
    ))
}

/// Runs the test that the plan describes. `progress` gets the share done, 0 … 1; through `seams` it is driven and watched; what an outside
/// driver does is told to `tell` while it happens.
pub fn run_by(
    clock: Clock,
    plan: &Resolved,
    out: Option<&Path>,
    progress: &mut dyn FnMut(f64),
    seams: &mut Seams,
    tell: &(dyn Fn(driven::Line<'_>) + Sync),
) -> Result<Done, RunError> {
    let mut test = plan.assemble()?;
    let refuse = |error| RunError::Plan(Box::new(plan.refuse(vec![error])));
    if clock == Clock::RealTime
        && let Some(hybrid) = &test.hybrid
        && let Some(error) = waiting(hybrid)
    {
        return Err(refuse(error));
    }
    let out = out.or(test.running.folder.as_deref());
    let folder = RunFolder::claim(&test.name, out, plan)?;
    let began = std::time::Instant::now();
    let wanted = test.running.reference && test.has_structure();
    let reference = (wanted || test.hybrid.is_none()).then(|| test.reference());
    let reference = reference.transpose().map_err(refuse)?;
    let (scale, period) = (test.timing.time_scale, test.timing.period);
    let header = folder.header(&test.name, test.seed, scale, scale / period);
    let mut events = EventLog::open(&folder.file(files::EVENTS))?;
    let run = match (test.hybrid.take(), &reference) {
        (Some(hybrid), reference) => {
            if let Some(reference) = reference {
                write_reference(&folder.file(files::REFERENCE), &test, reference, &header)?;
            }
            let writer = RunWriter::create(&folder.file(files::RUN), hybrid.channels(), &header)?;
            run_loop(
                &mut test,
                hybrid,
                (writer, &mut events),
                (clock, progress, seams, tell),
            )?
        }
        // All numerical: the reference is the test.
        (None, reference) => {
            if let Some(reference) = reference {
                write_reference(&folder.file(files::RUN), &test, reference, &header)?;
            }
            all_numerical(&test, began.elapsed().as_secs_f64(), &mut events)?
        }
    };
    progress(1.0);

    let record = RunReader::open(&folder.file(files::RUN))?;
    find_steps(&mut test, &record)?;
    let hybrid_reference = reference.as_ref().filter(|_| !test.interface.is_empty());
    let mut summary = summarise(&test, &record, hybrid_reference, Some(&run.outcome))?;
    summary.timing = run.timing.or(summary.timing);
    summary.words = run.words;
    [summary.rig, summary.structure, summary.compensator] = run.slowest;
    write_summary(folder.path(), &mut summary)?;
    let page = report::of_run(folder.path(), plan, &test, &summary, None)?;
    folder.write(files::REPORT, page.as_bytes())?;
    write_summary(folder.path(), &mut summary)?;
    Ok(Done {
        stop: run.outcome.stop,
        folder: folder.into_path(),
        summary,
    })
}

/// What a run has besides its record.
struct Ran {
    outcome: Outcome,
    /// How deadlines were kept, where there were any.
    timing: Option<Timing>,
    words: BTreeMap<String, String>,
    slowest: [Option<SlowestStep>; 3],
}

/// The structural time at which all steps are done, s.
fn end(test: &Test) -> f64 {
    #[allow(clippy::cast_precision_loss)] // at most 10⁹ steps
    let steps = test.timing.steps as f64;
    test.dt * steps
}

/// Who calls the loop, and who watches it.
type Caller<'a> = (
    Clock,
    &'a mut dyn FnMut(f64),
    &'a mut Seams,
    &'a (dyn Fn(driven::Line<'_>) + Sync),
);

/// Leads the loop through its test, into the record and the log.
fn run_loop(
    test: &mut Test,
    mut hybrid: HybridLoop,
    (mut writer, events): (RunWriter, &mut EventLog),
    (clock, progress, seams, tell): Caller<'_>,
) -> Result<Ran, RunError> {
    if seams.driver_timeout.is_none() {
        seams.driver_timeout = test.running.timeout;
    }
    if hybrid.parts().rig.properties().needs_wall_clock && seams.pace.is_none() {
        // Stepped time would run away from a device.
        seams.pace = Some(1.0);
    }
    let settings = test.running.realtime;
    let mut threads = Threads::default();
    if clock == Clock::RealTime {
        (hybrid, threads) = spread(hybrid, settings, seams.guard);
    }
    let end = end(test);
    let mut share = |time| progress(time / end);
    let stop_ordered = seams.orders.stop_flag();
    let (told, inbox) = std::sync::mpsc::channel();
    let desk = driven::LogDesk::new(Arc::clone(&seams.now), told);
    seams.told = Some(inbox);
    let mut report: Option<ClockReport> = None;
    let mut go = |events: &mut EventLog| match clock {
        Clock::Stepped => run_virtual(&mut hybrid, Some(&mut writer), events, &mut share, seams),
        Clock::RealTime => {
            let record = Some(&mut writer);
            let (outcome, clock) = run_realtime(
                &mut hybrid,
                record,
                events,
                &mut share,
                seams,
                settings,
                &threads,
            )?;
            report = Some(clock);
            Ok(outcome)
        }
    };
    let outcome = match test.driver() {
        Some(driver) => {
            let (outcome, complaints) =
                driven::run(driver, &stop_ordered, &desk, events, tell, go)?;
            test.warnings.extend(complaints);
            outcome
        }
        None => go(events)?,
    };
    // What came when the loop had ended.
    log_told(seams.told.as_ref(), events)?;
    if let Some(text) = hybrid.parts().trouble() {
        test.warnings.push(text.to_owned());
    }
    let slowest = slowest_steps(hybrid.parts());
    let clocks = threads.stop();
    writer.finish()?;
    let words = hybrid.words().map(|(name, text)| (name.to_owned(), text));
    let words = words.collect();
    // The report asks the loop's parts for their bounds.
    test.hybrid = Some(hybrid);
    Ok(Ran {
        outcome,
        timing: report.map(|report| Timing::of_threads(&report, &clocks)),
        words,
        slowest,
    })
}

/// The end of a test without a specimen.
fn all_numerical(test: &Test, wall_s: f64, events: &mut EventLog) -> Result<Ran, RunError> {
    let (steps, time_s) = (test.timing.steps, end(test));
    let text = "All steps are done, without a specimen.";
    let event = Event::new(steps, time_s, wall_s, Level::Info, "run.completed", text);
    events.log(&event)?;
    let outcome = Outcome {
        stop: None,
        reason: None,
        state: State::Stopped { off: true },
        steps,
        ticks: steps + 1,
        time_s,
        wall_s,
    };
    Ok(Ran {
        outcome,
        timing: None,
        words: BTreeMap::new(),
        slowest: [None, None, None],
    })
}

/// The longest step of what is an FMU: in the rig, as the structure, as the compensator.
fn slowest_steps(parts: &Parts) -> [Option<SlowestStep>; 3] {
    let of = |guest: Option<&dyn Guest>| guest.map(Guest::slowest_step);
    [
        parts.rig.observe().slowest_step(),
        of(parts.integrator.guest()),
        of(parts.compensator.guest()),
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
    write(&folder.join(files::SUMMARY), text.as_bytes())
}
