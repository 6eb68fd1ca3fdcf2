//! `tandem check`: figures before the test, and their page.

use std::path::Path;

use serde_json::Value;
use tandem_test_support::{done, example, json};

use crate::TANDEM;

fn check(plan: &Path, more: &[&str]) -> Value {
    let output = TANDEM.says(&[&["check", plan.to_str().unwrap(), "--json"], more].concat());
    done(&output);
    json(&output)
}

/// The four partitions of the single-actuator benchmark: delays from an independent program,
/// frequencies as printed.
#[test]
fn the_benchmark_s_partitions_have_their_critical_delays() {
    for (case, first_order, exact, frequency) in [
        (1, 14.490e-3, 14.642e-3, 3.6124),
        (2, 12.143e-3, 12.222e-3, 3.4443),
        (3, 9.885e-3, 9.921e-3, 3.1683),
        (4, 8.695e-3, 8.726e-3, 3.6124),
    ] {
        let plan = example(&format!("single-actuator-benchmark/case-{case}.toml"));
        let found = check(&plan, &[]);
        let number = |key: &str| found[key].as_f64().unwrap();
        assert!((number("critical_delay_s") - exact).abs() < 1e-6, "{found}");
        assert!((number("critical_delay_first_order_s") - first_order).abs() < 1e-6);
        assert!((found["frequencies_hz"][0].as_f64().unwrap() - frequency).abs() < 5e-5);
        let indicator = number("predictive_stability_indicator");
        assert!((indicator - (1e3 * exact).log10()).abs() < 1e-4);
        // The first mode carries the instability: alone it is nearly as critical as all together.
        let alone = found["critical_delay_per_mode_s"][0].as_f64().unwrap();
        assert!((alone / first_order - 1.0).abs() < 0.05, "{alone}");
        let demand = &found["demands"][0];
        let (force, velocity) = (
            demand["force_n"].as_f64().unwrap(),
            demand["velocity_m_s"].as_f64().unwrap(),
        );
        let power = demand["power_w"].as_f64().unwrap();
        assert!(power > 0.0 && power <= force * velocity);
    }
}

/// The plan's own lag is measured with the loop open and held against what the loop bears: a delay
/// of N samples is N samples.
#[test]
fn what_is_left_of_the_lag_is_held_against_the_critical_delay() {
    for (samples, word) in [
        (4, None),
        (29, Some("too little damping")),
        (37, Some("will be unstable")),
    ] {
        let plan = example(&format!("stability-warning/constant-delay-{samples}.toml"));
        let found = check(&plan, &[]);
        let left = found["remaining_delay_s"].as_f64().unwrap();
        let expected = f64::from(samples) / 4096.0;
        assert!((left - expected).abs() < 0.02e-3, "{left} {expected}");
        let first = found["advice"][0].as_str();
        match word {
            Some(word) => assert!(first.unwrap().contains(word), "{found}"),
            None => assert_eq!(first, None, "{found}"),
        }
    }
    // A filter on the force makes it come later still, by its own delay.
    let plan = example("stability-warning/constant-delay-4.toml");
    let filter = [
        "--set",
        "conditioning.method=low-pass",
        "--set",
        "conditioning.cutoff=50Hz",
    ];
    let found = check(&plan, &filter);
    let left = found["remaining_delay_s"].as_f64().unwrap();
    // Butterworth of second order: the delay of slow signals is √2/ω.
    let expected = 4.0 / 4096.0 + std::f64::consts::SQRT_2 / (std::f64::consts::TAU * 50.0);
    assert!((left - expected).abs() < 0.1e-3, "{left} {expected}");
}

/// A page that stands alone, with the map and the demands; what was said on standard output is the
/// same with it.
#[test]
fn a_check_leaves_a_page_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("check.html");
    let plan = example("quick-start/plan.toml");
    let mut with = check(&plan, &["--report", page.to_str().unwrap()]);
    assert_eq!(with["report"], page.to_str().unwrap());
    with.as_object_mut().unwrap().remove("report");
    assert_eq!(with, check(&plan, &[]));
    let text = std::fs::read_to_string(&page).unwrap();
    for part in [
        "Stability map",
        "this plan",
        "Predictive stability indicator over partitions",
        "Actuator 1",
        "of 50 mm",
        "Mode 3 alone",
    ] {
        assert!(text.contains(part), "{part} is missing");
    }
    assert!(!text.contains("http://") && !text.contains("https://"));
}

