//! What a test must feel, whatever its parts and its speed: figures of whole runs against the
//! undivided structure.

use serde_json::Value;
use tandem_test_support::json;
use tandem_test_support::plans::QUICK_START;

use crate::TANDEM;

/// Runs the quick start with the sections of the rig that `without` names left out.
fn run(without: &[&str], overrides: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let mut keep = true;
    let kept: Vec<&str> = QUICK_START
        .lines()
        .filter(|line| {
            if line.starts_with('[') {
                keep = !without
                    .iter()
                    .any(|name| line.starts_with(&format!("[{name}]")));
            }
            keep
        })
        .collect();
    let set = overrides.iter().flat_map(|word| ["--set", *word]);
    let words: Vec<&str> = ["--set", "integration.duration=8s"]
        .into_iter()
        .chain(set)
        .collect();
    json(&TANDEM.run_plan(folder.path(), "run", &kept.join("\n"), &words))
}

fn error(summary: &Value) -> f64 {
    summary["reference"]["nrmse_percent"][0]
        .as_f64()
        .unwrap_or_else(|| panic!("{summary}"))
}

/// The specimen's small mass must not change a test behind a first-order lag: inertia of 30 kg is 1
/// % of the force here.
#[test]
fn a_mass_behind_a_first_order_lag_does_no_harm() {
    let at = |mass: &str| {
        error(&run(
            &["rig.actuator", "compensator"],
            &[
                "rig.actuator.method=first-order",
                "rig.actuator.time_constant=2ms",
                "limits.velocity=5m/s",
                mass,
            ],
        ))
    };
    let (without, with) = (
        at("rig.specimen.mass=[0, \"kg\"]"),
        at("rig.specimen.mass=[30, \"kg\"]"),
    );
    assert!((with / without - 1.0).abs() < 0.1, "{without} {with}");
}

/// A slow test of a heavy specimen agrees with the undivided structure: the inertia it does not
/// feel is computed.
#[test]
fn a_slow_test_keeps_the_inertia_of_its_specimen() {
    let slow = [
        "integration.time_scale=100",
        "command.rate=1024Hz",
        "command.method=ramp",
    ];
    let summary = run(
        &[],
        &[&slow[..], &["rig.specimen.mass=[400, \"kg\"]"]].concat(),
    );
    assert!(error(&summary) < 1.0, "{}", error(&summary));
}

/// The inverse of a lag is in wall time, as the lag is: it works at any speed.
#[test]
fn an_inverse_compensator_works_at_any_time_scale() {
    for scale in ["integration.time_scale=1", "integration.time_scale=50"] {
        let summary = run(
            &["rig.actuator", "compensator"],
            &[
                "rig.actuator.method=first-order",
                "rig.actuator.time_constant=12ms",
                "compensator.method=inverse-first-order",
                "compensator.time_constant=12ms",
                "command.rate=1024Hz",
                "command.method=ramp",
                "limits.velocity=5m/s",
                "rig.specimen.mass=[0, \"kg\"]",
                scale,
            ],
        );
        let tracking = summary["tracking"]["nrmse_percent"][0].as_f64().unwrap();
        assert!(tracking < 2.0, "{scale}: {tracking} %");
    }
}

/// Implicit Newmark asks at a predictor. That is no error of the test.
#[test]
fn a_predictor_is_not_taken_for_an_error() {
    let summary = run(
        &["rig.actuator", "rig.sensors", "compensator"],
        &["integration.method=newmark", "integration.dt=20ms"],
    );
    assert!(error(&summary) < 1e-9, "{}", error(&summary));
}

/// A limit that trips is told, also when a monitor speaks in the same tick.
#[test]
fn a_limit_is_told_before_a_monitor() {
    let summary = run(
        &[],
        &[
            "limits.tracking_error=0.02mm",
            "monitor.tracking_error.bound=0.02mm",
            "monitor.tracking_error.action=trip",
        ],
    );
    assert_eq!(summary["stopped_by"], "tracking_error");
    assert!(
        summary["reason"].as_str().unwrap().contains("the limit is"),
        "{}",
        summary["reason"]
    );
}
