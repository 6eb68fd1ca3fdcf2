//! The transfer system from the plan: trajectories, late targets, servos, compensators,
//! conditioning; whole runs of the program.

mod methods;
mod readings;

use std::process::Output;

use serde_json::Value;
use tandem_coordinator::recorder::{RunReader, read_events};
use tandem_test_support::{done, example, json, peak};

use crate::TANDEM;

/// One storey of three in the laboratory.
const STRUCTURE: &str = r#"
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
dt = "4 ms"
duration = "2.4 s"
"#;

const SPRING: &str = "[rig.specimen]\nstiffness = [\"1200 kN/m\"]\n";

/// A finished run: its summary, its record and its events.
struct Run {
    summary: Value,
    record: RunReader,
    events: Vec<String>,
    _folder: tempfile::TempDir,
}

impl Run {
    fn channel(&self, name: &str) -> Vec<f64> {
        let names: Vec<_> = self.record.channels().map(|c| c.name.clone()).collect();
        let read = self.record.read(name);
        read.unwrap_or_else(|e| panic!("{name}: {e}; there are {names:?}"))
    }

    /// Error against the undivided structure, %.
    fn error(&self) -> f64 {
        let figure = &self.summary["reference"]["nrmse_percent"][0];
        figure
            .as_f64()
            .unwrap_or_else(|| panic!("{}", self.summary))
    }
}

fn program(plan: &str, set: &[&str]) -> (Output, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let more: Vec<&str> = set.iter().flat_map(|word| ["--set", word]).collect();
    let output = TANDEM.run_plan(folder.path(), "run", plan, &more);
    (output, folder)
}

fn run(plan: &str, set: &[&str]) -> Run {
    let (output, folder) = program(plan, set);
    let summary = json(&output);
    assert_eq!(summary["outcome"], "completed", "{summary}");
    done(&output);
    let at = |name: &str| folder.path().join("run").join(name);
    let record = RunReader::open(&at("run.h5")).unwrap();
    let (events, _) = read_events(&at("events.jsonl")).unwrap();
    Run {
        summary,
        record,
        events: events.iter().map(|event| event.code.clone()).collect(),
        _folder: folder,
    }
}

/// What the program says of a plan that it refuses.
fn refused(plan: &str, set: &[&str]) -> String {
    tandem_test_support::refused(&program(plan, set).0, 2)
}

fn largest_step(x: &[f64]) -> f64 {
    peak(&x.windows(2).map(|w| w[1] - w[0]).collect::<Vec<_>>())
}

fn plan(more: &str) -> String {
    format!("{STRUCTURE}{more}")
}

/// λΔt·rate = 111.2 ticks a step. No tick of the trajectory is faster than the structure itself; a
/// tick that had to make up for a part of another would be 1.8 times as fast.
#[test]
fn uneven_steps_have_no_fast_tick() {
    let slow = "[command]\nrate = \"1 kHz\"\nmethod = \"velocity\"\n";
    let set = ["integration.time_scale=27.8"];
    let found = run(&plan(&format!("{slow}{SPRING}")), &set);
    let target = found.channel("target/1");
    let velocity = found.channel("response_velocity/1");
    let fastest = peak(&velocity) / 27.8;
    let tick = largest_step(&target) / 1e-3;
    assert!(
        tick < 1.1 * fastest,
        "{tick} m/s, the structure {fastest} m/s"
    );
    assert!(found.error() < 1e-9, "{}", found.error());
}

/// An answer that is there before the prediction ends changes nothing, bit for bit; a late one
/// slows the command down and holds it, the clock of the structure stands still meanwhile, and the
/// result is the same.
#[test]
fn late_targets_slow_down_and_hold() {
    let text = plan(&format!(
        "[command]\nrate = \"1 kHz\"\nmethod = \"last-predicted-displacement\"\n{SPRING}"
    ));
    let slow = "integration.time_scale=20";
    let none = run(&text, &[slow]);
    // 80 ticks a step, 48 of them predicted.
    let early = run(&text, &[slow, "command.answer_time=40ms"]);
    assert_eq!(none.channel("target/1"), early.channel("target/1"));
    assert!(!early.events.iter().any(|code| code == "command.hold"));
    let late = run(&text, &[slow, "command.answer_time=120ms"]);
    assert!(late.events.iter().any(|code| code == "command.hold"));
    assert!(late.error() < 1e-9, "{}", late.error());
    let (x, y) = (none.channel("target/1"), late.channel("target/1"));
    assert!(y.len() > x.len() + x.len() / 2, "{} {}", x.len(), y.len());
    // The way after a hold is the rest of the step, at the pace of the correction.
    let (usual, after) = (largest_step(&x), largest_step(&y));
    assert!(after < 3.0 * usual, "{usual} {after}");
    let times = late.channel("time");
    assert!(times.windows(2).all(|w| w[1] >= w[0]));
    assert!(
        (times.last().unwrap() - 2.4).abs() < 0.01,
        "{:?}",
        times.last()
    );
}