/// With most of the mass in the laboratory an arbitrarily small delay is enough, and the check says
/// what to do about it.
#[test]
fn a_hopeless_partition_is_called_so() {
    let plan = example("quick-start/plan.toml");
    let found = check(&plan, &["--set", "rig.specimen.mass=[\"600 kg\"]"]);
    assert_eq!(found["critical_delay_s"], 0.0);
    let advice = found["advice"].to_string();
    assert!(
        advice.contains("unstable without any delay") || advice.contains("hopeless"),
        "{advice}"
    );
    assert!(advice.contains("60 % of the mass"), "{advice}");
    let calm = check(&plan, &[]);
    assert_eq!(calm["advice"], serde_json::json!([]));
}

fn complaints(found: &Value) -> String {
    found["warnings"].to_string()
}

/// The largest force is that of the yielding column, as the test measures it, not that of its
/// initial stiffness; a turning actuator has keys and units of its own; the interface has a
/// massless rotation and still a critical delay.
#[test]
fn a_yielding_specimen_with_a_turning_end_is_checked_as_it_is() {
    let plan = example("fibre-frame/column.toml");
    let set = ["--set", "integration.duration=3s"];
    let found = check(&plan, &set);
    let folder = tempfile::tempdir().unwrap();
    let words = ["run", plan.to_str().unwrap(), "--json", "--out", "run"];
    let run = json(&TANDEM.run(&[&words, &set[..]].concat(), folder.path()));
    for (i, key) in ["force_n", "force_n", "moment_n_m"].into_iter().enumerate() {
        let foreseen = found["demands"][i][key].as_f64().unwrap();
        let measured = run["response"][format!("measured_force/{}", i + 1)]["peak"]
            .as_f64()
            .unwrap();
        assert!(
            (foreseen / measured - 1.0).abs() < 0.02,
            "{key}: {foreseen} {measured}"
        );
    }
    assert_eq!(found["demands"][2]["dof"], "A1 rz");
    assert!(found["demands"][2]["rotation_rad"].as_f64().unwrap() > 1e-3);
    assert!(found["demands"][2].get("displacement_m").is_none());
    assert!(complaints(&found).contains("Actuator 3 turns A1 rz"));
    assert_eq!(found["critical_delay_status"], "found");
    assert_eq!(found["critical_delay_first_order_status"], "unknown");
    assert!(found["critical_delay_first_order_reason"].is_string());
}

/// Every way in which a critical delay can be missing has its word.
#[test]
fn a_missing_critical_delay_says_why() {
    let plan = example("quick-start/plan.toml");
    let status = |found: &Value| found["critical_delay_status"].as_str().unwrap().to_owned();
    assert_eq!(status(&check(&plan, &[])), "found");
    let heavy = check(&plan, &["--set", "rig.specimen.mass=[\"600 kg\"]"]);
    assert_eq!(status(&heavy), "unstable");
    let light = [
        "--set",
        "rig.specimen.stiffness=[\"1 N/m\"]",
        "--set",
        "rig.specimen.mass=[\"0 kg\"]",
        "--set",
        "rig.specimen.damping=[\"0 N*s/m\"]",
    ];
    let light = check(&plan, &light);
    assert_eq!(status(&light), "stable");
    assert_eq!(light["critical_delay_s"], Value::Null);
    let alone = check(
        &example("fibre-frame/plan.toml"),
        &["--set", "integration.duration=0.1s"],
    );
    assert_eq!(status(&alone), "no-specimen");
}

/// Demands stand beside limits in the units that people use, and with enough figures to see the
/// difference.
#[test]
fn limits_are_compared_in_figures_that_differ() {
    let plan = example("quick-start/plan.toml");
    let found = check(&plan, &["--set", "limits.stroke=3.009mm"]);
    let text = complaints(&found);
    assert!(
        text.contains("3.01 mm") && text.contains("limit stroke of 3.009 mm"),
        "{text}"
    );
    assert!(text.contains(" % more than"), "{text}");
}

