//! `tandem check`: figures before the test, and their page.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn example(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(path)
}

fn check(plan: &Path, more: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_tandem"))
        .arg("check")
        .arg(plan)
        .arg("--json")
        .args(more)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The four partitions of the single-actuator benchmark: delays from an independent program, frequencies as printed.
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

/// A page that stands alone, with the map and the demands; what was said on standard output is the same with it.
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

/// With most of the mass in the laboratory an arbitrarily small delay is enough, and the check says what to do about it.
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
