//! Plans with several parts.

use super::common::*;
use super::mass::*;
use super::test::export;

/// The ground of the spec's case, at 5 ms: exact in the middle of steps of 10 ms.
fn ground(folder: &Path) {
    use std::f64::consts::PI;
    let mut table = "time,acceleration\n".to_owned();
    for k in 0..=2400 {
        let t = f64::from(k) * 0.005;
        let a = if t <= 10.0 {
            2.0 * (4.0 * PI * t).sin() * (PI * t / 10.0).sin().powi(2)
        } else {
            0.0
        };
        table += &format!("{t},{a:e}\n");
    }
    std::fs::write(folder.join("ag.csv"), table).unwrap();
}

/// Substructures of which nothing is known but force, velocity and how to go back (cs-c), and by
/// their derivatives (me): the numbers of an independent implementation.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn black_boxes_and_derivatives_couple_as_an_independent_implementation_does() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    ground(at);
    make(at, 2);
    make(at, 3);
    for (variant, in_process, expected) in [
        ("cs-c", true, 0.015_993_253_580_251),
        ("cs-c", false, 0.015_993_253_580_251),
        ("me", true, 0.016_184_832_094_881),
    ] {
        let part = |name: &str, version: u8, starts: &str, beta: &str| {
            format!(
                "[[part]]\nname = \"{name}\"\nfmu = \"mass{version}.fmu\"\nstart = [{starts}]\n\
                displacement = [\"x\"]\nvelocity = [\"v\"]\nforce = [\"f\"]\nground = \"g\"\n\
                {beta}\n"
            )
        };
        let constants = |beta: &str| match variant {
            "me" => format!("beta = {beta}"),
            _ => String::new(),
        };
        let plan = format!(
            "[excitation]\nrecord = \"ag.csv\"\nunit = \"m/s^2\"\n[cosimulation]\n\
            variant = \"{variant}\"\ndt = \"10 ms\"\nduration = \"12 s\"\n\
            in_process = {in_process}\n{}{}",
            part(
                "n",
                2,
                "\"m=80\", \"c=60\", \"k=12000\"",
                &constants("0.25")
            ),
            part("p", 3, "\"m=20\", \"k=8000\"", &constants("0.0")),
        );
        let name = format!("{variant}{in_process}");
        let (code, summary, said) = run(at, &name, &plan);
        assert_eq!(code, Some(0), "{said}");
        let row = &result(&at.join(name)).values()[300];
        assert!((row[0] - 3.0).abs() < 1e-12);
        assert!(
            (row[1] - expected).abs() < 1e-12,
            "{variant}: {} {expected}",
            row[1]
        );
        assert!(
            summary["coupling"]["velocity_gap"].as_f64().unwrap() < 1e-12,
            "{summary}"
        );
    }
    // Without get/set state there is no way back.
    let described = description(2).replace(
        "canHandleVariableCommunicationStepSize=\"true\" canGetAndSetFMUstate=\"true\"",
        "",
    );
    assert_ne!(described, description(2));
    write_fmu(
        &at.join("mass2.fmu"),
        2,
        described.as_bytes(),
        &at.join("mass.so"),
    );
    let black_box = std::fs::read_to_string(at.join("metrue.toml"))
        .unwrap()
        .replace("variant = \"me\"", "variant = \"cs-c\"")
        .replace("beta = 0.25\n", "")
        .replace("beta = 0.0\n", "");
    let wired = "[cosimulation]\nmethod = \"iterative\"\ndt = \"10 ms\"\nduration = \"1 s\"\n\
                 [[part]]\nname = \"n\"\nfmu = \"mass2.fmu\"\n";
    for plan in [black_box.as_str(), wired] {
        let said = refused(&TANDEM.run_plan(at, "none", plan, &[]), 2);
        assert!(
            said.contains("get/set state") || said.contains("bring back its state"),
            "{said}"
        );
    }
}

/// y = 0.5 u + b at the end of every step.
const GAIN: &str = r#"
#include <stdlib.h>
#include <string.h>
#define OUT __attribute__((visibility("default")))
typedef struct { double u, y, b; } M;
OUT void *fmi2Instantiate(const char *n, int k, const char *g, const char *r, const void *c, int v, int l) { return calloc(1, sizeof(M)); }
OUT void fmi2FreeInstance(M *m) { free(m); }
OUT int fmi2SetupExperiment(M *m, int d, double t, double s, int e, double x) { return 0; }
OUT int fmi2EnterInitializationMode(M *m) { return 0; }
OUT int fmi2ExitInitializationMode(M *m) { return 0; }
OUT int fmi2Terminate(M *m) { return 0; }
OUT int fmi2GetReal(M *m, const unsigned *r, size_t n, double *v) { for (size_t i = 0; i < n; i++) v[i] = (&m->u)[r[i] - 1]; return 0; }
OUT int fmi2SetReal(M *m, const unsigned *r, size_t n, const double *v) { for (size_t i = 0; i < n; i++) (&m->u)[r[i] - 1] = v[i]; return 0; }
OUT int fmi2DoStep(M *m, double t, double h, int x) { m->y = 0.5 * m->u + m->b; return 0; }
OUT int fmi2GetFMUstate(M *m, void **s) { if (!*s) *s = malloc(sizeof *m); memcpy(*s, m, sizeof *m); return 0; }
OUT int fmi2SetFMUstate(M *m, void *s) { memcpy(m, s, sizeof *m); return 0; }
OUT int fmi2FreeFMUstate(M *m, void **s) { free(*s); *s = 0; return 0; }
"#;

