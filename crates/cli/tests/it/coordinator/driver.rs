//! A driver from outside that has its target early, late or never.

use super::quick_start;
use crate::snapshot::goes_on;
use std::time::Duration;
use tandem_coordinator::drill::with_faults;
use tandem_coordinator::fault::{Fault, FaultKind};
use tandem_coordinator::recorder::{EventLog, RowBlock};
use tandem_coordinator::{
    Cause, HybridLoop, Limit, Parts, Progress, RunControls, Stop, run_virtual,
};
use tandem_integrator::{Answer, Integrator, Loading, Readiness, forward_integrator};
use tandem_monitor::Verdict;
use tandem_quantity::{Snapshot, SnapshotError, StateReader};
use tandem_transfer::command::LateMode;

/// An integrator whose targets come late: so many polls after each question, or because it naps
/// over each.
pub(super) struct Late {
    pub inner: Box<dyn Integrator>,
    pub delay: fn(u64) -> u64,
    pub polls: u64,
    pub nap: Duration,
}

impl Snapshot for Late {
    fn save(&self, into: &mut Vec<f64>) {
        self.inner.save(into);
    }
    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.inner.restore(from)
    }
}

impl Integrator for Late {
    forward_integrator!(inner: properties, target, response, steps, problem, structure_mut);
    forward_integrator!(inner: start_from);

    fn poll(&mut self, _at_most: Duration) -> Readiness {
        self.polls += 1;
        if self.polls > (self.delay)(self.inner.steps()) {
            Readiness::Ready
        } else {
            Readiness::NotYet
        }
    }
    fn feed(&mut self, answer: Answer<'_>, loading: &dyn Loading) -> bool {
        self.polls = 0;
        std::thread::sleep(self.nap);
        self.inner.feed(answer, loading)
    }
}

/// A slow test with eight ticks a step, which predicts until the target comes.
fn slow(delay: Option<fn(u64) -> u64>) -> HybridLoop {
    let hybrid = quick_start(SLOW);
    match delay {
        None => hybrid,
        Some(delay) => late(hybrid, delay),
    }
}

const SLOW: &[&str] = &[
    "integration.time_scale=20",
    "integration.duration=4s",
    "command.method=last-predicted-displacement",
    "command.rate=409.6Hz",
    "compensator.method=none",
];

fn late(hybrid: HybridLoop, delay: fn(u64) -> u64) -> HybridLoop {
    hybrid.with_parts(|parts| Parts {
        integrator: Box::new(Late {
            inner: parts.integrator,
            delay,
            polls: 0,
            nap: Duration::ZERO,
        }),
        ..parts
    })
}

#[test]
fn in_stepped_time_the_clock_waits() {
    let run = |mut hybrid: HybridLoop| {
        let folder = tempfile::tempdir().unwrap();
        let mut events = EventLog::open(&folder.path().join("events.jsonl")).unwrap();
        let outcome = run_virtual(
            &mut hybrid,
            None,
            &mut events,
            &mut |_| {},
            &mut RunControls::default(),
        );
        assert_eq!(outcome.unwrap().stop, None);
        let mut words = Vec::new();
        hybrid.parts().integrator.save(&mut words);
        words.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    };
    assert_eq!(run(slow(None)), run(slow(Some(|step| step % 5))));
}

/// Between the two halves of a tick: the sensors are read, the target is not there.
#[test]
fn a_loop_is_saved_while_its_clock_waits() {
    // Of what was read more is in the record, and its age is not always zero.
    let read = [
        "conditioning={method=\"calibration\",force_factor=[1.1]}",
        "kinematics={method=\"linkage\",motions=[\"x\"],bases=[[-1.5,0.1,0,\"m\"]],\
         heads=[[0,0,0,\"m\"]]}",
    ];
    let stalled = Fault {
        kind: FaultKind::named("link-stalls").unwrap(),
        at: 702.0 / 8192.0,
        duration: f64::INFINITY,
        actuator: 0,
        displacement: 0.0,
        force: 0.0,
        factor: 0.0,
    };
    let build = || {
        let hybrid = with_faults(quick_start(&[SLOW, &read].concat()), &[stalled]);
        let mut hybrid = late(hybrid, |step| step % 5);
        hybrid.wait_for_targets(true);
        hybrid
    };
    let mut straight = build();
    let rehearsal = straight.rehearsal().unwrap();
    let mut block = RowBlock::new(straight.channels().len(), 1);
    let mut progress = Progress::Running;
    while straight.ticks() < 700 || progress != Progress::Awaiting {
        block.clear();
        progress = straight.tick(&rehearsal.permit(), &mut block);
        assert!(straight.ticks() < 1000, "it never waits: {progress:?}");
    }
    goes_on(&mut straight, build(), 1000, "waiting");
}

