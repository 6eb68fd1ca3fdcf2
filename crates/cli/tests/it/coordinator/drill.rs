//! Faults are noticed in time, and a recorded run gives the same bits again.

use super::quick_start;
use crate::TANDEM;
use tandem_coordinator::drill::with_faults;
use tandem_coordinator::fault::{Fault, FaultKind};
use tandem_coordinator::machine::Order;
use tandem_coordinator::recorder::{EventLog, Header, RunReader, RunWriter};
use tandem_coordinator::replay::replay;
use tandem_coordinator::{HybridLoop, Outcome, RunControls, run_virtual};
use tandem_test_support::plans::QUICK_START;
use tandem_test_support::{done, example, json, refused};

#[test]
fn every_fault_of_the_quick_start_is_noticed_and_no_limit_is_crossed() {
    let plan = example("quick-start/plan.toml");
    let output = TANDEM.says(&["drill", plan.to_str().unwrap(), "--json"]);
    let rows = json(&output);
    let rows = rows.as_array().unwrap();
    assert!(rows.len() >= 15, "{} faults", rows.len());
    let usual = rows[0]["at_s"].as_f64().unwrap();
    let (early, late): (Vec<_>, Vec<_>) = rows
        .iter()
        .partition(|row| row["at_s"].as_f64().unwrap() < usual);
    // Before the test has shown what is usual, a detector has to wait for motion, but not for ever.
    assert!(early.len() >= 5);
    for row in &early {
        assert!(row["detector"].is_string(), "{row}");
        assert_ne!(row["action"], "warn", "{row}");
        assert_eq!(row["violations"], 0, "{row}");
        assert!(row["time_to_hold_ms"].as_f64().unwrap() < 3000.0, "{row}");
    }
    for row in late {
        let fault = row["fault"].as_str().unwrap();
        assert!(row["detector"].is_string(), "{fault} was not noticed");
        assert_ne!(row["action"], "warn", "{fault} only warned");
        assert_eq!(row["violations"], 0, "{fault}");
        let held = row["time_to_hold_ms"]
            .as_f64()
            .unwrap_or_else(|| panic!("{fault} went on"));
        // The slowest wait for a target that stays away, and for an operator, who may be silent for
        // ten seconds.
        let most = if fault == "operator-lost" {
            10_010.0
        } else {
            1100.0
        };
        assert!(held < most, "{fault}: {held} ms");
        assert!(row["peak_command_mm"].as_f64().unwrap() < 50.0);
    }
    assert_eq!(output.status.code(), Some(0));
    // The detectors are those that are meant.
    for kind in FaultKind::ALL {
        let row = rows.iter().find(|row| row["fault"] == kind.name).unwrap();
        assert_eq!(row["detector"], kind.detector, "{kind:?}");
    }
}

/// The bounds of the other examples leave no fault of the drill unnoticed.
#[test]
fn the_examples_notice_every_fault() {
    for plan in ["lnec-frame/closed-loop.toml", "udp-device/rehearsal.toml"] {
        let path = example(plan);
        // The first second or two hold all that a detector has to see.
        let short = if plan.starts_with("lnec") {
            "integration.duration=3s"
        } else {
            "integration.duration=10s"
        };
        let arguments = ["drill", path.to_str().unwrap(), "--json", "--set", short];
        let output = TANDEM.says(&arguments);
        for row in json(&output).as_array().unwrap() {
            assert!(row["detector"].is_string(), "{plan}: {row}");
            assert_eq!(row["violations"], 0, "{plan}: {row}");
        }
        assert_eq!(output.status.code(), Some(0), "{plan}");
    }
}