/// y₁ = 0.5 y₂ + 1, y₂ = 0.5 y₁: a loop without a delay is found and told; iterations with steps
/// taken back solve it, the others lag.
#[cfg(target_os = "linux")]
#[test]
fn an_algebraic_loop_is_told_and_solved_by_iterations() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let variable = |place: u8, name: &str, causality: &str| {
        let start = if causality == "output" {
            ""
        } else {
            " start=\"0\""
        };
        format!(
            "<ScalarVariable name=\"{name}\" valueReference=\"{place}\" \
            causality=\"{causality}\"><Real{start}/></ScalarVariable>"
        )
    };
    let xml = format!(
        "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"gain\" guid=\"g\"><CoSimulation \
        modelIdentifier=\"gain\" canGetAndSetFMUstate=\"true\"/><ModelVariables>{}{}{}\
         </ModelVariables><ModelStructure><Outputs><Unknown index=\"2\" \
         dependencies=\"1\"/></Outputs></ModelStructure></fmiModelDescription>",
        variable(1, "u", "input"),
        variable(2, "y", "output"),
        variable(3, "b", "parameter")
    );
    let library = compile(at, "gain", GAIN);
    write_fmu(&at.join("gain.fmu"), 2, xml.as_bytes(), &library);
    let plan = "[cosimulation]\ndt = \"0.1 s\"\nduration = \"0.5 s\"\nin_process = true\n[[part]]\n\
        name = \"p\"\nfmu = \"gain.fmu\"\nstart = [\"b=1\"]\n[[part]]\nname = \"q\"\n\
        fmu = \"gain.fmu\"\n\
                [[connection]]\nfrom = \"p.y\"\nto = \"q.u\"\n[[connection]]\nfrom = \"q.y\"\n\
                to = \"p.u\"\n";
    std::fs::write(at.join("plan.toml"), plan).unwrap();
    for (method, row, expected) in [
        ("jacobi", 1, [1.0, 0.0]),
        ("gauss-seidel", 1, [1.0, 0.5]),
        ("iterative", 1, [4.0 / 3.0, 2.0 / 3.0]),
        ("jacobi", 5, [1.3125, 0.625]),
    ] {
        // The check tells it beforehand.
        let set = format!("cosimulation.method={method}");
        let checked = TANDEM
            .run(&["check", "plan.toml", "--set", &set], at)
            .stdout;
        let checked = String::from_utf8_lossy(&checked);
        assert!(
            checked.contains("algebraic loop: p.y → q.u → q.y → p.u"),
            "{checked}"
        );
        let name = format!("{method}{row}");
        let output = TANDEM.run_plan(at, &name, plan, &["--set", &set]);
        done(&output);
        let notes = json(&output)["notes"].to_string();
        assert!(
            notes.contains("algebraic loop: p.y → q.u → q.y → p.u"),
            "{notes}"
        );
        assert_eq!(
            notes.contains("lag by a step"),
            method != "iterative",
            "{notes}"
        );
        let line = &result(&at.join(name)).values()[row];
        for (found, expected) in line[1..].iter().zip(expected) {
            assert!((found - expected).abs() < 1e-8, "{method} {row}: {line:?}");
        }
    }
}

