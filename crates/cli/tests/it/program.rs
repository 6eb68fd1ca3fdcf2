//! The program as a user meets it: verbs, exit codes, files.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tandem_coordinator::recorder::RunReader;
use tandem_test_support::{done, example, refused};

use crate::TANDEM;

/// The one line on standard output.
fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        text.trim().lines().count(),
        1,
        "one object and nothing else:\n{text}"
    );
    tandem_test_support::json(output)
}

/// A long run into the folder `run` that has recorded so much.
#[cfg(unix)]
fn at_work(folder: &Path) -> Child {
    let words = "run --json --out run --set integration.time_scale=400 --set command.rate=1024Hz";
    let mut child = TANDEM
        .command(&words.split(' ').collect::<Vec<_>>())
        .current_dir(folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Wait until rows are there, not for a time.
    let file = folder.join("run/run.h5");
    while RunReader::open(&file).map_or(0, |run| run.rows()) < 5000 {
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none(), "the run ended before it was interrupted");
        std::thread::yield_now();
    }
    child
}

#[test]
fn a_report_that_cannot_be_written_loses_nothing_of_the_run() {
    let folder = tempfile::tempdir().unwrap();
    // What stands where the page grows cannot be replaced by a file.
    std::fs::create_dir_all(folder.path().join("run/report.html.part")).unwrap();
    let output = TANDEM.run(&["run", "--json", "--out", "run"], folder.path());
    let said = refused(&output, 1);
    assert!(
        said.contains("the run is whole, but not its report"),
        "{said}"
    );
    let summary = json(&output);
    assert_eq!(summary["outcome"], "completed");
    for name in ["run.h5", "reference.h5", "summary.json"] {
        assert!(folder.path().join("run").join(name).exists(), "{name}");
    }
    assert!(!folder.path().join("run/report.html").exists());
    let kept = std::fs::read_to_string(folder.path().join("run/summary.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&kept).unwrap(), summary);
    std::fs::remove_dir(folder.path().join("run/report.html.part")).unwrap();
    done(&TANDEM.run(&["report", "run"], folder.path()));
    assert!(folder.path().join("run/report.html").exists());
}

#[test]
fn the_built_in_example_runs_and_leaves_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let output = TANDEM.run(&["run", "--json"], folder.path());
    done(&output);
    let summary = json(&output);
    assert_eq!(summary["outcome"], "completed");
    let run = folder.path().join(summary["folder"].as_str().unwrap());
    for name in [
        "plan.toml",
        "run.h5",
        "events.jsonl",
        "summary.json",
        "report.html",
        "reference.h5",
    ] {
        assert!(run.join(name).exists(), "{name} is missing");
        assert!(
            summary["files"]
                .as_array()
                .unwrap()
                .iter()
                .any(|f| f == name),
            "{name} is not listed"
        );
    }
    let page = std::fs::read_to_string(run.join("report.html")).unwrap();
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("src=\"//"));
    let kept: Value =
        serde_json::from_str(&std::fs::read_to_string(run.join("summary.json")).unwrap()).unwrap();
    assert_eq!(kept["reference"], summary["reference"]);
    assert_eq!(std::fs::read(run.join("run.h5")).unwrap()[..4], *b"\x89HDF");
    // The plan as resolved runs again and gives the same figures.
    let plan = run.join("plan.toml");
    let again = json(&TANDEM.run(&["run", plan.to_str().unwrap(), "--json"], folder.path()));
    assert_eq!(again["response"], summary["response"]);
    assert_ne!(again["folder"], summary["folder"]);
}

