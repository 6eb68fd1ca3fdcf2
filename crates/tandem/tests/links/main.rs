//! The program against the real OpenSees (openseespy), over sockets on this machine.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod driven;
mod serve;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Python with openseespy; none: the test says that it is skipped.
pub fn python() -> Option<PathBuf> {
    let python = std::env::var_os("TANDEM_PYTHON").map(PathBuf::from);
    if python.is_none() {
        println!("skipped: TANDEM_PYTHON is not set, so there is no OpenSees to talk to");
    }
    python
}

/// Folder of the scripts.
pub fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/links")
}

/// The program, listening: its process and the ports that it named.
pub struct Listening {
    /// The program.
    pub child: Child,
    /// One for each door.
    pub ports: Vec<u16>,
    /// What it says next.
    pub out: BufReader<std::process::ChildStdout>,
}

/// Starts the program and reads `listening on ADDRESS` as many times as it has doors.
pub fn listen(words: &[&str], doors: usize) -> Listening {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tandem"))
        .args(words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut ports = Vec::new();
    while ports.len() < doors {
        let mut line = String::new();
        if out.read_line(&mut line).unwrap() == 0 {
            let output = child.wait_with_output().unwrap();
            panic!("{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        }
        if let Some(address) = line.trim().strip_prefix("listening on ") {
            ports.push(address.rsplit(':').next().unwrap().parse().unwrap());
        }
    }
    Listening { child, ports, out }
}

impl Listening {
    /// Waits for the end; exit code, what it said, and the rest of its standard output.
    pub fn end(mut self) -> (i32, String, String) {
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.out, &mut rest).unwrap();
        let output = self.child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code().unwrap_or(-1), said, rest)
    }
}

/// Runs a script of OpenSees; the last line of its output is JSON.
pub fn opensees(python: &Path, script: &Path, words: &[&str]) -> serde_json::Value {
    let output = Command::new(python)
        .arg(script)
        .args(words)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = said.lines().rev().find(|line| line.starts_with(['[', '{']));
    let line = line.unwrap_or_else(|| {
        panic!(
            "{words:?}: {said}\n{}",
            String::from_utf8_lossy(&output.stderr)
        )
    });
    serde_json::from_str(line).unwrap()
}

/// A list of numbers.
pub fn numbers(value: &serde_json::Value) -> Vec<f64> {
    let list = value.as_array().unwrap().iter();
    list.map(|x| x.as_f64().unwrap()).collect()
}

/// Largest difference over the peak of the reference.
pub fn difference(found: &[f64], reference: &[f64]) -> f64 {
    assert_eq!(found.len(), reference.len());
    let peak = reference.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    assert!(peak > 0.0);
    let pairs = found.iter().zip(reference);
    pairs.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs())) / peak
}