/// Three parts at an interface of two degrees of freedom, tied crosswise: all columns of every form
/// are those of the native one, also the restoring forces, which belong to their row.
#[test]
fn every_form_couples_three_parts_and_records_each_value_at_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    ground(at);
    let oscillator = example("fmi-split-mass/oscillator.toml");
    std::fs::write(
        at.join("two.toml"),
        "[excitation]\nrecord = \"el-centro-1940\"\n[structure]\nkind = \"shear-building\"\n\
        masses = [\"100 kg\", \"80 kg\"]\n\
         stiffnesses = [\"30 kN/m\", \"20 kN/m\"]\n[interface]\ndof = [1, 2]\n[integration]\n\
         method = \"newmark-explicit\"\ndt = \"10 ms\"\n\
         [rig.specimen]\nstiffness = [\"1 kN/m\", \"1 kN/m\"]\n",
    )
    .unwrap();
    let part = |name: &str, plan: &str, what: &str, interface: &str| {
        format!(
            "[[part]]\nname = \"{name}\"\nplan = \"{plan}\"\nwhat = \"{what}\"\n\
            interface = {interface}\n"
        )
    };
    let run = |variant: &str| {
        let plan = format!(
            "[excitation]\nrecord = \"ag.csv\"\nunit = \"m/s^2\"\n[cosimulation]\n\
            variant = \"{variant}\"\ndt = \"10 ms\"\nduration = \"3 s\"\n\
             in_process = true\n{}{}{}",
            part("frame", "two.toml", "numerical", "[1, 2]"),
            part("upper", text(&oscillator), "physical", "[2]"),
            part("lower", text(&oscillator), "physical", "[1]"),
        );
        done(&TANDEM.run_plan(at, variant, &plan, &[]));
        result(&at.join(variant))
    };
    let native = run("native");
    for variant in ["cs-a", "cs-b", "coupling-fmu"] {
        let own = run(variant);
        for name in &native.names {
            let error = apart(&own.column(name), &native.column(name));
            assert!(error <= 1e-9, "{variant} {name}: {error:e}");
        }
    }
}

/// An explicit step far beyond its limit of stability is no completed run; what a plan says twice,
/// or what a co-simulation cannot do, is refused.
#[test]
fn a_co_simulation_that_went_wrong_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let oscillator = example("fmi-split-mass/oscillator.toml");
    let plan = |second: &str, dt: &str, method: &str| {
        let part = |name: &str, what: &str| {
            format!(
                "[[part]]\nname = \"{name}\"\nplan = \"{}\"\nwhat = \"{what}\"\nbeta = 0.0\n",
                text(&oscillator)
            )
        };
        format!(
            "[excitation]\nrecord = \"el-centro-1940\"\n[cosimulation]\n{method}\ndt = \"{dt}\"\n\
            duration = \"500 s\"\n{}{}",
            part("n", "numerical"),
            part(second, "physical"),
        )
    };
    let run = |plan: &str, more: &[&str]| TANDEM.run_plan(at, "run", plan, more);
    let native = "variant = \"native\"";
    let said = refused(&run(&plan("n", "10 ms", native), &[]), 2);
    assert!(said.contains("two parts are named `n`"), "{said}");
    let said = refused(&run(&plan("p", "10 ms", native), &["--realtime"]), 2);
    assert!(said.contains("wall clock"), "{said}");
    let twice = "[[connection]]\nfrom = \"n.u[1]\"\nto = \"p.ag\"\n[[connection]]\n\
        from = \"n.v[1]\"\nto = \"p.ag\"\n";
    let wired = plan("p", "10 ms", "method = \"jacobi\"") + twice;
    let said = refused(&run(&wired, &[]), 2);
    assert!(said.contains("two connections feed `p.ag`"), "{said}");
    let output = run(&plan("p", "500 ms", native), &[]);
    let _ = refused(&output, 3);
    let summary = json(&output);
    assert_eq!(summary["outcome"], "stopped", "{summary}");
    let reason = summary["reason"].as_str().unwrap();
    assert!(reason.contains("no finite number"), "{reason}");
    let page = std::fs::read_to_string(at.join("run/report.html")).unwrap();
    assert!(page.contains("no finite number"));
}

/// Steps beyond the limit of the split oscillator, 2 √((80 + 20)/8000) = 0.2236 s: velocities agree
/// at the interface however large they are, and yet the run is no good one.
#[test]
fn a_coupling_that_runs_away_is_no_good_run() {
    let folder = tempfile::tempdir().unwrap();
    let plan = example("fmi-split-mass/native.toml");
    for (dt, code) in [("50ms", 0), ("230ms", 3), ("300ms", 3)] {
        let out = folder.path().join(dt);
        let set = format!("cosimulation.dt={dt}");
        let run = ["run", text(&plan), "--json", "--out", text(&out)];
        let words = ["--set", &set, "--set", "cosimulation.duration=90s"];
        let output = TANDEM.says(&[&run[..], &words].concat());
        assert_eq!(output.status.code(), Some(code), "{dt}");
        let summary = json(&output);
        let reason = summary["reason"].as_str().unwrap_or("");
        let far = reason.contains("further from the undivided structure");
        assert_eq!(far, code == 3, "{dt}: {summary}");
        let warning = summary["warnings"].to_string();
        assert_eq!(warning.contains("explicit"), code == 3, "{dt}: {warning}");
        let page = std::fs::read_to_string(out.join("report.html")).unwrap();
        assert_eq!(page.contains("of no use"), code == 3, "{dt}");
    }
}

