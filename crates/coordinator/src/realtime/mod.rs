//! Who calls the loop in the laboratory: absolute deadlines in a thread of its own, and nothing
//! else in it.
//!
//! ```text
//!  real-time thread (SCHED_FIFO, pinned, memory locked)          this thread (ordinary)
//!    sleep until the deadline ─▶ Supervisor::cycle ─▶ block ──full──▶ run.h5
//!        ▲                                           ▲ ◀───empty──
//!        └── orders: one atomic word                 └─ notices ──▶ events.jsonl
//! ```
//!
//! The real-time thread passes whole blocks of rows on and gets empty ones back, through wait-free
//! rings: it never allocates, locks or touches a file. Blocks for [`BUFFERED`] seconds stand ready;
//! a disk that stalls for less loses nothing, one that stalls for longer stops the test.
//!
//! Where the system does not grant real-time rights the test runs all the same, and says so loudly.

mod histogram;
mod integration_thread;
mod latency;
mod missed;
mod rig_thread;
mod threads;

pub use histogram::Histogram;
pub(crate) use integration_thread::ThreadedIntegrator;
pub use latency::{Latency, measure_latency};
pub use rig_thread::{RigClock, RigThread};
pub use threads::{Clocks, Threads, spread};

use crate::controls::{Outcome, RunControls};
use crate::executor::{End, finish, log_news, log_start};
use crate::hybrid_loop::HybridLoop;
use crate::notice::{ThreadRole, What};
use crate::recorder::{
    Details, Event, EventLog, Level, RecorderError, RowBlock, RunWriter, Storage,
};
use crate::supervisor::{CycleResult, Supervisor};
use crate::system;
use missed::{OverrunWatch, RecentOverruns};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;
use tandem_quantity::{Conditional, Dimension, Parameter, Range, Settings as _, settings};
use tandem_safety::gate::Limit;
use tandem_safety::machine::MachineState;

/// Seconds of rows that fit into the blocks between loop and disk.
pub const BUFFERED: f64 = 5.0;

/// Rows go to the file at least this often, s.
const FLUSH: f64 = 0.04;

/// The section `[coordinator]` in the plan.
pub static PARAMETERS: &[Parameter] = CoordinatorSettings::PARAMETERS;

settings! {
    /// What the plan says of the coordinator.
    pub struct CoordinatorSettings {
        /// speed of the way to the start position
        pub centering_speed: f64 = number(Dimension::VELOCITY).or("\"0.5 mm/s\"").positive(),
        /// prescribed initial displacement of every actuator: centering goes there, and the
        /// displacements of the test count from there; default: zero
        pub start: Option<Vec<f64>> = numbers(Dimension::LENGTH),
        /// how long pre-run waits for an external integrator
        pub driver_timeout: Conditional<f64> = number(Dimension::TIME).or("\"3 s\"").positive(),
        /// Of its real-time thread.
        pub thread: Settings,
    }
}

settings! {
    /// How the real-time thread is to run.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Settings {
        /// priority of the real-time thread under SCHED_FIFO, 1 to 99
        pub priority: usize = integer().or("80").within(Range::between(1.0, 99.0)),
        /// core on which the real-time thread runs, counted from 0; default: the last one
        pub core: Option<usize> = integer().within(Range::between(0.0, 1023.0)),
        /// with --realtime: integration and rig in threads of their own where they have a rate of
        /// their own (a step of 20 ms of wall time and four ticks or more; rig.rate above
        /// command.rate)
        pub threads: bool = boolean().or("true"),
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            priority: 80,
            core: None,
            threads: true,
        }
    }
}

/// What the system did not grant, each with what would help. Empty: all was granted.
pub type Refused = Vec<String>;

/// What a real-time thread was granted, for as long as this lives.
pub struct RealtimeGrant {
    /// What it lacks; empty: it is a real-time thread.
    pub refused: Refused,
    /// Cores do not fall asleep between two ticks.
    awake: std::io::Result<std::fs::File>,
}

