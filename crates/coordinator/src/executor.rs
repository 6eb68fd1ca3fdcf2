//! Who calls the loop: the virtual executor, as fast as the machine can.

use crate::gate::Trip;
use crate::hybrid_loop::{HybridLoop, Progress};
use crate::recorder::{Block, CHUNK_ROWS, Event, EventLog, Level, RecorderError, RunWriter};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why a test ended before its last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// A limit of the safety gate.
    Limit(Trip),
    /// A monitor's verdict.
    Monitor(&'static str),
    /// A person.
    Operator,
    /// The integration side did not come, or went away.
    Driver,
}

impl Stop {
    /// The name for `stopped_by`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Limit(trip) => trip.limit.name(),
            Self::Monitor(name) => name,
            Self::Operator => "operator",
            Self::Driver => "driver",
        }
    }

    /// A sentence for people.
    pub fn reason(&self) -> String {
        match self {
            Self::Limit(Trip {
                limit: crate::Limit::NotFinite,
                actuator,
                ..
            }) => {
                format!("a value at actuator {} is not finite", actuator + 1)
            }
            Self::Limit(Trip {
                limit: crate::Limit::Linkage,
                ..
            }) => "the measured strokes belong to no position of the linkage (see [kinematics])"
                .to_owned(),
            Self::Limit(Trip {
                limit,
                actuator,
                value,
                bound,
            }) => {
                let (unit, size) = limit.unit();
                format!(
                    "{} of actuator {}: {:.4} {unit}, the limit is {:.4} {unit}",
                    limit.name().replace('_', " "),
                    actuator + 1,
                    value / size,
                    bound / size
                )
            }
            Self::Monitor(name) => format!(
                "the monitor {name} went beyond its bound (see [monitor.{name}] in the plan)"
            ),
            Self::Operator => "stopped by the operator".to_owned(),
            Self::Driver => {
                "the integration side did not come or went away (is the analysis program running?)"
                    .to_owned()
            }
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Set when the test did not reach its last step.
    pub stop: Option<Stop>,
    /// Completed integration steps.
    pub steps: u64,
    /// Ticks of the coordinator.
    pub ticks: u64,
    /// Structural time at the end, s.
    pub time_s: f64,
    /// Wall time of the loop with recording, s.
    pub wall_s: f64,
}

/// Rows between two looks at the wall clock.
const SLICE: u64 = 512;

/// A block goes to the file at least this often.
const FLUSH: Duration = Duration::from_millis(80);

/// Runs the loop to its end in stepped time. Records into `writer` when there is one; `progress` is called now and
/// then with the structural time, and `operator` is looked at: once true, the test stops.
pub fn run_virtual(
    hybrid: &mut HybridLoop,
    mut writer: Option<&mut RunWriter>,
    events: &mut EventLog,
    progress: &mut dyn FnMut(f64),
    operator: &AtomicBool,
) -> Result<Outcome, RecorderError> {
    let start = Instant::now();
    let wall = |start: Instant| start.elapsed().as_secs_f64();
    events.log(&Event::new(
        0,
        0.0,
        0.0,
        Level::Info,
        "run.start",
        "The test starts.",
    ))?;
    let mut block = Block::new(hybrid.channels().len(), CHUNK_ROWS);
    let mut last_flush = start;
    let mut state = Progress::Running;
    let mut stopped = false;
    let mut told: Vec<&str> = Vec::new();
    while state == Progress::Running && !stopped {
        stopped = operator.load(Ordering::Relaxed);
        // Nothing but the loop happens inside this slice.
        let mut ticks = 0;
        let mut warned = false;
        let mut holds = 0;
        while state == Progress::Running && ticks < SLICE && !block.is_full() && !warned {
            state = hybrid.tick(&mut block);
            warned = hybrid.new_warnings() > 0;
            holds += u64::from(hybrid.began_to_hold());
            ticks += 1;
        }
        if holds > 0 {
            let text = format!("Late targets: the command slowed down and held, {holds} times.");
            let event = Event::new(
                hybrid.ticks(),
                hybrid.time(),
                wall(start),
                Level::Warn,
                "command.hold",
                text,
            );
            events.log(&event)?;
        }
        if warned {
            let names: Vec<_> = hybrid
                .warned()
                .filter(|name| !told.contains(name))
                .collect();
            let text = format!("Beyond the bound: {}.", names.join(", "));
            told.extend(names);
            // The slice ends with the tick that warned.
            let event = Event::new(
                hybrid.ticks() - 1,
                hybrid.time() - hybrid.timing().period / hybrid.timing().time_scale,
                wall(start),
                Level::Warn,
                "monitor.warning",
                text,
            );
            events.log(&event)?;
        }
        if block.is_full() || state != Progress::Running || stopped || last_flush.elapsed() > FLUSH
        {
            match writer.as_deref_mut() {
                Some(writer) => writer.append(&mut block)?,
                None => block.clear(),
            }
            last_flush = Instant::now();
            progress(hybrid.time());
        }
    }
    let stop = match state {
        Progress::Limit(trip) => Some(Stop::Limit(trip)),
        Progress::Monitor(index) => hybrid
            .parts()
            .monitors
            .get(index)
            .map(|(name, _)| Stop::Monitor(name)),
        Progress::Running => Some(Stop::Operator),
        Progress::Complete => None,
    };
    let outcome = Outcome {
        stop,
        steps: hybrid.steps(),
        ticks: hybrid.ticks(),
        time_s: hybrid.time() - hybrid.timing().period / hybrid.timing().time_scale,
        wall_s: wall(start),
    };
    let (level, code, text) = match &outcome.stop {
        Some(stop) => (
            Level::Error,
            "run.stopped",
            format!(
                "The test was stopped: {}. The command is held.",
                stop.reason()
            ),
        ),
        None => (
            Level::Info,
            "run.completed",
            "All steps are done.".to_owned(),
        ),
    };
    events.log(&Event::new(
        outcome.ticks,
        outcome.time_s,
        outcome.wall_s,
        level,
        code,
        text,
    ))?;
    Ok(outcome)
}
