//! FMUs that answer what the standard does not allow, or what is easily passed over.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use super::common::*;
use super::mass;

/// FMI 2.0 and 3.0; from 0.5 s on its steps are answered as its parameter `mode` says. Values: 1 y,
/// 2 mode, 3 u, 4 b (FMI 3: a truth value).
const SOURCE: &str = r#"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define OUT __attribute__((visibility("default")))
typedef void *C;
typedef unsigned char B;
static double mode, y, u, last;
static int bad(double t) { return t > 0.45 ? (int)mode : 0; }
static double claim(double t, double h) {
  switch (bad(t)) { case 1: return NAN; case 2: return t + 100; case 3: return t - 5; case 4: return t + h / 2; default: return t + h; }
}
static int get(const unsigned *r, size_t n, double *v) { for (size_t i = 0; i < n; i++) v[i] = r[i] == 1 ? y : r[i] == 2 ? mode : u; return 0; }
static int set(const unsigned *r, size_t n, const double *v) { for (size_t i = 0; i < n; i++) if (r[i] == 2) mode = v[i]; else u = v[i]; return 0; }
OUT C fmi2Instantiate(const char *n, int k, const char *g, const char *r, const void *c, int v, int l) { return &y; }
OUT void fmi2FreeInstance(C c) {}
OUT int fmi2SetupExperiment(C c, int d, double t, double s, int e, double x) { return 0; }
OUT int fmi2EnterInitializationMode(C c) { if (mode == 7) abort(); return 0; }
OUT int fmi2ExitInitializationMode(C c) { return 0; }
OUT int fmi2Terminate(C c) { if (mode == 8) abort(); return 0; }
OUT int fmi2GetReal(C c, const unsigned *r, size_t n, double *v) { return get(r, n, v); }
OUT int fmi2SetReal(C c, const unsigned *r, size_t n, const double *v) { return set(r, n, v); }
OUT int fmi2DoStep(C c, double t, double h, int x) { y = t + h; last = claim(t, h); return bad(t) && mode < 5 ? 2 : bad(t) == 6 ? 1 : 0; }
OUT int fmi2GetBooleanStatus(C c, int k, int *v) { *v = 1; return 0; }
OUT int fmi2GetRealStatus(C c, int k, double *v) { *v = last; return 0; }
OUT C fmi3InstantiateCoSimulation(const char *n, const char *g, const char *r, B v, B l, B e, B a, const unsigned *q, size_t nq, void *x, void *f, void *i) { return &y; }
OUT void fmi3FreeInstance(C c) {}
OUT int fmi3EnterInitializationMode(C c, B d, double t, double s, B e, double x) { return 0; }
OUT int fmi3ExitInitializationMode(C c) { return 0; }
OUT int fmi3Terminate(C c) { return 0; }
OUT int fmi3GetFloat64(C c, const unsigned *r, size_t n, double *v, size_t k) { return get(r, n, v); }
OUT int fmi3SetFloat64(C c, const unsigned *r, size_t n, const double *v, size_t k) { return set(r, n, v); }
OUT int fmi3GetBoolean(C c, const unsigned *r, size_t n, B *v, size_t k) { *v = 2; return 0; }
OUT int fmi3DoStep(C c, double t, double h, B x, B *event, B *end, B *early, double *reached) {
  y = t + h;
  *event = 0;
  *end = bad(t) == 4 || bad(t) == 5 ? 2 : 0;
  *early = bad(t) && mode < 4 ? 2 : 0;
  *reached = claim(t, h);
  return bad(t) == 6 ? 1 : 0;
}
"#;