impl RealtimeGrant {
    /// Why cores may fall asleep between two ticks: the loop wakes up later then, but keeps its
    /// priority.
    pub fn cores_sleep(&self) -> Option<String> {
        let error = self.awake.as_ref().err()?;
        Some(format!(
            "cores may sleep between two ticks: /dev/cpu_dma_latency: {error}; grant writing to it \
            for earlier wake-ups"
        ))
    }
}

/// Asks for everything that a real-time thread wants, for the thread that calls it.
pub fn claim(settings: Settings) -> RealtimeGrant {
    let mut refused = Vec::new();
    let mut note = |what: &str, result: std::io::Result<()>, remedy: &str| {
        if let Err(error) = result {
            refused.push(format!("{what}: {error}; {remedy}"));
        }
    };
    note(
        "memory cannot be locked",
        system::lock_memory(),
        "raise `ulimit -l`, or grant CAP_IPC_LOCK",
    );
    note(
        "no real-time scheduling",
        system::schedule_fifo(i32::try_from(settings.priority).unwrap_or(i32::MAX)),
        "raise `ulimit -r`, or grant CAP_SYS_NICE",
    );
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    note(
        "the core cannot be chosen",
        system::pin_to(settings.core.unwrap_or(cores - 1)),
        "choose another coordinator.core",
    );
    system::prefault_stack();
    RealtimeGrant {
        refused,
        awake: system::stay_awake(),
    }
}

/// How the clock was kept.
#[derive(Clone, Debug, Default)]
pub struct ClockReport {
    /// Period, s.
    pub period: f64,
    /// From the deadline to the thread's being awake.
    pub latency: Histogram,
    /// From being awake to the end of the cycle.
    pub compute: Histogram,
    /// Deadlines that had passed before the cycle before was done, or by the time the thread was
    /// awake.
    pub missed: u64,
    /// What the system did not grant.
    pub refused: Refused,
    /// Why cores may have fallen asleep between two ticks.
    pub cores_sleep: Option<String>,
}

/// What the two threads share besides the rings.
#[derive(Default)]
struct Shared {
    recorder_failed: AtomicBool,
    over: AtomicBool,
    /// Structural time for the progress, as bits.
    time: AtomicU64,
}

/// The two ends of the record: blocks go out full and come back empty.
struct Blocks {
    full: rtrb::Producer<RowBlock>,
    empty: rtrb::Consumer<RowBlock>,
    current: Option<RowBlock>,
    rows: usize,
}

impl Blocks {
    /// The block to write into; none: the disk has kept them all.
    #[inline]
    fn get(&mut self) -> Option<&mut RowBlock> {
        if self.current.is_none() {
            self.current = self.empty.pop().ok();
        }
        self.current.as_mut()
    }

    /// Passes the block on when it has enough rows, or at the end.
    #[inline]
    fn pass_on(&mut self, end: bool) {
        let due = |block: &RowBlock| block.len() >= self.rows || (end && !block.is_empty());
        if self.current.as_ref().is_some_and(due)
            && let Some(block) = self.current.take()
            && let Err(rtrb::PushError::Full(block)) = self.full.push(block)
        {
            self.current = Some(block);
        }
    }
}

/// Blocks of rows on their way between the thread that fills them and the one that writes.
struct Exchange {
    blocks: Blocks,
    full: rtrb::Consumer<RowBlock>,
    empty: rtrb::Producer<RowBlock>,
}

impl Exchange {
    fn new(period: f64, channels: usize) -> Self {
        #[allow(clippy::cast_possible_truncation)]
        let rows = ((FLUSH / period) as usize).clamp(1, crate::recorder::CHUNK_ROWS);
        #[allow(clippy::cast_possible_truncation)]
        let count = ((BUFFERED / period / rows as f64).ceil() as usize).clamp(4, 4096);
        let (full_in, full) = rtrb::RingBuffer::new(count);
        let (mut empty, empty_out) = rtrb::RingBuffer::new(count);
        for _ in 0..count {
            let _ = empty.push(RowBlock::new(channels, rows));
        }
        let blocks = Blocks {
            full: full_in,
            empty: empty_out,
            current: None,
            rows,
        };
        Self {
            blocks,
            full,
            empty,
        }
    }
}

