//! The operator's screen in a real browser, driven by Playwright; and the terminal's watch.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)] // a skipped check says so

use std::path::Path;
use std::process::Command;

/// Node with Playwright, or a word why not.
fn node(script: &str, arguments: &[&Path]) -> Option<Command> {
    let (Some(playwright), Some(browser)) = (
        std::env::var_os("TANDEM_PLAYWRIGHT"),
        std::env::var_os("TANDEM_BROWSER"),
    ) else {
        println!(
            "skipped: TANDEM_PLAYWRIGHT or TANDEM_BROWSER is not set (cargo xtask test sets them)"
        );
        return None;
    };
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new("node");
    command
        .arg(here.join("tests/screen").join(script))
        .args(arguments)
        .env("TANDEM_PLAYWRIGHT", playwright)
        .env("TANDEM_BROWSER", browser)
        .env("TANDEM_PROGRAM", env!("CARGO_BIN_EXE_tandem"));
    Some(command)
}

#[test]
fn an_operator_runs_a_test_in_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    let plan = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/quick-start/plan.toml");
    let Some(mut command) = node("operate.mjs", &[folder.path(), &plan]) else {
        return;
    };
    let output = command.output().expect("node runs");
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.contains("all done"),
        "{said}\n{complained}"
    );
}

fn tandem(arguments: &[&str], folder: &Path) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_tandem"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

/// Two runs, then everything that reads run folders: watch, report, comparison, rehearsal, PDF.
#[test]
fn runs_are_watched_reported_compared_and_printed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (name, delay) in [("a", "11.5 ms"), ("b", "9 ms")] {
        let delay = format!("compensator.delay={delay}");
        let output = tandem(
            &[
                "run",
                "--set",
                "integration.duration=6s",
                "--set",
                &delay,
                "--out",
                name,
                "--json",
            ],
            at,
        );
        assert!(output.status.success());
    }
    let output = tandem(&["watch", "a", "--json"], at);
    let glance: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(glance["status"]["state"], "Recorded");
    assert_eq!(glance["steps"], 6144);
    assert!(glance["actuators"][0]["limits"].as_array().unwrap().len() >= 3);
    assert!(glance["target"].as_array().unwrap().len() > 300);
    let text = tandem(&["watch", "a"], at);
    let text = String::from_utf8_lossy(&text.stdout);
    assert!(
        text.contains("stroke:") && text.contains("% used") && text.contains("SW"),
        "{text}"
    );
    for wrong in ["nothing-here", "a/plan.toml", "127.0.0.1:1"] {
        let output = tandem(&["watch", wrong], at);
        assert!(!output.status.success(), "{wrong}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: "));
    }

    let output = tandem(&["report", "a", "b", "--json"], at);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let figures = &found["figures"]["tracking: nrmse_percent, 1"];
    let page = std::fs::read_to_string(at.join("b/comparison.html")).unwrap();
    assert!(
        figures[1].as_f64().unwrap() > figures[0].as_f64().unwrap(),
        "less compensation tracks worse: {figures}"
    );
    for text in [
        "compensator.delay",
        "Measured displacement of actuator 1",
        "Hysteresis of actuator 1",
        "Difference, RMS",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(
        !tandem(&["report", "a", "nothing-here"], at)
            .status
            .success()
    );

    std::fs::write(
        at.join("b/drill.json"),
        r#"[{"fault":"frozen","detector":"frozen_displacement","action":"trip","time_to_hold_ms":101.5,"violations":0}]"#,
    )
    .unwrap();
    let pdf = std::env::var_os("TANDEM_BROWSER").is_some();
    let mut arguments = vec!["report", "b", "--rehearsal", "a"];
    arguments.extend(pdf.then_some("--pdf"));
    let output = tandem(&arguments, at);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let page = std::fs::read_to_string(at.join("b/report.html")).unwrap();
    for text in [
        "Rehearsal and test",
        "Transfer system",
        "Data dictionary",
        "frozen displacement",
        "101.5",
        "SHA-256",
        "response_displacement/3",
    ] {
        assert!(page.contains(text), "{text}");
    }
    if pdf {
        let bytes = std::fs::read(at.join("b/report.pdf")).unwrap();
        assert!(bytes.starts_with(b"%PDF") && bytes.len() > 50_000);
    } else {
        println!("skipped: the PDF, TANDEM_BROWSER is not set");
    }
}
