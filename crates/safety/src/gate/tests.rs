use super::*;
use crate::machine::{Centering, Event, Machine, MachineState, Order};
use proptest::prelude::*;
use tandem_quantity::Value;

fn limits() -> Values {
    Values::new()
        .with("stroke", Value::Number(0.1))
        .with("velocity", Value::Number(1.0))
        .with("acceleration", Value::Number(500.0))
        .with("force", Value::Number(1000.0))
}

fn gate_of(limits: &Values) -> SafetyGate {
    SafetyGate::new(limits, 1, 0.001).unwrap()
}

fn motion(x: f64) -> Motion {
    Motion {
        displacement: vec![x],
        velocity: vec![0.0],
        acceleration: vec![0.0],
    }
}

fn measured(x: f64, f: f64) -> Measured {
    Measured {
        motion: motion(x),
        force: vec![f],
    }
}

fn limit(finding: Violation) -> Option<Limit> {
    finding.map(|(_, trip)| trip.limit)
}

#[test]
fn a_command_beyond_a_limit_becomes_the_last_safe_one() {
    let mut gate = gate_of(&limits());
    let mut command = motion(0.0005);
    assert_eq!(gate.pass(&motion(0.0005), &mut command), None);
    command = motion(0.5);
    let (verdict, trip) = gate.pass(&motion(0.0005), &mut command).unwrap();
    assert_eq!((verdict, trip.limit), (Verdict::Trip, Limit::Stroke));
    assert_eq!(command, motion(0.0005));
    // 0.9 mm in a tick are within the velocity; from rest they are 900 m/s².
    command = motion(0.0014);
    let found = gate.pass(&motion(0.0), &mut command);
    assert_eq!(limit(found), Some(Limit::Acceleration));
    assert_eq!(command, motion(0.0005));
}

#[test]
fn the_target_is_held_against_the_stroke_too() {
    let mut gate = gate_of(&limits());
    let mut command = motion(0.0001);
    let found = gate.pass(&motion(0.2), &mut command);
    assert_eq!(limit(found), Some(Limit::Stroke));
    assert_eq!(command, motion(0.0));
}

#[test]
fn actions_are_those_of_the_plan_and_the_command_stays_within_the_limit() {
    for (word, verdict) in [
        ("none", None),
        ("warn", Some(Verdict::Warn)),
        ("hold", Some(Verdict::Hold)),
        ("ramp-down", Some(Verdict::RampDown)),
        ("trip", Some(Verdict::Trip)),
    ] {
        let actions = Values::new().with("stroke", Value::Text(word.into()));
        let mut gate = gate_of(&limits().with("actions", Value::Table(actions)));
        let mut command = motion(0.5);
        let found = gate.pass(&motion(0.5), &mut command);
        assert_eq!(found.map(|(verdict, _)| verdict), verdict, "{word}");
        assert_eq!(command, motion(0.0), "{word}");
    }
}

#[test]
fn every_detector_has_an_action_in_the_plan_or_is_never_silenced() {
    let Some(tandem_quantity::ValueKind::Table(actions)) = Limits::PARAMETERS
        .iter()
        .find(|p| p.key == "actions")
        .map(|p| p.kind)
    else {
        panic!("no table of actions");
    };
    for limit in Limit::ALL {
        let named = actions.iter().any(|p| p.key == limit.name());
        let always = matches!(limit, Limit::Recorder | Limit::EmergencyChain);
        assert!(named != always, "{}", limit.name());
        assert_eq!(Limit::ALL[limit as usize], limit);
    }
}

#[test]
fn a_frozen_sensor_is_found_only_while_something_moves() {
    let mut gate = gate_of(&limits());
    let mut step = |pace: f64, x: f64, f: f64| {
        let mut command = motion(gate.safe()[0] + pace);
        assert_eq!(gate.pass(&motion(0.0), &mut command), None);
        limit(gate.check_behaviour(&measured(x, f), &Status::READY))
    };
    // At rest: a second of the same value is no fault.
    for _ in 0..1000 {
        assert_eq!(step(0.0, 0.0, 0.0), None);
    }
    // The command moves by 20 µm a tick; the displacement does not: 1 mm later it is frozen.
    let found = (0..200).position(|_| step(2e-5, 0.0, 0.0) == Some(Limit::FrozenDisplacement));
    assert!((49..=52).contains(&found.unwrap()), "{found:?}");
    // The piston moves, the force does not.
    let mut x = 0.0;
    let found = (0..200).position(|_| {
        x += 2e-5;
        step(0.0, x, 0.0) == Some(Limit::FrozenForce)
    });
    assert!((49..=52).contains(&found.unwrap()), "{found:?}");
}