fn make(folder: &Path, version: u8) -> PathBuf {
    let library = compile(folder, "claims", SOURCE);
    let variable = |name: &str, place: u8, causality: &str, variability: &str, start: &str| {
        let head = format!(
            "name=\"{name}\" valueReference=\"{place}\" causality=\"{causality}\" \
            variability=\"{variability}\""
        );
        match version {
            2 => format!("<ScalarVariable {head}><Real{start}/></ScalarVariable>"),
            _ => format!("<Float64 {head}{start}/>"),
        }
    };
    let list = [
        variable("y", 1, "output", "continuous", ""),
        variable("mode", 2, "parameter", "fixed", " start=\"0\""),
        variable("u", 3, "input", "continuous", " start=\"0\""),
    ]
    .concat();
    let offer = "<CoSimulation modelIdentifier=\"claims\" \
        canHandleVariableCommunicationStepSize=\"true\"/>";
    let xml = match version {
        2 => format!(
            "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"claims\" \
            guid=\"g\">{offer}<ModelVariables>{list}</ModelVariables>\
                 <ModelStructure><Outputs><Unknown \
                 index=\"1\"/></Outputs></ModelStructure></fmiModelDescription>"
        ),
        _ => format!(
            "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"claims\" \
            instantiationToken=\"g\">{offer}<ModelVariables>{list}\
                 <Boolean name=\"b\" valueReference=\"4\" \
                 causality=\"output\"/></ModelVariables><ModelStructure><Output \
                 valueReference=\"1\"/>\
                 <Output valueReference=\"4\"/></ModelStructure></fmiModelDescription>"
        ),
    };
    let path = folder.join(format!("claims{version}.fmu"));
    write_fmu(&path, version, xml.as_bytes(), &library);
    path
}

const PLACES: [&[&str]; 2] = [&[], &["--in-process"]];

/// A step that ended at no time, before its beginning or behind its end is an error that says so;
/// every row before it stands.
#[test]
fn a_step_that_claims_an_impossible_time_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.csv");
    for version in [2, 3] {
        let fmu = make(folder.path(), version);
        for (mode, claim) in [
            ("mode=1", "t = NaN s"),
            ("mode=2", "t = 100.5 s"),
            ("mode=3", "t = -4.5 s"),
        ] {
            for place in PLACES {
                let call = ["fmu", "simulate", text(&fmu), "--step", "0.1", "--stop"];
                let more = ["1", "--set", mode, "--out", text(&out)];
                let said = refused(&TANDEM.says(&[&call[..], &more, place].concat()), 1);
                assert!(
                    said.contains(claim) && said.contains("from t = 0.5 s to t = 0.6 s"),
                    "{version} {mode}: {said}"
                );
                let kept = std::fs::read_to_string(&out).unwrap();
                let last = kept.lines().last().unwrap();
                assert!(last.starts_with("0.5,0.5"), "{version} {mode}: {kept}");
            }
        }
    }
}

/// An FMU that asks for the end within a step: a normal end, also where a jump of an input cuts
/// that step. Its truth values may be any byte but zero.
#[test]
fn an_end_within_a_step_is_a_normal_end_also_before_a_jump() {
    let folder = tempfile::tempdir().unwrap();
    let jumps = folder.path().join("in.csv");
    std::fs::write(&jumps, "time,u\n0,0\n0.56,0\n0.56,1\n1,1\n").unwrap();
    let with_jump = ["--input", text(&jumps)];
    for (version, place) in [
        (2, PLACES[0]),
        (2, PLACES[1]),
        (3, PLACES[0]),
        (3, PLACES[1]),
    ] {
        let fmu = make(folder.path(), version);
        for (more, end) in [(&[][..], 0.55), (&with_jump[..], 0.53)] {
            let words = ["--step", "0.1", "--stop", "1", "--set", "mode=4"];
            let (rows, said) = mass::simulate(&fmu, &[&words[..], more, place].concat());
            assert_eq!(said["terminated_by_fmu"], true, "{version}: {said}");
            let times = rows.iter().map(|row| row[0]);
            let times: Vec<f64> = times.skip(5).collect();
            assert!(
                times.len() == 2 && times[0] == 0.5 && (times[1] - end).abs() < 1e-12,
                "{version}: {times:?}"
            );
            let told = said["time_s"].as_f64().unwrap();
            assert!((told - end).abs() < 1e-12, "{version}: {said}");
        }
        if version == 3 {
            let words = ["--step", "0.1", "--stop", "1", "--set", "mode=5"];
            let (rows, said) = mass::simulate(&fmu, &[&words[..], place].concat());
            assert_eq!(said["terminated_by_fmu"], true, "{said}");
            assert!(rows.iter().all(|row| row[2] == 1.0), "{rows:?}");
        }
    }
}

