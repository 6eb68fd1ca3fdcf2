//! Every method of every slot between target and force, from a plan.

use super::{LAG, SPRING, plan, run};
use tandem_transfer::{
    actuator, command, compensator, conditioning, kinematics, plant, servo, specimen,
};

#[path = "../../../../benches/src/needed.rs"]
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

fn finishes(what: &str, text: &str, set: &[&str]) {
    let found = run(&plan(text), &[&SLOW, set].concat());
    let target = found.channel("target/1");
    let moved = target.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    assert!(moved > 1e-6 && moved.is_finite(), "{what}: {moved}");
}

#[test]
fn commands_and_compensators() {
    for entry in command::METHODS {
        let name = entry.method.name;
        let text = format!(
            "{}rate = \"1 kHz\"\n{SPRING}",
            table("command", "method", name)
        );
        finishes(name, &text, &[]);
    }
    for entry in compensator::METHODS {
        let name = entry.method.name;
        let own = table("compensator", "method", name);
        finishes(
            name,
            &format!("{COMMAND}{LAG}{SPRING}{own}"),
            &["rig.actuator.frequency=18Hz"],
        );
    }
}

#[test]
fn conditioners() {
    for entry in conditioning::METHODS {
        let name = entry.method.name;
        let own = table("conditioning", "method", name);
        finishes(name, &format!("{COMMAND}{LAG}{SPRING}{own}"), &[]);
    }
}

/// Controllers around an actuator that integrates; those of force know the specimen's stiffness.
#[test]
fn servos_and_actuators() {
    let piston = "[rig.actuator]\nmethod = \"transfer-function\"\nnumerator = [1018]\ndenominator = [1, 83.6, 0]\n";
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
        finishes(name, &text, &[]);
    }
    for entry in actuator::METHODS {
        let name = entry.method.name;
        let own = table("rig.actuator", "method", name);
        finishes(name, &format!("{COMMAND}{own}{SPRING}"), &[]);
    }
}

#[test]
fn plants_and_specimens() {
    for entry in plant::METHODS {
        let name = entry.method.name;
        let own = table("rig.plant", "kind", name);
        if name == "benchmark-single" {
            finishes(
                name,
                &format!("{COMMAND}{own}"),
                &["interface.partition=add"],
            );
            continue;
        }
        let two = "[rig.specimen]\nstiffness = [1200, 900, \"kN/m\"]\n";
        finishes(
            name,
            &format!("{COMMAND}{own}{two}"),
            &["interface.dof=[1, 2]"],
        );
    }
    for entry in specimen::METHODS {
        let name = entry.method.name;
        let own = table("rig.specimen", "kind", name);
        finishes(
            name,
            &format!("{COMMAND}{own}"),
            &["interface.partition=add"],
        );
    }
}

/// Strokes of a linkage for as many interface degrees of freedom as it takes, of a building with six storeys.
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
        finishes(name, &format!("{COMMAND}{own}{SPRING}"), &set);
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