/// A degree of freedom of the interface that has one part only ties nothing, whatever its number;
/// and numbers have no gaps.
#[test]
fn an_interface_of_one_part_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::copy(example("fmi-split-mass/ag.csv"), at.join("ag.csv")).unwrap();
    let oscillator = example("fmi-split-mass/oscillator.toml");
    std::fs::copy(oscillator, at.join("oscillator.toml")).unwrap();
    for (first, ties, variant, expected) in [
        ("[1]", "[2]", "native", "one part only"),
        ("[1]", "[1000000]", "native", "one part only"),
        ("[1000000]", "[1000000]", "native", "tied to nothing"),
        ("[1]", "[2]", "cs-b", "one part only"),
    ] {
        let part = |what: &str, more: &str| {
            format!(
                "[[part]]\nname = \"{what}\"\nplan = \"oscillator.toml\"\nwhat = \"{what}\"\n{more}"
            )
        };
        let plan = format!(
            "[excitation]\nrecord = \"ag.csv\"\nunit = \"m/s^2\"\n[cosimulation]\n\
            variant = \"{variant}\"\ndt = \"10 ms\"\nduration = \"1 s\"\nin_process = true\n{}{}",
            part("numerical", &format!("interface = {first}\n")),
            part("physical", &format!("interface = {ties}\n")),
        );
        let said = refused(&check(at, &plan), 2);
        assert!(said.contains(expected), "{ties} {variant}: {said}");
    }
}

/// A specimen that stands elsewhere is not replaced by its model without a word.
#[test]
fn a_part_on_a_device_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::copy(example("fmi-split-mass/ag.csv"), at.join("ag.csv")).unwrap();
    let oscillator = std::fs::read_to_string(example("fmi-split-mass/oscillator.toml")).unwrap();
    let device = "[rig]\nkind = \"device\"\naddress = \"127.0.0.1:4950\"\n";
    let (whole, _) = oscillator.split_once("[rig]").unwrap();
    let interface = "[interface]\nstiffness = [[8], \"kN/m\"]\nmass = [[20], \"kg\"]";
    let device = whole.replace("[interface]", interface) + device;
    std::fs::write(at.join("device.toml"), device).unwrap();
    let plan = split("variant = \"native\"", "");
    let (first, last) = plan.rsplit_once("plan = ").unwrap();
    let (_, rest) = last.split_once('\n').unwrap();
    let plan = format!("{first}plan = \"device.toml\"\n{rest}");
    let (code, _, said) = run(at, "run", &plan);
    assert_eq!(code, Some(2), "{said}");
    assert!(
        said.contains("stands elsewhere (rig.kind = \"device\")"),
        "{said}"
    );
}

/// The page of a co-simulation shows the parts beside the undivided structure.
#[test]
fn a_co_simulation_leaves_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let plan = example("fmi-split-mass/me.toml");
    let output = TANDEM.says(&["run", text(&plan), "--json", "--out", text(&out)]);
    let summary = json(&output);
    // The explicit part makes the whole better than the undivided structure, which is one per cent
    // off by itself.
    let apart = summary["coupling"]["from_undivided_percent"]
        .as_f64()
        .unwrap();
    assert!(apart > 0.5 && apart < 5.0, "{summary}");
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    for words in [
        "undivided structure",
        "Gap of displacements",
        "Lagrange multipliers",
        "Work at the interface",
        "<svg",
    ] {
        assert!(page.contains(words), "{words}");
    }
}

