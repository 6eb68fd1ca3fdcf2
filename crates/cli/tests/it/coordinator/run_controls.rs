//! A test is started, held, resumed and stopped through its console, and watched through its tap.

use super::quick_start;
use std::path::Path;
use std::time::{Duration, Instant};
use tandem_coordinator::machine::{MachineState, Order};
use tandem_coordinator::recorder::{Event, EventLog, read_events};
use tandem_coordinator::{Console, Outcome, RunControls, Sample, Stop, Watch, run_virtual, tap};

/// Runs the quick start in a thread while `operate` has the console and the watch.
fn run(
    overrides: &[&str],
    folder: &Path,
    prepare: impl FnOnce(&mut RunControls),
    operate: impl FnOnce(&Console, &mut Watch),
) -> (Outcome, Vec<Event>, Vec<Sample>) {
    let mut hybrid = quick_start(overrides);
    let (mut run_controls, console) = RunControls::with_console();
    let (show, mut watch) = tap(hybrid.channels().len(), 100_000);
    run_controls.tap = Some(show);
    prepare(&mut run_controls);
    let log = folder.join("events.jsonl");
    let mut events = EventLog::open(&log).unwrap();
    let thread = std::thread::spawn(move || {
        run_virtual(
            &mut hybrid,
            None,
            &mut events,
            &mut |_| {},
            &mut run_controls,
        )
        .unwrap()
    });
    operate(&console, &mut watch);
    let outcome = thread.join().unwrap();
    let mut rest = Vec::new();
    while let Some(frame) = watch.next_row() {
        rest.push(frame);
    }
    (outcome, read_events(&log).unwrap().0, rest)
}

/// Drains rows until one satisfies the condition.
fn until(watch: &mut Watch, condition: impl Fn(&Sample) -> bool) -> Sample {
    let start = Instant::now();
    loop {
        match watch.next_row() {
            Some(frame) if condition(&frame) => return frame,
            Some(_) => {}
            None => std::thread::sleep(Duration::from_millis(1)),
        }
        assert!(start.elapsed() < Duration::from_secs(60), "nothing came");
    }
}

/// One clock: neither ticks nor times go back.
fn in_order(events: &[Event]) {
    for pair in events.windows(2) {
        let at = |event: &Event| (event.tick, event.time_s, event.wall_s);
        let ((a, b, c), (d, e, f)) = (at(&pair[0]), at(&pair[1]));
        assert!(a <= d && b <= e && c <= f, "{pair:?}");
    }
}

#[test]
fn a_paced_test_is_held_and_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let held = MachineState::PreCor { held: true };
    let running = MachineState::PreCor { held: false };
    let (outcome, events, rest) = run(
        &["integration.duration=3s"],
        folder.path(),
        |run_controls| run_controls.pace = Some(4.0),
        |console, watch| {
            until(watch, |frame| frame.state == running && frame.tick > 600);
            console.give(Order::Pause);
            let first = until(watch, |frame| frame.state == held);
            // The clock of the test stands, the sensors go on, the command does not move.
            let later = until(watch, |frame| {
                frame.state == held && frame.cycle > first.cycle + 50
            });
            assert_eq!(later.tick, first.tick);
            assert_eq!(later.values[2].to_bits(), first.values[2].to_bits());
            assert_ne!(later.values[3].to_bits(), first.values[3].to_bits());
            console.give(Order::Resume);
            until(watch, |frame| {
                frame.state == running && frame.tick > first.tick + 100
            });
        },
    );
    assert_eq!(outcome.stop, None);
    assert_eq!(outcome.steps, 3072);
    assert!(!rest.is_empty());
    let codes: Vec<_> = events.iter().map(|event| event.code.as_str()).collect();
    let wanted = [
        "run.start",
        "state.start-up",
        "state.centering",
        "state.at-start",
        "state.pre-run",
        "state.running",
        "state.held",
        "state.running",
        "state.centering",
        "run.completed",
    ];
    assert_eq!(codes, wanted);
    // Events have their own tick.
    assert_eq!(events[6].tick, events[7].tick);
    assert!(events[6].tick > 600 && events[7].wall_s > events[6].wall_s);
    in_order(&events);
}

#[test]
fn an_attended_test_waits_for_start_and_next_and_hears_stop() {
    let folder = tempfile::tempdir().unwrap();
    let (outcome, events, _) = run(
        &[],
        folder.path(),
        |run_controls| {
            run_controls.pace = Some(20.0);
            run_controls.attended = true;
        },
        |console, watch| {
            until(watch, |frame| {
                frame.state == MachineState::Init && frame.cycle > 5
            });
            console.give(Order::Next); // not heard in this state
            console.give(Order::Start);
            until(watch, |frame| frame.state.name() == "at-start");
            console.give(Order::Next);
            until(watch, |frame| frame.tick > 100);
            console.give(Order::Stop);
        },
    );
    assert_eq!(outcome.stop, Some(Stop::Operator));
    assert_eq!(outcome.state, MachineState::Stopped { off: true });
    let codes: Vec<_> = events.iter().map(|event| event.code.as_str()).collect();
    assert!(codes.contains(&"order.not_heard"), "{codes:?}");
    assert_eq!(codes.iter().filter(|c| **c == "state.start-up").count(), 1);
    in_order(&events);
    assert_eq!(codes.last(), Some(&"run.stopped"));
}

