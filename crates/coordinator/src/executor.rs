//! Who calls the loop: the virtual executor, as fast as the machine can or at a pace.

use crate::conductor::{Beat, Conductor, Inbox};
use crate::hybrid_loop::{Cause, HybridLoop};
use crate::operator::{Console, Orders, console};
use crate::realtime::monotonic;
use crate::recorder::{
    Block, CHUNK_ROWS, Details, Event, EventLog, Level, Medium, RecorderError, RunWriter,
};
use crate::tap::Tap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};
use tandem_safety::gate::{Limit, Trip};
use tandem_safety::machine::State;

/// Why a test ended before its last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// A limit of the safety gate.
    Limit(Trip),
    /// A monitor's verdict.
    Monitor(&'static str),
    /// A person.
    Operator,
    /// A person, in a hurry.
    Emergency,
    /// The integration side did not come, or went away.
    Driver,
    /// Pressure or service manifold.
    Hydraulics,
}

impl Stop {
    /// The stop by a limit or a monitor of these names.
    pub(crate) fn of(cause: Cause, monitors: &[&'static str]) -> Self {
        match cause {
            Cause::Limit(trip) => Self::Limit(trip),
            Cause::Monitor(i) => Self::Monitor(monitors.get(i).copied().unwrap_or("monitor")),
        }
    }

    /// The name for `stopped_by`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Limit(trip) => trip.limit.name(),
            Self::Monitor(name) => name,
            Self::Operator => "operator",
            Self::Emergency => "emergency-stop",
            Self::Driver => "driver",
            Self::Hydraulics => "hydraulics",
        }
    }

    /// Whether the one who stopped the test has said why in an event of its own.
    pub fn is_told(&self) -> bool {
        matches!(self, Self::Limit(_) | Self::Monitor(_))
    }

    /// A sentence for people.
    pub fn reason(&self) -> String {
        match self {
            Self::Limit(trip) => reason(trip),
            Self::Monitor(name) => {
                format!("the monitor {name} stopped the test (see [monitor.{name}] in the plan)")
            }
            Self::Operator => "stopped by the operator".to_owned(),
            Self::Emergency => "emergency stop by the operator".to_owned(),
            Self::Driver => {
                "the integration side did not come or went away (is the analysis program running?)"
                    .to_owned()
            }
            Self::Hydraulics => {
                "the rig is not ready: no pressure, a closed service manifold, or no answer"
                    .to_owned()
            }
        }
    }
}

