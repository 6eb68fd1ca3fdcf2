//! Every method of every slot: no allocation after it has been built, and what was saved goes on bit for bit.

use super::common::{element, matrix, numbers, text};
use assert_no_alloc::assert_no_alloc;
use tandem_quantity::{Entry, Motion, Parameter, Snapshot, Value, Values, Words};
use tandem_test_support::filled_in;
use tandem_transfer::rig::{Context, Measured, Rehearsal};
use tandem_transfer::{
    actuator, command, compensator, conditioning, kinematics, plant, rig, servo,
};

const PERIOD: f64 = 1.0 / 1024.0;

/// Two pairs of actuators at the head of a column, at two heights.
const SPACE_FOUR: (&[&[f64]], &[&[f64]]) = (
    &[
        &[-1.5, 0.0, 0.3],
        &[-1.5, 0.0, -0.3],
        &[0.0, -1.5, 0.3],
        &[0.0, -1.5, -0.3],
    ],
    &[
        &[-0.3, 0.0, 0.3],
        &[-0.3, 0.0, -0.3],
        &[0.0, -0.3, 0.3],
        &[0.0, -0.3, -0.3],
    ],
);

/// Keys that have no default, by their name.
fn required(method: &str, parameters: &[Parameter]) -> Values {
    let mut values = filled_in(parameters, &[]);
    for parameter in parameters {
        if values.has(parameter.key) {
            continue;
        }
        let value = match (method, parameter.key) {
            ("delay", "delay") => Value::Number(0.012),
            ("polynomial", "delay") => Value::Number(0.012),
            (_, "time_constant") => Value::Number(0.010),
            ("second-order" | "third-order", "frequency") => Value::Number(18.0),
            (_, "bandwidth") => Value::Number(12.0),
            ("control-error", "error") => Value::Number(1e-5),
            ("pid", "filter") => Value::Number(200.0),
            (_, "numerator") => numbers(&[50.0]),
            (_, "denominator") => numbers(&[1.0, 50.0]),
            ("linear", "matrix") => matrix(&[&[1.0, 0.2], &[0.1, 2.0]]),
            (_, "direction") => numbers(&[1.0, 1.0]),
            ("plane-two", "bases") => matrix(&[&[-1.0, 0.0], &[0.0, -1.0]]),
            ("plane-three", "bases") => matrix(&[&[-1.0, 0.0], &[-0.5, -1.0], &[0.5, -1.0]]),
            ("plane-three", "heads") => matrix(&[&[-0.2, 0.1], &[-0.5, 0.0], &[0.5, 0.0]]),
            ("rigid-body", "bases") => Value::List(
                (0..6_u32)
                    .map(|k| {
                        let a = f64::from(k) * std::f64::consts::FRAC_PI_3;
                        numbers(&[1.5 * a.cos(), 1.5 * a.sin(), -1.2])
                    })
                    .collect(),
            ),
            ("rigid-body", "heads") => Value::List(
                (0..6_u32)
                    .map(|k| {
                        let a = f64::from(k.div_ceil(2)) * 2.0 * std::f64::consts::FRAC_PI_3 + 0.4;
                        numbers(&[0.8 * a.cos(), 0.8 * a.sin(), 0.0])
                    })
                    .collect(),
            ),
            ("space-four", "bases") => matrix(SPACE_FOUR.0),
            ("space-four", "heads") => matrix(SPACE_FOUR.1),
            ("inverted-v-brace", "half_span") => Value::Number(3.0),
            ("inverted-v-brace", "height") => Value::Number(2.5),
            ("linkage", "motions") => Value::List(["x", "rz"].map(text).to_vec()),
            ("linkage", "bases") => {
                matrix(&[&[-1.0, 0.3, 0.0], &[-1.0, -0.3, 0.0], &[1.2, 0.1, 0.0]])
            }
            ("linkage", "heads") => {
                matrix(&[&[-0.2, 0.3, 0.0], &[-0.2, -0.3, 0.0], &[0.2, 0.1, 0.0]])
            }
            (
                "force-correction" | "force-prediction" | "specimen-model" | "open-loop",
                "stiffness",
            ) => matrix(&[&[1e6, 1e5], &[1e5, 1e6]]),
            ("force-prediction" | "specimen-model", "mass" | "damping") => {
                matrix(&[&[3.0, 0.0], &[0.0, 5.0]])
            }
            ("inertia-removal", "mass" | "damping") => numbers(&[30.0, 40.0]),
            ("calibration", "displacement_factor" | "force_factor") => numbers(&[1.02, 0.99]),
            ("calibration", "displacement_offset" | "force_offset") => numbers(&[1e-4, -1e-4]),
            ("chain", "step") => {
                let step = |name: &str| {
                    let entry = Entry::find(conditioning::METHODS, name).unwrap();
                    let table = required(name, entry.method.parameters);
                    Value::Table(table.with("method", text(name)))
                };
                Value::List(
                    ["calibration", "kalman", "inertia-removal", "low-pass"]
                        .map(step)
                        .to_vec(),
                )
            }
            ("switched", "force_below") => Value::Number(10.0),
            ("switched", "displacement_above") => Value::Number(20.0),
            ("transfer-matrix", "element") => Value::List(vec![
                element(1, 1, &[1.02e4], &[1.0, 150.0, 1.0e4]),
                element(1, 2, &[0.2, 0.0], &[1.0, 120.0]),
                element(2, 2, &[85.0], &[1.0, 87.0]),
            ]),
            _ => continue,
        };
        values.set(parameter.key, value);
    }
    values
}

