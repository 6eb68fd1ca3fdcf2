//! Every method of every slot between target and force, from a plan.

use super::{LAG, Run, SPRING, plan, run};
use tandem_signal::correlate;
use tandem_test_support::{json_numbers, peak, plans};
use tandem_transfer::{
    actuator, command, compensator, conditioning, kinematics, plant, servo, specimen,
};

#[path = "../../../../../benches/src/needed.rs"]
mod needed;

use needed::needed;

/// 80 ticks a step, half a second of the earthquake.
const SLOW: [&str; 2] = ["integration.time_scale=20", "integration.duration=0.5s"];
const COMMAND: &str = "[command]\nrate = \"1 kHz\"\nmethod = \"velocity\"\n";

fn table(slot: &str, selector: &str, method: &str) -> String {
    format!(
        "[{slot}]\n{selector} = \"{method}\"\n{}\n",
        needed(slot, method)
    )
}

/// What follows without delay, %: round-off.
const EXACT: f64 = 1e-8;

/// Runs to its end, and the specimen follows: RMS of the tracking error of each actuator over that
/// of its target, and RMS of the error against the undivided structure, both in %. An actuator that
/// stands still has 100 %. The bounds are a third or more above what was measured.
fn finishes(what: &str, text: &str, set: &[&str], [tracking, response]: [f64; 2]) -> Run {
    let found = run(&plan(text), &[&SLOW, set].concat());
    let moved = peak(&found.channel("target/1"));
    assert!(moved > 1e-6 && moved.is_finite(), "{what}: {moved}");
    for (figure, bound) in [("tracking", tracking), ("reference", response)] {
        for error in json_numbers(&found.summary[figure]["nrmse_percent"]) {
            assert!(error <= bound, "{what}, {figure}: {error} %");
        }
    }
    found
}

/// Specimen and interface of a plant.
fn place(plant: &str) -> (&'static str, &'static str) {
    match plant {
        // It has a specimen.
        "benchmark-single" => ("", "interface.partition=add"),
        _ => (
            "[rig.specimen]\nstiffness = [1200, 900, \"kN/m\"]\n",
            "interface.dof=[1, 2]",
        ),
    }
}

#[test]
fn commands_and_compensators() {
    for entry in command::METHODS {
        let name = entry.method.name;
        let text = format!(
            "{}rate = \"1 kHz\"\n{SPRING}",
            table("command", "method", name)
        );
        finishes(name, &text, &[], [EXACT; 2]);
    }
    for entry in compensator::METHODS {
        let name = entry.method.name;
        let own = table("compensator", "method", name);
        let text = format!("{COMMAND}{LAG}{SPRING}{own}");
        let bounds = if name == "none" {
            [2.5, 2.0]
        } else {
            [0.75; 2]
        };
        finishes(name, &text, &["rig.actuator.frequency=18Hz"], bounds);
    }
}

#[test]
fn conditioners() {
    for entry in conditioning::METHODS {
        let name = entry.method.name;
        let own = table("conditioning", "method", name);
        let text = format!("{COMMAND}{LAG}{SPRING}{own}");
        finishes(name, &text, &[], [3.0; 2]);
    }
}

/// Controllers around an actuator that integrates; those of force know the specimen's stiffness.
#[test]
fn servos_and_actuators() {
    let piston = "[rig.actuator]\nmethod = \"transfer-function\"\nnumerator = [1018]\n\
        denominator = [1, 83.6, 0]\n";
    for entry in servo::METHODS {
        let name = entry.method.name;
        let actuator = if name == "none" { LAG } else { piston };
        let gains = if name == "none" {
            ""
        } else {
            "proportional = 3.5\n"
        };
        let of_force = ["force", "mixed", "switched"].contains(&name);
        let stiffness = if of_force {
            "stiffness = \"1200 kN/m\"\n"
        } else {
            ""
        };
        let own = table("rig.servo", "method", name);
        let text =
            format!("{COMMAND}[rig]\nrate = \"5 kHz\"\n{actuator}{SPRING}{own}{gains}{stiffness}");
        finishes(name, &text, &[], [5.0; 2]);
    }
    for entry in actuator::METHODS {
        let name = entry.method.name;
        let own = table("rig.actuator", "method", name);
        let bound = match name {
            "ideal" => EXACT,
            "servo-hydraulic" | "shaking-table" => 9.0,
            _ => 4.0,
        };
        finishes(name, &format!("{COMMAND}{own}{SPRING}"), &[], [bound; 2]);
    }
}

#[test]
fn plants_and_specimens() {
    for entry in plant::METHODS {
        let name = entry.method.name;
        let own = table("rig.plant", "kind", name);
        let (specimen, set) = place(name);
        let bound = match name {
            "benchmark-single" => 5.5,
            "benchmark-multi" => 22.0,
            // Errors of 10 µm on motions of 20 µm.
            "control-error" => 70.0,
            _ => 4.0,
        };
        let text = format!("{COMMAND}{own}{specimen}");
        finishes(name, &text, &[set], [bound; 2]);
    }
    for entry in specimen::METHODS {
        let name = entry.method.name;
        let own = table("rig.specimen", "kind", name);
        // The state of the damper goes by ticks, in the reference by steps.
        let response = if name == "mr-damper" { 0.35 } else { EXACT };
        let text = format!("{COMMAND}{own}");
        let set = ["interface.partition=add"];
        let force = finishes(name, &text, &set, [EXACT, response]).channel("measured_force/1");
        assert_eq!(peak(&force) > 1.0, name != "none", "{name}");
    }
}