/// A piston that stands is found although its sensor is noisy, from the start or in mid-test; one
/// that follows late and a slow test are not.
#[test]
fn a_stuck_piston_is_found() {
    // Follows its command `late` ticks behind until `stops`, and stands where it is from then on.
    // Ticks until it is found.
    let run = |late: usize, slow: f64, stops: usize| {
        let mut gate = gate_of(&limits());
        let mut past = vec![0.0; late + 1];
        let mut x = 0.0;
        (0..4000_u32).position(|k| {
            let at = 0.002 * (f64::from(k) / (50.0 * slow)).sin();
            let mut command = motion(at);
            assert!(gate.pass(&motion(at), &mut command).is_none());
            past.push(at);
            if past.len() - late - 2 < stops {
                x = past[past.len() - 1 - late];
            }
            let noise = 2e-6 * f64::from(k % 3);
            let seen = measured(x + noise, f64::from(k) * 0.01);
            limit(gate.check_behaviour(&seen, &Status::READY)) == Some(Limit::Stuck)
        })
    };
    assert_eq!(run(12, 1.0, usize::MAX), None);
    assert_eq!(run(12, 30.0, usize::MAX), None);
    let found = run(0, 1.0, 0).unwrap();
    assert!(found < 250, "{found}");
    for stops in [500, 530, 560, 590, 620, 650, 680, 710, 740, 770, 800] {
        let found = run(0, 1.0, stops).unwrap() - stops;
        assert!(found < 250, "{found} after {stops}");
    }
}

#[test]
fn jumps_ranges_and_failure_are_found() {
    let all = limits()
        .with("displacement_rate", Value::Number(2.0))
        .with("force_rate", Value::Number(1e5))
        .with("displacement_range", Value::Number(0.05))
        .with("specimen_failure", Value::Number(0.3));
    let look =
        |gate: &mut SafetyGate, x, f| limit(gate.check_behaviour(&measured(x, f), &Status::READY));
    let mut gate = gate_of(&all);
    assert_eq!(look(&mut gate, 0.0, 0.0), None);
    assert_eq!(look(&mut gate, 0.001, 10.0), None);
    assert_eq!(look(&mut gate, 0.004, 10.0), Some(Limit::DisplacementRate));
    assert_eq!(look(&mut gate, 0.004, 200.0), Some(Limit::ForceRate));
    let mut gate = gate_of(&all);
    assert_eq!(look(&mut gate, 0.05, 0.0), Some(Limit::SensorRange));
    // 10 kN/m, then a tenth of it: found after five ticks.
    let mut gate = gate_of(&all);
    let mut wave = |k: u32, stiffness: f64| {
        let x = 0.01 * (f64::from(k) * 0.02).sin();
        limit(gate.check_specimen(&measured(x, stiffness * x)))
    };
    for k in 0..200 {
        assert_eq!(wave(k, 1e4), None, "tick {k}");
    }
    let found = (200..400).position(|k| wave(k, 1e3) == Some(Limit::SpecimenFailure));
    assert!(found.unwrap() < 60, "{found:?}");
}

#[test]
fn what_the_rig_reports_is_heard() {
    let mut gate = gate_of(&limits());
    let at = measured(0.0, 0.0);
    let mut look = |status: Status| limit(gate.check_behaviour(&at, &status));
    let ready = Status::READY;
    assert_eq!(look(Status { age: 5, ..ready }), None);
    assert_eq!(look(Status { age: 6, ..ready }), Some(Limit::StaleFeedback));
    let open = Status {
        emergency: true,
        ..ready
    };
    assert_eq!(look(open), Some(Limit::EmergencyChain));
    let saturated = Status {
        valve: 1.0,
        ..ready
    };
    let found = (1..100).find(|_| look(saturated) == Some(Limit::Valve));
    assert_eq!(found, Some(50));
    let at_time = |device_time| Status {
        device_time,
        ..ready
    };
    assert_eq!(look(at_time(5.0)), None);
    assert_eq!(look(at_time(5.001)), None);
    assert_eq!(look(at_time(5.102)), Some(Limit::ClockJump));
    // Old measurements in between are no jump.
    assert_eq!(
        look(Status {
            age: 1,
            ..at_time(5.102)
        }),
        None
    );
    assert_eq!(
        look(Status {
            age: 2,
            ..at_time(5.102)
        }),
        None
    );
    assert_eq!(look(at_time(5.105)), None);
}

/// Numbers of all kinds, those around the stroke, and steps around what a tick allows.
fn wild() -> impl Strategy<Value = f64> {
    prop_oneof![
        1 => prop::num::f64::ANY,
        2 => -0.2..0.2_f64,
        4 => -0.0012..0.0012_f64,
    ]
}

