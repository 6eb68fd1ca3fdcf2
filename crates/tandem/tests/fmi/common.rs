//! The program, archives and refusals.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub fn tandem(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tandem"))
        .args(arguments)
        .output()
        .unwrap()
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Ten steps of an FMU, from zero to one second; more words may follow.
pub fn ten_steps(fmu: &Path) -> [&str; 7] {
    ["fmu", "simulate", text(fmu), "--step", "0.1", "--stop", "1"]
}

pub fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(name)
}

/// Writes an archive.
pub fn archive(path: &Path, entries: &[(&str, &[u8])]) {
    let file = std::fs::File::create(path).unwrap();
    let mut writer = tandem_fmi::zip::Writer::new(file);
    for (name, contents) in entries {
        writer.add(name, contents).unwrap();
    }
    writer.finish().unwrap();
}

/// Standard error of a failure with this exit code.
pub fn refused(output: &Output, code: i32) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(!said.contains("panicked"), "{said}");
    said
}

/// A script of the Python peers that judges the program: given its path, the plan of an oscillator and a folder to work in. What went wrong stands last:
/// some peers are talkative.
pub fn judged_by_python(script: &str) {
    let Some(python) = std::env::var_os("TANDEM_PYTHON") else {
        println!("skipped: TANDEM_PYTHON is not set (cargo xtask test sets it)");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(python)
        .args(["-c", script, env!("CARGO_BIN_EXE_tandem")])
        .arg(example("fmi-split-mass/oscillator.toml"))
        .arg(folder.path())
        // Peers leave what they unpack: eighty megabytes for each FMU of an unoptimised build.
        .env("TMPDIR", folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    let last = errors.lines().count().saturating_sub(40);
    let last: Vec<&str> = errors.lines().skip(last).collect();
    assert!(output.status.success(), "{said}\n{}", last.join("\n"));
    println!("{said}");
}
