//! Every run of every example with both programs, value by value.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tandem_test_support::{ExampleRun, example_runs};

use super::Wanted;
use crate::{Result, peers, root};

const READER: &str = include_str!("runs.py");

/// Runs and compares; the number of runs that differ is in the answer.
pub fn compare(wanted: &Wanted) -> Result<Value> {
    let python = peers::python()?;
    let folder = root().join("target/compare/runs");
    let runs = example_runs().map_err(|error| error.to_string())?;
    let runs = runs.iter().filter(|run| run.name().contains(&wanted.only));
    let mut rows = Vec::new();
    for run in runs {
        let row = one(wanted, run, &python, &folder)?;
        if !wanted.json {
            show(&row);
        }
        rows.push(row);
    }
    let total = |key: &str| rows.iter().filter_map(|row| row[key].as_u64()).sum::<u64>();
    let differ = rows.iter().filter(|row| row["same"] == false).count();
    let (channels, values) = (total("channels"), total("values"));
    if !wanted.json {
        println!(
            "{} runs, {channels} channels, {values} values, {} figures, {} events: {differ} runs differ",
            rows.len(),
            total("figures"),
            total("events"),
        );
    }
    Ok(json!({ "runs": rows, "channels": channels, "values": values, "differ": differ }))
}

/// One run with both; what differs between two runs of the old program too is of the wall clock.
fn one(wanted: &Wanted, run: &ExampleRun, python: &Path, folder: &Path) -> Result<Value> {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let data = peers::data();
    let start = |program: &Path, name: &str| -> Result<(PathBuf, Option<i32>)> {
        let out = folder.join(name);
        let output = run.run(program, data.as_deref(), Some(python), &out);
        let output = output.map_err(|error| format!("{}: {}: {error}", name, run.name()))?;
        if !out.join("summary.json").exists() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("{name}: {}: {said}", run.name()));
        }
        Ok((out, output.status.code()))
    };
    let (old, old_code) = start(&wanted.old.tandem, "old")?;
    let (new, new_code) = start(&wanted.new.tandem, "new")?;
    let renamed = Value::Object(wanted.renamed.clone()).to_string();
    let mut found = read(python, &old, &new, &renamed)?;
    let list = |found: &Value| found["differences"].as_array().cloned().unwrap_or_default();
    let mut differences = list(&found);
    if old_code != new_code {
        differences.push(json!({
            "file": "exit code", "what": "", "how": format!("{old_code:?} is {new_code:?}"),
        }));
    }
    if !differences.is_empty() {
        let (again, _) = start(&wanted.old.tandem, "again")?;
        let varies = list(&read(python, &old, &again, "{}")?);
        let place = |of: &Value| (of["file"].clone(), of["what"].clone());
        let (apart, real) = differences
            .into_iter()
            .partition(|one| varies.iter().any(|other| place(one) == place(other)));
        found["varies_with_the_old_program_too"] = Value::Array(apart);
        differences = real;
    }
    found["run"] = run.name().into();
    found["same"] = differences.is_empty().into();
    found["differences"] = Value::Array(differences);
    Ok(found)
}

fn read(python: &Path, old: &Path, new: &Path, renamed: &str) -> Result<Value> {
    let output = Command::new(python)
        .args(["-c", READER])
        .args([old, new])
        .arg(renamed)
        .output()
        .map_err(|error| format!("{}: {error}", python.display()))?;
    serde_json::from_slice(&output.stdout)
        .map_err(|_| format!("reader: {}", String::from_utf8_lossy(&output.stderr)))
}

fn show(row: &Value) {
    let same = if row["same"] == true {
        "same"
    } else {
        "DIFFERS"
    };
    let name = row["run"].as_str().unwrap_or_default();
    println!("{same:8} {} values  {name}", row["values"]);
    let text = |one: &Value, key: &str| one[key].as_str().unwrap_or_default().to_owned();
    for (list, note) in [
        ("differences", ""),
        ("varies_with_the_old_program_too", " (old too)"),
    ] {
        for one in row[list].as_array().into_iter().flatten() {
            let [file, what, how] = ["file", "what", "how"].map(|key| text(one, key));
            println!("         {file}: {what}: {how}{note}");
        }
    }
}
