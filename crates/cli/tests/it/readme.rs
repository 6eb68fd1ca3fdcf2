//! The README is true: its commands do what it says, one after the other in one folder, and print
//! what stands below them.
#![cfg(unix)]

use std::path::Path;
use std::process::Command;

use tandem_test_support::{data_for_part, root};

use crate::TANDEM;

/// A command of the README, and what it is said to print.
struct Shown {
    command: String,
    printed: Vec<String>,
}

/// The commands of `tandem` in the code of a document, in their order.
fn commands(text: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut inside = false;
    let mut of_tandem = false;
    for line in text.lines() {
        if line.starts_with("```") {
            inside = !inside;
            of_tandem = false;
        } else if inside && line.starts_with("$ ") {
            of_tandem = line.starts_with("$ tandem ");
            if of_tandem {
                shown.push(Shown {
                    command: line[2..].to_owned(),
                    printed: Vec::new(),
                });
            }
        } else if of_tandem && let Some(last) = shown.last_mut() {
            last.printed.push(line.to_owned());
        }
    }
    shown
}

/// Why a command is not run here.
fn left_out(command: &str) -> Option<&'static str> {
    let words = [
        ("--screen", "it waits for an operator"),
        ("tandem serve", "it waits for OpenSees"),
    ];
    let found = words.iter().find(|(word, _)| command.contains(word));
    found.map(|(_, why)| *why)
}

/// What differs from run to run, and from machine to machine.
fn is_of_this_run(line: &str) -> bool {
    ["  wall time ", "  report "]
        .iter()
        .any(|start| line.starts_with(start))
}

#[test]
fn its_commands_do_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::os::unix::fs::symlink(root().join("examples"), here.join("examples")).unwrap();
    let programs = Path::new(TANDEM.0).parent().unwrap().display();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let mut run = 0;
    for Shown { command, printed } in commands(&readme) {
        if left_out(&command).is_some() {
            continue;
        }
        let of_a_study = command.contains("stability-warning");
        let record = || data_for_part(&command, "benchmarks/ground_motion_kobe_1995.csv");
        if of_a_study && record().is_none() {
            continue;
        }
        if command.contains("wrong.toml") {
            // The mistakes that the README tells.
            let plan = std::fs::read_to_string(here.join("my.toml")).unwrap();
            let wrong = plan.replace("\nscale = 0.4", "\nscal = 0.4");
            let wrong = wrong.replace("dt = \"0.9765625 ms\"", "dt = 4");
            std::fs::write(here.join("wrong.toml"), wrong).unwrap();
        }
        // `runs/…` is one of the runs above.
        let first = std::fs::read_dir(here.join("runs"))
            .into_iter()
            .flatten()
            .find_map(|entry| Some(entry.ok()?.file_name().into_string().unwrap()));
        let words = command.replace("runs/…", &format!("runs/{}", first.unwrap_or_default()));
        let output = Command::new("sh")
            .args(["-c", &words])
            .current_dir(here)
            .env("PATH", &path)
            .output()
            .unwrap();
        let said = [&output.stdout[..], &output.stderr[..]].concat();
        let said = String::from_utf8_lossy(&said);
        let refused = command.contains("wrong.toml");
        let stopped = command.contains("compensator.method=none");
        let code = if refused { 2 } else { 3 * i32::from(stopped) };
        assert_eq!(output.status.code(), Some(code), "{command}\n{said}");
        for line in printed.iter().filter(|line| !is_of_this_run(line)) {
            assert!(
                said.lines().any(|own| own == line),
                "README.md says that `{command}` prints\n{line}\nbut it prints\n{said}"
            );
        }
        run += 1;
    }
    assert!(run > 9, "{run} commands of the README were found");
}
