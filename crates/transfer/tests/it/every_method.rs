//! Every method of every slot keeps to what the conformance of its slot asks.

use super::common::{element, matrix, numbers, text};
use assert_no_alloc::assert_no_alloc;
use tandem_quantity::conformance::Violation;
use tandem_quantity::{Context, Entry, Parameter, Value, Values};
use tandem_test_support::filled_in;
use tandem_transfer::rig::RigContext;
use tandem_transfer::{
    actuator, command, compensator, conditioning, conformance, kinematics, plant, rig, servo,
    specimen,
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
            ("spring-dashpot-mass", "stiffness") => numbers(&[1e6, 2e6]),
            ("materials", "material") => {
                let spring = Values::new()
                    .with("kind", text("elastic"))
                    .with("stiffness", Value::Number(1e6));
                Value::List(vec![Value::Table(spring); 2])
            }
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

/// The allocator of these tests ends them where a tick asks for memory.
fn guard(run: &mut dyn FnMut()) -> usize {
    assert_no_alloc(run);
    0
}

/// What `found` says of a method; these do not rest, on purpose.
fn passes(name: &str, found: Result<(), Violation>) {
    // An offset is taken off, and a plant is always a little beside its command.
    let restless = ["calibration", "control-error"].contains(&name);
    match found {
        Err(Violation::LeavesRest { .. }) if restless => {}
        found => {
            assert_eq!(found, Ok(()), "{name}");
            assert!(!restless, "{name}");
        }
    }
}

#[test]
fn command_generators() {
    for entry in command::METHODS {
        let Entry { method, .. } = entry;
        let table = required(method.name, method.parameters);
        let context = Context::of(2, PERIOD);
        let found = conformance::command_generator(entry, &table, &context, &guard);
        passes(method.name, found);
    }
}

#[test]
fn compensators() {
    for entry in compensator::METHODS {
        for n in [1, 2] {
            let Entry { method, .. } = entry;
            let mut table = required(method.name, method.parameters);
            if method.name == "lqg" && n == 2 {
                let multi = Entry::find(plant::METHODS, "benchmark-multi").unwrap();
                let plant =
                    filled_in(multi.method.parameters, &[]).with("kind", text("benchmark-multi"));
                table.set("plant", Value::Table(plant));
            }
            if method.name == "inverse" {
                table.set("adaptive", Value::Boolean(true));
            }
            if method.name == "per-actuator" {
                let ats = Entry::find(compensator::METHODS, "ats").unwrap();
                let one = filled_in(ats.method.parameters, &[]).with("method", text("ats"));
                table.set("actuator", Value::List(vec![Value::Table(one); n]));
            }
            let context = Context::of(n, PERIOD);
            let found = conformance::compensator(entry, &table, &context, &guard);
            passes(method.name, found);
        }
    }
}

#[test]
fn servos_and_actuators() {
    let context = Context::of(1, PERIOD);
    for entry in servo::METHODS {
        let Entry { method, .. } = entry;
        let table = required(method.name, method.parameters);
        passes(
            method.name,
            conformance::servo(entry, &table, &context, &guard),
        );
    }
    for entry in actuator::METHODS {
        let Entry { method, .. } = entry;
        let table = required(method.name, method.parameters);
        passes(
            method.name,
            conformance::actuator(entry, &table, &context, &guard),
        );
    }
}

#[test]
fn specimens() {
    for entry in specimen::METHODS {
        let Entry { method, .. } = entry;
        let n = if method.name == "mr-damper" { 1 } else { 2 };
        let table = required(method.name, method.parameters);
        let context = Context::of(n, PERIOD);
        passes(
            method.name,
            conformance::specimen(entry, &table, &context, &guard),
        );
    }
}

#[test]
fn plants_alone_and_in_their_rig() {
    let virtual_rig = Entry::find(rig::METHODS, "virtual").unwrap();
    for entry in plant::METHODS {
        let name = entry.method.name;
        let n = if name == "benchmark-single" { 1 } else { 2 };
        let table = required(name, entry.method.parameters).with("kind", text(name));
        let context = Context {
            seed: 5,
            ..Context::of(n, PERIOD)
        };
        passes(name, conformance::plant(entry, &table, &context, &guard));
        let sensors = Values::new()
            .with("displacement_noise", Value::Number(1.6e-5))
            .with("displacement_late", Value::Number(0.005))
            .with("acceleration_noise", Value::Number(0.01))
            .with("force_noise", Value::Number(2.18));
        let mut rig = Values::new()
            .with("rate", Value::Number(4096.0))
            .with("plant", Value::Table(table))
            .with("sensors", Value::Table(sensors));
        if name != "benchmark-single" {
            let specimen = Values::new()
                .with("kind", text("spring-dashpot-mass"))
                .with("stiffness", numbers(&vec![1e6; n]));
            rig.set("specimen", Value::Table(specimen));
        }
        let found = conformance::rig(virtual_rig, &rig, &RigContext::direct(context), &guard);
        assert_eq!(found, Ok(()), "{name}");
    }
}

#[test]
fn kinematics_and_conditioning() {
    for entry in kinematics::METHODS {
        let Entry { method, .. } = entry;
        let n = match method.name {
            "plane-three" => 3,
            "space-four" => 4,
            "rigid-body" => 6,
            _ => 2,
        };
        let table = required(method.name, method.parameters);
        let context = Context::of(n, PERIOD);
        passes(
            method.name,
            conformance::kinematics(entry, &table, &context, &guard),
        );
    }
    for entry in conditioning::METHODS {
        let Entry { method, .. } = entry;
        let table = required(method.name, method.parameters);
        let context = Context::of(2, PERIOD);
        let found = conformance::conditioner(entry, &table, &context, &guard);
        // A chain begins with a calibration here.
        let name = if method.name == "chain" {
            "calibration"
        } else {
            method.name
        };
        passes(name, found);
    }
}

/// A compensator that keeps a memory and does not save it is found, and one that does not rest.
#[test]
fn what_is_broken_is_found() {
    use tandem_quantity::{Method, Motion, snapshot};
    struct Forgetful {
        last: f64,
    }
    snapshot!(Forgetful {});
    impl compensator::Compensator for Forgetful {
        fn propose(&mut self, wanted: &Motion, _: &Motion, command: &mut Motion) {
            command.copy_from(wanted);
            command.displacement[0] = 0.5 * (self.last + wanted.displacement[0]);
            self.last = wanted.displacement[0];
        }
    }
    struct Offset;
    snapshot!(Offset {});
    impl compensator::Compensator for Offset {
        fn propose(&mut self, wanted: &Motion, _: &Motion, command: &mut Motion) {
            command.copy_from(wanted);
            command.displacement[0] += 1e-6;
        }
    }
    let method = Method {
        name: "broken",
        summary: "",
        reference: "",
        parameters: &[],
    };
    let forgetful: Entry<compensator::Build> = Entry {
        method,
        build: &|_, _| Ok(Box::new(Forgetful { last: 0.0 })),
    };
    let offset: Entry<compensator::Build> = Entry {
        method,
        build: &|_, _| Ok(Box::new(Offset)),
    };
    let found = |entry| {
        let context = Context::of(1, PERIOD);
        conformance::compensator(entry, &Values::new(), &context, &guard)
    };
    assert!(matches!(
        found(&forgetful),
        Err(Violation::GoesOnDifferently { .. })
    ));
    assert_eq!(found(&offset), Err(Violation::LeavesRest { tick: 0 }));
}
