//! Exported FMUs are what FMPy says they should be.

use super::common::*;
use super::test::export;

/// Every kind of part, both versions: FMPy finds nothing to say, and simulates the same numbers.
/// States are put back to the bit, also in another instance; directional derivatives are those of
/// differences.
#[test]
fn exported_fmus_are_valid_for_fmpy_and_give_the_same_numbers_there() {
    if let Some(python) = tandem_test_support::python(&["fmpy"]) {
        judged_by(&python, include_str!("exported.py"));
    }
}

/// A host that does not keep to the standard is refused, and breaks nothing.
#[test]
fn exported_fmus_refuse_what_the_standard_does_not_allow() {
    if let Some(python) = tandem_test_support::python(&["fmpy"]) {
        judged_by(&python, include_str!("abused.py"));
    }
}

/// Joints without mass have no accelerations of their own: whatever asked such a Model Exchange for
/// derivatives would fail.
#[test]
fn no_model_exchange_is_written_that_could_never_run() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("x.fmu");
    for (plan, what, version) in [
        ("plan", "numerical", "2"),
        ("plan", "whole", "2"),
        ("campaign", "numerical", "3"),
        ("campaign", "physical", "2"),
    ] {
        let plan = example(&format!("multi-axial-benchmark/{plan}.toml"));
        let call = ["fmu", "export", text(&plan), "--what", what, "--fmi"];
        for kind in ["me", "both"] {
            let more = [version, "--kind", kind, "-o", text(&out)];
            let said = refused(&TANDEM.says(&[&call[..], &more].concat()), 2);
            assert!(
                said.contains("a degree of freedom has no mass") && said.contains("--kind cs"),
                "{said}"
            );
            assert!(!out.exists());
        }
    }
    let plan = example("multi-axial-benchmark/plan.toml");
    export(folder.path(), text(&plan), "numerical", &[], "x.fmu");
}

#[test]
fn what_cannot_be_exported_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let plan = example("fmi-split-mass/oscillator.toml");
    let call = ["fmu", "export", text(&plan), "-o", "x.fmu", "--what"];
    for (more, reason) in [
        (&["rig", "--kind", "me"][..], "no continuous states"),
        (&["numerical", "--beta=-1"], "beta"),
    ] {
        let output = TANDEM.run(&[&call[..], more].concat(), folder.path());
        let said = refused(&output, 2);
        assert!(said.contains(reason), "{said}");
    }
    assert!(!folder.path().join("x.fmu").exists());
}

/// Parts of plans that drive actuators without a structure, whose method does not fit the undivided
/// structure, or whose structure is an FMU: they stand on their own, and step.
#[test]
fn a_part_can_be_exported_whatever_the_rest_of_the_plan_is() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("x.fmu");
    let watched = ["--set", "monitor.tracking_indicator={}"];
    for (plan, what, more) in [
        ("characterise/noise.toml", "rig", &[][..]),
        ("characterise/noise.toml", "compensator", &[]),
        ("characterise/noise.toml", "servo", &[]),
        ("characterise/pair.toml", "rig", &[]),
        ("tangent-stiffness/model-4-osm-us-damped.toml", "rig", &[]),
        ("fmi-foreign/loop.toml", "rig", &[]),
        ("fmi-foreign/loop.toml", "monitors", &watched),
    ] {
        let plan = example(plan);
        export(folder.path(), text(&plan), what, more, "x.fmu");
        let bytes = std::fs::read(&out).unwrap();
        let mut archive = tandem_fmi::Archive::open(&out).unwrap();
        let content = archive.text("resources/tandem.json").unwrap();
        assert!(bytes.len() > 1000 && !content.contains(".fmu"), "{content}");
        let value: Value = serde_json::from_str(&content).unwrap();
        let step = value["dt"].as_f64().unwrap();
        let (step, stop) = (step.to_string(), (3.0 * step).to_string());
        let call = ["fmu", "simulate", text(&out), "--step", &step];
        done(&TANDEM.says(&[&call[..], &["--stop", &stop]].concat()));
        std::fs::remove_file(&out).unwrap();
    }
}