/// Runs a plan; exit code, summary (or nothing) and what was said.
fn run(at: &Path, name: &str, plan: &str) -> (Option<i32>, Value, String) {
    let output = TANDEM.run_plan(at, name, plan, &[]);
    (
        output.status.code(),
        serde_json::from_slice(&output.stdout).unwrap_or_default(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

/// A plan of the split oscillator, with more in `[cosimulation]` and in the physical part.
fn split(settings: &str, physical: &str) -> String {
    let folder = example("fmi-split-mass");
    let part = |name: &str, more: &str| {
        format!(
            "[[part]]\nname = \"{name}\"\nplan = \"{}\"\nwhat = \"{name}\"\n{more}\n",
            text(&folder.join("oscillator.toml"))
        )
    };
    format!(
        "[excitation]\nrecord = \"{}\"\nunit = \"m/s^2\"\n[cosimulation]\ndt = \"10 ms\"\n\
        duration = \"12 s\"\n{settings}\n{}{}",
        text(&folder.join("ag.csv")),
        part("numerical", ""),
        part("physical", physical)
    )
}

/// A degree of freedom without mass in a part: no force makes an acceleration there at the start,
/// and the forms with FMUs couple it as the native one does. Expected: Newmark's average
/// acceleration on the undivided matrices, in plain Python.
#[test]
fn a_part_without_mass_couples_in_every_form_that_steps() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let motion = text(&example("fmi-split-mass/ag.csv")).to_owned();
    let plan = at.join("two.toml");
    let two = format!(
        "[excitation]\nrecord = \"{motion}\"\nunit = \"m/s^2\"\n[structure]\nkind = \"matrices\"\n\
         mass = [[100, 0], [0, 1], \"kg\"]\nstiffness = [[20, -5], [-5, 20], \"kN/m\"]\n\
         [structure.damping]\nmethod = \"matrix\"\nmatrix = [[60, 0], [0, 60], \"N*s/m\"]\n\
         [interface]\ndof = [1, 2]\n[integration]\nmethod = \"newmark\"\ndt = \"10 ms\"\n\
         [rig.specimen]\nmass_matrix = [[20, 0], [0, 0], \"kg\"]\n\
         stiffness_matrix = [[8, -2], [-2, 8], \"kN/m\"]\n"
    );
    std::fs::write(&plan, two).unwrap();
    let of = |variant: &str| {
        let parts = ["numerical", "physical"].map(|what| {
            format!(
                "[[part]]\nname = \"{what}\"\nplan = \"{}\"\nwhat = \"{what}\"\nbeta = 0.25\n",
                text(&plan)
            )
        });
        let plan = format!(
            "[excitation]\nrecord = \"{motion}\"\nunit = \"m/s^2\"\n[cosimulation]\n\
            variant = \"{variant}\"\n\
             dt = \"10 ms\"\nduration = \"4 s\"\n{}",
            parts.concat()
        );
        let (code, _, said) = run(at, variant, &plan);
        assert_eq!(code, Some(0), "{variant}: {said}");
        result(&at.join(variant)).column("numerical/u/1")
    };
    let native = of("native");
    let peak = peak(&native);
    for (step, expected) in [
        (300, 0.026_719_445_280_204_53),
        (400, 0.035_215_539_295_351_05),
    ] {
        assert!(
            (native[step] - expected).abs() < 1e-12,
            "{step}: {}",
            native[step]
        );
    }
    assert!((peak - 0.059_520_476_096_944_84).abs() < 1e-12, "{peak}");
    for variant in ["cs-a", "cs-b", "coupling-fmu"] {
        let off = apart(&of(variant), &native);
        assert!(off < 1e-12, "{variant}: {off:e}");
    }
}

/// The correction of Eq. 10: what actuators miss leaves a tenth where the estimate of the stiffness
/// is a tenth too low, and nothing where it is right.
#[test]
fn what_actuators_miss_is_corrected() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let native = "variant = \"native\"";
    let of = |name: &str, physical: &str| {
        let (code, _, said) = run(at, name, &split(native, physical));
        assert_eq!(code, Some(0), "{said}");
        result(&at.join(name)).column("numerical/u/1")
    };
    let exact = of("exact", "");
    assert!((exact[300] - 0.016_184_832_094_881).abs() < 1e-12);
    let error = |name: &str, more: &str| {
        let found = of(name, &format!("control_error = \"0.05 mm\"\n{more}"));
        apart(&found, &exact)
    };
    let without = error("without", "");
    assert!((5e-4..2.5e-3).contains(&without), "{without}");
    let low = error("low", "stiffness_estimate = [[7.2], \"kN/m\"]");
    assert!((without / low - 10.0).abs() < 1e-5, "{without} {low}");
    let right = error("right", "stiffness_estimate = [[8.0], \"kN/m\"]");
    assert!(right < 1e-12, "{right}");
}

/// Substeps are steps within dt, whoever takes them: with two in every part the run is the one at
/// half of dt, at every second of its points; with two and four it is that of one and two at half
/// of dt.
#[test]
fn substeps_of_every_part_are_a_shorter_step_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let of = |name: &str, dt: &str, numerical: u8, physical: u8| {
        let plan = split("variant = \"native\"", &format!("substeps = {physical}"))
            .replace(
                "what = \"numerical\"",
                &format!("what = \"numerical\"\nsubsteps = {numerical}"),
            )
            .replace("10 ms", dt);
        let (code, summary, said) = run(at, name, &plan);
        assert_eq!(code, Some(0), "{said}");
        assert!((summary["simulated_s"].as_f64().unwrap() - 12.0).abs() < 1e-9);
        let warned = summary["warnings"].to_string().contains("substeps");
        assert_eq!(warned, numerical != physical, "{summary}");
        let percent = summary["coupling"]["from_undivided_percent"].as_f64();
        assert!(percent.unwrap() < 5.0, "{summary}");
        let table = result(&at.join(name));
        (table.column("time"), table.column("physical/u/1"))
    };
    for (name, coarse, fine) in [("same", (2, 2), (1, 1)), ("ratio", (2, 4), (1, 2))] {
        let (times, found) = of(&format!("{name}10"), "10 ms", coarse.0, coarse.1);
        let (_, expected) = of(&format!("{name}5"), "5 ms", fine.0, fine.1);
        assert_eq!(times.len(), 1201);
        let expected: Vec<f64> = expected.into_iter().step_by(2).collect();
        let error = apart(&found, &expected);
        assert!(error < 1e-9, "{name}: {error:e}");
    }
    // Two steps do not fit into three.
    let odd = split("variant = \"native\"", "substeps = 3")
        .replace("what = \"numerical\"", "what = \"numerical\"\nsubsteps = 2");
    let (code, _, said) = run(at, "odd", &odd);
    assert!(
        code == Some(2) && said.contains("2 steps of part `numerical` do not fit to 3"),
        "{said}"
    );
}