/// Calls that were answered by a warning are counted and told.
#[test]
fn warnings_are_told() {
    let folder = tempfile::tempdir().unwrap();
    for version in [2, 3] {
        let fmu = make(folder.path(), version);
        for place in PLACES {
            for (mode, count) in [("mode=6", 5), ("mode=0", 0)] {
                let call = ten_steps(&fmu);
                let more = ["--json", "--set", mode];
                let output = TANDEM.says(&[&call[..], &more, place].concat());
                let value = json(&output);
                assert_eq!(value["warnings"], count, "{value}");
                let said = String::from_utf8_lossy(&output.stderr);
                assert_eq!(
                    said.contains("answered 5 of its calls"),
                    count > 0,
                    "{said}"
                );
            }
        }
    }
}

/// What an FMU was busy with when it was lost, and when that was, belong together.
#[test]
fn a_loss_is_told_with_the_call_that_it_happened_in() {
    let folder = tempfile::tempdir().unwrap();
    let fmu = make(folder.path(), 2);
    for (mode, words) in [
        (
            "mode=7",
            "in its initialisation: the process of the FMU died in one of its first calls",
        ),
        (
            "mode=8",
            "in its end, after t = 1 s: the process of the FMU died in Terminate",
        ),
    ] {
        let call = ten_steps(&fmu);
        let said = refused(&TANDEM.says(&[&call[..], &["--set", mode]].concat()), 1);
        assert!(said.contains(words), "{said}");
    }
}

/// An event that is due at once is handled at once; one at a time that is no number is an error.
#[test]
fn the_time_of_the_next_event_is_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["--kind", "me", "--step", "0.1", "--stop", "1", "--set"];
    for version in [2, 3] {
        // It kicks only when it is asked a second time, and announces that for now.
        let late = mass::SOURCE
            .replace("m->time >= m->kick)", "m->time >= m->kick && asked++)")
            .replace("#define OUT", "static int asked;\n#define OUT");
        assert!(late.contains("&& asked++"));
        let fmu = mass::make_from(folder.path(), version, &late);
        for (kick, end) in [("kick=0", 1.0), ("kick=0.45", 0.55)] {
            let (rows, _) = mass::simulate(&fmu, &[&words[..], &[kick]].concat());
            let last = rows.last().unwrap();
            assert!((last[1] - end).abs() < 1e-9, "{version} {kick}: {last:?}");
        }
        let lost = mass::SOURCE
            .replace("i->next = m->kick;", "i->next = NAN;")
            .replace("*next = m->kick;", "*next = NAN;");
        let fmu = mass::make_from(folder.path(), version, &lost);
        let call = ["fmu", "simulate", text(&fmu)];
        let output = TANDEM.says(&[&call[..], &words, &["kick=0.5"]].concat());
        let said = refused(&output, 1);
        assert!(said.contains("a time that is no number"), "{said}");
    }
}

/// A description that contradicts itself is looked at, and not run.
#[test]
fn a_description_that_contradicts_itself_is_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.fmu");
    for (variables, fault) in [
        (
            "<Float64 name=\"a\" valueReference=\"1\" causality=\"output\"><Dimension \
            valueReference=\"1\"/></Float64>",
            "which is itself",
        ),
        (
            "<Float64 name=\"a\" valueReference=\"1\" causality=\"output\" derivative=\"1\"/>",
            "the derivative of itself",
        ),
    ] {
        let xml = format!(
            "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"x\" \
            instantiationToken=\"t\"><CoSimulation modelIdentifier=\"x\"/>\
             <ModelVariables>{variables}</ModelVariables><ModelStructure><Output \
             valueReference=\"1\"/></ModelStructure></fmiModelDescription>"
        );
        archive(&path, &[("modelDescription.xml", xml.as_bytes())]);
        let output = TANDEM.says(&["fmu", "info", text(&path)]);
        done(&output);
        assert!(String::from_utf8_lossy(&output.stdout).contains(fault));
        let call = ten_steps(&path);
        let said = refused(&TANDEM.says(&call), 1);
        assert!(said.contains(fault), "{said}");
    }
}