/// Each of several actuators has its faults, at its own moments.
#[test]
fn every_actuator_is_drilled() {
    let path = example("characterise/pair.toml");
    let set = "excitation.signal=[{kind=\"sweep\",start=\"1 Hz\",end=\"2 Hz\",\
        amplitude=\"1 mm\",duration=\"3 s\"},\
               {kind=\"sweep\",start=\"2 Hz\",end=\"1 Hz\",amplitude=\"1 mm\",duration=\"3 s\"}]";
    let words = ["drill", path.to_str().unwrap(), "--json", "--set", set];
    let rows = json(&TANDEM.says(&words));
    let of = |fault: &str| -> Vec<(u64, f64)> {
        let rows = rows.as_array().unwrap().iter();
        let rows = rows.filter(|row| row["fault"] == fault);
        rows.map(|row| {
            (
                row["actuator"].as_u64().unwrap_or(0),
                row["at_s"].as_f64().unwrap(),
            )
        })
        .collect()
    };
    let numbers = |fault: &str| of(fault).iter().map(|(n, _)| *n).collect::<Vec<_>>();
    // The usual moment and the early one.
    assert_eq!(numbers("actuator-sticks"), [1, 2, 1, 2]);
    assert_eq!(numbers("force-nan"), [1, 2]);
    assert_eq!(numbers("pressure-lost"), [0], "it is nobody's own");
    let moments = of("force-nan");
    assert!((moments[0].1 - moments[1].1).abs() > 0.01, "{moments:?}");
}

/// Faults of the machine and of the desk can be scripted too, and go by the clock of the test.
#[test]
fn the_room_has_scripted_faults() {
    let folder = tempfile::tempdir().unwrap();
    for (kind, by, at) in [
        ("deadlines-missed", "missed_deadlines", 2.05),
        ("operator-lost", "operator_lost", 5.0),
    ] {
        let text =
            QUICK_START.to_owned() + &format!("\n[[faults]]\nkind = \"{kind}\"\nat = \"2 s\"\n");
        let more = ["--set", "limits.operator_timeout=3s"];
        let summary = json(&TANDEM.run_plan(folder.path(), kind, &text, &more));
        assert_eq!(summary["stopped_by"], by, "{summary}");
        let stopped = summary["stopped_at_s"].as_f64().unwrap();
        assert!((stopped - at).abs() < 0.01, "{kind} at {stopped} s");
    }
}

#[test]
fn a_scripted_fault_stops_the_run_and_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let text = QUICK_START.to_owned() + "\n[[faults]]\nkind = \"force-nan\"\nat = \"2 s\"\n";
    let output = TANDEM.run_plan(folder.path(), "run", &text, &[]);
    refused(&output, 3);
    let summary = json(&output);
    assert_eq!(summary["stopped_by"], "not-finite");
    assert!((summary["stopped_at_s"].as_f64().unwrap() - 2.0).abs() < 0.002);
    // The record of a stopped run replays too.
    let replay = TANDEM.run(&["replay", "run", "--json"], folder.path());
    assert_eq!(json(&replay)["identical"], true, "{:?}", json(&replay));
}

/// Runs a loop with a record, and holds its replay by another such loop against it.
fn recorded_and_replayed(
    build: &dyn Fn() -> HybridLoop,
    run_controls: &mut RunControls,
    meanwhile: impl FnOnce() + Send + 'static,
) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.h5");
    let mut hybrid = build();
    let header = Header {
        tandem_version: "0".into(),
        plan: "test".into(),
        seed: 1,
        created: String::new(),
        time_scale: 1.0,
        rate_hz: 1024.0,
    };
    let mut writer = RunWriter::create(&path, hybrid.channels(), &header).unwrap();
    let mut events = EventLog::open(&folder.path().join("events.jsonl")).unwrap();
    let operator = std::thread::spawn(meanwhile);
    let outcome = run_virtual(
        &mut hybrid,
        Some(&mut writer),
        &mut events,
        &mut |_| {},
        run_controls,
    )
    .unwrap();
    operator.join().unwrap();
    writer.finish().unwrap();
    let run = RunReader::open(&path).unwrap();
    assert_eq!(run.rows(), outcome.ticks);
    let found = replay(build(), &run, &mut |_| {}).unwrap();
    assert_eq!(found.ticks, outcome.ticks, "{:?}", outcome.reason);
    assert_eq!(found.difference, None, "{:?}", outcome.reason);
    outcome
}

/// Whatever ends a test, its replay gives the same commands to the last row: also where the rig's
/// own word, the driver or the operator did.
#[test]
fn a_run_with_any_fault_replays_bit_for_bit() {
    let mut stopped = 0;
    for &kind in FaultKind::ALL {
        let fault = Fault {
            kind,
            at: 2.58,
            duration: f64::INFINITY,
            actuator: 0,
            displacement: 10e-3,
            force: 30e3,
            factor: 0.02,
        };
        let build = || with_faults(quick_start(&["integration.duration=4s"]), &[fault]);
        let outcome = recorded_and_replayed(&build, &mut RunControls::default(), || ());
        stopped += u64::from(outcome.stop.is_some());
    }
    assert!(stopped >= 26, "{stopped} of {}", FaultKind::ALL.len());
}

