//! The operator's screen in a real browser, driven by Playwright; and the terminal's watch.

use std::path::Path;
use std::process::Command;

use tandem_test_support::{browser, browser_for_part, done, example, json, playwright};

use crate::TANDEM;

/// Node with Playwright, or a skip.
fn node(script: &str, arguments: &[&Path]) -> Option<Command> {
    let (playwright, browser) = (playwright()?, browser()?);
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new("node");
    command
        .arg(here.join("tests/it/screen").join(script))
        .args(arguments)
        .env("TANDEM_PLAYWRIGHT", playwright)
        .env("TANDEM_BROWSER", browser)
        .env("TANDEM_PROGRAM", TANDEM.0);
    Some(command)
}

#[test]
fn an_operator_runs_a_test_in_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    let plan = example("quick-start/plan.toml");
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

/// Two runs, then everything that reads run folders: watch, report, comparison, rehearsal, PDF.
#[test]
fn runs_are_watched_reported_compared_and_printed() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (name, delay) in [("a", "11.5 ms"), ("b", "9 ms")] {
        let delay = format!("compensator.delay={delay}");
        let output = TANDEM.run(
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
        done(&output);
    }
    let output = TANDEM.run(&["watch", "a", "--json"], at);
    let glance = json(&output);
    assert_eq!(glance["status"]["state"], "Recorded");
    assert_eq!(glance["steps"], 6144);
    assert!(glance["actuators"][0]["limits"].as_array().unwrap().len() >= 3);
    assert!(glance["target"].as_array().unwrap().len() > 300);
    let text = TANDEM.run(&["watch", "a"], at);
    let text = String::from_utf8_lossy(&text.stdout);
    assert!(
        text.contains("stroke:") && text.contains("% used") && text.contains("SW"),
        "{text}"
    );
    for wrong in ["nothing-here", "a/plan.toml", "127.0.0.1:1"] {
        let output = TANDEM.run(&["watch", wrong], at);
        assert!(!output.status.success(), "{wrong}");
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: "));
    }

    let output = TANDEM.run(&["report", "a", "b", "--json"], at);
    let found = json(&output);
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
        !TANDEM
            .run(&["report", "a", "nothing-here"], at)
            .status
            .success()
    );

    std::fs::write(
        at.join("b/drill.json"),
        r#"[{"fault":"frozen","description":"the sensor freezes","actuator":1,"at_s":2.0,
             "detector":"frozen_displacement","action":"trip","reason":"it stands still",
             "time_to_detect_ms":101.0,"time_to_hold_ms":101.5,"peak_command_mm":1.5,
             "violations":0,"state":"stopped"}]"#,
    )
    .unwrap();
    let pdf = browser_for_part("the PDF").is_some();
    let mut arguments = vec!["report", "b", "--rehearsal", "a"];
    arguments.extend(pdf.then_some("--pdf"));
    let output = TANDEM.run(&arguments, at);
    done(&output);
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
    }
}