#[test]
fn people_get_a_readable_summary() {
    let folder = tempfile::tempdir().unwrap();
    let output = TANDEM.run(&["run", "--out", "here"], folder.path());
    let text = String::from_utf8_lossy(&output.stdout);
    for part in [
        "completed",
        "tracking error",
        "error against reference",
        "report.html",
        "times real time",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    // A run is never overwritten.
    let output = TANDEM.run(&["run", "--out", "here"], folder.path());
    assert!(refused(&output, 1).contains("already holds plan.toml"));
}

#[test]
fn a_new_plan_checks_and_runs() {
    let folder = tempfile::tempdir().unwrap();
    let new = || TANDEM.run(&["new", "my.toml"], folder.path());
    done(&new());
    // Nothing is overwritten.
    refused(&new(), 2);
    let check = json(&TANDEM.run(&["check", "my.toml", "--json"], folder.path()));
    assert_eq!(check["dof"], 3);
    assert_eq!(check["frequencies_hz"].as_array().unwrap().len(), 3);
    let ratios: Vec<f64> = check["damping_ratios"]
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect();
    assert!((ratios[0] - 0.03).abs() < 1e-12 && (ratios[1] - 0.03).abs() < 1e-12);
    assert!(check["critical_dt_s"].as_f64().unwrap() > 0.01);
    assert_eq!(
        json(&TANDEM.run(&["run", "my.toml", "--json"], folder.path()))["outcome"],
        "completed"
    );
}

#[test]
fn wrong_plans_are_refused_with_place_and_remedy() {
    let folder = tempfile::tempdir().unwrap();
    TANDEM.run(&["new", "plan.toml"], folder.path());
    let good = std::fs::read_to_string(folder.path().join("plan.toml")).unwrap();
    let cases: [(&str, &str, &[&str]); 8] = [
        ("scale = 0.4", "scal = 0.4", &["unknown", "scale"]),
        (
            "dt = \"0.9765625 ms\"",
            "dt = 0.0009765625",
            &["unit", "ms"],
        ),
        ("dt = \"0.9765625 ms\"", "dt = \"1 mm\"", &["dt"]),
        (
            "dt = \"0.9765625 ms\"",
            "dt = \"50 ms\"",
            &["stability limit", "ms"],
        ),
        ("ratio = \"3 %\"", "ratio = 3", &["ratio"]),
        (
            "record = \"el-centro-1940\"",
            "record = \"missing.AT2\"",
            &["missing.AT2", "cannot be read"],
        ),
        (
            "stiffnesses = [3500, 2800, 2000, \"kN/m\"]",
            "stiffnesses = [3500, 2800, \"kN/m\"]",
            &["2 storeys", "3 floors"],
        ),
        ("dof = [1]", "dof = [4]", &["1 to 3"]),
    ];
    for (from, to, fragments) in cases {
        assert!(good.contains(from), "{from}");
        let text = good.replace(from, to);
        let line = 1 + text[..text.find(to).unwrap()].matches('\n').count();
        std::fs::write(folder.path().join("wrong.toml"), &text).unwrap();
        let output = TANDEM.run(&["check", "wrong.toml", "--json"], folder.path());
        let said = refused(&output, 2);
        assert!(
            said.contains(&format!("wrong.toml:{line}:")),
            "{to}: line {line} is not named in\n{said}"
        );
        for fragment in fragments {
            assert!(
                said.contains(fragment),
                "{to}: `{fragment}` is missing in\n{said}"
            );
        }
        let problems = json(&output)["problems"].clone();
        assert_eq!(problems[0]["line"], line, "{problems}");
        assert!(!problems[0]["help"].as_str().unwrap().is_empty());
    }
    // Several at once.
    let text = good
        .replace("scale = 0.4", "scal = 0.4")
        .replace("dof = [1]", "dof = \"one\"");
    std::fs::write(folder.path().join("wrong.toml"), text).unwrap();
    let output = TANDEM.run(&["check", "wrong.toml", "--json"], folder.path());
    assert_eq!(json(&output)["problems"].as_array().unwrap().len(), 2);
}

#[test]
fn a_limit_stops_the_test_with_exit_code_three() {
    let folder = tempfile::tempdir().unwrap();
    let output = TANDEM.run(
        &["run", "--json", "--set", "limits.stroke=2mm"],
        folder.path(),
    );
    refused(&output, 3);
    let summary = json(&output);
    assert_eq!(summary["outcome"], "stopped");
    assert_eq!(summary["stopped_by"], "stroke");
    let at = summary["stopped_at_s"].as_f64().unwrap();
    assert!(at > 0.5 && at < 10.0, "{at}");
    let command = &summary["response"]["measured_displacement/1"]["peak"];
    assert!(command.as_f64().unwrap() < 0.0021, "{command}");
}

#[test]
fn an_unstable_loop_is_stopped_by_the_stability_warning() {
    let folder = tempfile::tempdir().unwrap();
    let set = [
        "--set",
        "compensator.method=none",
        "--set",
        "rig.actuator.frequency=9Hz",
        "--set",
        "limits.tracking_error=1m",
    ];
    let output = TANDEM.run(&[&["run", "--json"], &set[..]].concat(), folder.path());
    let summary = json(&output);
    refused(&output, 3);
    assert_eq!(summary["stopped_by"], "stability_warning");
}

/// A warning is logged with the tick at which the figure passed its bound, not with the end of some
/// slice of ticks.
#[test]
fn a_warning_is_logged_at_its_own_tick() {
    let folder = tempfile::tempdir().unwrap();
    let set = [
        "--set",
        "compensator.method=none",
        "--set",
        "monitor.stability_warning.action=warn",
        "--set",
        "integration.duration=9s",
        "--set",
        "record.reference=false",
    ];
    let arguments = [&["run", "--json", "--out", "run"], &set[..]].concat();
    let summary = json(&TANDEM.run(&arguments, folder.path()));
    let first = summary["indicators"]["SW"]["first_over_100_s"]
        .as_f64()
        .unwrap();
    let events = std::fs::read_to_string(folder.path().join("run/events.jsonl")).unwrap();
    let warning: Value = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|event| event["code"] == "monitor.warning")
        .unwrap();
    let at = warning["time_s"].as_f64().unwrap();
    assert!((at - first).abs() < 1e-9, "{warning} {first}");
    let tick = warning["tick"].as_f64().unwrap();
    assert!((tick / 1024.0 - first).abs() < 1e-9, "{warning}");
}

