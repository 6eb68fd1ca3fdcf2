//! Archives, descriptions and binaries that mean harm.

use super::common::*;

const HEAD: &str = "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"x\" guid=\"g\">";
const REST: &str =
    "<CoSimulation modelIdentifier=\"x\"/><ModelVariables/><ModelStructure/></fmiModelDescription>";

#[test]
fn malformed_archives_and_descriptions_are_refused_with_their_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.fmu");
    let deep = format!(
        "{HEAD}{}{}{REST}",
        "<a>".repeat(100_000),
        "</a>".repeat(100_000)
    );
    let laughs = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE d [<!ENTITY a \"&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY b \
        \"&c;&c;&c;&c;&c;&c;&c;&c;\">\
         <!ENTITY c \"&a;\">]>{HEAD}<Tool>&a;</Tool>{REST}"
    );
    let wrong_type = format!(
        "{HEAD}<CoSimulation modelIdentifier=\"x\"/><ModelVariables><ScalarVariable name=\"a\" \
        valueReference=\"1\"/></ModelVariables></fmiModelDescription>"
    );
    let escape = format!(
        "{HEAD}<CoSimulation modelIdentifier=\"../../x\"/><ModelVariables/></fmiModelDescription>"
    );
    let cases: &[(&str, &str)] = &[
        ("", "not well-formed"),
        ("<a/>", "<fmiModelDescription> was expected"),
        (
            "<fmiModelDescription fmiVersion=\"1.0\" modelName=\"x\" guid=\"g\"/>",
            "FMI 1.0 is not read",
        ),
        (&deep, "nested"),
        (&laughs, "not well-formed"),
        (&wrong_type, "without a type"),
        (&escape, "is no name of a model"),
        (
            &format!("{HEAD}<ModelVariables/></fmiModelDescription>"),
            "nothing can be run",
        ),
    ];
    for (xml, reason) in cases {
        archive(&path, &[("modelDescription.xml", xml.as_bytes())]);
        let said = refused(&TANDEM.says(&["fmu", "info", text(&path)]), 1);
        assert!(said.contains(reason), "{reason}: {said}");
    }
    std::fs::write(&path, b"PK, but no archive").unwrap();
    assert!(refused(&TANDEM.says(&["fmu", "info", text(&path)]), 1).contains("no zip file"));
    let fine = format!("{HEAD}{REST}");
    for name in ["../evil", "/evil", "a/../../evil", "..\\evil"] {
        archive(
            &path,
            &[("modelDescription.xml", fine.as_bytes()), (name, b"x")],
        );
        let said = refused(&TANDEM.says(&ten_steps(&path)), 1);
        assert!(said.contains("outside the FMU's folder"), "{said}");
        // Who only looks is warned.
        let output = TANDEM.says(&["fmu", "info", text(&path), "--json"]);
        let value = json(&output);
        let faults = value["faults"].to_string();
        assert!(faults.contains("outside the FMU's folder"), "{faults}");
    }
    for (first, second) in [
        ("modelDescription.xml", "./modelDescription.xml"),
        ("modelDescription.xml", "modelDescription.xml"),
        ("resources/a", "resources\\a"),
    ] {
        archive(
            &path,
            &[
                (first, fine.as_bytes()),
                (second, fine.as_bytes()),
                ("modelDescription.XML", b"x"),
            ],
        );
        let said = refused(&TANDEM.says(&["fmu", "info", text(&path)]), 1);
        assert!(said.contains("one and the same file"), "{said}");
    }
    archive(&path, &[("modelDescription.xml", fine.as_bytes())]);
    let said = refused(&TANDEM.says(&ten_steps(&path)), 2);
    assert!(said.contains("no outputs"), "{said}");
}

/// A Co-Simulation FMU in C that misbehaves at t = 0.5 s as its parameter says.
const BAD: &str = r#"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <unistd.h>
#define OUT __attribute__((visibility("default")))
typedef void *C;
static double mode = 0, y = 0;
OUT C fmi2Instantiate(const char *n, int k, const char *g, const char *r, const void *c, int v, int l) { return strcmp(g, "right") ? 0 : &y; }
OUT void fmi2FreeInstance(C c) {}
OUT int fmi2SetupExperiment(C c, int d, double t, double s, int e, double x) { return 0; }
OUT int fmi2EnterInitializationMode(C c) { return 0; }
OUT int fmi2ExitInitializationMode(C c) { return 0; }
OUT int fmi2Terminate(C c) { return 0; }
OUT int fmi2GetReal(C c, const unsigned *r, size_t n, double *v) { for (size_t i = 0; i < n; i++) v[i] = r[i] == 1 ? y : mode; return 0; }
OUT int fmi2SetReal(C c, const unsigned *r, size_t n, const double *v) { for (size_t i = 0; i < n; i++) if (r[i] == 2) mode = v[i]; return 0; }
OUT int fmi2DoStep(C c, double t, double h, int x) {
  y = t + h;
  if (mode == 6) printf("the FMU says hello\n");
  if (t > 0.45) {
if (mode == 1) abort();
if (mode == 2) for (;;) {}
if (mode == 3) y = NAN;
if (mode == 4) *(volatile int *)8 = 1;
if (mode == 5) return 3;
if (mode == 7) exit(0);
if (mode == 8) {
  int child = fork();
  if (child == 0) { close(0); close(1); close(2); for (;;) pause(); }
  fprintf(stderr, "pid %d\n", child);
  abort();
}
if (mode == 9) kill(0, SIGKILL);
if (mode == 10) { fprintf(stderr, "pid %d\n", (int)getpid()); for (;;) {} }
if (mode == 11) return 2;
  }
  return 0;
}
"#;

