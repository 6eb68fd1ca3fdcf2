//! Faults are noticed in time, and a recorded run gives the same bits again.

use super::{examples, json, tandem};
use std::path::Path;

#[test]
fn every_fault_of_the_quick_start_is_noticed_and_no_limit_is_crossed() {
    let plan = examples().join("quick-start/plan.toml");
    let output = tandem(&["drill", plan.to_str().unwrap(), "--json"], Path::new("."));
    let rows = json(&output);
    let rows = rows.as_array().unwrap();
    assert!(rows.len() >= 15, "{} faults", rows.len());
    for row in rows {
        let fault = row["fault"].as_str().unwrap();
        assert!(row["detector"].is_string(), "{fault} was not noticed");
        assert_ne!(row["action"], "warn", "{fault} only warned");
        assert_eq!(row["violations"], 0, "{fault}");
        let held = row["time_to_hold_ms"]
            .as_f64()
            .unwrap_or_else(|| panic!("{fault} went on"));
        // The slowest wait for a target that stays away, and for an operator, who may be silent for ten seconds.
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
    let detector = |fault: &str| {
        let row = rows.iter().find(|row| row["fault"] == fault).unwrap();
        row["detector"].as_str().unwrap().to_owned()
    };
    for (fault, by) in [
        ("displacement-nan", "not-finite"),
        ("force-spike", "force_rate"),
        ("displacement-jumps", "displacement_rate"),
        ("displacement-drops-out", "frozen_displacement"),
        ("actuator-sticks", "stuck"),
        ("specimen-fractures", "specimen_failure"),
        ("link-stalls", "stale_feedback"),
        ("clock-jumps", "clock_jump"),
        ("target-late", "stale_target"),
        ("target-beyond-stroke", "stroke"),
        ("actuator-saturates", "valve"),
        ("pressure-lost", "hydraulics"),
        ("deadlines-missed", "missed_deadlines"),
        ("operator-lost", "operator_lost"),
    ] {
        assert_eq!(detector(fault), by, "{fault}");
    }
}

#[test]
fn a_scripted_fault_stops_the_run_and_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let text = super::QUICK_START.to_owned() + "\n[[faults]]\nkind = \"force-nan\"\nat = \"2 s\"\n";
    std::fs::write(folder.path().join("plan.toml"), text).unwrap();
    let output = tandem(
        &["run", "plan.toml", "--json", "--out", "run"],
        folder.path(),
    );
    assert_eq!(output.status.code(), Some(3));
    let summary = json(&output);
    assert_eq!(summary["stopped_by"], "not-finite");
    assert!((summary["stopped_at_s"].as_f64().unwrap() - 2.0).abs() < 0.002);
    // The record of a stopped run replays too.
    let replay = tandem(&["replay", "run", "--json"], folder.path());
    assert_eq!(json(&replay)["identical"], true, "{:?}", json(&replay));
}

#[test]
fn a_run_replays_bit_for_bit_and_a_changed_one_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let plan = examples().join("quick-start/plan.toml");
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
    assert_eq!(tandem(&run, folder.path()).status.code(), Some(0));
    let replay = json(&tandem(&["replay", "run", "--json"], folder.path()));
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
    let output = tandem(&["replay", "run", "--json"], folder.path());
    assert_eq!(output.status.code(), Some(3));
    let replay = json(&output);
    assert_eq!(replay["identical"], false);
    assert_eq!(replay["first_difference"]["signal"], "command/1");
    assert!(replay["first_difference"]["tick"].as_u64().unwrap() < 100);
}

#[test]
fn a_folder_without_a_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = tandem(&["replay", "nothing", "--json"], folder.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(
        json(&output)["message"]
            .as_str()
            .unwrap()
            .contains("run.h5")
    );
}
