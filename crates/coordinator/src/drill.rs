//! A fault tried out on a rehearsal: who notices, what happens, how long it takes, and what left
//! the gate meanwhile.

use crate::controls::Now;
use crate::fault::{Fault, FaultKind, FaultyIntegrator, FaultyRig};
use crate::hybrid_loop::{HybridLoop, Parts};
use crate::notice::What;
use crate::operator::console;
use crate::recorder::RowBlock;
use crate::stop::Stop;
use crate::supervisor::{CycleResult, Supervisor};
use std::sync::{Arc, Mutex, PoisonError};
use tandem_monitor::Verdict;
use tandem_quantity::snapshot;
use tandem_safety::machine::MachineState;
use tandem_safety::{Movement, Released, Rig, forward_rig};

/// The bounds that no command may cross, as the plan has them; infinite where it has none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Stroke, m.
    pub stroke: f64,
    /// Velocity, m/s.
    pub velocity: f64,
}

/// What came of a rehearsal.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Who noticed: a limit, a monitor, or the state machine. None: nobody did.
    pub detector: Option<&'static str>,
    /// What was done.
    pub action: &'static str,
    /// What happened, in words.
    pub reason: Option<String>,
    /// Wall time from the fault to the detector's word, s.
    pub noticed_after: Option<f64>,
    /// Wall time from the fault to the tick from which the command stands, s; none where the test
    /// went on.
    pub held_after: Option<f64>,
    /// Largest command after the fault, m.
    pub peak_command: f64,
    /// Commands beyond a bound, or written where nothing may move, after the fault.
    pub violations: u64,
    /// Command of each actuator at every tick, m: for the choice of the moment of a fault.
    pub commands: Vec<Vec<f64>>,
    /// MachineState of the machine at the end.
    pub state: MachineState,
    /// What ended the test, if anything.
    pub stop: Option<Stop>,
}

/// What a witness between gate and rig has seen, by the bounds of the plan alone.
#[derive(Debug, Default)]
struct Seen {
    last: Vec<f64>,
    commands: Vec<Vec<f64>>,
    tick: u64,
    from: u64,
    peak: f64,
    violations: u64,
    may_move: bool,
}

struct Witness {
    inner: Box<dyn Rig>,
    bounds: Bounds,
    period: f64,
    seen: Arc<Mutex<Seen>>,
}

snapshot!(Witness { inner });

impl Rig for Witness {
    forward_rig!(inner: properties, read, idle, initial_position, status, hydraulics, observe);

    fn write(&mut self, command: Released<'_>) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let after = seen.tick >= seen.from;
        for (i, x) in command.displacement.iter().enumerate() {
            let step = (x - seen.last[i]).abs();
            // Round-off of a step against a bound is not a violation.
            let fast = step > self.bounds.velocity * self.period * (1.0 + 1e-9);
            let beyond = !x.is_finite() || x.abs() > self.bounds.stroke || fast;
            let forbidden = !seen.may_move && step > 0.0;
            if after {
                seen.peak = seen.peak.max(x.abs());
                seen.violations += u64::from(beyond || forbidden);
            }
            seen.last[i] = *x;
            seen.commands[i].push(*x);
        }
        seen.tick += 1;
        drop(seen);
        self.inner.write(command);
    }
}

/// Puts scripted faults around the rig and the integrator of a loop that has not begun, and into
/// its room.
pub fn with_faults(hybrid: HybridLoop, faults: &[Fault]) -> HybridLoop {
    if faults.is_empty() {
        return hybrid;
    }
    let timing = hybrid.timing();
    let rate = timing.time_scale / timing.period;
    let of = |belongs: &dyn Fn(&FaultKind) -> bool| -> Vec<Fault> {
        let faults = faults.iter().filter(|fault| belongs(fault.kind));
        faults.copied().collect()
    };
    let of_driver = of(&FaultKind::is_of_driver);
    let of_rig = of(&|kind| !kind.is_of_driver() && !kind.is_of_the_room());
    let (mut hybrid, clock) = hybrid.with_host_faults(of(&FaultKind::is_of_the_room));
    hybrid = hybrid.with_parts(|parts| Parts {
        rig: if of_rig.is_empty() {
            parts.rig
        } else {
            let wall_rate = 1.0 / timing.period;
            Box::new(FaultyRig::new(parts.rig, of_rig, rate, wall_rate, clock))
        },
        integrator: if of_driver.is_empty() {
            parts.integrator
        } else {
            Box::new(FaultyIntegrator::new(parts.integrator, of_driver, rate))
        },
        ..parts
    });
    hybrid
}

