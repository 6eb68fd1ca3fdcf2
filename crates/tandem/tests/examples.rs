//! Every example in `examples/` runs and meets its `expected.json`.
//!
//! `expected.json` holds a list of runs: the plan, overrides (`set`), the exit code (0 when absent), and what the summary must hold, by JSON
//! pointer: a literal, or `{ "value", "tolerance" }`, or `{ "below" }`, or `{ "above" }`. `expect_with_data` holds where
//! TANDEM_DATA is set (published records), `expect_without_data` where it is not. `client` names a script of OpenSees that drives the
//! run, with its words ({0} is the first port); `serve` holds the words of `tandem serve` for sites that must be there first.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn meets(summary: &Value, expected: &Value, what: &str) {
    for (pointer, wanted) in expected.as_object().into_iter().flatten() {
        let got = summary.pointer(pointer).unwrap_or(&Value::Null);
        let number = || {
            got.as_f64()
                .unwrap_or_else(|| panic!("{what}: {pointer} is {got}, not a number"))
        };
        if let Some(value) = wanted.get("value").and_then(Value::as_f64) {
            let tolerance = wanted["tolerance"]
                .as_f64()
                .expect("a tolerance beside the value");
            assert!(
                (number() - value).abs() <= tolerance,
                "{what}: {pointer} is {got}, expected {value} ± {tolerance}"
            );
        } else if let Some(bound) = wanted.get("below").and_then(Value::as_f64) {
            assert!(
                number() < bound,
                "{what}: {pointer} is {got}, expected below {bound}"
            );
        } else if let Some(bound) = wanted.get("above").and_then(Value::as_f64) {
            assert!(
                number() > bound,
                "{what}: {pointer} is {got}, expected above {bound}"
            );
        } else {
            assert_eq!(got, wanted, "{what}: {pointer}");
        }
    }
}

fn texts(list: &Value) -> Vec<&str> {
    let list = list.as_array().into_iter().flatten();
    list.map(|word| word.as_str().expect("a text")).collect()
}

/// A run that another program drives. None: there is no OpenSees here.
fn driven(command: &mut Command, folder: &Path, run: &Value, what: &str) -> Option<Output> {
    let Some(python) = std::env::var_os("TANDEM_PYTHON") else {
        println!("{what}: skipped, TANDEM_PYTHON is not set, so there is no OpenSees to drive it");
        return None;
    };
    let sites = run["serve"].as_array().into_iter().flatten();
    let sites: Vec<_> = sites
        .map(|words| {
            let mut site = Command::new(env!("CARGO_BIN_EXE_tandem"));
            let mut child = site
                .arg("serve")
                .args(texts(words))
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let mut line = String::new();
            let mut out = BufReader::new(child.stdout.take().unwrap());
            out.read_line(&mut line).unwrap();
            assert!(line.starts_with("listening on"), "{what}: {line}");
            (child, out)
        })
        .collect();
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let script = folder.join(run["client"]["script"].as_str().expect("a script"));
    let mut words: Vec<String> = texts(&run["client"]["words"])
        .iter()
        .map(|w| (*w).to_owned())
        .collect();
    let doors = words
        .iter()
        .map(|word| word.matches('{').count())
        .sum::<usize>();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    for door in 0..doors {
        let mut line = String::new();
        while !line.starts_with("listening on ") {
            line.clear();
            if said.read_line(&mut line).unwrap() == 0 {
                break;
            }
        }
        let port = line.trim().rsplit(':').next().unwrap();
        let place = format!("{{{door}}}");
        words
            .iter_mut()
            .for_each(|word| *word = word.replace(&place, port));
    }
    let rest = std::thread::spawn(move || {
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut said, &mut text).unwrap();
        text
    });
    let client = Command::new(python)
        .arg(script)
        .args(&words)
        .output()
        .unwrap();
    if !client.status.success() {
        let _ = child.kill();
        panic!("{what}: {}", String::from_utf8_lossy(&client.stderr));
    }
    let mut output = child.wait_with_output().unwrap();
    output.stderr = rest.join().unwrap();
    for (mut site, _) in sites {
        site.wait().unwrap();
    }
    Some(output)
}

#[test]
fn every_example_meets_its_expectation() {
    let mut count = 0;
    let with_data = std::env::var_os("TANDEM_DATA").is_some();
    if !with_data {
        println!(
            "TANDEM_DATA is not set: values for the published records are not checked, those for the shipped one are"
        );
    }
    for entry in std::fs::read_dir(examples()).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        assert!(folder.join("README.md").exists(), "{name} has no README.md");
        let text = std::fs::read_to_string(folder.join("expected.json"))
            .unwrap_or_else(|e| panic!("{name}/expected.json: {e}"));
        let expected: Value =
            serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}/expected.json: {e}"));
        for run in expected["runs"].as_array().expect("a list of runs") {
            let plan = folder.join(run["plan"].as_str().expect("a plan"));
            let what = format!("{name}/{}", run["plan"].as_str().unwrap());
            let out = tempfile::tempdir().unwrap();
            let mut command = Command::new(env!("CARGO_BIN_EXE_tandem"));
            command
                .arg("run")
                .arg(&plan)
                .args(["--json", "--out"])
                .arg(out.path())
                .args(
                    run["set"]
                        .as_array()
                        .into_iter()
                        .flatten()
                        .flat_map(|word| ["--set", word.as_str().expect("an override")]),
                );
            let output = if run["client"].is_null() {
                command.output().unwrap()
            } else {
                let Some(output) = driven(&mut command, &folder, run, &what) else {
                    continue;
                };
                output
            };
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(
                output.status.code(),
                Some(run["exit_code"].as_i64().unwrap_or(0) as i32),
                "{what}: {said}"
            );
            let summary: Value = serde_json::from_slice(&output.stdout)
                .unwrap_or_else(|e| panic!("{what}: {e}\n{said}"));
            meets(&summary, &run["expect"], &what);
            meets(
                &summary,
                &run[if with_data {
                    "expect_with_data"
                } else {
                    "expect_without_data"
                }],
                &what,
            );
            count += 1;
        }
    }
    assert!(count >= 5, "only {count} example runs");
}
