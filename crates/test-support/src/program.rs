//! The program `tandem`, started and asked.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

/// A program to be tested, by its path: `env!("CARGO_BIN_EXE_tandem")`.
pub struct Program(pub &'static str);

impl Program {
    /// The program with these words, to which more can be said.
    pub fn command(&self, words: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(self.0);
        command.args(words);
        command
    }

    /// What it says to these words in this folder.
    ///
    /// # Panics
    /// Where it cannot be started.
    pub fn run(&self, words: &[impl AsRef<OsStr>], folder: &Path) -> Output {
        self.command(words)
            .current_dir(folder)
            .output()
            .unwrap_or_else(|error| panic!("{}: {error}", self.0))
    }

    /// What it says to these words, wherever it is started.
    ///
    /// # Panics
    /// Where it cannot be started.
    pub fn says(&self, words: &[impl AsRef<OsStr>]) -> Output {
        self.run(words, Path::new("."))
    }

    /// Writes a plan as `NAME.toml` into a folder and runs it there into the folder `NAME`, with
    /// more words; standard output is the summary.
    ///
    /// # Panics
    /// Where the file cannot be written or the program not be started.
    pub fn run_plan(&self, folder: &Path, name: &str, plan: &str, more: &[&str]) -> Output {
        let file = format!("{name}.toml");
        std::fs::write(folder.join(&file), plan).unwrap();
        let words = ["run", &file, "--json", "--out", name];
        self.run(&[&words, more].concat(), folder)
    }
}

/// Standard error of a program that did what it was asked.
///
/// # Panics
/// Where it did not.
#[allow(clippy::must_use_candidate)] // most only want it done
#[track_caller]
pub fn done(output: &Output) -> String {
    refused(output, 0)
}

/// The last line on standard output that is a JSON list or object: peers of ours are talkative.
///
/// # Panics
/// Where there is none.
#[must_use]
#[track_caller]
pub fn last_json(output: &Output) -> serde_json::Value {
    let said = String::from_utf8_lossy(&output.stdout);
    let read = |line: &str| serde_json::from_str(line).ok();
    let mut lines = said
        .lines()
        .rev()
        .filter(|line| line.starts_with(['[', '{']));
    lines.find_map(read).unwrap_or_else(|| {
        panic!("{said}\n{}", String::from_utf8_lossy(&output.stderr));
    })
}

/// The one JSON object on standard output.
///
/// # Panics
/// Where there is something else.
#[must_use]
#[track_caller]
pub fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        let (out, said) = (&output.stdout, &output.stderr);
        let [out, said] = [out, said].map(|bytes| String::from_utf8_lossy(bytes));
        panic!("{error}: {out}\n{said}")
    })
}

/// Standard error of a program that refused with this exit code.
///
/// # Panics
/// Where it ended otherwise, or in a panic.
#[allow(clippy::must_use_candidate)] // most only want it refused
#[track_caller]
pub fn refused(output: &Output, code: i32) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    said
}