#[test]
fn an_emergency_stop_ends_a_test_as_fast_as_the_machine_runs_it() {
    let folder = tempfile::tempdir().unwrap();
    let (outcome, _, _) = run(
        &["integration.duration=31s"],
        folder.path(),
        |run_controls| run_controls.pace = Some(1.0),
        |console, watch| {
            until(watch, |frame| frame.tick > 10);
            console.give(Order::EmergencyStop);
        },
    );
    assert_eq!(outcome.stop, Some(Stop::Emergency));
    assert!(outcome.time_s < 30.0);
}

#[test]
fn verdicts_hold_and_ramp_down() {
    for (action, state) in [
        ("hold", "stopped"),
        ("ramp-down", "error"),
        ("trip", "error"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let action = format!("limits.actions.stroke={action}");
        let (outcome, events, _) = run(
            &["limits.stroke=2mm", &action, "integration.duration=5s"],
            folder.path(),
            |run_controls| run_controls.pace = Some(200.0),
            |_, _| {},
        );
        assert_eq!(outcome.stop.unwrap().name(), "stroke", "{action}");
        assert_eq!(outcome.state.name(), state, "{action}");
        let codes: Vec<_> = events.iter().map(|event| event.code.as_str()).collect();
        assert!(codes.contains(&"limit.stroke"), "{codes:?}");
        in_order(&events);
        // The log says once what happened.
        let said = events.iter().filter(|e| e.text.contains("the limit is"));
        assert_eq!(said.count(), 1, "{events:?}");
        // The end belongs to the last recorded tick, or to the next one that did not come.
        let end = events.last().unwrap();
        let period = 1.0 / 1024.0;
        assert!(
            (end.time_s - end.tick as f64 * period).abs() < 1e-9,
            "{end:?}"
        );
        assert!(outcome.ticks - end.tick <= 1, "{end:?}");
        assert_eq!(codes.contains(&"state.ramp-down"), action.contains("ramp"));
    }
}

/// Centering goes to a prescribed initial displacement at its own speed, and the test counts from
/// there.
#[test]
fn a_test_begins_at_a_prescribed_displacement() {
    let folder = tempfile::tempdir().unwrap();
    let (outcome, events, frames) = run(
        &[
            "coordinator.start=[\"2 mm\"]",
            "coordinator.centering_speed=10mm/s",
            "integration.duration=1s",
            "compensator.method=none",
            "monitor.stability_warning.action=none",
        ],
        folder.path(),
        |_| {},
        |_, _| {},
    );
    assert_eq!(outcome.stop, None, "{events:?}");
    let centering: Vec<&Sample> = frames
        .iter()
        .filter(|f| f.state.name() == "centering")
        .collect();
    // 2 mm at 10 mm/s and 1024 Hz: 0.2 s.
    assert!(
        (203..=207).contains(&centering.len()),
        "{}",
        centering.len()
    );
    let first = centering.first().unwrap().values[2];
    assert!((first + 2e-3 - 10e-3 / 1024.0).abs() < 1e-9, "{first}");
    // At the start of the test the specimen is displaced by 2 mm: 1200 kN/m give 2.4 kN.
    let begin = frames.iter().find(|f| f.state.name() == "running").unwrap();
    assert!(
        begin.values[2].abs() < 1e-4 && (begin.values[4] - 2400.0).abs() < 300.0,
        "{:?}",
        begin.values
    );
}

/// An operator who was there and is no longer heard: the test holds, and goes on when somebody
/// resumes it. By the wall clock, whatever the pace; without an operator who is waited for, nobody
/// can be lost.
#[test]
fn a_lost_operator_holds_the_test() {
    let held = MachineState::PreCor { held: true };
    let running = MachineState::PreCor { held: false };
    let folder = tempfile::tempdir().unwrap();
    let (outcome, events, _) = run(
        &["integration.duration=2s", "limits.operator_timeout=300ms"],
        folder.path(),
        |run_controls| {
            run_controls.pace = Some(1.0);
            run_controls.attended = true;
        },
        |console, watch| {
            console.heartbeat();
            console.give(Order::Start);
            until(watch, |frame| {
                matches!(frame.state, MachineState::Centering(_))
            });
            console.give(Order::Next);
            until(watch, |frame| frame.state == running);
            until(watch, |frame| frame.state == held);
            // Somebody is back, and stays until the end.
            console.heartbeat();
            console.give(Order::Resume);
            until(watch, |frame| {
                console.heartbeat();
                frame.state == running && frame.time_s > 1.9
            });
            std::thread::sleep(Duration::from_millis(400));
            console.give(Order::Stop);
        },
    );
    assert!(
        events
            .iter()
            .any(|event| event.text.contains("operator's desk")),
        "{events:?}"
    );
    assert!(outcome.steps >= 1900, "{}", outcome.steps);

    let folder = tempfile::tempdir().unwrap();
    let (outcome, ..) = run(
        &["integration.duration=2s"],
        folder.path(),
        |_| {},
        |console, _| console.heartbeat(),
    );
    assert_eq!((outcome.stop, outcome.steps), (None, 2048));
}
