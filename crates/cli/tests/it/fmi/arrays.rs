//! Arrays of FMI 3.0: their values can be named one by one.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use super::common::*;

/// Two masses of 1 kg, each on a spring k: force f in, displacement u and velocity v out, as
/// arrays. Ground acceleration g.
const SOURCE: &str = r#"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#define OUT __attribute__((visibility("default")))
typedef struct { double u[2], v[2], f[2], g, k; } M;
OUT void *fmi3InstantiateCoSimulation(const char *n, const char *t, const char *r, bool a, bool b, bool c, bool d, const unsigned *i, size_t ni, void *e, void *l, void *s) { return calloc(1, sizeof(M)); }
OUT void fmi3FreeInstance(void *m) { free(m); }
OUT int fmi3EnterInitializationMode(void *m, bool d, double t, double s, bool e, double x) { return 0; }
OUT int fmi3ExitInitializationMode(void *m) { return 0; }
OUT int fmi3Terminate(void *m) { return 0; }
static double *slot(M *m, unsigned r, size_t *n) {
  double *all[] = {0, m->u, m->v, m->f, &m->g, &m->k};
  *n = r < 4 ? 2 : 1;
  return all[r];
}
OUT int fmi3GetFloat64(M *m, const unsigned *r, size_t n, double *v, size_t nv) {
  size_t at = 0, s;
  for (size_t i = 0; i < n; i++) { double *x = slot(m, r[i], &s); if (at + s > nv) return 3; memcpy(v + at, x, 8 * s); at += s; }
  return at == nv ? 0 : 3;
}
OUT int fmi3SetFloat64(M *m, const unsigned *r, size_t n, const double *v, size_t nv) {
  size_t at = 0, s;
  for (size_t i = 0; i < n; i++) { double *x = slot(m, r[i], &s); if (at + s > nv) return 3; memcpy(x, v + at, 8 * s); at += s; }
  return at == nv ? 0 : 3;
}
OUT int fmi3DoStep(M *m, double t, double h, bool p, bool *e, bool *x, bool *y, double *last) {
  for (int i = 0; i < 2; i++) { m->v[i] += h * (m->f[i] - (1 + i) * m->k * m->u[i] - m->g); m->u[i] += h * m->v[i]; }
  *e = *x = *y = false; *last = t + h;
  return 0;
}
OUT int fmi3GetFMUState(M *m, void **s) { if (!*s) *s = malloc(sizeof *m); memcpy(*s, m, sizeof *m); return 0; }
OUT int fmi3SetFMUState(M *m, void *s) { memcpy(m, s, sizeof *m); return 0; }
OUT int fmi3FreeFMUState(M *m, void **s) { free(*s); *s = 0; return 0; }
"#;

fn make(folder: &Path) {
    let variable = |name: &str, reference: u8, causality: &str, more: &str, inner: &str| {
        format!(
            "<Float64 name=\"{name}\" valueReference=\"{reference}\" causality=\"{causality}\" \
            {more}>{inner}</Float64>"
        )
    };
    let two = "<Dimension start=\"2\"/>";
    let list = [
        variable("u", 1, "output", "", two),
        variable("v", 2, "output", "", two),
        variable("f", 3, "input", "start=\"0 0\"", two),
        variable("g", 4, "input", "start=\"0\"", ""),
        variable("k", 5, "parameter", "variability=\"fixed\" start=\"0\"", ""),
    ];
    let xml = format!(
        "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"pair\" instantiationToken=\"pair\">\
         <CoSimulation modelIdentifier=\"pair\" canHandleVariableCommunicationStepSize=\"true\" \
         canGetAndSetFMUState=\"true\"/>\
         <ModelVariables>{}</ModelVariables><ModelStructure><Output valueReference=\"1\" \
         dependencies=\"\"/>\
         <Output valueReference=\"2\" dependencies=\"\"/></ModelStructure></fmiModelDescription>",
        list.concat()
    );
    let library = compile(folder, "pair", SOURCE);
    write_fmu(&folder.join("pair.fmu"), 3, xml.as_bytes(), &library);
}