/// Below one half a time scale is not rounded to zero, and without [limits] the monitors that trip
/// are named.
#[test]
fn advice_and_warnings_name_what_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let text = std::fs::read_to_string(example("quick-start/plan.toml")).unwrap();
    let (before, after) = text.split_once("[limits]").unwrap();
    let (_, monitor) = after.split_once("[monitor").unwrap();
    let plan = folder.path().join("plan.toml");
    std::fs::write(&plan, format!("{before}[monitor{monitor}")).unwrap();
    let found = check(&plan, &["--set", "integration.time_scale=0.02"]);
    assert!(
        found["advice"].to_string().contains("time_scale = 0.2 "),
        "{}",
        found["advice"]
    );
    assert!(
        complaints(&found).contains("only the monitor stability_warning and"),
        "{found}"
    );
    let warned = check(&plan, &["--set", "monitor.stability_warning.action=warn"]);
    assert!(
        complaints(&warned).contains("nothing but a value"),
        "{warned}"
    );
    // The estimate of the input work has a key: 1 % of it is the default C_SW.
    assert!(found["expected_input_work_j"].as_f64().unwrap() > 1.0);
}

/// A rig of third order with a controller for it: with its own model it holds, with a lag of second
/// order that fits it best it does not, and the warning says what to do.
#[test]
fn a_compensator_that_cannot_hold_its_rig_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.toml");
    let text = r#"
[excitation]
record = "el-centro-1940"
scale = 0.2
[structure]
kind = "shear-building"
masses = [2000, 2000, "kg"]
stiffnesses = [900, 900, "kN/m"]
[structure.damping]
method = "rayleigh"
ratio = 0.05
[interface]
dof = [1]
[integration]
method = "newmark-explicit"
dt = "0.9765625 ms"
duration = "2 s"
[compensator]
method = "lqg"
tracking_weight = "6.4e4 1/s^2"
frequency = "14.5 Hz"
damping = 0.54
[rig.actuator]
method = "transfer-function"
numerator = [1.5e6]
denominator = [1, 190, 2e4, 1.5e6]
[rig.specimen]
stiffness = ["100 kN/m"]
"#;
    std::fs::write(&plan, text).unwrap();
    let found = check(&plan, &[]);
    assert_eq!(found["compensator_settles"], false, "{found}");
    let said = complaints(&found);
    assert!(
        said.contains("lqg does not hold on this rig") && said.contains("[compensator.plant]"),
        "{said}"
    );
    // The plant of its own stands for the second-order lag.
    let text = text.replace("frequency = \"14.5 Hz\"\ndamping = 0.54\n", "");
    std::fs::write(&plan, text).unwrap();
    let own = "compensator.plant={kind=\"transfer-matrix\", element=[{output=1, input=1, \
        numerator=[1.5e6], denominator=[1, 190, 2e4, 1.5e6]}]}";
    let found = check(&plan, &["--set", own]);
    assert_eq!(found["compensator_settles"], true, "{found}");
    // Nothing to close a loop with: the compensator cannot lose it; and no compensator, nothing to
    // say.
    let found = check(&plan, &["--set", "compensator.method=ats"]);
    assert_ne!(found["compensator_settles"], false, "{found}");
    let found = check(&plan, &["--set", "compensator.method=none"]);
    assert!(found["compensator_settles"].is_null(), "{found}");
}

/// A detector without a bound finds nothing: the check says which, and the key that would give it
/// one.
#[test]
fn detectors_without_a_bound_are_listed() {
    let keys = |plan: &str, more: &[&str]| -> Vec<String> {
        let found = check(&example(plan), more);
        let list = found["detectors_without_bound"].as_array().unwrap().iter();
        list.map(|one| one["key"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(keys("quick-start/plan.toml", &[]), ["limits.acceleration"]);
    let few = [
        "--set",
        "limits={ stroke = \"50 mm\", force_rate = \"1 MN/s\" }",
    ];
    let found = keys("quick-start/plan.toml", &few);
    assert!(!found.contains(&"limits.stroke".to_owned()), "{found:?}");
    assert!(
        !found.contains(&"limits.force_rate".to_owned()),
        "{found:?}"
    );
    for key in ["velocity", "force", "specimen_failure", "force_range"] {
        assert!(found.contains(&format!("limits.{key}")), "{found:?}");
    }
}