/// A monitor that warns, is quiet for a second and warns again says so each time, in turn.
#[test]
fn an_alarm_that_is_over_can_be_given_again() {
    let folder = tempfile::tempdir().unwrap();
    let set = [
        "--set",
        "monitor.tracking_error.bound=0.05mm",
        "--set",
        "compensator.method=none",
        "--set",
        "rig.actuator.frequency=60Hz",
        "--set",
        "excitation.scale=0.2",
        "--set",
        "integration.duration=15s",
        "--set",
        "record.reference=false",
    ];
    let arguments = [&["run", "--json", "--out", "run"], &set[..]].concat();
    json(&TANDEM.run(&arguments, folder.path()));
    let events = std::fs::read_to_string(folder.path().join("run/events.jsonl")).unwrap();
    let told: Vec<Value> = events
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|event| event["by"] == "tracking_error")
        .collect();
    assert!(told.len() >= 3, "{told:?}");
    for (k, event) in told.iter().enumerate() {
        let code = ["monitor.warning", "monitor.quiet"][k % 2];
        assert_eq!(event["code"], code, "{told:?}");
    }
}

#[test]
fn runs_are_exported_and_reported_again() {
    let folder = tempfile::tempdir().unwrap();
    let summary = json(&TANDEM.run(
        &[
            "run",
            "--json",
            "--out",
            "run",
            "--set",
            "integration.duration=2s",
        ],
        folder.path(),
    ));
    for to in ["csv", "mat", "parquet"] {
        let output = TANDEM.run(&["export", "run", "--to", to, "--json"], folder.path());
        let file = json(&output)["file"].as_str().unwrap().to_owned();
        assert!(std::fs::metadata(folder.path().join(file)).unwrap().len() > 10_000);
    }
    let csv = std::fs::read_to_string(folder.path().join("run/run.csv")).unwrap();
    assert_eq!(
        csv.lines().count(),
        2 + summary["steps"].as_u64().unwrap() as usize
    );
    assert!(
        csv.lines().next().unwrap().contains("target/1 [m]"),
        "{}",
        csv.lines().next().unwrap()
    );
    std::fs::remove_file(folder.path().join("run/report.html")).unwrap();
    done(&TANDEM.run(&["report", "run"], folder.path()));
    assert!(folder.path().join("run/report.html").exists());
    // A folder that is no run, and words that are no verb.
    let over_plan = ["export", "run", "--to", "csv", "-o", "run/plan.toml"];
    for words in [
        &["report", "."][..],
        &["export", ".", "--to", "csv"],
        &over_plan,
        &["walk"],
    ] {
        refused(&TANDEM.run(words, folder.path()), 2);
    }
    assert!(
        std::fs::read_to_string(folder.path().join("run/plan.toml"))
            .unwrap()
            .contains("[structure]")
    );
    assert_eq!(
        json(&TANDEM.run(&["run", "--bogus", "--json"], folder.path()))["error"],
        "usage"
    );
    done(&TANDEM.run(&["--help"], folder.path()));
}