/// The shipped test with targets that come later than the step lasts, behind a compensator that
/// multiplies every kink: it completes.
#[test]
fn the_lnec_frame_bears_late_targets() {
    let plan = example("lnec-frame/closed-loop.toml");
    let text = format!("extends = \"{}\"\n", plan.display());
    let short = "integration.duration=1.6s";
    let none = run(&text, &[short]);
    let usual = largest_step(&none.channel("command/1"));
    for answer in ["92ms", "105ms", "120ms"] {
        let late = run(&text, &[short, &format!("command.answer_time={answer}")]);
        let holds = late.events.iter().filter(|code| *code == "command.hold");
        assert_eq!(holds.count() > 300, answer == "120ms", "{answer}");
        // 2.8e-4 s² of the acceleration that slowing down and speeding up again take.
        let found = largest_step(&late.channel("command/1"));
        assert!(
            found < 0.2e-3 && found < 12.0 * usual,
            "{answer}: {usual} {found}"
        );
    }
}

/// With an adaptive fraction the correction begins when the target is there: earlier targets,
/// smaller errors of the prediction.
#[test]
fn the_prediction_lasts_as_long_as_the_answer_takes() {
    let text = plan(&format!(
        "[command]\nrate = \"1 kHz\"\nmethod = \"displacement\"\nadaptive = true\norder = 1\n\
        {SPRING}"
    ));
    let at = |answer: &str| {
        let found = run(
            &text,
            &[
                "integration.time_scale=20",
                answer,
                "command.answer_jitter=3ms",
            ],
        );
        assert!(found.error() < 1e-9, "{}", found.error());
        // PreCor-D jumps at the switch, by the error of the prediction made so far.
        largest_step(&found.channel("target/1"))
    };
    let (soon, later) = (
        at("command.answer_time=8ms"),
        at("command.answer_time=50ms"),
    );
    assert!(later > 2.0 * soon, "{soon} {later}");
}

const LAG: &str = "[rig.actuator]\nmethod = \"second-order\"\nfrequency = \"15 Hz\"\n";

/// A compensator that begins after two seconds: the command is the wanted one before, and nothing
/// jumps.
#[test]
fn a_compensator_is_switched_on_without_a_bump() {
    let text = plan(&format!(
        "[command]\nrate = \"1 kHz\"\nmethod = \"velocity\"\n{LAG}{SPRING}\
         [compensator]\nmethod = \"ats\"\na1 = \"15 ms\"\nthreshold = \"0.01 mm\"\n"
    ));
    let slow = "integration.time_scale=20";
    let from_start = run(&text, &[slow]);
    let set = [slow, "compensator.switch_on=20s", "compensator.blend=4s"];
    let later = run(&text, &set);
    let (target, command) = (later.channel("target/1"), later.channel("command/1"));
    for k in 0..19_999 {
        assert_eq!(command[k].to_bits(), target[k + 1].to_bits(), "{k}");
    }
    let bump = largest_step(&command);
    assert!(
        bump < 1.3 * largest_step(&from_start.channel("command/1")),
        "{bump}"
    );
    // Adaptation went on before: the coefficients are there when they are needed.
    let a1 = later.channel("coefficient/1/1");
    assert!(
        (a1[19_000] - a1[0]).abs() > 1e-5,
        "{} {}",
        a1[0],
        a1[19_000]
    );
    let error = |run: &Run, from: usize| {
        let (x, y) = (
            run.channel("target/1"),
            run.channel("measured_displacement/1"),
        );
        let errors = x[from..].iter().zip(&y[from..]).map(|(x, y)| x - y);
        peak(&errors.collect::<Vec<_>>())
    };
    assert!(error(&later, 30_000) < 1.2 * error(&from_start, 30_000) + 1e-6);
}