/// Rehearses a test with a fault (or without), for `most` ticks after it, in stepped time.
pub fn rehearse(hybrid: HybridLoop, fault: Option<&Fault>, bounds: Bounds, most: u64) -> Trial {
    let timing = hybrid.timing();
    let actuators = hybrid.parts().rig.properties().actuators;
    let seen = Arc::new(Mutex::new(Seen {
        last: vec![0.0; actuators],
        commands: vec![Vec::new(); actuators],
        may_move: true,
        ..Seen::default()
    }));
    #[allow(clippy::cast_possible_truncation)] // a time of the test
    let onset = fault.map_or(0, |f| {
        (f.at * timing.time_scale / timing.period).round() as u64
    });
    let look = || seen.lock().unwrap_or_else(PoisonError::into_inner);
    look().from = onset;
    let faults: Vec<Fault> = fault.into_iter().copied().collect();
    let witness = Arc::clone(&seen);
    let mut hybrid = with_faults(hybrid, &faults).with_parts(|parts| Parts {
        rig: Box::new(Witness {
            inner: parts.rig,
            bounds,
            period: timing.period,
            seen: witness,
        }),
        ..parts
    });
    let mut block = RowBlock::new(hybrid.channels().len(), 1);
    let (_console, mut orders) = console();
    let now = Now::default();
    let (mut supervisor, mut inbox) =
        Supervisor::new(&mut hybrid, &mut orders, None, false, None, &now);
    let mut words: Vec<(u64, Verdict, &'static str, String)> = Vec::new();
    let mut held = None;
    loop {
        let tick = supervisor.hybrid.ticks();
        let wall = tick as f64 * timing.period;
        block.clear();
        let cycle = supervisor.cycle(&mut block, wall);
        while let Ok(notice) = inbox.notices.pop() {
            match notice.what {
                What::Verdict(verdict, cause) if notice.tick >= onset => {
                    let stop = Stop::of(cause, supervisor.monitors());
                    words.push((notice.tick, verdict, stop.name(), stop.reason()));
                }
                What::State(MachineState::PreCor { held: false }, _) if held.is_none() => {
                    held = Some(notice.tick);
                }
                _ => {}
            }
        }
        // A ramp-down goes through the gate like everything else, and may move.
        look().may_move = supervisor.state().permits() != Movement::Nothing;
        if cycle == CycleResult::Over || tick > onset.saturating_add(most) {
            break;
        }
    }
    let (stop, state) = (supervisor.stop(), supervisor.state());
    // To the end of the tick in which it happened.
    let after = |tick: u64| (tick + 1).saturating_sub(onset) as f64 * timing.period;
    let strict = words
        .iter()
        .find(|(_, verdict, ..)| *verdict > Verdict::Warn);
    let word = strict.or(words.first());
    let seen = look();
    let ended_early = stop.is_some();
    let (detector, action, reason, noticed_after) = match (word, stop) {
        (Some((tick, verdict, name, reason)), _) => (
            Some(*name),
            verdict.name(),
            Some(reason.clone()),
            Some(after(*tick)),
        ),
        (None, Some(stop)) => (
            Some(stop.name()),
            "trip",
            Some(stop.reason()),
            held.map(after),
        ),
        (None, None) => (None, "none", None, None),
    };
    Trial {
        detector,
        action,
        reason,
        noticed_after,
        held_after: held.filter(|_| ended_early).map(after),
        peak_command: seen.peak,
        violations: seen.violations,
        commands: seen.commands.clone(),
        state,
        stop,
    }
}