fn reason(trip: &Trip) -> String {
    let Trip {
        limit,
        actuator,
        value,
        bound,
    } = *trip;
    let (unit, size) = limit.unit();
    let (value, bound) = (value / size, bound / size);
    let at = format!("actuator {}", actuator + 1);
    match limit {
        Limit::NotFinite => format!("a value at {at} is not finite"),
        Limit::Linkage => {
            "the measured strokes belong to no position of the linkage (see [kinematics])"
                .to_owned()
        }
        Limit::Recorder => "the record can no longer be written".to_owned(),
        Limit::EmergencyChain => "the hardware's emergency chain is open".to_owned(),
        Limit::Valve => format!("a valve stays open by {value:.1} %"),
        Limit::FrozenDisplacement => format!(
            "the displacement sensor of {at} has repeated one value for {value:.3} s while the \
            command moved"
        ),
        Limit::FrozenForce => format!(
            "the load cell of {at} has repeated one value for {value:.3} s while the piston moved"
        ),
        Limit::Stuck => format!(
            "the piston of {at} made {value:.4} mm of a much longer way (ways from {bound:.4} mm \
            on are looked at): it is stuck, or its sensor is"
        ),
        Limit::SensorRange => format!("a sensor of {at} stands at the end of its range"),
        Limit::SpecimenFailure => format!(
            "the specimen at {at} has {value:.1} % of its stiffness left, the limit is {bound:.1} %"
        ),
        Limit::StaleTarget => {
            format!("the target is overdue by {value:.3} s, the limit is {bound:.3} s")
        }
        Limit::StaleFeedback => {
            format!("the newest measurement is {value:.0} ticks old, the limit is {bound:.0}")
        }
        Limit::ClockJump => format!("the device's clock jumped by {value:.3} ms"),
        Limit::MissedDeadlines => {
            format!("{value:.0} deadlines were missed within a second, the limit is {bound:.0}")
        }
        Limit::OperatorLost => {
            format!("nobody has been heard at the operator's desk for {value:.1} s")
        }
        _ => format!(
            "{} of {at}: {value:.4} {unit}, the limit is {bound:.4} {unit}",
            limit.name().replace('_', " "),
        ),
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Set when the test did not reach its last step.
    pub stop: Option<Stop>,
    /// The same as a sentence: in the words of the rig or the driver, where it was theirs to know.
    pub reason: Option<String>,
    /// State of the machine at the end.
    pub state: State,
    /// Completed integration steps.
    pub steps: u64,
    /// Ticks of the coordinator.
    pub ticks: u64,
    /// Structural time at the end, s.
    pub time_s: f64,
    /// Wall time of the loop with recording, s.
    pub wall_s: f64,
}

/// Where a running test stands, and the one clock of its run, for everybody who has something to
/// tell of it.
#[derive(Debug, Default)]
pub struct Now {
    tick: AtomicU64,
    /// Structural time, as bits.
    time: AtomicU64,
    /// When the run began, ns of the monotonic clock; zero: not yet.
    origin: AtomicI64,
}

impl Now {
    /// The run begins now: wall times count from here. Returns the instant by the monotonic clock,
    /// ns.
    pub(crate) fn begin(&self) -> i64 {
        let origin = monotonic();
        self.origin.store(origin, Ordering::Relaxed);
        origin
    }

    /// Wall time since the run began, s; none before.
    #[inline]
    pub fn wall(&self) -> Option<f64> {
        let origin = self.origin.load(Ordering::Relaxed);
        #[allow(clippy::cast_precision_loss)]
        (origin != 0).then(|| (monotonic() - origin) as f64 * 1e-9)
    }

    /// Tick and structural time, s. One may be a tick older than the other.
    pub fn get(&self) -> (u64, f64) {
        let time = f64::from_bits(self.time.load(Ordering::Relaxed));
        (self.tick.load(Ordering::Relaxed), time)
    }

    #[inline]
    pub(crate) fn set(&self, tick: u64, time: f64) {
        self.tick.store(tick, Ordering::Relaxed);
        self.time.store(time.to_bits(), Ordering::Relaxed);
    }
}

/// What has become of the rows of a running test.
#[derive(Debug, Default)]
pub struct Recording {
    rows: AtomicU64,
    lost: AtomicU64,
}

impl Recording {
    /// Rows in the file.
    pub fn rows(&self) -> u64 {
        self.rows.load(Ordering::Relaxed)
    }

    /// Rows that could not be written, and are nowhere.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Appends a block, where there is a file and it has not failed before, and empties it.
    pub(crate) fn append<M: Medium>(
        &self,
        writer: Option<&mut RunWriter<M>>,
        block: &mut Block,
    ) -> Result<(), RecorderError> {
        let Some(writer) = writer else {
            block.clear();
            return Ok(());
        };
        let count = block.len() as u64;
        let written = writer.append(block);
        let place = if written.is_ok() {
            &self.rows
        } else {
            &self.lost
        };
        place.fetch_add(count, Ordering::Relaxed);
        written
    }

    /// The rows of this block cannot be written any more.
    pub(crate) fn lose(&self, block: &Block) {
        self.lost.fetch_add(block.len() as u64, Ordering::Relaxed);
    }
}

/// Runs what it is given: a test puts an allocator around it that refuses.
pub type Guard = fn(&mut dyn FnMut());

/// The seams through which a running test is driven and watched. The default: nobody does either.
pub struct Seams {
    /// Where orders come from; the other end is a [`Console`].
    pub orders: Orders,
    /// Where rows go to be watched; the other end is a [`crate::Watch`].
    pub tap: Option<Tap>,
    /// Ticks of a virtual test come at this many times real time; none: as fast as the machine can.
    pub pace: Option<f64>,
    /// Somebody is at the desk: the test waits for the orders `start` and `next`, and a verdict
    /// `hold` waits for `resume`. Otherwise the orders are given as soon as they make sense, and a
    /// hold ends the test.
    pub attended: bool,
    /// How long pre-run waits for the integration side, s of wall time; none: 3 s.
    pub driver_timeout: Option<f64>,
    /// Where the test stands.
    pub now: Arc<Now>,
    /// What has become of the rows.
    pub recording: Arc<Recording>,
    /// Events of others, such as the server of an outside driver, that go to the log while they
    /// happen.
    pub told: Option<Receiver<Event>>,
    /// The real-time thread runs its loop inside this: a test puts an allocator around it that
    /// refuses.
    pub guard: Guard,
}

impl Default for Seams {
    fn default() -> Self {
        Self::with_console().0
    }
}

impl Seams {
    /// Unattended, with a console that can stop or pause the test.
    pub fn with_console() -> (Self, Console) {
        let (console, orders) = console();
        let seams = Self {
            orders,
            tap: None,
            pace: None,
            attended: false,
            driver_timeout: None,
            now: Arc::default(),
            recording: Arc::default(),
            told: None,
            guard: |run| run(),
        };
        (seams, console)
    }
}

/// Rows between two looks at the wall clock.
const SLICE: u64 = 512;

/// A block goes to the file at least this often.
const FLUSH: Duration = Duration::from_millis(80);

/// Longest sleep of a paced test: an order is heard within it.
const NAP: Duration = Duration::from_millis(20);

/// Longest sleep while an outside driver has no target.
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
    fn keep(&mut self, block: &mut Block, recording: &Recording) -> Result<(), RecorderError>;
}