/// Strokes of a linkage for as many interface degrees of freedom as it takes, of a building with
/// six storeys.
#[test]
fn linkages() {
    for entry in kinematics::METHODS {
        let name = entry.method.name;
        let dof = match name {
            "none" | "one-actuator" => 1,
            "plane-three" => 3,
            "space-four" => 4,
            "rigid-body" => 6,
            _ => 2,
        };
        let list = |value: &str, count: usize| vec![value; count].join(", ");
        let storeys: Vec<String> = (1..=dof).map(|k| k.to_string()).collect();
        let own = table("kinematics", "method", name);
        let set = [
            format!("structure.masses=[{}, \"kg\"]", list("1000", 6)),
            format!("structure.stiffnesses=[{}, \"kN/m\"]", list("3500", 6)),
            format!("interface.dof=[{}]", storeys.join(", ")),
            format!("rig.specimen.stiffness=[{}, \"kN/m\"]", list("100", dof)),
            "interface.partition=add".to_owned(),
        ];
        let set: Vec<&str> = set.iter().map(String::as_str).collect();
        let text = format!("{COMMAND}{own}{SPRING}");
        finishes(name, &text, &set, [EXACT; 2]);
    }
}

/// A plan that describes its plant and names no method gets our own controller.
#[test]
fn a_known_plant_has_a_controller() {
    let known = "[compensator.plant]\nkind = \"benchmark-single\"\n\
                 [rig.plant]\nkind = \"benchmark-single\"\n";
    let text = plan(known);
    let set = ["integration.dt=0.9765625ms", "integration.duration=2s"];
    let named = text.replace(
        "[compensator.plant]",
        "[compensator]\nmethod = \"adaptive-inverse\"\n[compensator.plant]",
    );
    let (implied, named) = (run(&text, &set), run(&named, &set));
    assert_eq!(implied.channel("command/1"), named.channel("command/1"));
    let error = implied.summary["tracking"]["nrmse_percent"][0]
        .as_f64()
        .unwrap();
    assert!(error < 5.0, "{error}");
}

/// What a compensator writes besides where its usual settings, those of a lag of 12 ms, have no
/// stable loop with a rig.
fn fitted(method: &str, rig: &str) -> &'static str {
    match (method, rig) {
        ("pi-phase-lead", "delay" | "shaking-table") => {
            "proportional = 0.3\nintegral = \"28 Hz\"\nlead = 307\ncorner = \"8570 Hz\""
        }
        ("lqg", "delay") => "tracking_weight = \"1e4 1/s^2\"",
        ("lqg", "servo-hydraulic" | "shaking-table") => "tracking_weight = \"6e4 1/s^2\"",
        ("lqg", "third-order") => {
            "[compensator.plant]\nkind = \"transfer-matrix\"\nelement = [{ output = 1, input = 1, \
             numerator = [1.34e7], denominator = [1, 471.2, 1.847e5, 1.34e7] }]"
        }
        ("lqg", "benchmark-single") => "[compensator.plant]\nkind = \"benchmark-single\"",
        _ => "",
    }
}

/// How much of the tracking error without compensation may be left with it: a tenth more than was
/// measured at least. A command of zero leaves six times of it or more.
fn may_be_left(method: &str, rig: &str) -> f64 {
    let lag_of_12_ms = ["delay", "first-order", "second-order", "third-order"].contains(&rig);
    match method {
        "none" => 1.0,
        // Its loop is slower than the delay where it may not be faster (docs/compensators.md).
        "lqg" if rig == "delay" => 2.2,
        "lqg" | "pi-phase-lead" => 0.4,
        _ if lag_of_12_ms => 0.25,
        // It holds to the lag that it was told.
        "sliding-mode" => 3.0,
        // They were told another lag than that of the rig, and still are better than nothing.
        _ => 1.0,
    }
}

/// Every compensator on every actuator and plant that leaves something to compensate.
#[test]
fn every_compensator_tracks_on_every_rig() {
    let actuators = actuator::METHODS.iter().map(|entry| {
        let name = entry.method.name;
        let own = table("rig.actuator", "method", name);
        (name, own + SPRING, "interface.dof=[1]")
    });
    let plants = plant::METHODS.iter().map(|entry| {
        let name = entry.method.name;
        let (specimen, set) = place(name);
        (name, table("rig.plant", "kind", name) + specimen, set)
    });
    let at_command = ["ideal", "control-error"];
    for (rig, text, set) in actuators.chain(plants) {
        if at_command.contains(&rig) {
            continue;
        }
        let set = [&SLOW[..], &[set]].concat();
        let errors = |method: &str| -> Vec<f64> {
            let mut own = table("compensator", "method", method) + fitted(method, rig) + "\n";
            if method == "per-actuator" && set.contains(&"interface.dof=[1, 2]") {
                own += "[[compensator.actuator]]\nmethod = \"ats\"\n";
            }
            let test = plans::test(&plan(&format!("{COMMAND}{own}{text}")), &set);
            let found = plans::signals(test, &[]);
            assert_eq!(found.stop, None, "{method} on {rig}");
            let pairs = found.truth.strokes.iter().zip(&found.target);
            let error = |(x, wanted): (&Vec<f64>, &Vec<f64>)| correlate::errors(x, wanted).unwrap();
            pairs.map(|pair| error(pair).rms).collect()
        };
        let none = errors("none");
        for entry in compensator::METHODS {
            let method = entry.method.name;
            let found = errors(method);
            assert_eq!(found.len(), none.len());
            for (found, none) in found.iter().zip(&none) {
                let left = found / none;
                assert!(
                    left <= may_be_left(method, rig),
                    "{method} on {rig}: {left}"
                );
            }
        }
    }
}