proptest! {
    /// Whatever comes in, nothing beyond the limits comes out: what is let through is what came in,
    /// else it is the last safe one.
    #[test]
    fn no_command_beyond_a_limit_comes_out(
        inputs in prop::collection::vec((wild(), wild()), 1..50),
    ) {
        let mut gate = gate_of(&limits());
        let (mut last, mut pace) = (0.0_f64, 0.0);
        for (target, step) in inputs {
            let asked = last + step;
            let mut command = motion(asked);
            let found = gate.pass(&motion(target), &mut command);
            let out = command.displacement[0];
            let expected = if found.is_none() { asked } else { last };
            prop_assert_eq!(out.to_bits(), expected.to_bits());
            prop_assert!(out.is_finite() && out.abs() <= 0.1);
            prop_assert!((out - last).abs() <= 0.001 * (1.0 + 1e-12));
            if found.is_none() {
                prop_assert!(target.abs() <= 0.1);
                prop_assert!((out - last - pace).abs() <= 0.0005 * (1.0 + 1e-12));
            }
            (pace, last) = (out - last, out);
        }
    }
}

/// A specimen that is dead before it has moved has shown no stiffness that it could lose: the
/// planned one tells.
#[test]
fn a_specimen_that_is_dead_from_the_start_is_noticed() {
    let limits = limits().with("specimen_failure", Value::Number(0.3));
    let push = |gate: &mut SafetyGate, stiffness: f64| {
        (1..400).find_map(|k| {
            let x = 1e-5 * f64::from(k);
            limit(gate.check_specimen(&measured(x, stiffness * x)))
        })
    };
    let mut gate = gate_of(&limits);
    assert_eq!(push(&mut gate, 1e3), None);
    let mut gate = gate_of(&limits);
    gate.expect_stiffness(&[1e5]);
    assert_eq!(push(&mut gate, 1e3), Some(Limit::SpecimenFailure));
    // One that is softer than planned, but there, is none.
    let mut gate = gate_of(&limits);
    gate.expect_stiffness(&[1e5]);
    assert_eq!(push(&mut gate, 4e4), None);
}

/// A machine that has been led to this state.
fn machine_at(state: MachineState) -> Machine {
    let mut machine = Machine::default();
    let on = [
        Event::Order(Order::Start),
        Event::Pressure(true),
        Event::Manifold(true),
        Event::AtStart,
        Event::Order(Order::Next),
        Event::DriverReady,
        Event::Order(Order::Pause),
    ];
    for event in on {
        if machine.state() == state {
            break;
        }
        machine.happen(event);
    }
    assert_eq!(machine.state(), state);
    machine
}

/// Each permit lets out what it is for; whatever else is asked for stands still.
#[test]
fn without_leave_the_command_holds() {
    let states = [
        MachineState::Init,
        MachineState::Centering(Centering::Moving),
        MachineState::PreRun,
        MachineState::PreCor { held: false },
        MachineState::PreCor { held: true },
    ];
    let here = motion(0.001);
    for state in states {
        let machine = machine_at(state);
        let permit = machine.permit();
        let mut gate = gate_of(&limits());
        gate.start_at(&here.displacement);
        let asked = Motion {
            velocity: vec![0.25],
            ..motion(0.00125)
        };
        let for_test = state == MachineState::PreCor { held: false };
        let expected = if for_test { &asked } else { &here };
        let mut command = asked.clone();
        let (released, found) = gate.release(&permit, &asked, &mut command);
        assert_eq!((&*released, found), (expected, None), "{state:?}");

        let mut gate = gate_of(&limits());
        gate.start_at(&here.displacement);
        let (mut target, mut command) = (motion(0.5), motion(0.5));
        let to_start = state == MachineState::Centering(Centering::Moving);
        let next = motion(0.001 - 0.0004);
        let expected = if to_start { &next } else { &here };
        let (released, found) =
            gate.release_to_start(&permit, &[0.0], 0.0004, &mut target, &mut command);
        assert_eq!((&*released, found), (expected, None), "{state:?}");
        assert_eq!(target == next, to_start, "{state:?}");
    }
}

/// A command that is refused does not go out with a permit either.
#[test]
fn what_is_refused_stands_still() {
    let machine = machine_at(MachineState::PreCor { held: false });
    let mut gate = gate_of(&limits());
    let mut command = motion(0.2);
    let (released, found) = gate.release(&machine.permit(), &motion(0.0), &mut command);
    assert_eq!(*released, motion(0.0));
    assert_eq!(limit(found), Some(Limit::Stroke));
}