/// A run killed in the middle leaves a record that `tandem report` can tell of.
#[cfg(unix)]
#[test]
fn a_killed_run_can_be_reported() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = at_work(folder.path());
    child.kill().unwrap();
    child.wait().unwrap();
    let output = TANDEM.run(&["report", "run", "--json"], folder.path());
    done(&output);
    let said = json(&output);
    assert_eq!(said["outcome"], "stopped");
    assert!(said["stopped_at_s"].as_f64().unwrap() > 0.0);
}

#[test]
fn methods_and_schema_are_complete() {
    let folder = tempfile::tempdir().unwrap();
    let methods = json(&TANDEM.run(&["methods", "--json"], folder.path()));
    let slots: Vec<_> = methods["slots"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["slot"].as_str().unwrap().to_owned())
        .collect();
    for slot in [
        "excitation",
        "structure",
        "integration",
        "command",
        "compensator",
        "rig",
        "rig.actuator",
        "monitor",
    ] {
        assert!(
            slots.iter().any(|s| s == slot),
            "{slot} is missing in {slots:?}"
        );
    }
    // The documentation is what the program prints.
    let markdown = TANDEM.run(&["schema", "--markdown"], folder.path());
    let kept = include_str!("../../../../docs/plan.md");
    assert!(
        String::from_utf8_lossy(&markdown.stdout) == kept,
        "run: cargo run -- schema --markdown > docs/plan.md"
    );
    let markdown = TANDEM.run(&["schema", "--cosimulation", "--markdown"], folder.path());
    let kept = include_str!("../../../../docs/cosimulation.md");
    assert!(
        String::from_utf8_lossy(&markdown.stdout) == kept,
        "run: cargo run -- schema --cosimulation --markdown > docs/cosimulation.md"
    );
    let output = TANDEM.run(&["schema"], folder.path());
    let schema: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(schema["properties"]["integration"].is_object());
}

/// No rig, no interface: an all-numerical run, here with matrices from files.
#[test]
fn an_all_numerical_run_needs_no_rig() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("mass.csv", "# kg\n1000, 0\n0, 500\n");
    write("stiffness.csv", "2e6 -1e6\n-1e6 1e6\n");
    write(
        "plan.toml",
        r#"
[excitation]
record = "el-centro-1940"
[structure]
kind = "matrices"
mass_file = "mass.csv"
stiffness_file = "stiffness.csv"
[integration]
method = "newmark"
dt = "5 ms"
"#,
    );
    let check = json(&TANDEM.run(&["check", "plan.toml", "--json"], folder.path()));
    // K φ = ω² M φ with m = 1000, 500 and k = 1 MN/m: ω² = 1000 (2 ∓ √2).
    for (i, sign) in [(0, -1.0), (1, 1.0)] {
        let expected =
            (1000.0 * (2.0 + sign * 2.0_f64.sqrt())).sqrt() / (2.0 * std::f64::consts::PI);
        let got = check["frequencies_hz"][i].as_f64().unwrap();
        assert!((got / expected - 1.0).abs() < 1e-12, "{got} {expected}");
    }
    let summary = json(&TANDEM.run(&["run", "plan.toml", "--json"], folder.path()));
    assert_eq!(summary["outcome"], "completed");
    assert!(summary.get("tracking").is_none());
    assert!(
        summary["response"]["response_displacement/2"]["peak"]
            .as_f64()
            .unwrap()
            > 0.01
    );
    // A broken matrix file is named with its line.
    write("mass.csv", "1000, 0\n0, x\n");
    let output = TANDEM.run(&["check", "plan.toml"], folder.path());
    let said = refused(&output, 2);
    assert!(
        said.contains("line 2") && said.contains("plan.toml:6:"),
        "{said}"
    );
}