/// Keys that would do nothing are refused, with the reason. One that says what it says anyway
/// changes nothing: so a plan that was written out as resolved can be run again.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn keys_that_would_do_nothing_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    make(at, 2);
    let wired = |excitation: &str, more: &str| {
        format!(
            "{excitation}[cosimulation]\nmethod = \"jacobi\"\ndt = \"10 ms\"\nduration = \"1 s\"\n\
            [[part]]\nname = \"m\"\nfmu = \"mass2.fmu\"\n{more}\n"
        )
    };
    let black_box = |more: &str| {
        format!(
            "[cosimulation]\nvariant = \"cs-c\"\ndt = \"10 ms\"\nduration = \"1 s\"\n[[part]]\n\
            name = \"m\"\nfmu = \"mass2.fmu\"\n{more}\n"
        )
    };
    let native = "variant = \"native\"";
    let shaken = "[excitation]\nkind = \"kanai-tajimi\"\nduration = \"1 s\"\npeak = \"3 m/s^2\"\n";
    for (plan, key) in [
        (split("variant = \"cs-b\"", "substeps = 2"), "substeps"),
        (split("variant = \"native\"", "rows = [1]"), "rows"),
        (split("variant = \"cs-a\"", "rows = [1]"), "rows"),
        (
            split("variant = \"me\"", "control_error = \"1 mm\""),
            "control_error",
        ),
        (
            split(
                "variant = \"native\"",
                "stiffness_estimate = [[1], \"kN/m\"]",
            ),
            "stiffness_estimate",
        ),
        (split("", "outputs = [\"u\"]"), "outputs"),
        (
            split(
                "",
                "[[connection]]\nfrom = \"numerical.u[1]\"\nto = \"physical.ag\"",
            ),
            "connection",
        ),
        (wired(shaken, ""), "excitation"),
        (wired("", "substeps = 3"), "substeps"),
        (wired("", "interface = [1]"), "interface"),
        (wired("", "rows = [1]"), "rows"),
        (wired("", "force = [\"f\"]"), "force"),
        (wired("", "displacement = [\"x\"]"), "displacement"),
        (wired("", "velocity = [\"v\"]"), "velocity"),
        (wired("", "beta = 0.25"), "beta"),
        (wired("", "what = \"physical\""), "what"),
        (wired("", "fmi = 3"), "fmi"),
        (
            wired("", "").replace("dt =", "variant = \"me\"\ndt ="),
            "variant",
        ),
        (
            wired("", "").replace("dt =", "tolerance = 1e-6\ndt ="),
            "tolerance",
        ),
        (
            wired("", "").replace("dt =", "iterations = 5\ndt ="),
            "iterations",
        ),
        (split("tolerance = 1e-6", ""), "tolerance"),
        (split("iterations = 5", ""), "iterations"),
        (split("", "displacement = [\"u\"]"), "displacement"),
        (split("", "velocity = [\"v\"]"), "velocity"),
        (split(native, "force = [\"lambda\"]"), "force"),
        (split(native, "ground = \"ag\""), "ground"),
        (split(native, "start = [\"dt=1\"]"), "start"),
        (split(native, "displacement = [\"u\"]"), "displacement"),
        (black_box("rows = [1]"), "rows"),
        (black_box("gamma = 0.5"), "gamma"),
        (
            split(
                "variant = \"native\"",
                "control_error = \"1 mm\"\nbeta = 0.25",
            ),
            "beta",
        ),
    ] {
        let (code, _, said) = run(at, "refused", &plan);
        assert!(
            code == Some(2) && said.contains(key),
            "{key}: {code:?} {said}"
        );
        if !["excitation", "connection", "beta"].contains(&key) {
            let words = format!("`{key}` would do nothing");
            assert!(said.contains(&words), "{key}: {said}");
        }
        assert!(!at.join("refused/summary.json").exists());
    }
    // States that nobody integrates would stand still.
    std::fs::write(
        at.join("two.toml"),
        "[excitation]\nrecord = \"el-centro-1940\"\n[structure]\nkind = \"shear-building\"\n\
        masses = [\"100 kg\", \"80 kg\"]\n\
         stiffnesses = [\"30 kN/m\", \"20 kN/m\"]\n[integration]\nmethod = \"newmark\"\n\
         dt = \"10 ms\"\n",
    )
    .unwrap();
    let held = split("variant = \"me\"", "")
        .replacen("oscillator.toml", "none.toml", 1)
        .replace(text(&example("fmi-split-mass/none.toml")), "two.toml")
        .replacen(
            "what = \"numerical\"",
            "what = \"whole\"\ndisplacement = [\"u[1]\"]\nvelocity = [\"v[1]\"]",
            1,
        );
    // An FMU is no part of the form without FMUs, and FMUs made for the coupling are no black
    // boxes.
    let foreign = split(native, "").replacen("plan = ", "fmu = ", 1);
    let foreign = foreign.replacen("what = \"numerical\"", "", 1);
    for (plan, words) in [
        (held, "part `numerical` has 2 states besides"),
        (foreign, "part `numerical` is an FMU"),
        (split("variant = \"cs-c\"", ""), "made for a coupling"),
        // What shakes it pushes it backwards, and is no force.
        (
            black_box("force = [\"g\"]\ndisplacement = [\"x\"]\nvelocity = [\"v\"]"),
            "part `m`: its velocity does not follow",
        ),
    ] {
        let (code, _, said) = run(at, "refused", &plan);
        assert!(code == Some(2) && said.contains(words), "{words}: {said}");
    }
    // With a name for it the ground motion acts.
    let (code, summary, said) = run(at, "shaken", &wired(shaken, "ground = \"g\""));
    assert_eq!(code, Some(0), "{said}");
    assert!(
        summary["response"]["m/x"]["peak"].as_f64().unwrap() > 0.0,
        "{summary}"
    );
}