fn wanted(k: u32, n: usize) -> Motion {
    let t = f64::from(k) * PERIOD;
    let at = |f: fn(f64) -> f64, scale: f64| {
        (0..n)
            .map(|i| scale * f(9.0 * t + i as f64) + 0.3 * scale * f(23.0 * t))
            .collect()
    };
    Motion {
        displacement: at(f64::sin, 0.01),
        velocity: at(f64::cos, 0.09),
        acceleration: at(f64::sin, -0.81),
    }
}

/// Runs `go` 3000 times under the guard, saves after the first 1500, restores into a fresh one and compares the end.
fn check<T: Snapshot + ?Sized>(
    name: &str,
    mut make: impl FnMut() -> Box<T>,
    mut go: impl FnMut(&mut T, u32, &mut [f64]),
) {
    let mut out = [0.0; 64];
    let mut subject = make();
    let mut run = |subject: &mut T, from: u32, to: u32, out: &mut [f64]| {
        assert_no_alloc(|| {
            for k in from..to {
                go(subject, k, out);
            }
        });
    };
    run(&mut subject, 0, 1500, &mut out);
    let mut words = Vec::new();
    subject.save(&mut words);
    run(&mut subject, 1500, 3000, &mut out);
    let expected = out.map(f64::to_bits);
    let mut end = Vec::new();
    subject.save(&mut end);

    let mut other = make();
    run(&mut other, 0, 77, &mut out);
    let mut reader = Words::new(&words);
    other.restore(&mut reader).unwrap();
    assert_eq!(reader.remaining(), 0, "{name}: words left over");
    run(&mut other, 1500, 3000, &mut out);
    assert_eq!(out.map(f64::to_bits), expected, "{name}: another output");
    let mut again = Vec::new();
    other.save(&mut again);
    let bits = |words: &[f64]| words.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&again), bits(&end), "{name}: another state");
    assert!(out.iter().all(|x| x.is_finite()), "{name}: {out:?}");
    if !words.is_empty() {
        assert!(
            other.restore(&mut Words::new(&words[1..])).is_err(),
            "{name}"
        );
    }
}

fn put(out: &mut [f64], motion: &Motion) {
    let n = motion.len();
    out[..n].copy_from_slice(&motion.displacement);
    out[n..2 * n].copy_from_slice(&motion.velocity);
    out[2 * n..3 * n].copy_from_slice(&motion.acceleration);
}

/// The wanted motions and what a lagging rig makes of them, made before the guard is up.
fn signals(n: usize) -> (Vec<Motion>, Vec<Motion>) {
    let target: Vec<Motion> = (0..3001).map(|k| wanted(k, n)).collect();
    let measured = (0..3001_u32)
        .map(|k| wanted(k.saturating_sub(11), n))
        .collect();
    (target, measured)
}

#[test]
fn command_generators() {
    let (target, _) = signals(2);
    for entry in command::METHODS {
        let values = required(entry.method.name, entry.method.parameters);
        let mut out = Motion::at_rest(2);
        check(
            entry.method.name,
            || (entry.build)(&values, 2).unwrap(),
            |generator, k, row| {
                if k % 8 == 0 && k % 24 != 0 {
                    generator.target(&target[k as usize]);
                }
                let x = f64::from(k % 8 + 1) / 8.0;
                if k % 24 == 0 {
                    // Every third target is late.
                    for late in 1..12 {
                        generator.waiting(0.75, f64::from(late) / 8.0, 8.0 * PERIOD, &mut out);
                    }
                    generator.target(&target[k as usize]);
                }
                generator.wanted(x, 8.0 * PERIOD, &mut out);
                put(row, &out);
            },
        );
    }
}

#[test]
fn compensators() {
    for entry in compensator::METHODS {
        for n in [1, 2] {
            let (target, measured) = signals(n);
            let mut values = required(entry.method.name, entry.method.parameters);
            if entry.method.name == "lqg" && n == 2 {
                let multi = Entry::find(plant::METHODS, "benchmark-multi").unwrap();
                let table =
                    filled_in(multi.method.parameters, &[]).with("kind", text("benchmark-multi"));
                values.set("plant", Value::Table(table));
            }
            if entry.method.name == "inverse" {
                values.set("adaptive", Value::Boolean(true));
            }
            if entry.method.name == "per-actuator" {
                let ats = Entry::find(compensator::METHODS, "ats").unwrap();
                let table = filled_in(ats.method.parameters, &[]).with("method", text("ats"));
                values.set("actuator", Value::List(vec![Value::Table(table); n]));
            }
            // Every method is also switched on in the middle of the run.
            values.set("method", text(entry.method.name));
            let late = values.clone().with("switch_on", Value::Number(1.0));
            let mut out = Motion::at_rest(n);
            for values in [&values, &late] {
                check(
                    entry.method.name,
                    || compensator::build(values, n, PERIOD).unwrap(),
                    |compensator, k, row| {
                        let k = k as usize;
                        compensator.compensate(&target[k + 1], &measured[k], &mut out);
                        put(row, &out);
                        let coefficients = compensator.coefficients(0);
                        row[40..40 + coefficients.len()].copy_from_slice(coefficients);
                    },
                );
            }
        }
    }
}