/// Runs the loop to the end of its test by the wall clock; `threads` are those that [`spread`] gave
/// to its parts.
pub fn run_realtime<M: Storage>(
    hybrid: &mut HybridLoop,
    mut writer: Option<&mut RunWriter<M>>,
    events: &mut EventLog,
    progress: &mut dyn FnMut(f64),
    controls: &mut RunControls,
    settings: Settings,
    threads: &Threads,
) -> Result<(Outcome, ClockReport), RecorderError> {
    let origin = controls.now.begin();
    log_start(events)?;
    hybrid.wait_for_targets(false);
    let period = hybrid.timing().period;
    let Exchange {
        mut blocks,
        mut full,
        mut empty,
    } = Exchange::new(period, hybrid.channels().len());
    let shared = Shared::default();
    let (supervisor, mut inbox) = Supervisor::new(
        hybrid,
        &mut controls.orders,
        controls.tap.as_mut(),
        controls.attended,
        controls.driver_timeout,
        &controls.now,
    );
    let (told, recording) = (controls.told.as_ref(), &controls.recording);
    let mut failure = None;
    let guard = controls.guard;
    let mut clocks = Clocked {
        period,
        origin,
        beside: threads.beside(),
        shared: &shared,
    };
    let (report, end) = std::thread::scope(|scope| {
        let shared = &shared;
        let (granted, hear) = std::sync::mpsc::channel();
        let thread = scope.spawn(move || {
            let result = real_time_thread(
                supervisor,
                &mut blocks,
                &mut clocks,
                settings,
                granted,
                guard,
            );
            blocks.pass_on(true);
            shared.over.store(true, Ordering::Release);
            result
        });
        // What was not granted is known before anything else happens.
        let claimed = hear.recv().unwrap_or_default();
        keep_first(&mut failure, log_grants(&claimed, threads, events));
        // This thread writes what the other one gives it.
        loop {
            let over = shared.over.load(Ordering::Acquire);
            keep_first(&mut failure, log_news(&mut inbox, told, events));
            while let Ok(mut block) = full.pop() {
                let written = if failure.is_none() {
                    recording.append(writer.as_deref_mut(), &mut block)
                } else {
                    recording.lose(&block);
                    Ok(())
                };
                if written.is_err() {
                    shared.recorder_failed.store(true, Ordering::Release);
                }
                keep_first(&mut failure, written);
                block.reopen();
                let _ = empty.push(block);
            }
            progress(f64::from_bits(shared.time.load(Ordering::Relaxed)));
            if over {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    });
    system::unlock_memory();
    if let Some(error) = failure {
        return Err(error);
    }
    let wall = controls.now.wall().unwrap_or_default();
    let outcome = finish(hybrid, end, wall, events)?;
    Ok((outcome, report))
}

/// Writes down what the system did not grant, and who runs where.
fn log_grants(
    (refused, cores_sleep): &(Refused, Option<String>),
    threads: &Threads,
    events: &mut EventLog,
) -> Result<(), RecorderError> {
    let own = refused
        .iter()
        .map(|text| (ThreadRole::Coordinator, text.as_str()));
    for (whose, text) in own.chain(threads.refused()) {
        let event = Event::new(0, 0.0, 0.0, Level::Warn, "timing.not_real_time", text);
        events.log(&event.with(Details {
            thread: Some(whose.name().to_owned()),
            ..Details::default()
        }))?;
    }
    let asleep = cores_sleep
        .iter()
        .map(|text| ("timing.cores_sleep", text.as_str()));
    let notes = threads.notes.iter().map(|text| ("timing.threads", *text));
    for (code, text) in asleep.chain(notes) {
        events.log(&Event::new(0, 0.0, 0.0, Level::Info, code, text))?;
    }
    Ok(())
}

fn keep_first(kept: &mut Option<RecorderError>, result: Result<(), RecorderError>) {
    if let (None, Err(error)) = (&kept, result) {
        *kept = Some(error);
    }
}

/// The clocks of the real-time thread.
struct Clocked<'a> {
    /// Period, s.
    period: f64,
    /// Where wall times count from, ns of the monotonic clock.
    origin: i64,
    beside: Vec<OverrunWatch>,
    shared: &'a Shared,
}

/// The real-time thread. After `claim` it neither allocates nor waits for anything but its
/// deadlines.
fn real_time_thread(
    mut supervisor: Supervisor<'_>,
    blocks: &mut Blocks,
    clocks: &mut Clocked<'_>,
    settings: Settings,
    granted: Sender<(Refused, Option<String>)>,
    guard: fn(&mut dyn FnMut()),
) -> (ClockReport, End) {
    let claim = claim(settings);
    let mut report = ClockReport {
        period: clocks.period,
        cores_sleep: claim.cores_sleep(),
        refused: claim.refused.clone(),
        ..ClockReport::default()
    };
    let _ = granted.send((report.refused.clone(), report.cores_sleep.clone()));
    drop(granted);
    guard(&mut || keep_time(&mut supervisor, blocks, clocks, &mut report));
    let end = End::of(&supervisor);
    (report, end)
}

/// Counts and tells the deadlines that were missed, the loop's own (`late`, ns) and those of other
/// threads, and judges them.
#[inline]
fn count_missed(
    supervisor: &mut Supervisor<'_>,
    lately: &mut RecentOverruns,
    beside: &mut [OverrunWatch],
    report: &mut ClockReport,
    awake: i64,
    late: Option<i64>,
) {
    let mut any = false;
    if let Some(late) = late {
        any = true;
        report.missed += 1;
        lately.add(awake);
        let late = late as f64 * 1e-9;
        supervisor.tell(What::Missed(ThreadRole::Coordinator, report.missed, late));
    }
    for other in beside {
        if let Some((whose, more, count, late)) = other.look() {
            any = true;
            for _ in 0..more.min(512) {
                lately.add(awake);
            }
            supervisor.tell(What::Missed(whose, count, late));
        }
    }
    // Before the test nothing moves by the clock; then a late wake-up is only told.
    let moves = matches!(
        supervisor.state(),
        MachineState::PreCor { .. } | MachineState::Centering(_)
    );
    if any && moves {
        let gate = &supervisor.hybrid.parts().gate;
        let finding = gate.check_deadlines(lately.count(awake));
        supervisor.judge(finding);
    }
}

/// The loop by the clock.
fn keep_time(
    supervisor: &mut Supervisor<'_>,
    blocks: &mut Blocks,
    clocks: &mut Clocked<'_>,
    report: &mut ClockReport,
) {
    #[allow(clippy::cast_possible_truncation)]
    let period_ns = (clocks.period * 1e9).round() as i64;
    let shared = clocks.shared;
    let mut missed = RecentOverruns::default();
    let mut deadline = system::now() + period_ns;
    loop {
        system::sleep_until(deadline);
        let awake = system::now();
        report.latency.add(awake - deadline);
        // By a late wake-up or by a tick that computed for too long.
        let late = (awake - deadline >= period_ns).then_some(awake - deadline);
        // Deadlines that are gone are gone: the next one is in the future, on the same grid.
        deadline += (awake - deadline).max(0) / period_ns * period_ns + period_ns;
        count_missed(
            supervisor,
            &mut missed,
            &mut clocks.beside,
            report,
            awake,
            late,
        );
        if shared.recorder_failed.load(Ordering::Acquire) {
            let gate = &supervisor.hybrid.parts().gate;
            let finding = gate.finding(Limit::Recorder, 0, 0.0, 0.0);
            supervisor.judge(finding);
        }
        let wall = (awake - clocks.origin) as f64 * 1e-9;
        let Some(block) = blocks.get() else {
            // Every block waits for the disk. The test does not go on without a record.
            let gate = &supervisor.hybrid.parts().gate;
            let finding = gate.finding(Limit::Recorder, 0, 0.0, 0.0);
            supervisor.judge(finding);
            return;
        };
        let cycle = supervisor.cycle(block, wall);
        blocks.pass_on(false);
        let time = supervisor.hybrid.time();
        shared.time.store(time.to_bits(), Ordering::Relaxed);
        report.compute.add(system::now() - awake);
        if cycle == CycleResult::Over {
            return;
        }
    }
}
