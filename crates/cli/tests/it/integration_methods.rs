//! Time-stepping methods as a user meets them: the analysis page, the energy error and the
//! estimated stiffness of a run.

use tandem_coordinator::recorder::RunReader;
use tandem_test_support::{done, example, json, peak, plans, refused};

use crate::TANDEM;

#[test]
fn every_method_is_analysed_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let run = |words: &[&str]| TANDEM.run(&[&["analyse"], words].concat(), path);
    let all = json(&run(&["all", "--omega", "0.2,1,3", "--json"]));
    let methods = all["methods"].as_array().unwrap();
    assert_eq!(methods.len(), tandem_integrator::METHODS.len());
    for method in methods {
        for key in ["spectral_radius", "period_error", "numerical_damping"] {
            assert_eq!(method[key].as_array().unwrap().len(), 3, "{method}");
        }
        assert!(
            method["spectral_radius"][0].as_f64().unwrap() < 1.0 + 1e-9,
            "{method}"
        );
        assert!(
            method["error_growth"]["noise"][0].as_f64().unwrap() > 0.0,
            "{method}"
        );
    }
    // A parameter goes to the methods that have it; one method alone keeps its plain keys.
    let one = ["alpha-os", "--set", "alpha=0.9", "--omega", "3", "--json"];
    let one = json(&run(&one));
    let both = ["alpha-os", "cr", "--set", "alpha=-0.1", "--omega", "3"];
    let page = ["--report", "page.html", "--json"];
    let both = json(&run(&[&both[..], &page].concat()));
    assert_eq!(
        one["spectral_radius"],
        both["methods"][0]["spectral_radius"]
    );
    assert_eq!(both["report"], "page.html");
    let page = std::fs::read_to_string(path.join("page.html")).unwrap();
    assert!(page.contains("Spectral radius") && page.contains("Systematic undershoot"));
    assert!(!path.join("analyse.html").exists());
    let output = run(&["newmark-explicit", "--omega", "1.9,2.1"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("analyse.html written"), "{text}");
    assert!(path.join("analyse.html").exists());
    let said = refused(&run(&["no-such-method", "--json"]), 2);
    assert!(said.contains("no-such-method"), "{said}");
}

const PLAN: &str = r#"
[excitation]
record = "el-centro-1940"
scale = 0.4
[structure]
kind = "shear-building"
masses = [1000, 900, 800, "kg"]
stiffnesses = [3500, 2800, 2000, "kN/m"]
[structure.damping]
method = "rayleigh"
ratio = 0.03
[interface]
dof = [1]
[integration]
method = "newmark-explicit"
dt = "1 ms"
[rig.specimen]
stiffness = ["1200 kN/m"]
damping = ["900 N*s/m"]
mass = ["250 kg"]
"#;

/// E_c is what Eq. 12 says of the recorded channels; nothing for a test that equals its reference.
#[test]
fn the_energy_error_is_the_sum_over_the_recorded_steps() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let set = |out: &str, more: &[&str]| {
        let words: Vec<&str> = more.iter().flat_map(|word| ["--set", word]).collect();
        json(&TANDEM.run_plan(path, out, PLAN, &words))
    };
    let exact = set("exact", &[]);
    let ec = exact["indicators"]["Ec"]["final"].as_f64();
    assert!(ec.unwrap() < 1e-6, "{exact}");
    let delay = "rig.actuator = { method = \"delay\", samples = 2 }";
    let summary = set("run", &[delay]);
    let run = RunReader::open(&path.join("run/run.h5")).unwrap();
    let reference = RunReader::open(&path.join("run/reference.h5")).unwrap();
    let force = run.read("measured_force/1").unwrap();
    let found = run.read("response_displacement/1").unwrap();
    let wanted = reference.read("response_displacement/1").unwrap();
    let sum: f64 = force
        .iter()
        .zip(&found)
        .zip(&wanted)
        .map(|((r, d), e)| (r * (d - e)).abs())
        .sum();
    let ec = summary["indicators"]["Ec"]["final"].as_f64().unwrap();
    assert!(
        sum > 10.0 && (ec / sum - 1.0).abs() < 1e-9,
        "{ec} and {sum}"
    );
    // At a floor of the numerical substructure the force comes from the balance; it is of the same
    // size.
    let top = set("top", &[delay, "record.energy_error_dof=3"]);
    let top = &top["indicators"]["Ec"];
    assert_eq!(top["at"], "floor 3");
    assert!(
        (0.1..50.0).contains(&(top["final"].as_f64().unwrap() / ec)),
        "{top}"
    );
    let page = std::fs::read_to_string(path.join("run/report.html")).unwrap();
    assert!(page.contains("Energy error E_c"));
}

