//! What a run is driven and watched through, and what comes of it.

use crate::live_feed::LiveFeed;
use crate::operator::{Console, Orders, console};
use crate::recorder::{Event, RecorderError, RowBlock, RunWriter, Storage};
use crate::stop::Stop;
use crate::system;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use tandem_safety::machine::MachineState;

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Set when the test did not reach its last step.
    pub stop: Option<Stop>,
    /// The same as a sentence: in the words of the rig or the driver, where it was theirs to know.
    pub reason: Option<String>,
    /// MachineState of the machine at the end.
    pub state: MachineState,
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
        let origin = system::now();
        self.origin.store(origin, Ordering::Relaxed);
        origin
    }

    /// Wall time since the run began, s; none before.
    #[inline]
    pub fn wall(&self) -> Option<f64> {
        let origin = self.origin.load(Ordering::Relaxed);
        (origin != 0).then(|| (system::now() - origin) as f64 * 1e-9)
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
    pub(crate) fn append<M: Storage>(
        &self,
        writer: Option<&mut RunWriter<M>>,
        block: &mut RowBlock,
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
    pub(crate) fn lose(&self, block: &RowBlock) {
        self.lost.fetch_add(block.len() as u64, Ordering::Relaxed);
    }
}

/// Runs what it is given: a test puts an allocator around it that refuses.
pub type Guard = fn(&mut dyn FnMut());

/// The controls through which a running test is driven and watched. The default: nobody does
/// either.
pub struct RunControls {
    /// Where orders come from; the other end is a [`Console`].
    pub orders: Orders,
    /// Where rows go to be watched; the other end is a [`crate::Watch`].
    pub tap: Option<LiveFeed>,
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
    /// Events of others, such as the server of an external integrator, that go to the log while
    /// they happen.
    pub told: Option<Receiver<Event>>,
    /// The real-time thread runs its loop inside this: a test puts an allocator around it that
    /// refuses.
    pub guard: Guard,
}

impl Default for RunControls {
    fn default() -> Self {
        Self::with_console().0
    }
}

impl RunControls {
    /// Unattended, with a console that can stop or pause the test.
    pub fn with_console() -> (Self, Console) {
        let (console, orders) = console();
        let controls = Self {
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
        (controls, console)
    }
}
