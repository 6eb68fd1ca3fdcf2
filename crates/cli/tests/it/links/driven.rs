//! `tandem run` with an external integrator, and Tandem's integrator with specimens elsewhere.

use super::{LabView, free_port, here, listen, listen_to_driver, opensees, python};
use serde_json::Value;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tandem_coordinator::recorder::RunReader;
use tandem_link::openfresco::Sizes;
use tandem_link::openfresco::client::Client;
use tandem_test_support::{apart, done, example, json, json_numbers, plans, refused};

use crate::TANDEM;

/// What a busy machine needs in real time.
const PATIENT: &str = "limits.missed_deadlines=1000000";

fn record(run: &Path) -> RunReader {
    RunReader::open(&run.join("run.h5")).unwrap()
}

fn events(run: &Path) -> String {
    std::fs::read_to_string(run.join("events.jsonl")).unwrap_or_default()
}

fn summary(run: &Path) -> Value {
    let text = std::fs::read_to_string(run.join("summary.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Nobody has to be asked again for what the driver wanted, or a site measured.
fn played_back(run: &Path) {
    let again = json(&TANDEM.says(&["replay", "--json", run.to_str().unwrap()]));
    assert_eq!(again["identical"], true, "{again}");
}

/// Runs a plan, drives it with a model of OpenSees, and returns exit code, terminal and the model's
/// displacements.
fn drive(
    plan: &Path,
    set: &[&str],
    python: &Path,
    script: &Path,
    words: &[&str],
    doors: usize,
) -> (i32, String, Vec<f64>) {
    let out = tempfile::tempdir().unwrap();
    let folder = out.path().join("run");
    let mut more = Vec::new();
    for word in set {
        if !word.starts_with("--") {
            more.push("--set");
        }
        more.push(word);
    }
    let listening = listen_to_driver(plan, &folder, &more, doors);
    let words: Vec<String> = words
        .iter()
        .map(|word| {
            let named = listening.ports.iter().enumerate();
            named.fold((*word).to_owned(), |word, (i, port)| {
                word.replace(&format!("{{{i}}}"), &port.to_string())
            })
        })
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let found = opensees(python, script, &words);
    let (code, said, rest) = listening.end();
    for file in ["run.h5", "summary.json", "report.html", "events.jsonl"] {
        assert!(folder.join(file).exists(), "{file}: {said}{rest}");
    }
    played_back(&folder);
    let run = record(&folder);
    if doors > 1 {
        // The specimens of several elements move together: no half of a new motion goes out.
        let (one, two) = (run.read("target/1").unwrap(), run.read("target/2").unwrap());
        let changes = |x: &[f64]| {
            x.windows(2)
                .map(|w| w[0].to_bits() != w[1].to_bits())
                .collect::<Vec<_>>()
        };
        let (one, two) = (changes(&one), changes(&two));
        let alone = one.iter().zip(&two).filter(|(a, b)| a != b).count();
        assert!(alone <= 1, "{alone} of {} ticks", one.len());
    }
    // To look for the target costs a tick a step, which is no event: a command is held only for a
    // target that was not there in the next tick either, however busy the machine.
    let events = events(&folder);
    let pending = run.read("target_pending").unwrap();
    let late = pending.split(|x| *x == 0.0).filter(|w| w.len() > 1).count();
    let holds = events.matches("command.hold").count();
    assert!(holds <= late, "{holds} holds for {late} late targets");
    (
        code,
        format!("{said}{rest}{events}"),
        json_numbers(&found["displacement_m"]),
    )
}

/// Through the whole loop, an ideal specimen gives OpenSees the response of its own model.
#[test]
fn a_plan_as_specimen_equals_opensees_alone() {
    let Some(python) = python() else { return };
    let folder = example("opensees-single-column");
    let (plan, model) = (folder.join("plan.toml"), folder.join("model.py"));
    let yielding = [
        "rig.specimen.yield_force=[\"8 kN\"]",
        "rig.specimen.post_yield_ratio=0.02",
    ];
    for integrator in [
        "newmark-explicit",
        "kr-alpha",
        "alpha-os",
        "newmark",
        "hht-fixed",
    ] {
        for (own, theirs) in [
            (&[][..], &[][..]),
            (&yielding[..], &["--fy", "8e3", "--b", "0.02"][..]),
        ] {
            let set = [&["integration.port=0"], own].concat();
            let words = [
                "--port",
                "{0}",
                "--integrator",
                integrator,
                "--seconds",
                "5",
            ];
            let (code, said, found) = drive(&plan, &set, &python, &model, &words, 1);
            assert_eq!(code, 0, "{said}");
            let alone = [
                &["--numerical", "--integrator", integrator, "--seconds", "5"],
                theirs,
            ]
            .concat();
            let alone = json_numbers(&opensees(&python, &model, &alone)["displacement_m"]);
            let error = apart(&found, &alone);
            assert!(error < 1e-9, "{integrator} {theirs:?}: {error:e}");
        }
    }
}

/// In real time the loop ticks on while OpenSees computes, and looks for the next target once a
/// tick; the response is the same.
#[test]
fn a_driver_is_served_in_real_time() {
    let Some(python) = python() else { return };
    let folder = example("opensees-single-column");
    let (plan, model) = (folder.join("plan.toml"), folder.join("model.py"));
    let words = ["--port", "{0}", "--seconds", "2"];
    let set = ["integration.port=0", PATIENT, "--realtime"];
    let alone = opensees(&python, &model, &["--numerical", "--seconds", "2"]);
    let alone = json_numbers(&alone["displacement_m"]);
    // How many targets are late is a matter of the machine; the answer is not.
    let (code, said, found) = drive(&plan, &set, &python, &model, &words, 1);
    assert_eq!(code, 0, "{said}");
    let error = apart(&found, &alone);
    assert!(error < 1e-9, "{error:e}");
}

/// Waits until this is so, however long the programs take to start, and a little longer.
fn wait_for(what: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !what() {
        assert!(begun.elapsed().as_secs() < 60, "the test does not begin");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(700));
}

/// OpenSees is killed between two steps: the test is not complete, and says so.
#[test]
fn a_killed_driver_stops_the_test() {
    let Some(python) = python() else { return };
    let folder = example("opensees-single-column");
    let (plan, out) = (folder.join("plan.toml"), tempfile::tempdir().unwrap());
    let run = out.path().join("run");
    let more = [
        "--realtime",
        "--set",
        "integration.port=0",
        "--set",
        PATIENT,
    ];
    let listening = listen_to_driver(&plan, &run, &more, 1);
    let mut model = Command::new(python)
        .arg(folder.join("model.py"))
        .args(["--port", &listening.ports[0].to_string(), "--seconds", "30"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(|| events(&run).contains("state.running"));
    model.kill().unwrap();
    model.wait().unwrap();
    let (code, said, _) = listening.end();
    assert_eq!(code, 3, "{said}");
    let events = events(&run);
    assert!(events.contains("driver.lost"), "{events}");
}

/// An FMU stands behind the same loop: OpenSees, Tandem and a column that another tool could have
/// made.
#[test]
fn an_fmu_is_the_specimen_of_opensees() {
    let Some(python) = python() else { return };
    let folder = example("opensees-single-column");
    let model = folder.join("model.py");
    let own = tempfile::tempdir().unwrap();
    let plan = OUTSIDE
        .replace("dt = \"5 ms\"", "dt = \"10 ms\"")
        .replace("[[100], \"kN/m\"]", "[[500], \"kN/m\"]");
    let rig = "[rig.specimen]\nstiffness = [\"500 kN/m\"]\n";
    std::fs::write(own.path().join("column.toml"), format!("{plan}{rig}")).unwrap();
    let export = ["fmu", "export", "column.toml", "--what", "rig"];
    let more = ["--kind", "cs", "-o", "column.fmu"];
    done(&TANDEM.run(&[&export[..], &more].concat(), own.path()));
    let driven = own.path().join("driven.toml");
    std::fs::write(
        &driven,
        "[integration]\ndriver = \"opensees\"\nport = 0\ndt = \"10 ms\"\n[interface]\n\
        stiffness = [[500], \"kN/m\"]\n\
         [rig]\nkind = \"fmu\"\nfmu = \"column.fmu\"\n[limits]\nstroke = \"200 mm\"\n",
    )
    .unwrap();
    let words = ["--port", "{0}", "--seconds", "5"];
    let (code, said, found) = drive(&driven, &[], &python, &model, &words, 1);
    assert_eq!(code, 0, "{said}");
    let alone = opensees(&python, &model, &["--numerical", "--seconds", "5"]);
    let error = apart(&found, &json_numbers(&alone["displacement_m"]));
    assert!(error < 1e-9, "{error:e}");
}

/// The only event of this code.
fn event(run: &Path, code: &str) -> Value {
    let text = events(run);
    let events = text.lines().map(|line| serde_json::from_str(line).unwrap());
    let mut found = events.filter(|event: &Value| event["code"] == code);
    let first = found.next().unwrap_or_else(|| panic!("no {code}: {text}"));
    assert!(found.next().is_none(), "{text}");
    first
}

/// A driver that asks for a motion that is no number: the specimen holds, the last good force is
/// answered to the driver's end, the operator is told when it happened, and the test does not count
/// as complete.
#[test]
fn a_motion_that_is_not_finite_ends_the_test() {
    let plan = example("opensees-single-column").join("plan.toml");
    let out = tempfile::tempdir().unwrap();
    let run = out.path().join("run");
    let listening = listen_to_driver(&plan, &run, &["--set", "integration.port=0"], 1);
    let address = ([127, 0, 0, 1], listening.ports[0]).into();
    let patience = std::time::Duration::from_secs(20);
    let mut driver = Client::connect(address, Sizes::generic_client(1, 5), patience).unwrap();
    // Who listens to the driver is a thread of its own, and an event that it is late to tell stands
    // where it was told.
    let begun = std::time::Instant::now();
    while !events(&run).contains("driver.session") {
        assert!(begun.elapsed() < patience, "{}", events(&run));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let mut ask = |x: f64| {
        let mut motion = tandem_quantity::Motion::at_rest(1);
        motion.displacement[0] = x;
        let mut force = [f64::NAN];
        driver.trial(&motion, 0.0).unwrap();
        driver.ask(10.0, &mut force).unwrap();
        driver.say(5.0).unwrap();
        force[0]
    };
    for step in 1..=20 {
        let x = 1e-3 * f64::from(step);
        let error = ask(x) - 500e3 * x;
        assert!(error.abs() < 1e-6, "{error}");
    }
    let last = ask(20e-3);
    for x in [f64::NAN, 25e-3, f64::INFINITY, 0.0] {
        let force = ask(x);
        assert!((force - last).abs() < 1e-9, "{x}: {force}");
    }
    driver.say(99.0).unwrap();
    drop(driver);
    let (code, said, rest) = listening.end();
    assert_eq!(code, 3, "{said}{rest}");
    assert!(
        said.contains("not finite") && rest.contains("not finite"),
        "{said}{rest}"
    );
    let summary = summary(&run);
    assert_eq!(summary["stopped_by"], "driver");
    assert_eq!(summary["steps"], 21);
    assert!(summary["reason"].to_string().contains("not finite"));
    // Each at its own tick: ten to a step.
    let (alarm, end) = (event(&run, "driver.alarm"), event(&run, "run.stopped"));
    let tick = |event: &Value| event["tick"].as_u64().unwrap();
    assert!((190..=220).contains(&tick(&alarm)), "{alarm}");
    assert!(tick(&end).abs_diff(tick(&alarm)) <= 1, "{alarm} {end}");
    assert!(end["text"].to_string().contains("not finite"), "{end}");
    let events = events(&run);
    let session = events.lines().find(|line| line.contains("driver.session"));
    let session: Value = serde_json::from_str(session.unwrap()).unwrap();
    assert_eq!(session["tick"], 0, "{session}");
    let place = |code: &str| events.find(code).unwrap();
    assert!(place("driver.session") < place("driver.alarm"), "{events}");
}

/// Nobody calls: the test gives up after the time that the plan allows, and says so.
#[test]
fn a_driver_that_does_not_come_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let plan = example("opensees-single-column/plan.toml");
    let run = ["run", plan.to_str().unwrap(), "--out", "run"];
    let soon = [
        "--set",
        "integration.port=0",
        "--set",
        "integration.wait=0.3s",
    ];
    let output = TANDEM.run(&[run, soon].concat(), folder.path());
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("did not come"), "{said}");
}

/// A limit stops the test; OpenSees is answered to its end and does not notice more than a force
/// that stands still.
#[test]
fn a_stopped_test_answers_to_the_end() {
    let Some(python) = python() else { return };
    let folder = example("opensees-single-column");
    let words = ["--port", "{0}", "--seconds", "5"];
    let set = ["integration.port=0", "limits.stroke=5mm"];
    let (code, said, found) = drive(
        &folder.join("plan.toml"),
        &set,
        &python,
        &folder.join("model.py"),
        &words,
        1,
    );
    assert_eq!(code, 3, "{said}");
    assert_eq!(found.len(), 500, "OpenSees made all its steps");
    assert!(
        said.contains("STOPPED") && said.contains("last good force"),
        "{said}"
    );
}

/// Stiffness measured before the test, tangent estimated on the run.
#[test]
fn stiffness_measured_and_estimated() {
    let Some(python) = python() else { return };
    let folder = example("opensees-single-column");
    let model = folder.join("model.py");
    let words = [
        "--port",
        "{0}",
        "--integrator",
        "kr-alpha",
        "--seconds",
        "3",
    ];
    let set = [
        "integration.port=0",
        "integration.measure_stiffness=1mm",
        "integration.tangent=estimated",
    ];
    let (code, said, found) = drive(&folder.join("plan.toml"), &set, &python, &model, &words, 1);
    assert_eq!(code, 0, "{said}");
    let alone = opensees(
        &python,
        &model,
        &["--numerical", "--integrator", "kr-alpha", "--seconds", "3"],
    );
    // KR-alpha takes its parameters from the initial stiffness: a wrong one would show.
    assert!(apart(&found, &json_numbers(&alone["displacement_m"])) < 1e-9);
    // Newton's iterations ask for the tangent and get there with any that is near; the specimen
    // yields.
    let set = [
        "integration.port=0",
        "integration.tangent=estimated",
        "rig.specimen.yield_force=[\"8 kN\"]",
        "rig.specimen.post_yield_ratio=0.02",
    ];
    let words = ["--port", "{0}", "--integrator", "newmark", "--seconds", "3"];
    let (code, said, found) = drive(&folder.join("plan.toml"), &set, &python, &model, &words, 1);
    assert_eq!(code, 0, "{said}");
    let words = [
        "--numerical",
        "--integrator",
        "newmark",
        "--fy",
        "8e3",
        "--b",
        "0.02",
        "--seconds",
        "3",
    ];
    let alone = opensees(&python, &model, &words);
    assert!(apart(&found, &json_numbers(&alone["displacement_m"])) < 1e-9);
}

/// The frame with fibre columns, its outer column here: ideal, the response is that of OpenSees
/// alone.
#[test]
fn the_lnec_frame_equals_opensees_alone() {
    let Some(python) = python() else { return };
    let folder = example("opensees-lnec-frame");
    let model = folder.join("model.py");
    let (code, said, found) = drive(
        &folder.join("ideal.toml"),
        &["integration.port=0"],
        &python,
        &model,
        &["--ports", "{0}"],
        1,
    );
    assert_eq!(code, 0, "{said}");
    let alone = json_numbers(&opensees(&python, &model, &["--numerical"])["displacement_m"]);
    let error = apart(&found, &alone);
    assert!(error < 1e-9, "{error:e}");
    // And with actuator, noise and compensation it stays close.
    let (code, said, found) = drive(
        &folder.join("plan.toml"),
        &["integration.port=0"],
        &python,
        &model,
        &["--ports", "{0}"],
        1,
    );
    assert_eq!(code, 0, "{said}");
    let error = apart(&found, &alone);
    assert!(error < 0.05, "{error:e}");
}

/// Two elements on two ports, one specimen each.
#[test]
fn two_elements_equal_opensees_alone() {
    let Some(python) = python() else { return };
    let model = example("opensees-lnec-frame").join("model.py");
    let set = ["integration.element=[{port=0}, {port=0}]"];
    let plan = example("opensees-lnec-frame").join("ideal.toml");
    let words = ["--ports", "{0},{1}", "--seconds", "3"];
    let (code, said, found) = drive(&plan, &set, &python, &model, &words, 2);
    assert_eq!(code, 0, "{said}");
    let alone = opensees(
        &python,
        &model,
        &["--numerical", "--ports", "1,2", "--seconds", "3"],
    );
    let error = apart(&found, &json_numbers(&alone["displacement_m"]));
    assert!(error < 1e-9, "{error:e}");
}

const OUTSIDE: &str = r#"
name = "One storey, its column elsewhere"
[excitation]
record = "el-centro-1940"
[structure]
kind = "shear-building"
masses = ["1000 kg"]
stiffnesses = ["200 kN/m"]
[interface]
dof = [1]
partition = "add"
stiffness = [[100], "kN/m"]
[integration]
method = "newmark-explicit"
dt = "5 ms"
duration = "2 s"
[record]
reference = true
[limits]
stroke = "1 m"
"#;

fn run_outside(rig: &str) -> (i32, Value, String) {
    let folder = tempfile::tempdir().unwrap();
    run_in(folder.path(), &format!("{OUTSIDE}{rig}"), &[])
}

/// Runs a plan into the folder `run` there.
fn run_in(folder: &Path, plan: &str, more: &[&str]) -> (i32, Value, String) {
    let output = TANDEM.run_plan(folder, "run", plan, more);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let summary = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code().unwrap_or(-1), summary, said)
}

/// A plan with two sites that hold a storey each.
fn two_sites(ports: [u16; 2], patience: &str) -> String {
    let plan = OUTSIDE
        .replace("[\"1000 kg\"]", "[\"1000 kg\", \"1000 kg\"]")
        .replace("[\"200 kN/m\"]", "[\"200 kN/m\", \"200 kN/m\"]")
        .replace("dof = [1]", "dof = [1, 2]")
        .replace("[[100], \"kN/m\"]", "[[100, 0], [0, 100], \"kN/m\"]");
    plan + &sites(ports, patience)
}

/// Two sites behind elements.
fn sites(ports: [u16; 2], patience: &str) -> String {
    let site = ports.map(|port| {
        format!("{{ protocol = \"element\", address = \"127.0.0.1:{port}\", {patience} }}")
    });
    format!("[rig]\nkind = \"sites\"\nsite = [{}]\n", site.join(", "))
}

/// Sends a signal to a process.
fn send(signal: &str, process: &Child) {
    let id = process.id().to_string();
    let told = Command::new("kill").args([signal, &id]).status();
    assert!(told.unwrap().success());
}

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A model of OpenSees behind an element that listens is the specimen of Tandem's own integrator.
#[test]
fn an_adapter_model_is_the_specimen() {
    let Some(python) = python() else { return };
    for kind in ["adapter", "actuator", "corotActuator"] {
        let port = free_port();
        let model = Command::new(&python)
            .arg(here().join("adapter.py"))
            .args([port.to_string().as_str(), "100e3", kind])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let _model = Killed(model);
        let rig = format!(
            "[rig]\nkind = \"sites\"\nsite = [{{ protocol = \"adapter\", address = \
            \"127.0.0.1:{port}\", timeout = \"20 s\" }}]\n"
        );
        let (code, summary, said) = run_outside(&rig);
        assert_eq!(code, 0, "{kind}: {said}");
        let error = summary["reference"]["nrmse_percent"][0].as_f64().unwrap();
        assert!(error < 1e-3, "{kind}: {error} %");
    }
}

/// All members of a portal frame are here, each behind its own port: three, six and three degrees
/// of freedom, coupled. Over streams and datagrams, also where a vector takes two of these.
#[test]
fn a_frame_of_three_elements_equals_opensees_alone() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.toml");
    std::fs::write(&plan, portal()).unwrap();
    let model = here().join("portal.py");
    for (integrator, own, client) in [
        ("newmark", "integration.udp=false", &[][..]),
        (
            "alpha-os",
            "integration.udp=false",
            &["--data-size", "3000"],
        ),
        ("newmark", "integration.udp=true", &["--udp"]),
        (
            "alpha-os",
            "integration.udp=true",
            &["--udp", "--data-size", "2000"],
        ),
    ] {
        let run = folder.path().join(format!("{integrator}-{}", client.len()));
        let listening = listen_to_driver(&plan, &run, &["--set", own], 3);
        let ports: Vec<String> = listening.ports.iter().map(u16::to_string).collect();
        let ports = ports.join(",");
        let words = [&[ports.as_str(), integrator], client].concat();
        let found = json_numbers(&opensees(&python, &model, &words));
        let (code, said, _) = listening.end();
        assert_eq!(code, 0, "{said}");
        let alone = json_numbers(&opensees(&python, &model, &["0", integrator]));
        let error = apart(&found, &alone);
        assert!(error < 1e-9, "{integrator} {client:?}: {error:e}");
        // The second element begins behind the first: its first degree of freedom is that of the
        // left corner, too.
        let record = record(&run);
        let (rows, _) = tandem::figures::driver_steps(&record).unwrap().unwrap();
        for channel in ["response_displacement/1", "response_displacement/4"] {
            let all = record.read(channel).unwrap();
            let steps: Vec<f64> = rows.iter().map(|row| all[*row]).collect();
            // α-OS tells its weighted instant.
            let error = apart(&steps, &found);
            assert!(
                error < 1e-12 || integrator != "newmark",
                "{channel}: {error:e}"
            );
        }
    }
}

/// The plan of the portal's members: two columns of 3 m and a beam of 4 m, as linear specimens.
fn portal() -> String {
    let (e, area, inertia) = (200e9, 4e-3, 8e-6);
    let mut k = vec![vec![0.0; 12]; 12];
    let mut put = |first: usize, rows: &[&[f64]]| {
        for (i, row) in rows.iter().enumerate() {
            k[first + i][first..first + row.len()].copy_from_slice(row);
        }
    };
    let of = |l: f64| {
        let ei = e * inertia;
        (
            e * area / l,
            12.0 * ei / l.powi(3),
            6.0 * ei / (l * l),
            4.0 * ei / l,
            2.0 * ei / l,
        )
    };
    let (a, b, c, d, _) = of(3.0);
    for first in [0, 9] {
        put(first, &[&[b, 0.0, c], &[0.0, a, 0.0], &[c, 0.0, d]]);
    }
    let (a, b, c, d, h) = of(4.0);
    put(
        3,
        &[
            &[a, 0.0, 0.0, -a, 0.0, 0.0],
            &[0.0, b, c, 0.0, -b, c],
            &[0.0, c, d, 0.0, -c, h],
            &[-a, 0.0, 0.0, a, 0.0, 0.0],
            &[0.0, -b, -c, 0.0, b, -c],
            &[0.0, c, h, 0.0, -c, d],
        ],
    );
    format!(
        "[integration]\ndriver = \"opensees\"\ndt = \"5 ms\"\n\
         element = [{{ port = 0, dof = 3 }}, {{ port = 0, dof = 6 }}, {{ port = 0, dof = 3 }}]\n\
         [rig.specimen]\nstiffness_matrix = [{}, \"N/m\"]\n[limits]\nstroke = \"1 m\"\n",
        k.iter()
            .map(|row| format!("{row:?}"))
            .collect::<Vec<_>>()
            .join(", ")
    )
}

/// A device behind the loop, and OpenSees before it; then the same port at once for the next test.
#[test]
fn a_device_is_the_specimen_of_opensees_twice() {
    let Some(python) = python() else { return };
    let column = example("opensees-single-column").join("model.py");
    let mut child = Command::new(&python)
        .arg(example("udp-device").join("device.py"))
        .args(["--port", "0", "--stiffness", "500e3", "--lag", "0.0005"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut said = std::io::BufReader::new(child.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut said, &mut line).unwrap();
    let _device = Killed(child);
    let digits = line.trim().rsplit(|c: char| !c.is_ascii_digit()).next();
    let device: u16 = digits.unwrap().parse().unwrap_or_else(|_| panic!("{line}"));
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.toml");
    std::fs::write(
        &plan,
        format!(
            "[integration]\ndriver = \"opensees\"\nport = {}\ndt = \"10 ms\"\n[command]\n\
            rate = \"1 kHz\"\n\
             [interface]\nstiffness = [[500], \"kN/m\"]\n[rig]\nkind = \"device\"\n\
             address = \"127.0.0.1:{device}\"\n\
             lock_step = true\nwatchdog = 2000\n[limits]\nstroke = \"200 mm\"\n",
            free_port()
        ),
    )
    .unwrap();
    let alone = opensees(&python, &column, &["--numerical", "--seconds", "2"]);
    let alone = json_numbers(&alone["displacement_m"]);
    for _ in 0..2 {
        let words = ["--port", "{0}", "--seconds", "2"];
        let (code, said, found) = drive(&plan, &[], &python, &column, &words, 1);
        assert_eq!(code, 0, "{said}");
        // Its pistons take half a millisecond.
        let error = apart(&found, &alone);
        assert!(error < 1e-4, "{error:e}");
    }
}

/// The same through an element server, an actor site and a LabVIEW controller.
#[test]
fn other_sites_are_the_specimen() {
    for (protocol, words) in [
        (
            "element",
            &["serve", "openfresco", "--port", "0", "--k", "100e3"][..],
        ),
        (
            "actor",
            &[
                "serve",
                "openfresco",
                "--role",
                "actor",
                "--port",
                "0",
                "--k",
                "100e3",
            ][..],
        ),
        (
            "labview",
            &["serve", "labview", "--port", "0", "--k", "100e3"][..],
        ),
    ] {
        let site = listen(words, 1);
        let rig = format!(
            "[rig]\nkind = \"sites\"\nsite = [{{ protocol = \"{protocol}\", address = \
            \"127.0.0.1:{}\", timeout = \"20 s\" }}]\n",
            site.ports[0]
        );
        let (code, summary, said) = run_outside(&rig);
        assert_eq!(code, 0, "{protocol}: {said}");
        let error = summary["reference"]["nrmse_percent"][0].as_f64().unwrap();
        assert!(error < 1e-9, "{protocol}: {error} %");
        let (code, said, _) = site.end();
        assert_eq!(code, 0, "{protocol}: {said}");
    }
}

/// One site that never answers holds the test, and is named.
#[test]
fn a_lost_site_holds_all() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    let rig = format!(
        "[rig]\nkind = \"sites\"\nsite = [{{ protocol = \"element\", address = \
        \"127.0.0.1:{port}\", timeout = \"200 ms\" }}]\n"
    );
    let (code, summary, said) = run_outside(&rig);
    assert_eq!(code, 3, "{said}");
    let reason = summary["reason"].as_str().unwrap();
    assert_eq!(
        reason,
        format!("site 1 at 127.0.0.1:{port} did not answer within 0.2 s; all sites hold")
    );
    let warnings = summary["warnings"].to_string();
    assert!(!warnings.contains("nonlinear"), "{warnings}");
}

/// A site that cannot be reached holds the others before anything has moved there.
#[test]
fn a_site_that_cannot_be_reached_moves_nobody() {
    let well = listen(&["serve", "openfresco", "--port", "0", "--k", "100e3"], 1);
    let patience = "timeout = \"300 ms\", connect_timeout = \"200 ms\"";
    let plan = two_sites([well.ports[0], free_port()], patience);
    let folder = tempfile::tempdir().unwrap();
    let (code, summary, said) = run_in(folder.path(), &plan, &[]);
    assert_eq!(code, 3, "{said}");
    assert!(
        summary["reason"].to_string().contains("site 2"),
        "{summary}"
    );
    let run = record(&folder.path().join("run"));
    let displacement = run.read("measured_displacement/1").unwrap();
    assert!(displacement.iter().all(|x| *x == 0.0), "{displacement:?}");
    let (code, said, _) = well.end();
    assert_eq!(code, 0, "{said}");
}

/// Two sites, one of which dies in mid-test: the other is held in the same tick, and told goodbye
/// in good order.
#[test]
fn a_site_that_dies_holds_the_other() {
    let serve = ["serve", "openfresco", "--port", "0", "--k", "100e3"];
    let (well, mut dying) = (listen(&serve, 1), listen(&serve, 1));
    let plan = two_sites([well.ports[0], dying.ports[0]], "timeout = \"500 ms\"");
    let folder = tempfile::tempdir().unwrap();
    let (code, summary, said) = std::thread::scope(|scope| {
        let run = scope.spawn(|| run_in(folder.path(), &plan, &["--pace", "1"]));
        wait_for(|| folder.path().join("run/run.h5").exists());
        dying.child.kill().unwrap();
        run.join().unwrap()
    });
    assert_eq!(code, 3, "{said}");
    let text = summary["reason"].to_string();
    assert!(
        text.contains("site 2") && text.contains("all sites hold"),
        "{summary}"
    );
    let run = record(&folder.path().join("run"));
    let force = run.read("measured_force/2").unwrap();
    let lost = force.iter().position(|f| f.is_nan()).unwrap();
    let moved = run.read("command/1").unwrap();
    assert!(lost > 10 && moved[..lost].iter().any(|x| *x != 0.0));
    first_error_names_site_2(&folder.path().join("run"));
    let trouble = event(&folder.path().join("run"), "rig.trouble");
    // Noticed when the command was written, or when its answer was read.
    let tick = usize::try_from(trouble["tick"].as_u64().unwrap()).unwrap();
    assert!(tick.abs_diff(lost) <= 1, "{trouble}, lost at {lost}");
    let held = moved[lost - 1].to_bits();
    assert!(moved[lost..].iter().all(|x| x.to_bits() == held));
    let (code, said, _) = well.end();
    assert_eq!(code, 0, "{said}");
    let _ = dying.child.wait();
}

/// What is told first is which site it was, not what the gate makes of it.
fn first_error_names_site_2(run: &Path) {
    let text = events(run);
    let first = text.lines().find(|line| !line.contains("\"info\""));
    let first = first.unwrap_or_else(|| panic!("{text}"));
    assert!(
        first.contains("rig.trouble") && first.contains("site 2"),
        "{text}"
    );
}

/// A site that dies, or falls silent, while no exchange is under way: the driver thinks, and the
/// clock waits for it. It is missed meanwhile, and the other site is not sent the next command.
#[test]
fn a_site_is_missed_while_the_driver_thinks() {
    for (signal, how) in [
        ("-KILL", "is lost"),
        ("-STOP", "did not answer within 0.3 s"),
    ] {
        let serve = ["serve", "openfresco", "--port", "0", "--k", "100e3"];
        let (well, mut dying) = (listen(&serve, 1), listen(&serve, 1));
        let patience = "timeout = \"300 ms\", watchdog = \"100 ms\"";
        let folder = tempfile::tempdir().unwrap();
        let (plan, run) = (folder.path().join("plan.toml"), folder.path().join("run"));
        let text = format!(
            "[integration]\ndriver = \"opensees\"\nport = 0\ndof = 2\n[interface]\n\
            stiffness = [[100, 0], [0, 100], \"kN/m\"]\n\
             {}",
            sites([well.ports[0], dying.ports[0]], patience)
        );
        std::fs::write(&plan, text).unwrap();
        let listening = listen_to_driver(&plan, &run, &[], 1);
        let address = ([127, 0, 0, 1], listening.ports[0]).into();
        let patience = std::time::Duration::from_secs(20);
        let mut driver = Client::connect(address, Sizes::generic_client(2, 8), patience).unwrap();
        let mut ask = |x: f64| {
            let mut motion = tandem_quantity::Motion::at_rest(2);
            motion.displacement.fill(x);
            let mut force = [f64::NAN; 2];
            driver.trial(&motion, 0.0).unwrap();
            driver.ask(10.0, &mut force).unwrap();
            driver.say(5.0).unwrap();
            force[0]
        };
        for step in 1..=20 {
            let x = 1e-3 * f64::from(step);
            assert!((ask(x) - 100e3 * x).abs() < 1e-6);
        }
        send(signal, &dying.child);
        wait_for(|| events(&run).contains("rig.trouble"));
        // The driver is answered with the last good force until it ends.
        assert!((ask(50e-3) - 2e3).abs() < 1e-6);
        driver.say(99.0).unwrap();
        drop(driver);
        let (code, said, _) = listening.end();
        assert_eq!(code, 3, "{said}");
        first_error_names_site_2(&run);
        let trouble = event(&run, "rig.trouble");
        assert!(trouble["text"].to_string().contains(how), "{trouble}");
        let command = record(&run).read("command/1").unwrap();
        assert!(command.iter().all(|x| *x <= 20e-3), "{command:?}");
        played_back(&run);
        let _ = dying.child.kill();
        let _ = dying.child.wait();
        let (code, said, _) = well.end();
        assert_eq!(code, 0, "{said}");
    }
}

/// The response is recorded at the driver's own time, step by step to the last, however often the
/// driver iterates.
#[test]
fn the_response_is_that_of_the_driver() {
    let Some(python) = python() else { return };
    let folder = example("opensees-single-column");
    for integrator in ["newmark-explicit", "kr-alpha", "newmark", "hht-fixed"] {
        let out = tempfile::tempdir().unwrap();
        let run = out.path().join("run");
        let more = [
            "--set",
            "integration.port=0",
            "--set",
            "rig.specimen.yield_force=[\"8 kN\"]",
            "--set",
            "rig.specimen.post_yield_ratio=0.02",
        ];
        let listening = listen_to_driver(&folder.join("plan.toml"), &run, &more, 1);
        let port = listening.ports[0].to_string();
        let words = [
            "--port",
            &port,
            "--integrator",
            integrator,
            "--seconds",
            "3",
        ];
        let found = opensees(&python, &folder.join("model.py"), &words);
        let (code, said, _) = listening.end();
        assert_eq!(code, 0, "{said}");
        let found = json_numbers(&found["displacement_m"]);
        let record = record(&run);
        let (rows, times) = tandem::figures::driver_steps(&record).unwrap().unwrap();
        assert_eq!(times.len(), found.len(), "{integrator}");
        // Weighted methods commit the motion of their weighted instant, and say so: 1/(1 + ρ∞) of a
        // step.
        let within = match integrator {
            "kr-alpha" => 1.0 / 1.8,
            "hht-fixed" => 1.0 / 1.9,
            _ => 1.0,
        };
        for (n, time) in times.iter().enumerate() {
            let expected = 0.01 * (n as f64 + within);
            assert!((time - expected).abs() < 1e-9, "{integrator}: {time}");
        }
        let response = record.read("response_displacement/1").unwrap();
        let response: Vec<f64> = rows.iter().map(|row| response[*row]).collect();
        if within > 0.99 {
            assert!(apart(&response, &found) < 1e-12, "{integrator}");
        }
        let summary = summary(&run);
        assert_eq!(summary["steps"], found.len());
        let last = summary["driver_time_s"].as_f64().unwrap();
        assert!((last - 2.99 - 0.01 * within).abs() < 1e-9, "{last}");
        if integrator == "hht-fixed" {
            // Five targets a step: the clock of the test goes on meanwhile.
            assert!(summary["simulated_s"].as_f64().unwrap() > 10.0, "{summary}");
        }
    }
}

/// A LabVIEW client at a plan: what cannot be is refused before anything moves, and the summary
/// says that it was asked for.
#[test]
fn refusals_of_a_labview_driver_are_in_the_summary() {
    let folder = tempfile::tempdir().unwrap();
    let (plan, run) = (folder.path().join("plan.toml"), folder.path().join("run"));
    std::fs::write(
        &plan,
        "[integration]\ndriver = \"labview\"\nport = 0\ndt = \"10 ms\"\n\
         control_point = [{ axes = [\"y displacement\"] }]\n[rig.specimen]\n\
         stiffness = [\"500 kN/m\"]\n\
         [limits]\nstroke = \"20 mm\"\nvelocity = \"500 mm/s\"\n",
    )
    .unwrap();
    let listening = listen_to_driver(&plan, &run, &[], 1);
    let mut client = LabView::at(listening.ports[0]);
    let mut ask = |line: &str| client.ask(line);
    ask("open-session|OpenFresco");
    for step in 1..=3 {
        let propose = format!("propose|T|MDL-00-01|y|displacement|{step}.0E-03");
        assert_eq!(ask(&propose), "OK|0|T");
        assert_eq!(ask("execute|T"), "OK|0|T");
    }
    for (x, why) in [
        ("2.5E-02", "beyond the stroke of 0.02 m"),
        ("1.5E-02", "faster than the 0.5 m/s"),
    ] {
        let answer = ask(&format!("propose|T|MDL-00-01|y|displacement|{x}"));
        assert!(
            answer.starts_with("ERROR|1|T|") && answer.contains(why),
            "{answer}"
        );
    }
    let answer = ask("propose|T|MDL-00-01|x|displacement|0.0");
    assert!(
        answer.contains("the control points are MDL-00-01 (y displacement)"),
        "{answer}"
    );
    let answer = ask("get-control-point|T|MDL-00-01");
    let force: f64 = answer.rsplit('|').next().unwrap().parse().unwrap();
    assert!((force - 1500.0).abs() < 1e-6, "{answer}");
    ask("close-session|OpenFresco");
    drop(client);
    let (code, said, _) = listening.end();
    assert_eq!(code, 0, "{said}");
    let summary = summary(&run);
    assert_eq!(summary["steps"], 3);
    let warnings = summary["warnings"].to_string();
    assert!(
        warnings.contains("asked 3 times") && warnings.contains("beyond the stroke"),
        "{warnings}"
    );
    let record = record(&run);
    let response = record.read("response_displacement/1").unwrap();
    assert!(
        (response.last().unwrap() - 3e-3).abs() < 1e-12,
        "the last step is there"
    );
    assert!(
        record.channels().all(|c| c.name != "driver_time"),
        "LabVIEW tells no time"
    );
}

/// A test that a limit has stopped: a LabVIEW client hears it at once, and again, instead of being
/// told that it moved.
#[test]
fn a_stopped_test_refuses_a_labview_driver() {
    let folder = tempfile::tempdir().unwrap();
    let (plan, run) = (folder.path().join("plan.toml"), folder.path().join("run"));
    std::fs::write(
        &plan,
        "[integration]\ndriver = \"labview\"\nport = 0\n[rig.specimen]\n\
        stiffness = [\"500 kN/m\"]\n[limits]\nforce = \"2 kN\"\n",
    )
    .unwrap();
    let listening = listen_to_driver(&plan, &run, &[], 1);
    let mut client = LabView::at(listening.ports[0]);
    let mut ask = |line: &str| client.ask(line);
    ask("open-session|OpenFresco");
    let propose = |mm: &str| format!("propose|T|MDL-00-01|x|displacement|{mm}E-03");
    assert_eq!(ask(&propose("3.0")), "OK|0|T");
    assert_eq!(ask("execute|T"), "OK|0|T");
    assert_eq!(ask(&propose("5.0")), "OK|0|T");
    let refused = |answer: String| answer.starts_with("ERROR|1|T|the test is stopped");
    assert!(refused(ask("execute|T")));
    for _ in 0..3 {
        assert!(refused(ask(&propose("1.0"))));
        assert!(ask("execute|T").starts_with("ERROR|1|T|"));
    }
    // The last good measurement stands.
    let answer = ask("get-control-point|T|MDL-00-01");
    let force: f64 = answer.rsplit('|').next().unwrap().parse().unwrap();
    assert!((force - 1500.0).abs() < 1e-6, "{answer}");
    assert_eq!(ask("close-session|OpenFresco"), "OK|0|OpenFresco");
    drop(client);
    let (code, said, _) = listening.end();
    assert_eq!(code, 3, "{said}");
    let summary = summary(&run);
    assert_eq!(
        (&summary["stopped_by"], &summary["steps"]),
        (&"force".into(), &1.into())
    );
}

/// The operator stops the specimen, not the driver: OpenSees is answered to its own end instead of
/// being left to spin.
#[test]
fn an_operator_who_stops_does_not_hang_up_on_opensees() {
    let Some(python) = python() else { return };
    let folder = example("opensees-single-column");
    let out = tempfile::tempdir().unwrap();
    let run = out.path().join("run");
    let plan = folder.join("plan.toml");
    let more = ["--set", "integration.port=0", "--pace", "2"];
    let mut listening = listen_to_driver(&plan, &run, &more, 1);
    let port = listening.ports[0].to_string();
    let model = folder.join("model.py");
    let driving =
        std::thread::spawn(move || opensees(&python, &model, &["--port", &port, "--seconds", "5"]));
    // In the middle of the test, which lasts two and a half seconds.
    wait_for(|| std::fs::metadata(run.join("run.h5")).is_ok_and(|file| file.len() > 20_000));
    assert!(listening.child.try_wait().unwrap().is_none());
    send("-INT", &listening.child);
    let found = driving.join().unwrap();
    assert_eq!(
        json_numbers(&found["displacement_m"]).len(),
        500,
        "OpenSees made all its steps"
    );
    let (code, said, _) = listening.end();
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("stopped by the operator"), "{said}");
}

/// Faults, the start position and what a plan cannot have are those of any test, whoever
/// integrates.
#[test]
fn a_driven_test_has_its_scripted_faults() {
    let folder = tempfile::tempdir().unwrap();
    let plan = "[integration]\ndriver = \"labview\"\nport = 0\ndt = \"10 ms\"\n\
                [rig.specimen]\nstiffness = [\"500 kN/m\"]\n[limits]\nstroke = \"20 mm\"\n";
    let drive = |name: &str, fault: &str| {
        let (path, run) = (folder.path().join("plan.toml"), folder.path().join(name));
        std::fs::write(&path, format!("{plan}[[faults]]\n{fault}\n")).unwrap();
        let listening = listen_to_driver(&path, &run, &[], 1);
        let mut client = LabView::at(listening.ports[0]);
        let mut ask = |line: &str| client.ask(line);
        ask("open-session|OpenFresco");
        let mut answers = Vec::new();
        for step in 1..=3 {
            ask(&format!("propose|T|MDL-00-01|x|displacement|{step}.0E-03"));
            ask("execute|T");
            let answer = ask("get-control-point|T|MDL-00-01");
            answers.push(
                answer
                    .rsplit('|')
                    .next()
                    .unwrap()
                    .parse::<f64>()
                    .unwrap_or(f64::NAN),
            );
        }
        ask("close-session|OpenFresco");
        drop(client);
        let (code, said, _) = listening.end();
        (code, answers, summary(&run), said)
    };
    let jumps = "kind = \"target-jumps\"\nat = \"10 ms\"\ndisplacement = \"5 mm\"";
    let (code, forces, summary, said) = drive("jumps", jumps);
    assert_eq!(code, 0, "{said}");
    assert_eq!(forces, [500.0, 3500.0, 4000.0]);
    let warnings = summary["warnings"].to_string();
    assert!(
        warnings.contains("this is a drill, not a test"),
        "{warnings}"
    );
    let (code, _, summary, said) = drive("nan", "kind = \"force-nan\"\nat = \"15 ms\"");
    assert_eq!(
        (code, &summary["stopped_by"]),
        (3, &"not-finite".into()),
        "{said}"
    );
    assert_eq!(summary["steps"], 1);

    let refuse_set = |set: &str, what: &str| {
        let said = plans::refusal(plan, &[set]);
        assert!(said.contains(what), "{said}");
    };
    refuse_set(
        "coordinator.start=[\"1 mm\", \"2 mm\"]",
        "2 values for 1 actuators",
    );
    refuse_set("command.answer_time=1ms", "takes the time that it takes");
    refuse_set("record.criteria=multi-axial", "describes no structure");
    refuse_set("record.reference_steps=4", "describes no structure");
    refuse_set("record.energy_error_dof=1", "lives in the driver");
    refuse_set(
        "faults=[{kind=\"target-nan\",at=\"1 s\",actuator=2}]",
        "there is no degree of freedom 2",
    );
    // Nobody would come to drive a drill.
    let path = folder.path().join("plan.toml");
    std::fs::write(&path, plan).unwrap();
    let output = TANDEM.says(&["drill", path.to_str().unwrap()]);
    let said = refused(&output, 2);
    assert!(said.contains("nobody is there to drive it"), "{said}");
}