/// The file of the run, where there is one.
impl RowSink for Option<&mut RunWriter> {
    fn keep(&mut self, block: &mut Block, recording: &Recording) -> Result<(), RecorderError> {
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
    seams: &mut Seams,
) -> Result<Outcome, RecorderError> {
    let clock = Arc::clone(&seams.now);
    clock.begin();
    let wall = || clock.wall().unwrap_or_default();
    log_start(events)?;
    hybrid.wait_for_targets(true);
    let mut block = Block::new(hybrid.channels().len(), rows.block_rows());
    let mut last_flush = Instant::now();
    let mut pace = Pace::new(hybrid.timing().period, seams.pace);
    let (mut conductor, mut inbox) = Conductor::new(
        hybrid,
        &mut seams.orders,
        seams.tap.as_mut(),
        seams.attended,
        seams.driver_timeout,
        &seams.now,
    );
    let (told, recording) = (seams.told.as_ref(), &seams.recording);
    let mut beat = Beat::Tick;
    while beat != Beat::Over {
        // Nothing but the loop happens inside this slice.
        let mut ticks = 0;
        let now = wall();
        let slice = if pace.is_free() { SLICE } else { 1 };
        beat = Beat::Tick;
        while matches!(beat, Beat::Tick | Beat::Centring) && ticks < slice && !block.is_full() {
            rows.before_tick(conductor.hybrid);
            beat = conductor.beat(&mut block, now);
            ticks += 1;
        }
        log_news(&mut inbox, told, events)?;
        let goes_on = matches!(beat, Beat::Tick | Beat::Centring | Beat::Awaiting);
        if block.is_full() || !goes_on || last_flush.elapsed() > FLUSH {
            rows.keep(&mut block, recording)?;
            last_flush = Instant::now();
            progress(conductor.hybrid.time());
        }
        match beat {
            Beat::Tick | Beat::Centring => pace.tick(),
            Beat::Idle => pace.idle(),
            Beat::Awaiting => {
                conductor.hybrid.wait_for_driver(DRIVER_NAP);
                pace.waited();
            }
            Beat::Over => {}
        }
    }
    log_news(&mut inbox, told, events)?;
    let end = End::of(&conductor);
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
                parts.trouble(),
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
    state: State,
    /// Tick and structural time.
    instant: (u64, f64),
}

impl End {
    pub fn of(conductor: &Conductor<'_>) -> Self {
        Self {
            stop: conductor.stop(),
            state: conductor.state(),
            instant: conductor.instant(),
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