/// A run never writes over what is in its folder, least of all the plan it was given.
#[test]
fn a_run_in_the_folder_of_its_plan_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    TANDEM.run(&["new", "plan.toml"], folder.path());
    let before = std::fs::read(folder.path().join("plan.toml")).unwrap();
    let output = TANDEM.run(&["run", "plan.toml", "--out", "."], folder.path());
    refused(&output, 1);
    assert_eq!(
        std::fs::read(folder.path().join("plan.toml")).unwrap(),
        before
    );
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// A reader that goes away is no error and no panic.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in ["run nope.toml --json", "methods", "schema", "--help"] {
        let line = format!(
            "{} {arguments} 2>&1 >/dev/null | cat; {0} {arguments} 2>err | true; cat err",
            TANDEM.0
        );
        let output = Command::new("sh")
            .arg("-c")
            .arg(line)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!said.contains("panicked"), "{arguments}: {said}");
    }
}

/// Ctrl-C: the test stops, everything is kept and reported, exit code 4.
#[cfg(unix)]
#[test]
fn the_operator_stops_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let child = at_work(folder.path());
    assert!(
        Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    refused(&output, 4);
    let summary = json(&output);
    assert_eq!(summary["stopped_by"], "operator");
    assert!(folder.path().join("run/report.html").exists());
}

/// A unit delay of the force is one tick of delay in the loop: it makes the error larger, as the
/// benchmark's does.
#[test]
fn conditioning_acts_on_the_force_that_goes_back() {
    let folder = tempfile::tempdir().unwrap();
    let error = |extra: &[&str]| {
        let arguments = [
            &["run", "--json", "--set", "integration.duration=10s"],
            extra,
        ]
        .concat();
        json(&TANDEM.run(&arguments, folder.path()))["reference"]["nrmse_percent"][0]
            .as_f64()
            .unwrap()
    };
    let plain = error(&[]);
    let delayed = error(&[
        "--set",
        "conditioning.method=unit-delay",
        "--set",
        "conditioning.samples=2",
    ]);
    assert!(delayed > 1.5 * plain, "{plain} {delayed}");
}

/// A joint without rotary inertia: no inertia force goes with its angular acceleration, which rings
/// with the method.
#[test]
fn accelerations_without_mass_are_no_response() {
    let folder = tempfile::tempdir().unwrap();
    let plan = example("fibre-frame/plan.toml");
    let output = TANDEM.run(
        &[
            "run",
            plan.to_str().unwrap(),
            "--set",
            "integration.duration=0.1 s",
            "--out",
            "here",
            "--json",
        ],
        folder.path(),
    );
    let summary = json(&output);
    let response = summary["response"].as_object().unwrap();
    let accelerations: Vec<&str> = response
        .iter()
        .filter(|(name, _)| name.starts_with("response_acceleration/"))
        .filter_map(|(_, value)| value["dof"].as_str())
        .collect();
    assert!(!accelerations.is_empty());
    assert!(
        accelerations.iter().all(|dof| !dof.ends_with("rz")),
        "{accelerations:?}"
    );
    // Displacements of the same joints are a response.
    assert!(
        response
            .values()
            .any(|value| value["dof"].as_str().is_some_and(|dof| dof.ends_with("rz")))
    );
    let notes = summary["notes"].to_string();
    assert!(notes.contains("without mass"), "{notes}");
    let page = std::fs::read_to_string(folder.path().join("here/report.html")).unwrap();
    assert!(page.contains("degrees of freedom without mass"));
}
