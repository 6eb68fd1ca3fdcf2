//! Every bound to the last bit: what is just allowed passes, the next number does not. All figures
//! are sums of powers of two, so that nothing is rounded.
#![allow(clippy::float_cmp)] // exact on purpose

use super::watch::{SensorWatch, SpecimenWatch};
use super::*;
use tandem_quantity::Value;

/// A tick, s.
const PERIOD: f64 = 1.0 / 1024.0;
const STROKE: f64 = 0.125;
const FORCE: f64 = 1024.0;
const VELOCITY: f64 = 2.0;
const ACCELERATION: f64 = 512.0;
/// What these allow in a tick, m.
const TRAVEL: f64 = VELOCITY * PERIOD;
const BEND: f64 = ACCELERATION * PERIOD * PERIOD;
const TRACKING: f64 = 1.0 / 128.0;

fn numbers(list: &[(&'static str, f64)]) -> Values {
    let mut values = Values::new();
    for (key, x) in list {
        values.set(*key, Value::Number(*x));
    }
    values
}

fn limits() -> Values {
    numbers(&[
        ("stroke", STROKE),
        ("force", FORCE),
        ("velocity", VELOCITY),
        ("acceleration", ACCELERATION),
        ("tracking_error", TRACKING),
    ])
}

/// Two actuators, of which the second is looked at: the first stands at zero.
fn gate() -> SafetyGate {
    gate_of(&limits())
}

fn gate_of(limits: &Values) -> SafetyGate {
    SafetyGate::new(limits, 2, PERIOD).unwrap()
}

fn motion(x: f64) -> Motion {
    let mut motion = Motion::at_rest(2);
    motion.displacement[1] = x;
    motion
}

fn measured(x: f64, f: f64) -> Measured {
    Measured {
        motion: motion(x),
        force: vec![0.0, f],
    }
}

/// What a detector of the second actuator says.
fn trip(limit: Limit, value: f64, bound: f64) -> Violation {
    let trip = Trip {
        limit,
        actuator: 1,
        value,
        bound,
    };
    Some((Verdict::Trip, trip))
}

/// As [`trip`] for what belongs to no actuator.
fn of_rig(verdict: Verdict, limit: Limit, value: f64, bound: f64) -> Violation {
    let trip = Trip {
        limit,
        actuator: 0,
        value,
        bound,
    };
    Some((verdict, trip))
}

#[test]
fn the_strictest_finding_wins_and_of_equals_the_first() {
    let all = [
        Verdict::Continue,
        Verdict::Warn,
        Verdict::Hold,
        Verdict::RampDown,
        Verdict::Trip,
    ];
    let finding = |verdict, value| of_rig(verdict, Limit::Force, value, 0.0);
    for (i, a) in all.into_iter().enumerate() {
        assert_eq!(most_severe(finding(a, 1.0), None), finding(a, 1.0));
        assert_eq!(most_severe(None, finding(a, 1.0)), finding(a, 1.0));
        for (j, b) in all.into_iter().enumerate() {
            let wins = if j > i {
                finding(b, 2.0)
            } else {
                finding(a, 1.0)
            };
            assert_eq!(
                most_severe(finding(a, 1.0), finding(b, 2.0)),
                wins,
                "{a:?} {b:?}"
            );
        }
    }
    assert_eq!(most_severe(None, None), None);
}

#[test]
fn readings_at_a_bound_pass_and_the_next_number_does_not() {
    let mut gate = gate();
    for side in [1.0, -1.0] {
        let (x, f) = (side * STROKE, side * FORCE);
        assert_eq!(gate.check_measured(&measured(x, f)), None);
        let far = side * STROKE.next_up();
        let found = gate.check_measured(&measured(far, f));
        assert_eq!(found, trip(Limit::Stroke, far, STROKE));
        let strong = side * FORCE.next_up();
        let found = gate.check_measured(&measured(x, strong));
        assert_eq!(found, trip(Limit::Force, strong, FORCE));
        // Both at once: the first of equals.
        let found = gate.check_measured(&measured(far, strong));
        assert_eq!(found, trip(Limit::Stroke, far, STROKE));
    }
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for (x, f) in [(bad, 1.0), (1.0, bad)] {
            let (_, found) = gate.check_measured(&measured(x, f)).unwrap();
            assert_eq!((found.limit, found.actuator), (Limit::NotFinite, 1));
            assert_eq!(found.value.to_bits(), bad.to_bits());
        }
    }
    // Displacements count from the start, the stroke does not.
    gate.set_start(&[0.0, 0.0625]);
    assert_eq!(gate.check_measured(&measured(0.0625, 0.0)), None);
    let found = gate.check_measured(&measured(0.09375, 0.0));
    assert_eq!(found, trip(Limit::Stroke, 0.15625, STROKE));
    assert_eq!(gate.check_measured(&measured(-0.1875, 0.0)), None);
    let found = gate.check_measured(&measured(-0.25, 0.0));
    assert_eq!(found, trip(Limit::Stroke, -0.1875, STROKE));
}

#[test]
fn a_tracking_error_at_its_bound_passes() {
    let gate = gate();
    let check = |x: f64, target: f64| gate.check_tracking(&measured(x, 0.0), &motion(target));
    assert_eq!(check(0.5 + TRACKING, 0.5), None);
    assert_eq!(check(0.5 - TRACKING, 0.5), None);
    let more = 1.5 * TRACKING;
    let found = check(0.5 + more, 0.5);
    assert_eq!(found, trip(Limit::TrackingError, more, TRACKING));
    let found = check(0.5 - more, 0.5);
    assert_eq!(found, trip(Limit::TrackingError, -more, TRACKING));
}

#[test]
fn steps_at_a_bound_pass_and_become_the_last_safe_command() {
    // Without a bound on the acceleration, steps of the velocity.
    let mut fast = gate_of(&numbers(&[("stroke", STROKE), ("velocity", VELOCITY)]));
    for side in [1.0, -1.0] {
        for k in [1.0, 2.0, 1.0, 0.0] {
            let mut command = motion(side * k * TRAVEL);
            assert_eq!(fast.pass(&motion(0.0), &mut command), None);
            assert_eq!(fast.safe(), [0.0, side * k * TRAVEL]);
        }
        let mut command = motion(side * 1.5 * TRAVEL);
        let found = fast.pass(&motion(0.0), &mut command);
        let expected = trip(Limit::Velocity, side * 1.5 * VELOCITY, VELOCITY);
        assert_eq!(found, expected);
        assert_eq!(command, motion(0.0));
    }
    let mut gate = gate();
    for side in [1.0, -1.0] {
        // From rest, then faster by as much again, then evenly: each is allowed.
        for k in [1.0, 3.0, 5.0] {
            let mut command = motion(side * k * BEND);
            assert_eq!(gate.pass(&motion(0.0), &mut command), None, "{k}");
        }
        // The pace is two a tick; three and a half are one and a half too many.
        let mut command = motion(side * 8.5 * BEND);
        let found = gate.pass(&motion(0.0), &mut command);
        let value = side * 1.5 * ACCELERATION;
        assert_eq!(found, trip(Limit::Acceleration, value, ACCELERATION));
        assert_eq!(command, motion(side * 5.0 * BEND));
        // It stands now: one more is as from rest, two are not.
        let mut command = motion(side * 7.0 * BEND);
        let found = gate.pass(&motion(0.0), &mut command);
        let value = side * 2.0 * ACCELERATION;
        assert_eq!(found, trip(Limit::Acceleration, value, ACCELERATION));
        let mut command = motion(side * 6.0 * BEND);
        assert_eq!(gate.pass(&motion(0.0), &mut command), None);
        gate.start_at(&[0.0, 0.0]);
        assert_eq!(gate.safe(), [0.0, 0.0]);
    }
    // A position that was found is where a first command goes on from, at rest.
    gate.start_at(&[0.0, 0.0625]);
    let mut command = motion(0.0625 + BEND);
    assert_eq!(gate.pass(&motion(0.0625), &mut command), None);
}

#[test]
fn targets_and_commands_at_the_stroke_pass() {
    let wide = numbers(&[("stroke", STROKE)]);
    for side in [1.0, -1.0] {
        let (edge, far) = (side * STROKE, side * 2.0 * STROKE);
        let pass = |target: f64, x: f64| {
            let mut gate = gate_of(&wide);
            gate.pass(&motion(target), &mut motion(x))
        };
        assert_eq!(pass(edge, edge), None);
        assert_eq!(pass(edge, far), trip(Limit::Stroke, far, STROKE));
        assert_eq!(pass(far, edge), trip(Limit::Stroke, far, STROKE));
        // The command says it where both are beyond.
        let found = pass(far, 3.0 * edge);
        assert_eq!(found, trip(Limit::Stroke, 3.0 * edge, STROKE));
        let mut gate = gate_of(&wide);
        gate.set_start(&[0.0, side * 0.0625]);
        let mut pass = |target: f64, x: f64| gate.pass(&motion(target), &mut motion(x));
        assert_eq!(pass(side * 0.0625, side * 0.0625), None);
        let (near, shown) = (side * 0.09375, side * 0.15625);
        assert_eq!(pass(0.0, near), trip(Limit::Stroke, shown, STROKE));
        assert_eq!(pass(near, 0.0), trip(Limit::Stroke, shown, STROKE));
    }
    // Whatever of a command is no number, it does not pass.
    let mut gate = gate();
    for part in 0..4 {
        for bad in [f64::NAN, f64::INFINITY] {
            let (mut target, mut command) = (motion(0.0), motion(0.0));
            match part {
                0 => target.displacement[1] = bad,
                1 => command.displacement[1] = bad,
                2 => command.velocity[1] = bad,
                _ => command.acceleration[1] = bad,
            }
            let (_, found) = gate.pass(&target, &mut command).unwrap();
            assert_eq!((found.limit, found.actuator), (Limit::NotFinite, 1));
            assert_eq!(command, motion(0.0));
        }
    }
    // Parts that make up for each other are a number each.
    let mut command = motion(BEND);
    (command.velocity[1], command.acceleration[1]) = (1.0, -1.0);
    assert_eq!(gate.pass(&motion(0.0), &mut command), None);
    assert_eq!((command.velocity[1], command.acceleration[1]), (1.0, -1.0));
}

#[test]
fn what_the_rig_says_is_held_against_its_bounds() {
    let more = numbers(&[
        ("valve", 0.75),
        ("valve_time", 4.0 * PERIOD),
        ("clock_jump", 0.03125),
    ]);
    let ready = Status::READY;
    let at = measured(0.0, 0.0);
    let mut gate = gate_of(&more);
    let mut look = |status: Status| gate.check_behaviour(&at, &status);
    let old = |age| Status { age, ..ready };
    assert_eq!(look(old(5)), None);
    let found = look(old(6));
    assert_eq!(found, of_rig(Verdict::Trip, Limit::StaleFeedback, 6.0, 5.0));
    // A valve that is open enough for so many ticks on end.
    let valve = |valve| Status { valve, ..ready };
    for _ in 0..20 {
        for open in [0.75, 1.0, 0.875] {
            assert_eq!(look(valve(open)), None);
        }
        assert_eq!(look(valve(0.75_f64.next_down())), None);
    }
    for _ in 0..3 {
        assert_eq!(look(valve(0.75)), None);
    }
    for _ in 0..3 {
        let found = look(valve(0.75));
        assert_eq!(found, of_rig(Verdict::Trip, Limit::Valve, 0.75, 0.75));
    }
    // The device's clock may go before or after by its bound.
    let mut gate = gate_of(&more);
    let mut look = |age, device_time| {
        let status = Status {
            age,
            device_time,
            ..ready
        };
        gate.check_behaviour(&at, &status)
    };
    let jump = |step| of_rig(Verdict::Trip, Limit::ClockJump, step, 0.03125);
    let mut time = 8.0;
    assert_eq!(look(0, time), None);
    for (step, found) in [
        (0.0, None),
        (0.03125, None),
        (-0.03125, None),
        (0.0625, jump(0.0625)),
        (-0.0625, jump(-0.0625)),
        (0.0, None),
    ] {
        time += PERIOD + step;
        assert_eq!(look(0, time), found, "{step}");
    }
    // Two ticks without a fresh measurement count as time.
    assert_eq!(look(1, time), None);
    assert_eq!(look(2, time), None);
    assert_eq!(look(0, time + 3.0 * PERIOD + 0.03125), None);
    time += 3.0 * PERIOD + 0.03125;
    assert_eq!(look(1, time), None);
    let found = look(0, time + 2.0 * PERIOD + 0.0625);
    assert_eq!(found, jump(0.0625));
}

#[test]
fn times_and_counts_at_a_bound_pass() {
    let more = numbers(&[("stale_target", 0.5), ("operator_timeout", 4.0)]);
    let gate = gate_of(&more);
    assert_eq!(gate.check_target(0.5), None);
    let late = 0.5_f64.next_up();
    let found = gate.check_target(late);
    assert_eq!(found, of_rig(Verdict::Hold, Limit::StaleTarget, late, 0.5));
    assert_eq!(gate.check_deadlines(50), None);
    let found = gate.check_deadlines(51);
    assert_eq!(
        found,
        of_rig(Verdict::Hold, Limit::MissedDeadlines, 51.0, 50.0)
    );
    let lost = |silent, bound| of_rig(Verdict::Hold, Limit::OperatorLost, silent, bound);
    for expected in [false, true] {
        assert_eq!(gate.check_operator(4.0, expected), None);
        assert_eq!(gate.check_operator(5.0, expected), lost(5.0, 4.0));
    }
    // Without a time in the plan only a test that waits for an operator misses one.
    let silent = gate_of(&Values::new());
    assert_eq!(silent.check_operator(1e9, false), None);
    assert_eq!(silent.check_operator(10.0, true), None);
    assert_eq!(silent.check_operator(11.0, true), lost(11.0, 10.0));
}

#[test]
fn a_time_is_whole_ticks_and_at_least_one() {
    for (time, expected) in [
        (0.0, 1),
        (0.25, 1),
        (1.0, 1),
        (1.5, 2),
        (2.0, 2),
        (1e300, u64::MAX),
        (f64::INFINITY, u64::MAX),
    ] {
        assert_eq!(ticks(time * PERIOD, PERIOD), expected, "{time}");
    }
}

/// What the gate does where the plan is silent is what the plan's documentation says.
#[test]
fn silent_plans_have_the_documented_bounds() {
    let gate = gate_of(&Values::new());
    let default = |key: &str| {
        let parameter = Limits::PARAMETERS.iter().find(|p| p.key == key).unwrap();
        let tandem_quantity::Default::Is(text) = parameter.default else {
            panic!("{key} has no default");
        };
        let dimension = match parameter.kind {
            tandem_quantity::ValueKind::Number(dimension) => dimension,
            _ => tandem_quantity::Dimension::NONE,
        };
        let text = text.trim_matches('"');
        tandem_quantity::parse_quantity(text, dimension).unwrap()
    };
    assert_eq!(gate.stale_target, default("stale_target"));
    assert_eq!(gate.stale_feedback as f64, default("stale_feedback"));
    assert_eq!(gate.missed_deadlines as f64, default("missed_deadlines"));
    assert_eq!(gate.clock_jump, default("clock_jump"));
    assert_eq!(gate.valve, default("valve"));
    assert_eq!(gate.valve_ticks, ticks(default("valve_time"), PERIOD));
    for bound in [gate.stroke, gate.force, gate.tracking_error] {
        assert_eq!(bound, f64::INFINITY);
    }
    // As the two watches use theirs: 103 ticks in 100 ms.
    let mut watch = SensorWatch::new(&Limits::read(&Values::new()).unwrap(), PERIOD);
    assert_eq!(ticks(default("frozen"), PERIOD), 103);
    let pace = default("frozen_travel") / 102.5;
    let _ = watch.look(0.0, 0.0, 0.0);
    let found = (1..200).find(|k| watch.look(0.0, f64::from(*k), pace).is_some());
    assert_eq!(found, Some(103));
}

/// A sensor that repeats its value is frozen after the time and beyond the travel, not at it.
#[test]
fn a_frozen_sensor_is_found_at_its_tick() {
    let limits = numbers(&[("frozen", 8.0 * PERIOD), ("frozen_travel", 0.0625)]);
    // Displacement: the command moves by `pace` a tick while the load cell is alive.
    let displacement = |pace: f64| {
        let mut watch = SensorWatch::new(&Limits::read(&limits).unwrap(), PERIOD);
        let _ = watch.look(0.5, 0.0, 0.0);
        (1..40).find_map(|k| {
            let found = watch.look(0.5, f64::from(k), pace);
            let found = found.filter(|(limit, ..)| *limit == Limit::FrozenDisplacement);
            found.map(|(_, time, bound)| (k, time, bound))
        })
    };
    // An eighth of the travel: at the eighth tick it is the travel, one later it is beyond; but
    // then the piston counts as stuck, which is said instead.
    let bound = 8.0 * PERIOD;
    for pace in [0.0078125, -0.0078125] {
        assert_eq!(displacement(pace), Some((9, 9.0 * PERIOD, bound)), "{pace}");
    }
    // Quick enough, the time decides. The piston is judged at the eighth look, with the one before.
    let mut watch = SensorWatch::new(&Limits::read(&limits).unwrap(), PERIOD);
    let _ = watch.look(0.5, 0.0, 0.0);
    let mut limits_found = Vec::new();
    for k in 1..=9 {
        let found = watch.look(0.5, f64::from(k), 0.03125);
        limits_found.push(found.map(|(limit, ..)| limit));
    }
    let mut expected = vec![None; 6];
    expected.push(Some(Limit::Stuck));
    expected.extend([Some(Limit::FrozenDisplacement); 2]);
    assert_eq!(limits_found, expected);
    // Force: the piston moves.
    let mut watch = SensorWatch::new(&Limits::read(&limits).unwrap(), PERIOD);
    let mut x = 0.0;
    let _ = watch.look(x, 5.0, 0.0);
    let found = (1..40).find_map(|k| {
        x -= 0.0078125;
        watch.look(x, 5.0, 0.0).map(|found| (k, found))
    });
    let expected = (Limit::FrozenForce, 9.0 * PERIOD, bound);
    assert_eq!(found, Some((9, expected)));
    // One other value, and it begins anew: both the time and the way.
    let mut watch = SensorWatch::new(&Limits::read(&limits).unwrap(), PERIOD);
    let _ = watch.look(x, 5.0, 0.0);
    for k in 1..200 {
        x += 0.0078125;
        let f = if k % 9 == 0 { 6.0 } else { 5.0 };
        let found = watch.look(x, f, 0.0);
        // Two values differ at each ninth tick, so that eight on end are the most.
        assert_eq!(found, None, "{k}");
    }
}

#[test]
fn rates_at_a_bound_pass_and_ranges_end_at_theirs() {
    let limits = numbers(&[
        ("displacement_rate", 2.0),
        ("force_rate", 2048.0),
        ("displacement_range", 0.5),
        ("force_range", 512.0),
    ]);
    let start = || {
        let mut watch = SensorWatch::new(&Limits::read(&limits).unwrap(), PERIOD);
        assert_eq!(watch.look(0.25, 16.0, 0.0), None);
        watch
    };
    let (dx, df) = (2.0 * PERIOD, 2.0);
    for side in [1.0, -1.0] {
        assert_eq!(start().look(0.25 + side * dx, 16.0 + side * df, 0.0), None);
        let found = start().look(0.25 + side * 1.5 * dx, 17.0, 0.0);
        assert_eq!(found, Some((Limit::DisplacementRate, 3.0, 2.0)));
        let found = start().look(0.25, 16.0 + side * 1.5 * df, 0.0);
        assert_eq!(found, Some((Limit::ForceRate, 3072.0, 2048.0)));
        let mut free = SensorWatch::new(&Limits::read(&limits).unwrap(), PERIOD);
        let inside = 0.5_f64.next_down();
        assert_eq!(free.look(side * inside, 511.0, 0.0), None);
        let mut free = SensorWatch::new(&Limits::read(&limits).unwrap(), PERIOD);
        let found = free.look(side * 0.5, 0.0, 0.0);
        assert_eq!(found, Some((Limit::SensorRange, side * 0.5, 0.5)));
        let mut free = SensorWatch::new(&Limits::read(&limits).unwrap(), PERIOD);
        let found = free.look(0.0, side * 512.0, 0.0);
        assert_eq!(found, Some((Limit::SensorRange, side * 512.0, 512.0)));
    }
}

/// A piston is judged once its command has gone the travel and the time is over; below a twentieth
/// of the way it stands.
#[test]
fn a_piston_stands_below_a_twentieth_of_the_way() {
    let limits = numbers(&[("frozen", 4.0 * PERIOD), ("frozen_travel", 0.5)]);
    // The command goes `pace` a tick, the piston moves by `moved` at the second tick; the tick and
    // the way of the finding.
    let run = |pace: &dyn Fn(u32) -> f64, moved: f64| {
        let mut watch = SensorWatch::new(&Limits::read(&limits).unwrap(), PERIOD);
        (1..=12).find_map(|k| {
            let x = if k > 1 { moved } else { 0.0 };
            let found = watch.look(x, f64::from(k), pace(k));
            let found = found.filter(|(limit, ..)| *limit == Limit::Stuck);
            found.map(|(_, way, bound)| (k, way, bound))
        })
    };
    // The travel is there at the fourth tick, exactly; one tick of half the pace less, at the
    // fifth.
    assert_eq!(run(&|_| 0.125, 0.0), Some((4, 0.0, 0.5)));
    assert_eq!(run(&|_| -0.125, 0.0), Some((4, 0.0, 0.5)));
    let slower = |k: u32| if k == 1 { 0.0625 } else { 0.125 };
    assert_eq!(run(&slower, 0.0), Some((5, 0.0, 0.5)));
    // There and back is a way too: from the least to the largest.
    let back = |k: u32| if k.is_multiple_of(2) { -0.5 } else { 0.25 };
    assert_eq!(run(&back, 0.0), Some((4, 0.0, 0.5)));
    // Quick, but not before its time.
    assert_eq!(run(&|_| 1.0, 0.0), Some((4, 0.0, 0.5)));
    // A twentieth of 4 m are 0.2 m, of which a piston may lack nothing.
    assert_eq!(run(&|k| if k < 5 { 1.0 } else { 0.0 }, 0.2), None);
    let less = 0.2_f64.next_down();
    let found = run(&|k| if k < 5 { 1.0 } else { 0.0 }, less);
    assert_eq!(found, Some((4, less, 0.5)));
    let found = run(&|k| if k < 5 { 1.0 } else { 0.0 }, -less);
    assert_eq!(found, Some((4, less, 0.5)));
    // After a judgement everything counts anew: one that moved and then stands is found later.
    let mut watch = SensorWatch::new(&Limits::read(&limits).unwrap(), PERIOD);
    let found = (1..=20_u32).find(|k| {
        let x = f64::from((*k).min(6));
        let found = watch.look(x, f64::from(*k), 1.0);
        found.is_some_and(|(limit, ..)| limit == Limit::Stuck)
    });
    // Judged at 4, at 8 (it moved from 4 to 6), at 12: it stood.
    assert_eq!(found, Some(12));
}

/// A specimen is judged far out, by its stiffest secant, and believed at the fifth tick.
#[test]
fn a_specimen_is_judged_by_its_secant() {
    let limits = numbers(&[("specimen_failure", 0.5), ("frozen_travel", 1.0)]);
    let new = || SpecimenWatch::new(&Limits::read(&limits).unwrap());
    // Displacements from the first, forces too: 16 N/m from (1, 100).
    let show = |watch: &mut SpecimenWatch, x: f64, k: f64| watch.look(1.0 + x, 100.0 + k * x);
    let shown = || {
        let mut watch = new();
        assert_eq!(show(&mut watch, 0.0, 16.0), None);
        assert_eq!(show(&mut watch, 4.0, 16.0), None);
        watch
    };
    // Half of it is failure, a little more is none; on both sides, at the edge of what is far.
    for x in [4.0, -4.0, 1.0, -1.0] {
        let mut watch = shown();
        for tick in 1..=8 {
            let found = show(&mut watch, x, 8.0);
            assert_eq!(found, (tick >= 5).then_some((0.5, 0.5)), "{x} at {tick}");
        }
        let mut watch = shown();
        for _ in 0..8 {
            assert_eq!(show(&mut watch, x, 8.5), None);
        }
        // One sound tick, and it begins anew.
        let mut watch = shown();
        for tick in 0..40 {
            let k = if tick % 5 == 4 { 9.0 } else { 4.0 };
            assert_eq!(show(&mut watch, x, k), None, "{tick}");
        }
    }
    // Nearer than a quarter of the farthest nobody judges, and nothing begins anew either.
    let mut watch = shown();
    for _ in 0..8 {
        assert_eq!(show(&mut watch, 0.5, 1.0), None);
    }
    // Before it has gone the travel, nothing is judged; at it, it is.
    let mut watch = new();
    watch.expect(16.0);
    for _ in 0..8 {
        assert_eq!(show(&mut watch, 0.0, 0.0), None);
        assert_eq!(show(&mut watch, 0.5, 0.0), None);
    }
    let found: Vec<_> = (0..5).map(|_| show(&mut watch, 1.0, 1.0)).collect();
    assert_eq!(found[3..], [None, Some((0.0625, 0.5))]);
    // A stiffer secant counts beyond half of the farthest alone.
    for (x, counts) in [(2.5, true), (2.0, false)] {
        let mut watch = shown();
        assert_eq!(show(&mut watch, x, 64.0), None);
        let found: Vec<_> = (0..5).map(|_| show(&mut watch, 4.0, 16.0)).collect();
        let expected = counts.then_some((0.25, 0.5));
        assert_eq!(found[4], expected, "{x}");
    }
    // The planned stiffness is the least that is expected, and no number is no plan.
    let mut watch = shown();
    watch.expect(f64::NAN);
    watch.expect(8.0);
    assert_eq!(show(&mut watch, 4.0, 12.0), None);
    watch.expect(32.0);
    let found: Vec<_> = (0..5).map(|_| show(&mut watch, 4.0, 16.0)).collect();
    assert_eq!(found[4], Some((0.5, 0.5)));
    // Not without a bound, and not by what is no number.
    let mut blind = SpecimenWatch::new(&Limits::read(&numbers(&[("frozen_travel", 1.0)])).unwrap());
    let mut watch = shown();
    for _ in 0..8 {
        assert_eq!(show(&mut blind, 4.0, -1.0), None);
        assert_eq!(watch.look(f64::NAN, 0.0), None);
        assert_eq!(watch.look(8.0, f64::INFINITY), None);
    }
    assert_eq!(show(&mut watch, 4.0, 16.0), None);
}

/// What is planned for each actuator reaches its own watch.
#[test]
fn planned_stiffness_is_that_of_its_actuator() {
    let mut gate = gate_of(&numbers(&[("specimen_failure", 0.5)]));
    gate.expect_stiffness(&[0.0, 64.0]);
    let soft = Measured {
        motion: Motion {
            displacement: vec![1.0, 1.0],
            ..Motion::at_rest(2)
        },
        force: vec![16.0, 16.0],
    };
    assert_eq!(gate.check_specimen(&measured(0.0, 0.0)), None);
    let found: Vec<_> = (0..5).map(|_| gate.check_specimen(&soft)).collect();
    assert_eq!(found[3], None);
    assert_eq!(found[4], trip(Limit::SpecimenFailure, 0.25, 0.5));
}

/// Words and defaults of every limit, as docs/safety.md and the record have them.
#[test]
fn limits_have_their_units_and_actions() {
    use Verdict::{Hold, Trip, Warn};
    let table = [
        (Limit::NotFinite, "not-finite", "", 1.0, Trip),
        (Limit::Stroke, "stroke", "mm", 1e-3, Trip),
        (Limit::Velocity, "velocity", "mm/s", 1e-3, Trip),
        (Limit::Acceleration, "acceleration", "m/s^2", 1.0, Trip),
        (Limit::Force, "force", "kN", 1e3, Trip),
        (Limit::TrackingError, "tracking_error", "mm", 1e-3, Trip),
        (Limit::Linkage, "linkage", "", 1.0, Trip),
        (Limit::Valve, "valve", "%", 1e-2, Trip),
        (
            Limit::FrozenDisplacement,
            "frozen_displacement",
            "s",
            1.0,
            Trip,
        ),
        (Limit::FrozenForce, "frozen_force", "s", 1.0, Warn),
        (Limit::Stuck, "stuck", "mm", 1e-3, Trip),
        (Limit::SensorRange, "sensor_range", "mm", 1e-3, Trip),
        (
            Limit::DisplacementRate,
            "displacement_rate",
            "mm/s",
            1e-3,
            Trip,
        ),
        (Limit::ForceRate, "force_rate", "kN/s", 1e3, Trip),
        (Limit::SpecimenFailure, "specimen_failure", "%", 1e-2, Trip),
        (Limit::StaleTarget, "stale_target", "s", 1.0, Hold),
        (Limit::StaleFeedback, "stale_feedback", "ticks", 1.0, Trip),
        (Limit::ClockJump, "clock_jump", "ms", 1e-3, Trip),
        (
            Limit::MissedDeadlines,
            "missed_deadlines",
            "ticks",
            1.0,
            Hold,
        ),
        (Limit::OperatorLost, "operator_lost", "s", 1.0, Hold),
        (Limit::Recorder, "recorder", "", 1.0, Trip),
        (Limit::EmergencyChain, "emergency_chain", "", 1.0, Trip),
    ];
    assert_eq!(Limit::ALL.len(), table.len());
    let gate = gate();
    for (limit, row) in Limit::ALL.into_iter().zip(table) {
        let unit = limit.unit();
        let found = (limit, limit.name(), unit.0, unit.1, limit.default_action());
        assert_eq!(found, row);
        assert_eq!(gate.action(limit), row.4);
        let finding = gate.finding(limit, 1, 2.0, 3.0);
        assert_eq!(finding.map(|(verdict, _)| verdict), Some(row.4));
    }
    let silent = Values::new().with("force", Value::Text("none".into()));
    let gate = gate_of(&limits().with("actions", Value::Table(silent)));
    assert_eq!(gate.action(Limit::Force), Verdict::Continue);
    assert_eq!(gate.finding(Limit::Force, 1, 2.0, 3.0), None);
    // Those that have no bound are told by the key that would give one.
    let keys = |limits: Option<&Values>| -> Vec<&str> {
        let all = Limit::without_bound(limits).into_iter();
        all.map(|(_, key)| key).collect()
    };
    let all = [
        "stroke",
        "velocity",
        "acceleration",
        "force",
        "tracking_error",
        "displacement_range",
        "force_range",
        "displacement_rate",
        "force_rate",
        "specimen_failure",
    ];
    assert_eq!(keys(None), all);
    assert_eq!(keys(Some(&limits())), all[5..]);
}

/// A gate that is restored goes on as the one that was saved.
#[test]
fn a_saved_gate_goes_on() {
    use tandem_quantity::{Snapshot, StateReader};
    let mut gate = gate();
    let mut command = motion(BEND);
    assert_eq!(gate.pass(&motion(0.0), &mut command), None);
    let mut words = Vec::new();
    gate.save(&mut words);
    let mut other = self::gate();
    other.restore(&mut StateReader::new(&words)).unwrap();
    // Three more are two faster than the last: too many from rest, and from this pace as well.
    for gate in [&mut gate, &mut other] {
        let mut command = motion(3.0 * BEND);
        assert_eq!(gate.pass(&motion(0.0), &mut command), None);
        assert_eq!(gate.safe(), [0.0, 3.0 * BEND]);
    }
}
