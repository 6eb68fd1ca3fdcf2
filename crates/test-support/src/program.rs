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
}

/// The one JSON object on standard output.
///
/// # Panics
/// Where there is something else.
#[must_use]
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
#[must_use]
pub fn refused(output: &Output, code: i32) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    said
}