/// osm-us leaves its estimate, the truth of the virtual specimen and its confidence in the record
/// and on the page.
#[test]
fn the_estimated_stiffness_is_recorded_beside_the_true_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let words = [
        "run",
        "--json",
        "--out",
        "run",
        "--set",
        "integration.method=osm-us",
        "--set",
        "interface.stiffness=[[900, \"kN/m\"]]",
        "--set",
        "integration.window=3",
        "--set",
        "integration.threshold=0.05 mm",
    ];
    done(&TANDEM.run(&words, path));
    let run = RunReader::open(&path.join("run/run.h5")).unwrap();
    let (estimate, truth) = (
        run.read("estimated_stiffness/1").unwrap(),
        run.read("true_stiffness/1").unwrap(),
    );
    assert!(truth.iter().all(|k| (k - 1.2e6).abs() < 1.0));
    // Taken for 900 kN/m at first, found to be near 1200 kN/m from noisy increments.
    let mut middle: Vec<f64> = estimate
        .iter()
        .copied()
        .filter(|k| (k - 9e5).abs() > 1.0)
        .collect();
    middle.sort_by(f64::total_cmp);
    let median = middle[middle.len() / 2];
    assert!((median / 1.2e6 - 1.0).abs() < 0.1, "{median}");
    let confidence = run.read("estimate_confidence").unwrap();
    assert!(confidence.iter().all(|c| (0.0..=1.0).contains(c)));
    let page = std::fs::read_to_string(path.join("run/report.html")).unwrap();
    assert!(page.contains("Unbalanced force at") && page.contains("Tangent stiffness at"));
    // The correction of the force can follow it, and only it.
    let follow = [
        "--set",
        "conditioning.method=force-correction",
        "--set",
        "conditioning.stiffness=[[900, \"kN/m\"]]",
        "--set",
        "conditioning.tangent=true",
    ];
    let mut words: Vec<&str> = words.to_vec();
    words[3] = "second";
    words.extend(follow);
    done(&TANDEM.run(&words, path));
    let said = refused(&TANDEM.run(&[&["check"], &follow[..]].concat(), path), 2);
    assert!(said.contains("osm-us"), "{said}");
}

/// Control errors of 13.91 µm on Model 2 of Hung and El-Tawil (2009, Fig. 12), taken out of the
/// force by the initial stiffness and by the estimated tangent (Nakashima and Kato 1987): the
/// estimate goes by what was measured, and the test by what was meant.
#[test]
fn control_errors_are_taken_out_of_the_force() {
    let folder = tempfile::tempdir().unwrap();
    let plan = example("tangent-stiffness/model-2-osm-us-damped.toml");
    let error = |more: &[&str]| {
        let mut words = vec!["run", plan.to_str().unwrap(), "--json"];
        for set in more {
            words.extend(["--set", set]);
        }
        let summary = json(&TANDEM.run(&words, folder.path()));
        summary["indicators"]["Ec"]["final"].as_f64().unwrap()
    };
    let errors = ["rig.plant.kind=control-error", "rig.plant.error=13.91um"];
    let correction = |tangent: bool| {
        format!(
            "conditioning={{method=\"force-correction\",tangent={tangent},\
            stiffness=[[202641.206632,\
            -63325.377073],[-63325.377073,25330.150829],\"kN/m\"]}}"
        )
    };
    let none = error(&[]);
    let uncorrected = error(&errors);
    let [initial, tangent] =
        [false, true].map(|tangent| error(&[errors[0], errors[1], &correction(tangent)]));
    assert!(
        uncorrected > 1.2 * none,
        "{uncorrected} J, without errors {none} J"
    );
    for corrected in [initial, tangent] {
        assert!(
            corrected < 1.01 * none,
            "{corrected} J, without errors {none} J"
        );
    }
}

