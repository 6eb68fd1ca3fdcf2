//! Who calls the loop: the virtual executor, as fast as the machine can or at a pace.

use crate::controls::{Outcome, Recording, RunControls};
use crate::hybrid_loop::HybridLoop;
use crate::recorder::{
    CHUNK_ROWS, Details, Event, EventLog, Level, RecorderError, RowBlock, RunWriter,
};
use crate::stop::Stop;
use crate::supervisor::{CycleResult, Inbox, Supervisor};
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};
use tandem_safety::gate::{Limit, Trip};
use tandem_safety::machine::MachineState;

/// Rows between two looks at the wall clock.
const SLICE: u64 = 512;

/// A block goes to the file at least this often.
const FLUSH: Duration = Duration::from_millis(80);

/// Longest sleep of a paced test: an order is heard within it.
const NAP: Duration = Duration::from_millis(20);

/// Longest sleep while an external integrator has no target.
const DRIVER_NAP: Duration = Duration::from_millis(10);

/// Who gets the rows of a test in stepped time.
pub trait RowSink {
    /// Rows between two looks at them.
    fn block_rows(&self) -> usize {
        CHUNK_ROWS
    }

    /// The loop stands before a tick.
    #[inline]
    fn before_tick(&mut self, _: &HybridLoop) {}

    /// Keeps the rows of a block, and empties it.
    ///
    /// # Errors
    /// [`RecorderError`] where they cannot be kept.
    fn keep(&mut self, block: &mut RowBlock, recording: &Recording) -> Result<(), RecorderError>;
}

/// The file of the run, where there is one.
impl RowSink for Option<&mut RunWriter> {
    fn keep(&mut self, block: &mut RowBlock, recording: &Recording) -> Result<(), RecorderError> {
        recording.append(self.as_deref_mut(), block)
    }
}

/// Runs the loop to the end of its test in stepped time. Its rows go to `rows`; `progress` is
/// called now and then with the structural time.
pub fn run_virtual(
    hybrid: &mut HybridLoop,
    mut rows: impl RowSink,
    events: &mut EventLog,
    progress: &mut dyn FnMut(f64),
    controls: &mut RunControls,
) -> Result<Outcome, RecorderError> {
    let clock = Arc::clone(&controls.now);
    clock.begin();
    let wall = || clock.wall().unwrap_or_default();
    log_start(events)?;
    hybrid.wait_for_targets(true);
    let mut block = RowBlock::new(hybrid.channels().len(), rows.block_rows());
    let mut last_flush = Instant::now();
    let mut pace = Pace::new(hybrid.timing().period, controls.pace);
    let (mut supervisor, mut inbox) = Supervisor::new(
        hybrid,
        &mut controls.orders,
        controls.tap.as_mut(),
        controls.attended,
        controls.driver_timeout,
        &controls.now,
    );
    let (told, recording) = (controls.told.as_ref(), &controls.recording);
    let mut cycle = CycleResult::Tick;
    while cycle != CycleResult::Over {
        // Nothing but the loop happens inside this slice.
        let mut ticks = 0;
        let now = wall();
        let slice = if pace.is_free() { SLICE } else { 1 };
        cycle = CycleResult::Tick;
        while matches!(cycle, CycleResult::Tick | CycleResult::Centering)
            && ticks < slice
            && !block.is_full()
        {
            rows.before_tick(supervisor.hybrid);
            cycle = supervisor.cycle(&mut block, now);
            ticks += 1;
        }
        log_news(&mut inbox, told, events)?;
        let goes_on = matches!(
            cycle,
            CycleResult::Tick | CycleResult::Centering | CycleResult::Awaiting
        );
        if block.is_full() || !goes_on || last_flush.elapsed() > FLUSH {
            rows.keep(&mut block, recording)?;
            last_flush = Instant::now();
            progress(supervisor.hybrid.time());
        }
        match cycle {
            CycleResult::Tick | CycleResult::Centering => pace.tick(),
            CycleResult::Idle => pace.idle(),
            CycleResult::Awaiting => {
                supervisor.hybrid.wait_for_driver(DRIVER_NAP);
                pace.waited();
            }
            CycleResult::Over => {}
        }
    }
    log_news(&mut inbox, told, events)?;
    let end = End::of(&supervisor);
    finish(hybrid, end, wall(), events)
}

/// The clock of a virtual test: none, or a multiple of real time.
struct Pace {
    /// Wall time of a tick.
    period: Duration,
    /// Wall time of a tick in which nothing of the test moves.
    idle: Duration,
    free: bool,
    due: Instant,
}

impl Pace {
    fn new(period: f64, pace: Option<f64>) -> Self {
        let time = |x: f64| Duration::try_from_secs_f64(x).unwrap_or(NAP);
        Self {
            period: time(pace.map_or(0.0, |pace| period / pace)),
            idle: time(period / pace.unwrap_or(1.0)),
            free: pace.is_none(),
            due: Instant::now(),
        }
    }