/// What a limit warns of in the first half of a tick is told when the target has come.
#[test]
fn a_limit_that_warns_in_a_tick_that_waits_is_told() {
    let limits = ["limits.force=1 N", "limits.actions.force=warn"];
    let warned = |delay: fn(u64) -> u64| {
        let mut hybrid = late(quick_start(&[SLOW, &limits].concat()), delay);
        hybrid.wait_for_targets(true);
        let rehearsal = hybrid.rehearsal().unwrap();
        let mut block = RowBlock::new(hybrid.channels().len(), 1);
        let (mut all, mut of_waiting, mut waited) = (Vec::new(), 0, false);
        while hybrid.ticks() < 2000 {
            block.clear();
            if hybrid.tick(&rehearsal.permit(), &mut block) == Progress::Awaiting {
                waited = true;
                continue;
            }
            let warning = hybrid.limit_warning().is_some();
            of_waiting += usize::from(waited && warning);
            all.push(warning);
            waited = false;
        }
        (all, of_waiting)
    };
    let (prompt, _) = warned(|_| 0);
    let (waited, of_waiting) = warned(|step| step % 5);
    assert!(of_waiting > 0, "no tick both waits and warns");
    assert_eq!(waited, prompt);
}

#[test]
fn a_driver_that_never_comes_ends_in_an_error() {
    let mut hybrid = slow(Some(|_| u64::MAX));
    let folder = tempfile::tempdir().unwrap();
    let mut events = EventLog::open(&folder.path().join("events.jsonl")).unwrap();
    let mut run_controls = RunControls {
        driver_timeout: Some(0.05),
        ..RunControls::default()
    };
    let outcome = run_virtual(
        &mut hybrid,
        None,
        &mut events,
        &mut |_| {},
        &mut run_controls,
    )
    .unwrap();
    assert_eq!((outcome.stop, outcome.ticks), (Some(Stop::Driver), 0));
    assert_eq!(outcome.state.name(), "error");
}

/// By the clock: the command is predicted, slows down, holds; it goes on when the target comes, and
/// a target that stays away is a finding.
#[test]
fn by_the_clock_a_late_target_slows_the_command_down() {
    // Step 30 comes 40 ticks late, step 60 never.
    let mut hybrid = slow(Some(|step| match step {
        30 => 40,
        60 => u64::MAX,
        _ => 0,
    }));
    let rehearsal = hybrid.rehearsal().unwrap();
    let mut block = RowBlock::new(hybrid.channels().len(), 1);
    let mut seen = Vec::new();
    let mut fastest = 0.0_f64;
    let mut last = 0.0;
    let end = loop {
        block.clear();
        let progress = hybrid.tick(&rehearsal.permit(), &mut block);
        let command = hybrid.row()[2];
        fastest = fastest.max((command - last).abs());
        last = command;
        if seen.last() != Some(&hybrid.lateness()) {
            seen.push(hybrid.lateness());
        }
        if progress != Progress::Running {
            break progress;
        }
    };
    use LateMode::{Holding, Predicting, Slowing};
    let wanted = [Predicting, Slowing, Holding, Predicting, Slowing, Holding];
    assert_eq!(seen, wanted);
    assert_eq!(hybrid.steps(), 60);
    let Progress::Act(Verdict::Hold, Cause::Limit(trip)) = end else {
        panic!("{end:?}");
    };
    assert_eq!(trip.limit, Limit::StaleTarget);
    // No jump where the late way goes on: a step is some 0.4 mm long at its fastest.
    assert!(fastest < 2e-4, "{fastest}");
}