fn run(at: &Path, name: &str, plan: &str) -> Table {
    done(&TANDEM.run_plan(at, name, plan, &[]));
    result(&at.join(name))
}

/// The same coupling, with arrays by their names, by those of their values, and one value of each
/// alone.
#[test]
fn a_black_box_may_have_arrays() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    make(at);
    std::fs::copy(example("fmi-split-mass/ag.csv"), at.join("ag.csv")).unwrap();
    let plan = |[u, v, f]: [&str; 3], more: &str| {
        let part = |name: &str, k: u8| {
            format!(
                "[[part]]\nname = \"{name}\"\nfmu = \"pair.fmu\"\nstart = [\"k={k}0\"]\n\
                displacement = [{u}]\nvelocity = [{v}]\n\
                 force = [{f}]\nground = \"g\"\n{more}"
            )
        };
        format!(
            "[excitation]\nrecord = \"ag.csv\"\nunit = \"m/s^2\"\n[cosimulation]\n\
            variant = \"cs-c\"\ndt = \"10 ms\"\nduration = \"2 s\"\n\
             in_process = true\n{}{}",
            part("a", 3),
            part("b", 1)
        )
    };
    let whole = run(at, "whole", &plan(["\"u\"", "\"v\"", "\"f\""], ""));
    assert!(whole.values().iter().any(|row| row[1].abs() > 1e-3));
    let each = [
        "\"u[1]\", \"u[2]\"",
        "\"v[1]\", \"v[2]\"",
        "\"f[1]\", \"f[2]\"",
    ];
    assert_eq!(run(at, "each", &plan(each, "")), whole);
    let one = run(at, "one", &plan(["\"u[2]\"", "\"v[2]\"", "\"f[2]\""], ""));
    assert_eq!(one.rows.len(), whole.rows.len());
    for name in ["a/u/2", "b/v/2"] {
        for (found, expected) in one.column(name).iter().zip(whole.column(name)) {
            assert!((found - expected).abs() < 1e-12, "{name}");
        }
    }
    for (wrong, reason) in [
        (["\"u[3]\"", "\"v[2]\"", "\"f[2]\""], "counted from one"),
        (
            ["\"u\"", "\"v[2]\"", "\"f[2]\""],
            "2 displacements and 1 velocities",
        ),
    ] {
        let said = refused(&check(at, &plan(wrong, "")), 2);
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn a_connection_may_end_at_a_value_of_an_array() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    make(at);
    let wire = |from: &str, to: &str| format!("[[connection]]\nfrom = \"{from}\"\nto = \"{to}\"\n");
    let part = |name: &str, start: &str| {
        format!("[[part]]\nname = \"{name}\"\nfmu = \"pair.fmu\"\nstart = [{start}]\n")
    };
    let plan = format!(
        "[cosimulation]\nmethod = \"jacobi\"\ndt = \"0.1 s\"\nduration = \"0.5 s\"\n{}{}{}{}",
        part("a", "\"v=1 2\""),
        part("b", "\"f=0 5\""),
        wire("a.v[2]", "b.f[1]"),
        wire("a.v", "b.u")
    );
    // An output is no input, not even a value of it.
    let said = refused(&check(at, &plan), 2);
    assert!(said.contains("is no input"), "{said}");
    let plan = plan.replace(&wire("a.v", "b.u"), &wire("a.u[1]", "a.f[2]"));
    let table = run(at, "wired", &plan);
    let at = |name: &str| table.place(name);
    // b is pulled by 2 N at its first mass, and by its start value at the second.
    let last = table.values().pop().unwrap();
    let n = 5.0;
    let fall = 0.01 * n * (n + 1.0) / 2.0;
    assert!((last[at("b/v/2")] - 2.5).abs() < 1e-12, "{last:?}");
    assert!((last[at("b/u/2")] - 5.0 * fall).abs() < 1e-12, "{last:?}");
    assert!(
        last[at("b/v/1")] > 0.9 && last[at("a/v/2")] > 2.0,
        "{last:?}"
    );
    assert!((last[at("a/u/1")] - 0.5).abs() < 1e-12, "{last:?}");
}