/// An FMU that dies in a co-simulation leaves what was done until then, and says when it was.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_crash_leaves_the_record_of_what_was_done() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    make(at, 2);
    ground(at);
    for (name, method) in [
        ("wired", "method = \"jacobi\""),
        ("black-box", "variant = \"cs-c\""),
    ] {
        let ports = match name {
            "wired" => "",
            _ => "force = [\"f\"]\ndisplacement = [\"x\"]\nvelocity = [\"v\"]\n",
        };
        let part = |name: &str, start: &str| {
            format!(
                "[[part]]\nname = \"{name}\"\nfmu = \"mass2.fmu\"\n{ports}ground = \"g\"\n\
                start = [{start}]\n"
            )
        };
        let parts = format!(
            "{}{}",
            part("a", "\"m=80\", \"k=12000\""),
            part("b", "\"m=20\", \"k=8000\", \"crash=0.5\"")
        );
        let plan = format!(
            "[excitation]\nrecord = \"ag.csv\"\nunit = \"m/s^2\"\n[cosimulation]\n{method}\n\
            dt = \"10 ms\"\nduration = \"2 s\"\n{parts}"
        );
        let (code, summary, said) = run(at, name, &plan);
        assert_eq!(code, Some(3), "{said}");
        assert_eq!(summary["outcome"], "stopped");
        let reason = summary["reason"].as_str().unwrap();
        assert!(
            reason.starts_with("after t = 0.5 s: in part `b`:") && reason.contains("aborted"),
            "{reason}"
        );
        assert_eq!(summary["steps"], 50, "{summary}");
        let out = at.join(name);
        let times = result(&out).column("time");
        assert_eq!((times.len(), times.last()), (51, Some(&0.5)));
        let page = std::fs::read_to_string(out.join("report.html")).unwrap();
        assert!(page.contains("aborted"));
    }
}