pub fn bad_fmu(folder: &Path, guid: &str) -> PathBuf {
    bad_fmu_with(folder, guid, "")
}

/// The same with more functions.
pub fn bad_fmu_with(folder: &Path, guid: &str, more: &str) -> PathBuf {
    let library = compile(folder, "bad", &format!("{BAD}{more}"));
    let xml = format!(
        "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"bad\" guid=\"{guid}\"><CoSimulation \
        modelIdentifier=\"bad\"/>\
         <ModelVariables><ScalarVariable name=\"y\" valueReference=\"1\" \
         causality=\"output\"><Real/></ScalarVariable>\
         <ScalarVariable name=\"mode\" valueReference=\"2\" causality=\"parameter\"><Real \
         start=\"0\"/></ScalarVariable></ModelVariables>\
         <ModelStructure><Outputs><Unknown \
         index=\"1\"/></Outputs></ModelStructure></fmiModelDescription>"
    );
    let path = folder.join(format!("{guid}.fmu"));
    write_fmu(&path, 2, xml.as_bytes(), &library);
    path
}

#[cfg(target_os = "linux")]
#[test]
fn a_crash_a_hang_and_a_nan_are_contained_and_what_came_before_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = bad_fmu(folder.path(), "right");
    let out = folder.path().join("out.csv");
    let run = |mode: &str| {
        TANDEM.says(
            &[
                &ten_steps(&path)[..],
                &["--set", mode, "--timeout", "0.5", "--out", text(&out)],
            ]
            .concat(),
        )
    };
    done(&run("mode=0"));
    assert_eq!(std::fs::read_to_string(&out).unwrap().lines().count(), 12);
    // What is set must be there before a file is.
    let none = folder.path().join("none.csv");
    for set in ["nothing=1", "mode=much"] {
        let simulate = ["fmu", "simulate", text(&path), "--step", "0.1"];
        let more = ["--stop", "1", "--set", set, "--out", text(&none)];
        refused(&TANDEM.says(&[&simulate[..], &more].concat()), 2);
        assert!(!none.exists(), "{set}");
    }
    let simulate = ["fmu", "simulate", text(&path), "--stop", "1"];
    let said = |step: &str| done(&TANDEM.says(&[&simulate[..], &["--step", step]].concat()));
    assert!(
        said("0.4").contains("the last point is t = 0.8 s"),
        "{}",
        said("0.4")
    );
    assert!(!said("0.1").contains("last point"), "{}", said("0.1"));
    for (mode, reason) in [
        (
            "mode=1",
            "in the step from t = 0.5 s: the process of the FMU died in a step: it aborted (signal \
            6)",
        ),
        (
            "mode=2",
            "in the step from t = 0.5 s: the FMU did not answer to a step within 0.5 s",
        ),
        ("mode=3", "`y` is NaN at t = 0.6"),
        ("mode=4", "segmentation fault"),
        ("mode=5", "\"error\" to fmi2DoStep"),
    ] {
        let said = refused(&run(mode), 1);
        assert!(said.contains(reason), "{mode}: {said}");
        // Every row that was finished is there.
        let kept = std::fs::read_to_string(&out).unwrap();
        let lines: Vec<&str> = kept.lines().collect();
        assert_eq!(
            (lines.len(), lines.first(), lines.last()),
            (7, Some(&"time,y"), Some(&"0.5,0.5")),
            "{mode}: {kept}"
        );
    }
    let wrong = bad_fmu(folder.path(), "wrong");
    let said = refused(&TANDEM.says(&ten_steps(&wrong)), 1);
    assert!(said.contains("same guid"), "{said}");
}

/// An FMU in this process prints what it likes: not into the result.
#[cfg(target_os = "linux")]
#[test]
fn what_an_fmu_prints_does_not_get_into_the_result() {
    let folder = tempfile::tempdir().unwrap();
    let path = bad_fmu(folder.path(), "right");
    for place in [&["--in-process"][..], &[]] {
        for json in [true, false] {
            let mut call = ten_steps(&path).to_vec();
            call.extend(["--set", "mode=6"]);
            call.extend(place);
            if json {
                call.push("--json");
            }
            let output = TANDEM.says(&call);
            done(&output);
            let said = String::from_utf8_lossy(&output.stdout);
            if json {
                let value: Value = serde_json::from_str(&said).unwrap();
                assert_eq!(value["steps"], 10);
            } else {
                assert!(said.starts_with("time,y\n0,0\n"), "{said}");
                assert_eq!(said.lines().count(), 12, "{said}");
            }
            if !place.is_empty() {
                let heard = String::from_utf8_lossy(&output.stderr);
                assert_eq!(heard.matches("the FMU says hello").count(), 10, "{heard}");
            }
        }
    }
    // Nor does it get lost where the FMU cannot even be made.
    let wrong = bad_fmu(folder.path(), "wrong");
    let call = [
        "fmu",
        "simulate",
        text(&wrong),
        "--in-process",
        "--json",
        "--stop",
        "1",
    ];
    let said = refused(&TANDEM.says(&call), 1);
    assert!(said.contains("same guid"), "{said}");
}