/// Two axes with their own servos in parallel, an actuator and a shaking table, and compensators of
/// their own.
#[test]
fn an_actuator_and_a_shaking_table_side_by_side() {
    let text = plan(
        r#"
[command]
rate = "1 kHz"
method = "last-predicted-displacement"
[compensator]
method = "per-actuator"
[[compensator.actuator]]
method = "ats"
a1 = "14 ms"
[[compensator.actuator]]
method = "model-based"
frequency = "30 Hz"
damping = 2.0
[rig]
rate = "5 kHz"
[[rig.axis]]
servo = { method = "pid", proportional = 3.5, filter = "200 Hz" }
actuator = { method = "transfer-function", numerator = [1018], denominator = [1, 83.6, 0] }
[[rig.axis]]
servo = { method = "pid", proportional = 40.0, integral = "400 Hz", filter = "200 Hz" }
actuator = { method = "shaking-table", loop_gain = "0 Hz", payload_mass = "150 kg" }
[rig.specimen]
stiffness = [1200, 900, "kN/m"]
[rig.sensors]
displacement_noise = "2 um"
"#,
    );
    let set = ["interface.dof=[1, 2]", "integration.time_scale=30"];
    let found = run(&text, &set);
    for axis in 0..2 {
        let nrmse = found.summary["tracking"]["nrmse_percent"][axis]
            .as_f64()
            .unwrap();
        assert!(nrmse < 3.0, "axis {axis}: {nrmse}");
    }
    // The first axis adapts three coefficients, the second none.
    assert_eq!(
        found.channel("coefficient/1/2").len(),
        found.channel("target/1").len()
    );
    assert!(found.record.read("coefficient/2/0").is_err());
    let said = refused(
        &text,
        &["interface.dof=[1, 2]", "rig.sensors.force_noise=1m"],
    );
    assert!(said.contains("force_noise"), "{said}");
    let said = refused(&text, &[]);
    assert!(
        said.contains("rig.axis") && said.contains("2 axes for 1 actuators"),
        "{said}"
    );
}

/// The servo-hydraulic actuator feels what it moves: against a specimen ten times as stiff its
/// piston comes later.
#[test]
fn the_servo_hydraulic_actuator_feels_the_specimen() {
    let at = |stiffness: &str| {
        let text = plan(&format!(
            "[command]\nrate = \"1 kHz\"\nmethod = \"velocity\"\n[rig]\nrate = \"5 kHz\"\n\
             [rig.actuator]\nmethod = \"servo-hydraulic\"\n[rig.specimen]\n\
             stiffness = [\"{stiffness}\"]\n"
        ));
        let found = run(
            &text,
            &["integration.time_scale=50", "interface.partition=add"],
        );
        found.summary["tracking"]["nrmse_percent"][0]
            .as_f64()
            .unwrap()
    };
    let (soft, stiff) = (at("100 kN/m"), at("4000 kN/m"));
    assert!(stiff > 1.2 * soft, "{soft} {stiff}");
}

/// Readings with a wrong gain and an offset spoil a test; the calibration, as one link of a chain,
/// mends it.
#[test]
fn a_chain_with_the_calibration_mends_wrong_sensors() {
    let wrong = "[rig.sensors]\nforce_gain = 1.1\nforce_offset = \"-900 N\"\n";
    let chain = r#"
[conditioning]
method = "chain"
[[conditioning.step]]
method = "calibration"
force_factor = [0.9090909090909091]
force_offset = ["-900 N"]
[[conditioning.step]]
method = "force-correction"
stiffness = [[1200], "kN/m"]
"#;
    let right = run(&plan(SPRING), &[]);
    let spoiled = run(&plan(&format!("{SPRING}{wrong}")), &[]);
    let mended = run(&plan(&format!("{SPRING}{wrong}{chain}")), &[]);
    assert!(
        right.error() < 1e-9 && spoiled.error() > 5.0,
        "{}",
        spoiled.error()
    );
    assert!(mended.error() < 1e-9, "{}", mended.error());
    let text = plan(&format!("{SPRING}{wrong}{chain}"));
    let said = refused(
        &text,
        &[
            "interface.dof=[1, 2]",
            "rig.specimen.stiffness=[1200, 900, \"kN/m\"]",
        ],
    );
    assert!(
        said.contains("force_factor") && said.contains("2 actuators"),
        "{said}"
    );
}

