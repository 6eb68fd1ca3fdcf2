//! Time-stepping methods as a user meets them: the analysis page, the energy error and the estimated stiffness of a run.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tandem_coordinator::recorder::RunReader;

fn tandem(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tandem"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|e| panic!("{e}: {text}\n{}", String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn every_method_is_analysed_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let all = json(&tandem(
        &["analyse", "all", "--omega", "0.2,1,3", "--json"],
        path,
    ));
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
    let one = json(&tandem(
        &[
            "analyse",
            "alpha-os",
            "--set",
            "alpha=0.9",
            "--omega",
            "3",
            "--json",
        ],
        path,
    ));
    let both = [
        "analyse",
        "alpha-os",
        "cr",
        "--set",
        "alpha=-0.1",
        "--omega",
        "3",
        "--report",
        "page.html",
        "--json",
    ];
    let both = json(&tandem(&both, path));
    assert_eq!(
        one["spectral_radius"],
        both["methods"][0]["spectral_radius"]
    );
    assert_eq!(both["report"], "page.html");
    let page = std::fs::read_to_string(path.join("page.html")).unwrap();
    assert!(page.contains("Spectral radius") && page.contains("Systematic undershoot"));
    assert!(!path.join("analyse.html").exists());
    let output = tandem(&["analyse", "newmark-explicit", "--omega", "1.9,2.1"], path);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("analyse.html written"), "{text}");
    assert!(path.join("analyse.html").exists());
    let output = tandem(&["analyse", "no-such-method", "--json"], path);
    assert_eq!(output.status.code(), Some(2));
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
    std::fs::write(path.join("plan.toml"), PLAN).unwrap();
    let set = |out: &str, more: &[&str]| {
        let mut words = vec!["run", "plan.toml", "--json", "--out", out];
        for word in more {
            words.extend(["--set", *word]);
        }
        json(&tandem(&words, path))
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
    // At a floor of the numerical substructure the force comes from the balance; it is of the same size.
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

/// osm-us leaves its estimate, the truth of the virtual specimen and its confidence in the record and on the page.
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
    let output = tandem(&words, path);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
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
    assert_eq!(tandem(&words, path).status.code(), Some(0));
    let mut wrong = vec!["check"];
    wrong.extend(follow);
    let output = tandem(&wrong, path);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("osm-us"));
}

/// One floor, all of it known: what osm assumed beyond the asked forces is what they lack to balance load, inertia and damping.
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
    std::fs::write(path.join("plan.toml"), plan).unwrap();
    let output = tandem(&["run", "plan.toml", "--json", "--out", "run"], path);
    let summary = json(&output);
    let run = RunReader::open(&path.join("run/run.h5")).unwrap();
    let read = |name: &str| run.read(name).unwrap();
    let (unbalanced, force) = (read("unbalanced_force/1"), read("measured_force/1"));
    let (ground, acceleration) = (read("ground_acceleration"), read("response_acceleration/1"));
    let target = read("target/1");
    let peak = force.iter().fold(0.0_f64, |m, f| m.max(f.abs()));
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

/// Any method with any structure and any rig, or a message that tells why not and what to do. The table of docs/integrators.md.
#[test]
fn any_method_with_any_structure_and_rig_or_a_clear_message() {
    use tandem::plan::{self, Source, sections::ROOT};
    let mut refused = std::collections::BTreeMap::new();
    let mut rows = Vec::new();
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
                "[excitation]\nrecord = \"el-centro-1940\"\nscale = 0.4\n[integration]\nmethod = \"{name}\"\ndt = \"1 ms\"\nduration = \"0.3 s\"\n{text}"
            );
            row += " ";
            for (rig, set) in RIGS {
                let what = format!("{name}, {structure}, {rig}");
                let mut set: Vec<String> = set.iter().map(|word| (*word).to_owned()).collect();
                // It gives the motion of the instant and takes one tick a step; the message says so.
                if name == "rk4" {
                    set.retain(|word| !word.starts_with("command.rate"));
                }
                let source = Source::Text {
                    name: "test",
                    text: &text,
                };
                let found = plan::read(ROOT, source, &set)
                    .map_err(|refusal| refusal.to_text())
                    .and_then(|plan| {
                        tandem::assemble::assemble(&plan.values).map_err(|errors| {
                            assert!(
                                errors
                                    .iter()
                                    .all(|e| !e.key.is_empty() && e.help.len() > 10),
                                "{what}: {errors:?}"
                            );
                            plan.refuse(errors).to_text()
                        })
                    });
                match found {
                    Ok(mut test) => {
                        let signals = tandem::unrecorded::run(&mut test, &[0]).unwrap();
                        let moved = &signals.numerical[0];
                        assert!(moved.iter().all(|x| x.is_finite()), "{what}");
                        assert!(moved.iter().any(|x| x.abs() > 1e-9), "{what}");
                        row += "●";
                    }
                    Err(text) => {
                        assert!(text.contains("help:"), "{what}: {text}");
                        refused.insert(what, text);
                        row += "–";
                    }
                }
            }
            row += " |";
        }
        rows.push(row);
    }
    println!("(ideal, with an actuator, slow)");
    println!("{}", rows.join("\n"));
    for (what, text) in &refused {
        println!("{what}:\n{text}");
    }
    assert!(
        rows.iter().filter(|row| !row.contains('–')).count() >= 8,
        "{rows:#?}"
    );
}