/// One floor, all of it known: what osm assumed beyond the asked forces is what they lack to
/// balance load, inertia and damping.
#[test]
fn the_unbalanced_force_is_what_the_asked_forces_lack() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let plan = PLAN
        .replace("[1000, 900, 800, \"kg\"]", "[1000, \"kg\"]")
        .replace("[3500, 2800, 2000, \"kN/m\"]", "[3500, \"kN/m\"]")
        .replace("method = \"rayleigh\"\nratio = 0.03", "method = \"none\"")
        .replace("damping = [\"900 N*s/m\"]\nmass = [\"250 kg\"]\n", "")
        .replace("newmark-explicit", "osm")
        .replace("\"1 ms\"", "\"10 ms\"");
    let summary = json(&TANDEM.run_plan(path, "run", &plan, &[]));
    let run = RunReader::open(&path.join("run/run.h5")).unwrap();
    let read = |name: &str| run.read(name).unwrap();
    let (unbalanced, force) = (read("unbalanced_force/1"), read("measured_force/1"));
    let (ground, acceleration) = (read("ground_acceleration"), read("response_acceleration/1"));
    let target = read("target/1");
    let peak = peak(&force);
    assert!(peak > 1e3);
    let mut largest = 0.0_f64;
    for i in 1..force.len() {
        let asked = 2.3e6 * target[i] + force[i];
        let lack = -1000.0 * (ground[i] + acceleration[i]) - asked;
        assert!(
            (unbalanced[i] - lack).abs() < 1e-6 * peak,
            "row {i}: {} and {lack}",
            unbalanced[i]
        );
        largest = largest.max(lack.abs());
    }
    let told = summary["indicators"]["unbalanced_force"]["max_of_peak"][0].as_f64();
    assert!(
        (told.unwrap() * peak / largest - 1.0).abs() < 1e-9,
        "{told:?}"
    );
}

/// Structures, each with a specimen.
const STRUCTURES: [(&str, &str); 4] = [
    (
        "shear building",
        r#"
[structure]
kind = "shear-building"
masses = [1000, 900, 800, "kg"]
stiffnesses = [3500, 2800, 2000, "kN/m"]
[structure.damping]
method = "rayleigh"
ratio = 0.03
[interface]
dof = [1]
[rig.specimen]
stiffness = ["1200 kN/m"]
damping = ["900 N*s/m"]
mass = ["250 kg"]
"#,
    ),
    (
        "massless floor",
        r#"
[structure]
kind = "matrices"
mass = [[1000, 0, 0], [0, 0, 0], [0, 0, 800], "kg"]
stiffness = [[6300, -2800, 0], [-2800, 4800, -2000], [0, -2000, 2000], "kN/m"]
[structure.damping]
method = "mass-proportional"
ratio = 0.03
[interface]
dof = [1]
[rig.specimen]
stiffness = ["1200 kN/m"]
"#,
    ),
    ("fibre frame", FRAME),
    ("moving supports", "wave_speed = \"200 m/s\""),
];