/// A displacement that comes 12 ms late from a camera, and an accelerometer: together they give the
/// force of the present.
#[test]
fn a_late_displacement_is_fused_with_the_acceleration() {
    let text = plan(&format!(
        "{SPRING}[rig.sensors]\ndisplacement_late = \"12 ms\"\n\
        acceleration_noise = \"0.01 m/s^2\"\n\
         [conditioning]\nmethod = \"chain\"\n"
    ));
    let model = "{ method = \"specimen-model\", stiffness = [[1200], \"kN/m\"] }";
    let fused = format!(
        "conditioning.step=[{{ method = \"kalman\", late = 12, displacement_noise = \"10 um\", \
        acceleration_noise = \"0.05 m/s^2\" }}, {model}]"
    );
    let set = [
        "command.rate=1kHz",
        "command.method=velocity",
        "integration.time_scale=4",
    ];
    let at = |chain: &str| {
        let (output, folder) = program(&text, &[&set[..], &[chain]].concat());
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        drop(folder);
        summary["reference"]["global_percent"]
            .as_f64()
            .unwrap_or(f64::INFINITY)
    };
    let plain = at(&format!("conditioning.step=[{model}]"));
    let better = at(&fused);
    assert!(better < 0.2 * plain, "{plain} {better}");
}

/// Displacement and force control in turn, from the plan, against a yielding specimen.
#[test]
fn control_is_switched_in_a_test() {
    let text = plan(
        r#"
[command]
rate = "1 kHz"
method = "velocity"
[rig]
rate = "5 kHz"
[rig.servo]
method = "switched"
proportional = 3.5
integral = "1 Hz"
stiffness = "1200 kN/m"
force_below = "0.3 kN"
displacement_above = "0.6 kN"
[rig.actuator]
method = "transfer-function"
numerator = [1018]
denominator = [1, 83.6, 0]
[rig.specimen]
stiffness = ["1200 kN/m"]
"#,
    );
    let found = run(&text, &["integration.time_scale=50"]);
    let force = found.channel("measured_force/1");
    let both = [200.0, 800.0].map(|f| force.iter().any(|x| x.abs() > f));
    assert_eq!(both, [true, true]);
    let nrmse = found.summary["tracking"]["nrmse_percent"][0]
        .as_f64()
        .unwrap();
    assert!(nrmse < 10.0, "{nrmse}");
    let said = refused(&text, &["rig.servo.force_below=1kN"]);
    assert!(said.contains("rig.servo.force_below"), "{said}");
}

/// What does not fit is refused with its place and a remedy.
#[test]
fn what_does_not_fit_is_refused() {
    let text = plan(SPRING);
    for (set, place) in [
        (vec!["command.answer_time=1ms"], "command.answer_time"),
        (
            vec!["compensator.method=per-actuator", "compensator.actuator=[]"],
            "compensator.actuator",
        ),
        (
            vec!["rig.servo.method=pid", "rig.actuator.method=ideal"],
            "rig.servo",
        ),
        (
            vec!["rig.sensors.displacement_late=1e9s"],
            "rig.sensors.displacement_late",
        ),
        (
            vec![
                "rig.plant.kind=transfer-matrix",
                "rig.plant.element=[{output=2, input=1, numerator=[1], denominator=[1]}]",
            ],
            "rig.plant.element",
        ),
        (
            vec![
                "rig.plant.kind=transfer-matrix",
                "rig.plant.element=[{output=1, input=1, numerator=[1], denominator=[1, -5]}]",
            ],
            "denominator",
        ),
        (
            vec![
                "conditioning.method=velocity",
                "conditioning.crossover=200Hz",
            ],
            "conditioning.crossover",
        ),
    ] {
        let said = refused(&text, &set);
        assert!(said.contains(place), "{set:?}: {said}");
    }
}

/// Every piece of a plan in docs/transfer-system.md is one that the program takes.
#[test]
fn the_page_s_plans_are_valid() {
    let page = include_str!("../../../../docs/transfer-system.md");
    let pieces: Vec<&str> = page
        .split("```toml\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    // How many actuators each of them is for.
    let actuators = [1, 1, 2, 1, 2, 1];
    assert_eq!(pieces.len(), actuators.len());
    for (piece, actuators) in pieces.iter().zip(actuators) {
        let mut text = plan(piece);
        if !piece.contains("[command]") {
            text += "[command]\nrate = \"1 kHz\"\nmethod = \"velocity\"\n";
        }
        let specimen = if actuators == 1 {
            "[1200, \"kN/m\"]"
        } else {
            "[1200, 900, \"kN/m\"]"
        };
        text += &format!("[rig.specimen]\nstiffness = {specimen}\n");
        if !piece.contains("actuator = {") {
            text += LAG;
        }
        let set = [
            "integration.time_scale=27.8",
            if actuators == 1 {
                "interface.dof=[1]"
            } else {
                "interface.dof=[1, 2]"
            },
            "integration.duration=0.2s",
        ];
        run(&text, &set);
    }
}
