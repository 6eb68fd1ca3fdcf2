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
    if rows.is_empty() {
        return Err(format!(
            "no run of an example has `{}` in its name",
            wanted.only
        ));
    }
    let differ = rows.iter().filter(|row| row["same"] == false).count();
    let (channels, values) = (total("channels"), total("values"));
    if !wanted.json {
        println!(
            "{} runs, {channels} channels, {values} values, {} figures, {} events: {differ} runs \
             differ",
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

#[cfg(test)]
mod tests {
    use super::*;

    const MAKE: &str = "
import h5py, json, sys
for name, x, channel in (('old', 0.1, 'force/1'), ('new', 0.1 + 2**-56, 'measured_force/1')):
    with h5py.File(f'{sys.argv[1]}/{name}/run.h5', 'w') as file:
        file['channels/' + channel] = [0.0, x]
        file['time'] = [0.0, float('nan')]
    json.dump({'peak': 1, 'wall_s': x}, open(f'{sys.argv[1]}/{name}/summary.json', 'w'))
";

    #[test]
    fn one_bit_is_told_and_a_new_name_is_not() {
        let Some(python) = tandem_test_support::python(&["h5py"]) else {
            return;
        };
        let at = std::env::temp_dir().join(format!("tandem-compare-{}", std::process::id()));
        let [old, new] = ["old", "new"].map(|name| at.join(name));
        for folder in [&old, &new] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let made = Command::new(&python).args(["-c", MAKE]).arg(&at).status();
        assert!(made.unwrap().success());
        let renamed = "{\"force\": \"measured_force\"}";
        let found = read(&python, &old, &new, renamed).unwrap();
        let differences = found["differences"].as_array().unwrap();
        assert_eq!(differences.len(), 1, "{found}");
        assert_eq!(differences[0]["what"], "channels/force/1");
        let how = differences[0]["how"].as_str().unwrap();
        assert!(how.starts_with("1 of 2 values, first in row 1"), "{how}");
        assert_eq!(
            (&found["channels"], &found["figures"]),
            (&2.into(), &1.into())
        );
        // Without the map both names are one too many.
        let found = read(&python, &old, &new, "{}").unwrap();
        assert_eq!(found["differences"].as_array().unwrap().len(), 2);
        let same = read(&python, &old, &old, "{}").unwrap();
        assert_eq!(same["differences"].as_array().unwrap().len(), 0, "{same}");
        std::fs::remove_dir_all(&at).unwrap();
    }
}