/// What a check finds before anything moves: parts, wires, loops, and the step that an explicit
/// part bears.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_co_simulation_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let check = |plan: &str| check(at, plan);
    for form in ["native", "cs-a", "cs-b", "coupling-fmu", "me"] {
        let path = example(&format!("fmi-split-mass/{form}.toml"));
        let value = json(&TANDEM.says(&["check", text(&path), "--json"]));
        assert_eq!(value["interface"], 1, "{form}: {value}");
        // 2/ω of 20 kg on 8 kN/m.
        let limit = value["parts"][1]["largest_stable_step_s"].as_f64().unwrap();
        assert!((limit - 0.1).abs() < 1e-9, "{form}: {limit}");
        assert!(value["warnings"].as_array().unwrap().is_empty());
    }
    let long = split("variant = \"native\"", "").replace("10 ms", "150 ms");
    let said = json(&check(&long)).to_string();
    assert!(said.contains("it bears 100 ms"), "{said}");
    // An FMU that was exported from a plan is known as well.
    let oscillator = example("fmi-split-mass/oscillator.toml");
    export(at, text(&oscillator), "physical", &[], "p.fmu");
    let whole = split("", "").replace("10 ms", "150 ms");
    let (head, _) = whole.split_once("[[part]]\nname = \"physical\"").unwrap();
    let known = format!("{head}[[part]]\nname = \"physical\"\nfmu = \"p.fmu\"\n");
    let said = json(&check(&known)).to_string();
    assert!(said.contains("it bears 100 ms"), "{said}");
    std::fs::remove_file(at.join("p.fmu")).unwrap();
    // Below γ = 1/2 no step is stable, above it the limit is √(2/γ)/ω.
    for (gamma, limit) in [(0.4, 0.0), (0.5, 0.1), (0.8, 0.05 * 2.5_f64.sqrt())] {
        let changed = split("variant = \"native\"", &format!("gamma = {gamma}"));
        let value = json(&check(&changed));
        let found = value["parts"][1]["largest_stable_step_s"].as_f64().unwrap();
        assert!((found - limit).abs() < 1e-9, "{gamma}: {found}");
    }
    // Nothing was stepped and nothing is left.
    assert_eq!(std::fs::read_dir(at).unwrap().count(), 1);
    make(at, 2);
    let wired = |connections: &str| {
        format!(
            "cosimulation = {{ method = \"jacobi\", dt = \"10 ms\", duration = \"1 s\" }}\n\
            [[part]]\nname = \"a\"\nfmu = \"mass2.fmu\"\n\
             [[part]]\nname = \"b.c\"\nfmu = \"mass2.fmu\"\n{connections}"
        )
    };
    let connect =
        |from: &str, to: &str| format!("[[connection]]\nfrom = \"{from}\"\nto = \"{to}\"\n");
    done(&check(&wired(&connect("a.x", "b.c.f"))));
    for (plan, words) in [
        (wired(&connect("a.x", "d.f")), "names no part"),
        (wired(&connect("a.x", "b.c.q")), "`q`"),
        (wired(&connect("a.x", "b.c.v")), "no input"),
        (wired("").replace("mass2", "none"), "none.fmu"),
    ] {
        let output = check(&plan);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && said.contains(words),
            "{words}: {said}"
        );
    }
    // A plan is one by any of those that it extends.
    std::fs::write(at.join("base.toml"), wired(&connect("a.x", "b.c.f"))).unwrap();
    std::fs::write(at.join("name.toml"), "name = \"of two\"\n").unwrap();
    for extends in [
        "[\"base.toml\", \"name.toml\"]",
        "[\"name.toml\", \"base.toml\"]",
    ] {
        done(&check(&format!("extends = {extends}\n")));
    }
    // A plan that only mentions the word is none.
    let said = refused(&check("description = \"no [cosimulation]\"\n"), 2);
    assert!(said.contains("structure"), "{said}");
}

/// A co-simulation goes the way of any plan: written out as resolved it gives the same bits, and
/// what needs a loop, a structure or a clock says what it is.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_co_simulation_goes_the_way_of_any_plan() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    make(at, 2);
    let plan = "[cosimulation]\nmethod = \"gauss-seidel\"\ndt = \"10 ms\"\nduration = \"1 s\"\n\
                [[part]]\nname = \"a\"\nfmu = \"mass2.fmu\"\nstart = [\"k=9000\"]\n\
                [[part]]\nname = \"b\"\nfmu = \"mass2.fmu\"\n\
                [[connection]]\nfrom = \"a.x\"\nto = \"b.f\"\n";
    let (code, _, said) = run(at, "first", plan);
    assert_eq!(code, Some(0), "{said}");
    let resolved = at.join("first/plan.toml");
    let again = TANDEM.run(&["run", text(&resolved), "--out", "again"], at);
    done(&again);
    let bits = |name: &str| {
        let rows = result(&at.join(name)).values();
        rows.concat()
            .iter()
            .map(|x| x.to_bits())
            .collect::<Vec<_>>()
    };
    assert!(bits("first").len() > 101);
    assert_eq!(bits("first"), bits("again"));
    let out = at.join("first");
    for words in [
        &["drill", text(&resolved)][..],
        &["campaign", text(&resolved), "--runs", "2", "--out", "c"],
        &["replay", text(&out)],
        &["report", text(&out)],
        &["run", text(&resolved), "--realtime", "--out", "x"],
        &["run", text(&resolved), "--pace", "1", "--out", "x"],
        &["run", text(&resolved), "--screen", "--out", "x"],
    ] {
        let said = refused(&TANDEM.run(words, at), 2);
        assert!(said.contains("co-simulation"), "{words:?}: {said}");
    }
    assert!(!at.join("x").exists());
}
