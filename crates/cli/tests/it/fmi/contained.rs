//! FMUs that end processes: their own, the program's, others'.
#![cfg(target_os = "linux")]

use super::common::*;
use super::hostile::{bad_fmu, bad_fmu_with};
use std::io::BufRead;
use std::os::unix::process::CommandExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

fn words<'a>(fmu: &'a Path, mode: &'a str) -> Vec<&'a str> {
    let mut words = vec!["fmu", "simulate", text(fmu), "--step", "0.1"];
    words.extend(["--stop", "1", "--set", mode, "--out", "/dev/null"]);
    words
}

/// Whether a process is there and more than a name in a table.
fn lives(process: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat.rsplit(") ").next().unwrap_or_default();
    !stat.is_empty() && !state.starts_with(['Z', 'X'])
}

fn goes_away(process: &str) -> bool {
    let deadline = Instant::now() + Duration::from_secs(20);
    while lives(process) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    !lives(process)
}

fn told_process(said: &str) -> String {
    let line = said.lines().find_map(|line| line.strip_prefix("pid "));
    line.unwrap_or_else(|| panic!("{said}")).to_owned()
}

/// An FMU that calls exit(0) does not pass for a success.
#[test]
fn an_fmu_that_calls_exit_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = bad_fmu(folder.path(), "right");
    let mut call = words(&path, "mode=7");
    let said = refused(&TANDEM.says(&call), 1);
    assert!(
        said.contains("in the step from t = 0.5 s") && said.contains("exit code 0"),
        "{said}"
    );
    call.push("--in-process");
    let said = refused(&TANDEM.says(&call), 1);
    assert!(
        said.contains("error: an FMU in this process has ended the program"),
        "{said}"
    );
    let part = "[[part]]\nname = \"a\"\nfmu = \"right.fmu\"\nstart = [\"mode=7\"]\n";
    let head = "[cosimulation]\nmethod = \"jacobi\"\ndt = \"0.1 s\"\nduration = \"1 s\"\n\
                in_process = true\n";
    let plan = format!("{head}{part}");
    let said = refused(&TANDEM.run_plan(folder.path(), "plan", &plan, &[]), 1);
    assert!(
        said.contains("error: an FMU in this process has ended the program"),
        "{said}"
    );
}

/// What an FMU sends to its process group stays there, and what it has started goes with it.
#[test]
fn the_process_group_of_an_fmu_is_its_own_and_ends_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = bad_fmu(folder.path(), "right");
    // In a group of its own: what is not contained here ends the program, and not these tests.
    let mut program = TANDEM.command(&words(&path, "mode=9"));
    let said = refused(&program.process_group(0).output().unwrap(), 1);
    assert!(said.contains("signal 9"), "{said}");
    let mut call = words(&path, "mode=8");
    call.extend(["--timeout", "1"]);
    let said = refused(&TANDEM.says(&call), 1);
    assert!(said.contains("it aborted (signal 6)"), "{said}");
    assert!(goes_away(&told_process(&said)));
}

/// The program is killed while the FMU does not come back from a step.
#[test]
fn the_process_of_an_fmu_does_not_outlive_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let path = bad_fmu(folder.path(), "right");
    let mut program = TANDEM
        .command(&words(&path, "mode=10"))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut reader = std::io::BufReader::new(program.stderr.take().unwrap());
    while !line.starts_with("pid ") {
        line.clear();
        assert!(reader.read_line(&mut line).unwrap() > 0);
    }
    let process = told_process(&line).trim().to_owned();
    assert!(lives(&process));
    program.kill().unwrap();
    program.wait().unwrap();
    assert!(goes_away(&process));
}

/// Descriptions in other codings than UTF-8 are read alike in both places.
#[test]
fn descriptions_in_latin_1_and_utf_16_are_read_in_the_process_of_the_fmu_too() {
    let folder = tempfile::tempdir().unwrap();
    bad_fmu(folder.path(), "right");
    let xml = "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"bad\" guid=\"right\" \
        description=\"Tr\u{e4}ger\">\
               <CoSimulation modelIdentifier=\"bad\"/><ModelVariables><ScalarVariable name=\"y\" \
               valueReference=\"1\" \
               causality=\"output\"><Real/></ScalarVariable><ScalarVariable name=\"mode\" \
               valueReference=\"2\" \
               causality=\"parameter\"><Real \
               start=\"0\"/></ScalarVariable></ModelVariables><ModelStructure><Outputs>\
               <Unknown index=\"1\"/></Outputs></ModelStructure></fmiModelDescription>";
    let latin = format!("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>{xml}");
    let latin: Vec<u8> = latin.chars().map(|c| u8::try_from(c).unwrap()).collect();
    let wide = format!("\u{feff}<?xml version=\"1.0\" encoding=\"UTF-16\"?>{xml}");
    let wide: Vec<u8> = wide.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for bytes in [latin, wide] {
        let path = folder.path().join("coded.fmu");
        write_fmu(&path, 2, &bytes, &folder.path().join("bad.so"));
        for place in [&[][..], &["--in-process"]] {
            done(&TANDEM.says(&[&words(&path, "mode=0"), place].concat()));
        }
    }
}

/// A status that ends a simulation is told with its time, in both places; options that do nothing
/// are refused, or warned of.
#[test]
fn a_step_that_is_refused_is_told_with_its_time_and_useless_options_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = bad_fmu(folder.path(), "right");
    for place in [&[][..], &["--in-process"]] {
        let said = refused(&TANDEM.says(&[&words(&path, "mode=11"), place].concat()), 1);
        let reason = "in the step from t = 0.5 s: the FMU answered \"discard\" to fmi2DoStep";
        assert!(said.contains(reason), "{said}");
    }
    let said = refused(
        &TANDEM.says(&[&words(&path, "mode=0"), &["--event-mode"][..]].concat()),
        2,
    );
    assert!(said.contains("is of no use here"), "{said}");
    let with_solver = [&words(&path, "mode=0"), &["--solver", "rk4"][..]].concat();
    let said = done(&TANDEM.says(&with_solver));
    assert!(
        said.contains("warning: --solver is of no use here"),
        "{said}"
    );
}

#[test]
fn a_binary_of_another_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (version, fits) in [("\"2.0\"", true), ("\"1.0\"", false), ("0", false)] {
        let more = format!("OUT const char *fmi2GetVersion(void) {{ return {version}; }}\n");
        let path = bad_fmu_with(folder.path(), "right", &more);
        let output = TANDEM.says(&words(&path, "mode=0"));
        let said = refused(&output, i32::from(!fits));
        assert!(fits || said.contains("fmi2GetVersion says"), "{said}");
    }
}