#[test]
fn servos_and_actuators() {
    for entry in servo::METHODS {
        let values = required(entry.method.name, entry.method.parameters);
        if (entry.build)(&values, PERIOD).unwrap().is_none() {
            continue;
        }
        check(
            entry.method.name,
            || (entry.build)(&values, PERIOD).unwrap().unwrap(),
            |servo, k, row| {
                let t = f64::from(k) * PERIOD;
                row[0] = servo.drive_with_force((9.0 * t).sin(), (9.0 * t - 0.1).sin(), 50.0 * t);
            },
        );
    }
    let (target, _) = signals(1);
    for entry in actuator::METHODS {
        let values = required(entry.method.name, entry.method.parameters);
        check(
            entry.method.name,
            || (entry.build)(&values, PERIOD).unwrap(),
            |actuator, k, row| {
                let m = &target[k as usize];
                let axis = [m.displacement[0], m.velocity[0], m.acceleration[0]];
                row[..3].copy_from_slice(&actuator.advance(axis));
            },
        );
    }
}

#[test]
fn plants_in_their_rig() {
    for entry in plant::METHODS {
        let name = entry.method.name;
        let n = if name == "benchmark-single" { 1 } else { 2 };
        let (target, _) = signals(n);
        let table = required(name, entry.method.parameters).with("kind", text(name));
        let sensors = Values::new()
            .with("displacement_noise", Value::Number(1.6e-5))
            .with("displacement_late", Value::Number(0.005))
            .with("acceleration_noise", Value::Number(0.01))
            .with("force_noise", Value::Number(2.18));
        let mut values = Values::new()
            .with("rate", Value::Number(4096.0))
            .with("plant", Value::Table(table))
            .with("sensors", Value::Table(sensors));
        if name != "benchmark-single" {
            let specimen = Values::new()
                .with("kind", text("spring-dashpot-mass"))
                .with("stiffness", numbers(&vec![1e6; n]));
            values.set("specimen", Value::Table(specimen));
        }
        let context = Context {
            actuators: n,
            interface: n,
            kinematics: None,
            period: PERIOD,
            seed: 5,
            members: None,
            outside: None,
        };
        let build = Entry::find(rig::METHODS, "virtual").unwrap().build;
        let mut measured = Measured::at_rest(n);
        let mut rehearsal = Rehearsal::of(build(&values, &context).unwrap().as_ref()).unwrap();
        check(
            name,
            || build(&values, &context).unwrap(),
            |rig, k, row| {
                rig.write(rehearsal.release(&target[k as usize]).unwrap());
                rig.read(&mut measured);
                put(row, &measured.motion);
                row[40..40 + n].copy_from_slice(&measured.force);
            },
        );
    }
}

#[test]
fn kinematics_and_conditioning() {
    for entry in kinematics::METHODS {
        let name = entry.method.name;
        let n = match name {
            "plane-three" => 3,
            "space-four" => 4,
            "rigid-body" => 6,
            _ => 2,
        };
        let (target, _) = signals(n);
        let values = required(name, entry.method.parameters);
        let m = (entry.build)(&values, n).unwrap().actuators();
        let (mut strokes, mut back) = (Motion::at_rest(m), Motion::at_rest(n));
        let mut force = vec![0.0; n];
        check(
            name,
            || (entry.build)(&values, n).unwrap(),
            |kinematics, k, row| {
                kinematics.to_actuators(&target[k as usize], &mut strokes);
                assert!(kinematics.to_interface(&strokes, &mut back), "{name}");
                kinematics.force_to_interface(&strokes.acceleration, &mut force);
                kinematics.force_to_actuators(&force, &mut strokes.acceleration);
                kinematics.force_to_interface(&strokes.acceleration, &mut force);
                put(row, &back);
                row[40..40 + n].copy_from_slice(&force);
            },
        );
    }
    let (target, lagging) = signals(2);
    for entry in conditioning::METHODS {
        let values = required(entry.method.name, entry.method.parameters);
        let mut measured = Measured::at_rest(2);
        check(
            entry.method.name,
            || (entry.build)(&values, 2, PERIOD).unwrap(),
            |conditioner, k, row| {
                measured.motion.copy_from(&lagging[k as usize]);
                measured
                    .force
                    .copy_from_slice(&lagging[k as usize].velocity);
                conditioner.condition(&target[k as usize], &mut measured);
                put(row, &measured.motion);
                row[40..42].copy_from_slice(&measured.force);
            },
        );
    }
}