/// While an operator holds the test the rig goes on, and no rows are recorded: the replay goes on
/// with the next row.
#[test]
fn a_run_that_was_held_replays_bit_for_bit() {
    let (mut run_controls, console) = RunControls::with_console();
    run_controls.pace = Some(4.0);
    let build = || {
        quick_start(&[
            "integration.duration=2s",
            // Its readings go by the velocity of the piston, which is recorded with it.
            "conditioning={ method = \"inertia-removal\", mass = [\"5 kg\"], \
                damping = [\"100 N*s/m\"], acceleration = \"measured\" }",
        ])
    };
    let outcome = recorded_and_replayed(&build, &mut run_controls, move || {
        let pause = std::time::Duration::from_millis(120);
        for order in [Order::Pause, Order::Resume, Order::Pause, Order::Resume] {
            std::thread::sleep(pause);
            console.give(order);
        }
    });
    assert_eq!(outcome.stop, None);
}

#[test]
fn a_run_replays_bit_for_bit_and_a_changed_one_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let plan = example("quick-start/plan.toml");
    let plan = plan.to_str().unwrap();
    let run = [
        "run",
        plan,
        "--json",
        "--out",
        "run",
        "--set",
        "integration.duration=4s",
    ];
    done(&TANDEM.run(&run, folder.path()));
    let replay = json(&TANDEM.run(&["replay", "run", "--json"], folder.path()));
    assert_eq!(replay["identical"], true, "{replay}");
    assert!(replay["ticks"].as_u64().unwrap() > 4000);
    // Another compensator than the one that was recorded.
    let kept = folder.path().join("run/plan.toml");
    let text = std::fs::read_to_string(&kept).unwrap();
    let changed = text.replace("delay = \"11.5 ms\"", "delay = \"11.4 ms\"");
    let changed = if changed == text {
        text.replace("0.0115", "0.0114")
    } else {
        changed
    };
    assert_ne!(changed, text, "{text}");
    std::fs::write(&kept, changed).unwrap();
    let output = TANDEM.run(&["replay", "run", "--json"], folder.path());
    refused(&output, 3);
    let replay = json(&output);
    assert_eq!(replay["identical"], false);
    assert_eq!(replay["first_difference"]["signal"], "command/1");
    assert!(replay["first_difference"]["tick"].as_u64().unwrap() < 100);
}

/// The recorded plan names the ground motion that was read, whatever the variable for the data says
/// later.
#[test]
fn a_run_replays_without_the_variable_of_its_data() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    std::fs::create_dir(&data).unwrap();
    let motion: String = (0..100)
        .map(|k| format!("{}\n", 0.1 * f64::from(k).sin()))
        .collect();
    std::fs::write(data.join("motion.txt"), motion).unwrap();
    let text = QUICK_START.replace(
        "record = \"el-centro-1940\"",
        "record = \"$TANDEM_DATA/motion.txt\"\notherwise = \"el-centro-1940\"\ndt = \"20 ms\"\n\
        unit = \"g\"",
    );
    std::fs::write(folder.path().join("plan.toml"), text).unwrap();
    let go = |arguments: &[&str], set: bool| {
        let mut command = TANDEM.command(arguments);
        command.current_dir(folder.path());
        if set {
            command.env("TANDEM_DATA", &data)
        } else {
            command.env_remove("TANDEM_DATA")
        };
        json(&command.output().unwrap())
    };
    let run = ["run", "plan.toml", "--json", "--out", "run"];
    let summary = go(&run, true);
    assert_eq!(summary["outcome"], "completed", "{summary}");
    let replay = go(&["replay", "run", "--json"], false);
    assert_eq!(replay["identical"], true, "{replay}");
}

#[test]
fn a_folder_without_a_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = TANDEM.run(&["replay", "nothing", "--json"], folder.path());
    refused(&output, 2);
    assert!(
        json(&output)["message"]
            .as_str()
            .unwrap()
            .contains("run.h5")
    );
}