    fn is_free(&self) -> bool {
        self.free
    }

    fn tick(&mut self) {
        if !self.free {
            self.pass(self.period);
        }
    }

    fn idle(&mut self) {
        if self.free {
            std::thread::sleep(self.idle.min(NAP));
        } else {
            self.pass(self.idle);
        }
    }

    /// Time went by that does not count.
    fn waited(&mut self) {
        self.due = Instant::now();
    }

    fn pass(&mut self, period: Duration) {
        self.due += period;
        let now = Instant::now();
        match self.due.checked_duration_since(now) {
            // Slow ticks are waited for in naps, so that an order is heard meanwhile: it acts at
            // the next tick.
            Some(rest) => std::thread::sleep(rest),
            // Behind by more than a moment: the pace cannot be kept, and catching up would be a
            // rush.
            None if now - self.due > NAP => self.due = now,
            None => {}
        }
    }
}

pub(crate) fn log_start(events: &mut EventLog) -> Result<(), RecorderError> {
    events.log(&Event::new(
        0,
        0.0,
        0.0,
        Level::Info,
        "run.start",
        "The test starts.",
    ))
}

/// Writes down what the loop noticed and what others have told, in the order of the clock.
pub(crate) fn log_news(
    inbox: &mut Inbox,
    told: Option<&Receiver<Event>>,
    events: &mut EventLog,
) -> Result<(), RecorderError> {
    let mut news: Vec<Event> = told.into_iter().flat_map(Receiver::try_iter).collect();
    while let Some(event) = inbox.next_event() {
        news.push(event);
    }
    news.sort_by(|a, b| a.wall_s.total_cmp(&b.wall_s));
    news.iter().try_for_each(|event| events.log(event))
}

/// Logs what others have told by now.
pub fn log_told(
    told: Option<&Receiver<Event>>,
    events: &mut EventLog,
) -> Result<(), RecorderError> {
    let mut told = told.into_iter().flat_map(Receiver::try_iter);
    told.try_for_each(|event| events.log(&event))
}

/// Why the test was stopped, and whether an event has said so already. The gate sees no more of a
/// lost site than a value that is no number, and the loop no more of a lost driver than that it is
/// gone: whoever lost it knows better.
fn reason_of(stop: Stop, hybrid: &HybridLoop) -> (String, bool) {
    let (known, told) = match stop {
        Stop::Limit(Trip {
            limit: Limit::NotFinite | Limit::StaleFeedback,
            ..
        })
        | Stop::Hydraulics => {
            // What the rig says is an event of its own already.
            let parts = hybrid.parts();
            (
                parts.fault_message(),
                parts.rig.observe().fault_message().is_some(),
            )
        }
        Stop::Driver => (hybrid.parts().integrator.observe().fault_message(), false),
        _ => (None, false),
    };
    match known {
        Some(words) => (words.to_owned(), told),
        None => (stop.reason(), stop.is_told()),
    }
}

/// How the loop ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    stop: Option<Stop>,
    state: MachineState,
    /// Tick and structural time.
    instant: (u64, f64),
}

impl End {
    pub fn of(supervisor: &Supervisor<'_>) -> Self {
        Self {
            stop: supervisor.stop(),
            state: supervisor.state(),
            instant: supervisor.instant(),
        }
    }
}

/// The outcome, and the last event.
pub(crate) fn finish(
    hybrid: &HybridLoop,
    end: End,
    wall_s: f64,
    events: &mut EventLog,
) -> Result<Outcome, RecorderError> {
    let End {
        stop,
        state,
        instant: (tick, time_s),
    } = end;
    let reason = stop.map(|stop| (stop, reason_of(stop, hybrid)));
    let event =
        |level, code: &str, text: String| Event::new(tick, time_s, wall_s, level, code, text);
    let last = match &reason {
        // A sentence that stands in the log already is not said twice.
        Some((stop, (reason, told))) => {
            let by = if *told {
                stop.name().replace('_', " ")
            } else {
                reason.clone()
            };
            let text = format!("The test was stopped: {by}. The command is held.");
            event(Level::Error, "run.stopped", text).with(Details {
                by: Some(stop.name().to_owned()),
                reason: Some(reason.clone()),
                ..Details::default()
            })
        }
        None => event(
            Level::Info,
            "run.completed",
            "All steps are done.".to_owned(),
        ),
    };
    events.log(&last)?;
    Ok(Outcome {
        stop,
        reason: reason.map(|(_, (reason, _))| reason),
        state,
        steps: hybrid.steps(),
        ticks: hybrid.ticks(),
        time_s: (hybrid.time() - hybrid.timing().period / hybrid.timing().time_scale).max(0.0),
        wall_s,
    })
}