const FRAME: &str = r#"
[structure]
kind = "frame"
[structure.grid]
bays = [4, 4, "m"]
storeys = [3, "m"]
[[structure.material]]
name = "S355"
kind = "steel02"
modulus = "210 GPa"
yield_stress = "355 MPa"
hardening = 0.01
[[structure.section]]
name = "column"
kind = "i-shape"
height = "200 mm"
width = "200 mm"
web = "9 mm"
flange = "15 mm"
material = "S355"
[[structure.section]]
name = "beam"
kind = "elastic"
modulus = "210 GPa"
area = "60 cm^2"
inertia = "8000 cm^4"
[[structure.member]]
name = "columns"
along = "columns"
section = "column"
[[structure.member]]
name = "tested"
between = ["A0 A1"]
section = "column"
[[structure.member]]
name = "beams"
along = "beams"
element = "elastic"
section = "beam"
[[structure.support]]
nodes = ["base"]
[[structure.mass]]
nodes = ["floors"]
mass = "10 t"
[structure.damping]
method = "stiffness-proportional"
ratio = "2 %"
[interface]
members = ["tested"]
[rig]
"#;

/// Rigs: what is set in the plan.
const RIGS: [(&str, &[&str]); 3] = [
    ("ideal", &[]),
    (
        "actuator",
        &[
            "rig.actuator.method=first-order",
            "rig.actuator.time_constant=1ms",
            "command.rate=8000 Hz",
        ],
    ),
    (
        "slow",
        &[
            "integration.time_scale=50",
            "command.rate=1000 Hz",
            "rig.actuator.method=first-order",
            "rig.actuator.time_constant=5ms",
        ],
    ),
];

/// Any method with any structure and any rig, or a message that tells why not and what to do: as
/// the table of docs/integrators.md says (ideal, with an actuator, slow).
#[test]
fn any_method_with_any_structure_and_rig_or_a_clear_message() {
    let page = include_str!("../../../../docs/integrators.md");
    let mut refused = std::collections::BTreeMap::new();
    for entry in tandem_integrator::METHODS {
        let name = entry.method.name;
        let mut row = format!("| `{name}` |");
        for (structure, text) in STRUCTURES {
            let moving = format!("kind = \"frame\"\n{text}");
            let text = match structure {
                "moving supports" => FRAME.replace("kind = \"frame\"", &moving),
                _ => text.to_owned(),
            };
            let text = format!(
                "[excitation]\nrecord = \"el-centro-1940\"\nscale = 0.4\n[integration]\n\
                method = \"{name}\"\ndt = \"1 ms\"\nduration = \"0.3 s\"\n{text}"
            );
            row += " ";
            for (rig, set) in RIGS {
                let what = format!("{name}, {structure}, {rig}");
                let mut set: Vec<String> = set.iter().map(|word| (*word).to_owned()).collect();
                // It gives the motion of the instant and takes one tick a step; the message says
                // so.
                if name == "rk4" {
                    set.retain(|word| !word.starts_with("command.rate"));
                }
                let plan = plans::plan(&text, &set);
                match tandem::assemble::assemble(&plan.values, plan.registry()) {
                    Ok(test) => {
                        let signals = plans::signals(test, &[0]);
                        let moved = &signals.numerical[0];
                        assert!(moved.iter().all(|x| x.is_finite()), "{what}");
                        assert!(moved.iter().any(|x| x.abs() > 1e-9), "{what}");
                        row += "●";
                    }
                    Err(errors) => {
                        let told = errors
                            .iter()
                            .all(|e| !e.key.is_empty() && e.help.len() > 10);
                        assert!(told, "{what}: {errors:?}");
                        let text = plan.refuse(errors).to_text();
                        assert!(text.contains("help:"), "{what}: {text}");
                        refused.insert(what, text);
                        row += "–";
                    }
                }
            }
            row += " |";
        }
        println!("{row}");
        assert!(page.contains(&row), "not in docs/integrators.md: {row}");
    }
    for (what, text) in &refused {
        println!("{what}:\n{text}");
    }
}
