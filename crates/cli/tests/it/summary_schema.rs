//! The schema of the summary against summaries, by a validator that nobody here wrote.

use std::path::Path;
use std::process::Command;

use tandem_test_support::{done, example, json, python};

use crate::TANDEM;

/// Exit code of the validator that says that nothing is wrong.
const VALIDATE: &str = "
import json, sys, jsonschema
schema, summary = (json.load(open(path)) for path in sys.argv[1:3])
jsonschema.Draft202012Validator.check_schema(schema)
jsonschema.validate(summary, schema)
";

fn is_valid(python: &Path, schema: &Path, summary: &Path) -> bool {
    let arguments = ["-c".as_ref(), VALIDATE.as_ref(), schema, summary];
    Command::new(python)
        .args(arguments)
        .output()
        .unwrap()
        .status
        .success()
}

/// A run that was completed, one that a limit stopped, one without a structure, one that was judged
/// by criteria: what they print is what the schema says, and what is damaged is not.
#[test]
fn summaries_are_what_their_schema_says() {
    let Some(python) = python(&["jsonschema"]) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let schema = at("schema.json");
    let text = TANDEM.run(&["schema", "--summary"], folder.path());
    done(&text);
    std::fs::write(&schema, &text.stdout).unwrap();
    let quick_start = example("quick-start/plan.toml");
    let benchmark = example("single-actuator-benchmark/case-1.toml");
    let signals = example("characterise/noise.toml");
    let stop = "limits.stroke=1 mm";
    for (name, plan, set) in [
        ("completed", &quick_start, "seed=2"),
        ("stopped", &quick_start, stop),
        ("signals", &signals, "seed=2"),
        ("criteria", &benchmark, "seed=2"),
    ] {
        let plan = plan.to_str().unwrap();
        let out = at(name);
        let arguments = [
            "run",
            plan,
            "--json",
            "--set",
            set,
            "--out",
            out.to_str().unwrap(),
        ];
        let printed = json(&TANDEM.run(&arguments, folder.path()));
        let path = out.join("summary.json");
        assert!(is_valid(&python, &schema, &path), "{name}: {printed}");
        for (key, value) in [
            ("outcome", "\"perhaps\""),
            ("format", "2"),
            ("seed", "\"one\""),
        ] {
            let mut damaged = printed.clone();
            damaged[key] = serde_json::from_str(value).unwrap();
            let path = at("damaged.json");
            std::fs::write(&path, damaged.to_string()).unwrap();
            assert!(!is_valid(&python, &schema, &path), "{name}: {key}");
        }
    }
}
