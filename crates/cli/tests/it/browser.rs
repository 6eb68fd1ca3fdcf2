//! The report in a real browser: it opens without a network, its script runs without an error, its
//! plots are there.

use std::process::Command;

use tandem_test_support::{browser, done};

use crate::TANDEM;

#[test]
fn the_report_comes_alive_in_a_browser() {
    let Some(browser) = browser() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let words = ["run", "--set", "integration.duration=8s", "--out", "run"];
    done(&TANDEM.run(&words, folder.path()));
    let report = folder.path().join("run/report.html");
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .args([
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--virtual-time-budget=5000",
            "--enable-logging=stderr",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.path().join("profile").display()
        ))
        .arg("--dump-dom")
        .arg(format!("file://{}", report.display()))
        .output()
        .unwrap();
    let page = String::from_utf8_lossy(&output.stdout);
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(
        page.matches("<svg").count() >= 10,
        "plots are missing:\n{log}"
    );
    let live = page.matches("class=\"live\"").count();
    assert!(live >= 8, "only {live} plots came alive:\n{log}");
    let complaints: Vec<_> = log
        .lines()
        .filter(|line| line.contains("CONSOLE") || line.contains("Uncaught"))
        .collect();
    assert!(complaints.is_empty(), "{complaints:?}");
}
