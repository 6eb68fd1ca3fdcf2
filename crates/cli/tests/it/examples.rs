//! Every example in `examples/` runs and meets its `expected.json`.
//!
//! `expected.json` holds a list of runs: the plan, overrides (`set`), the exit code (0 when
//! absent), and what the summary must hold, by JSON pointer: a literal, or `{ "value", "tolerance"
//! }`, or `{ "below" }`, or `{ "above" }`. `expect_with_data` holds where TANDEM_DATA is set
//! (published records), `expect_without_data` where it is not. `client` names a script of OpenSees
//! that drives the run, with its words ({0} is the first port); `serve` holds the words of `tandem
//! serve` for sites that must be there first.

use std::path::Path;

use serde_json::Value;
use tandem::summary::Summary;
use tandem_test_support::{
    ExampleRun, data_folder, data_for_part, example_runs, json, number_at, python, refused,
};

use crate::TANDEM;

fn meets(summary: &Value, expected: &Value, what: &str) {
    for (pointer, wanted) in expected.as_object().into_iter().flatten() {
        let bound = |name: &str| wanted.get(name).and_then(Value::as_f64);
        let number = || number_at(summary, pointer);
        if let Some(value) = bound("value") {
            let tolerance = bound("tolerance").expect("a tolerance beside the value");
            assert!(
                (number() - value).abs() <= tolerance,
                "{what}: {pointer} is {}, expected {value} ± {tolerance}",
                number()
            );
        } else if let Some(bound) = bound("below") {
            assert!(
                number() < bound,
                "{what}: {pointer} is {}, expected below {bound}",
                number()
            );
        } else if let Some(bound) = bound("above") {
            assert!(
                number() > bound,
                "{what}: {pointer} is {}, expected above {bound}",
                number()
            );
        } else {
            let got = summary.pointer(pointer).unwrap_or(&Value::Null);
            assert_eq!(got, wanted, "{what}: {pointer}");
        }
    }
}

fn runs_and_meets(run: &ExampleRun, data: Option<&Path>, python: Option<&Path>) {
    let what = run.name();
    let out = tempfile::tempdir().unwrap();
    let output = run.run(Path::new(TANDEM.0), data, python, out.path());
    let output = output.unwrap_or_else(|error| panic!("{what}: {error}"));
    let code = run.entry["exit_code"].as_i64().unwrap_or(0);
    println!("{what}");
    refused(&output, code as i32);
    let summary = json(&output);
    // Nothing is lost between the file and the type.
    let read: Summary = serde_json::from_value(summary.clone()).unwrap();
    assert_eq!(serde_json::to_value(&read).unwrap(), summary, "{what}");
    meets(&summary, &run.entry["expect"], &what);
    let by_record = match data {
        Some(_) => "expect_with_data",
        None => "expect_without_data",
    };
    meets(&summary, &run.entry[by_record], &what);
}

#[test]
fn every_example_meets_its_expectation() {
    // Without them the runs have the shipped record, which has figures of its own.
    let records = data_for_part("figures for the published records", "benchmarks");
    let data = records.as_deref().and_then(Path::parent);
    let mut runs = example_runs().unwrap();
    for run in &runs {
        let readme = run.folder.join("README.md");
        assert!(readme.exists(), "{} is missing", readme.display());
    }
    runs.retain(|run| !run.needs_python());
    assert!(runs.len() >= 5, "only {} example runs", runs.len());
    runs.iter().for_each(|run| runs_and_meets(run, data, None));
}

/// As the one above, for those that another program drives.
#[test]
fn examples_that_opensees_drives_meet_their_expectation() {
    let Some(python) = python(&["openseespy.opensees"]) else {
        return;
    };
    let mut runs = example_runs().unwrap();
    runs.retain(ExampleRun::needs_python);
    assert!(runs.len() >= 5, "only {} example runs", runs.len());
    let data = data_folder();
    for run in &runs {
        runs_and_meets(run, data.as_deref(), Some(&python));
    }
}
