//! FMUs: hostile ones are refused or contained, exported ones are what FMPy says they should be.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::float_cmp)] // states come back to the bit

mod common_fmi {
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
}

mod hostile {
    use super::common_fmi::*;

    const HEAD: &str = "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"x\" guid=\"g\">";
    const REST: &str = "<CoSimulation modelIdentifier=\"x\"/><ModelVariables/><ModelStructure/></fmiModelDescription>";

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
            "<?xml version=\"1.0\"?><!DOCTYPE d [<!ENTITY a \"&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY b \"&c;&c;&c;&c;&c;&c;&c;&c;\">\
             <!ENTITY c \"&a;\">]>{HEAD}<Tool>&a;</Tool>{REST}"
        );
        let wrong_type = format!(
            "{HEAD}<CoSimulation modelIdentifier=\"x\"/><ModelVariables><ScalarVariable name=\"a\" valueReference=\"1\"/></ModelVariables></fmiModelDescription>"
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
            let said = refused(&tandem(&["fmu", "info", text(&path)]), 1);
            assert!(said.contains(reason), "{reason}: {said}");
        }
        std::fs::write(&path, b"PK, but no archive").unwrap();
        assert!(refused(&tandem(&["fmu", "info", text(&path)]), 1).contains("no zip file"));
        let fine = format!("{HEAD}{REST}");
        for name in ["../evil", "/evil", "a/../../evil", "..\\evil"] {
            archive(
                &path,
                &[("modelDescription.xml", fine.as_bytes()), (name, b"x")],
            );
            let said = refused(
                &tandem(&[
                    "fmu",
                    "simulate",
                    text(&path),
                    "--stop",
                    "1",
                    "--step",
                    "0.1",
                ]),
                1,
            );
            assert!(said.contains("outside the FMU's folder"), "{said}");
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
            let said = refused(&tandem(&["fmu", "info", text(&path)]), 1);
            assert!(said.contains("one and the same file"), "{said}");
        }
        archive(&path, &[("modelDescription.xml", fine.as_bytes())]);
        let output = tandem(&[
            "fmu",
            "simulate",
            text(&path),
            "--stop",
            "1",
            "--step",
            "0.1",
        ]);
        assert!(refused(&output, 2).contains("no outputs"));
    }

    /// A Co-Simulation FMU in C that misbehaves at t = 0.5 s as its parameter says.
    const BAD: &str = r#"
#include <math.h>
#include <stdlib.h>
#include <string.h>
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
  if (t > 0.45) {
    if (mode == 1) abort();
    if (mode == 2) for (;;) {}
    if (mode == 3) y = NAN;
    if (mode == 4) *(volatile int *)8 = 1;
    if (mode == 5) return 3;
  }
  return 0;
}
"#;

    pub fn bad_fmu(folder: &std::path::Path, guid: &str) -> std::path::PathBuf {
        let (source, library) = (folder.join("bad.c"), folder.join("bad.so"));
        std::fs::write(&source, BAD).unwrap();
        let status = std::process::Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-w", "-o"])
            .arg(&library)
            .arg(&source)
            .arg("-lm")
            .status()
            .unwrap();
        assert!(status.success());
        let xml = format!(
            "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"bad\" guid=\"{guid}\"><CoSimulation modelIdentifier=\"bad\"/>\
             <ModelVariables><ScalarVariable name=\"y\" valueReference=\"1\" causality=\"output\"><Real/></ScalarVariable>\
             <ScalarVariable name=\"mode\" valueReference=\"2\" causality=\"parameter\"><Real start=\"0\"/></ScalarVariable></ModelVariables>\
             <ModelStructure><Outputs><Unknown index=\"1\"/></Outputs></ModelStructure></fmiModelDescription>"
        );
        let path = folder.join(format!("{guid}.fmu"));
        let binary = std::fs::read(&library).unwrap();
        archive(
            &path,
            &[
                ("modelDescription.xml", xml.as_bytes()),
                ("binaries/linux64/bad.so", &binary),
            ],
        );
        path
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_crash_a_hang_and_a_nan_are_contained_and_what_came_before_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = bad_fmu(folder.path(), "right");
        let out = folder.path().join("out.csv");
        let run = |mode: &str| {
            tandem(&[
                "fmu",
                "simulate",
                text(&path),
                "--step",
                "0.1",
                "--stop",
                "1",
                "--set",
                mode,
                "--timeout",
                "0.5",
                "--out",
                text(&out),
            ])
        };
        assert!(run("mode=0").status.success());
        assert_eq!(std::fs::read_to_string(&out).unwrap().lines().count(), 12);
        // What is set must be there before a file is.
        let none = folder.path().join("none.csv");
        for set in ["nothing=1", "mode=much"] {
            let simulate = ["fmu", "simulate", text(&path), "--step", "0.1"];
            let more = ["--stop", "1", "--set", set, "--out", text(&none)];
            refused(&tandem(&[&simulate[..], &more].concat()), 2);
            assert!(!none.exists(), "{set}");
        }
        let simulate = ["fmu", "simulate", text(&path), "--stop", "1"];
        let said = |step: &str| {
            let output = tandem(&[&simulate[..], &["--step", step]].concat());
            assert!(output.status.success());
            String::from_utf8_lossy(&output.stderr).into_owned()
        };
        assert!(
            said("0.4").contains("the last point is t = 0.8 s"),
            "{}",
            said("0.4")
        );
        assert!(!said("0.1").contains("last point"), "{}", said("0.1"));
        for (mode, reason) in [
            ("mode=1", "aborted (signal 6)"),
            ("mode=2", "did not answer to a step within 0.5 s"),
            ("mode=3", "`y` is NaN at t = 0.6"),
            ("mode=4", "segmentation fault"),
            ("mode=5", "\"error\" to fmi2DoStep"),
        ] {
            let said = refused(&run(mode), 1);
            assert!(said.contains(reason), "{mode}: {said}");
        }
        assert_eq!(
            std::fs::read_to_string(&out).unwrap().lines().next(),
            Some("time,y")
        );
        let wrong = bad_fmu(folder.path(), "wrong");
        let said = refused(
            &tandem(&[
                "fmu",
                "simulate",
                text(&wrong),
                "--step",
                "0.1",
                "--stop",
                "1",
            ]),
            1,
        );
        assert!(said.contains("same guid"), "{said}");
    }
}

mod exported {
    use super::common_fmi::*;
    use std::process::Command;

    /// Every kind of part, both versions: FMPy finds nothing to say, and simulates the same numbers. States are put back to the bit, also in another
    /// instance; directional derivatives are those of differences.
    const SCRIPT: &str = include_str!("fmi/exported.py");

    #[test]
    fn exported_fmus_are_valid_for_fmpy_and_give_the_same_numbers_there() {
        let Some(python) = std::env::var_os("TANDEM_PYTHON") else {
            println!("skipped: TANDEM_PYTHON is not set (cargo xtask test sets it)");
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let output = Command::new(python)
            .args(["-c", SCRIPT, env!("CARGO_BIN_EXE_tandem")])
            .arg(example("fmi-split-mass/oscillator.toml"))
            .arg(folder.path())
            .output()
            .unwrap();
        println!("{}", String::from_utf8_lossy(&output.stdout));
        assert!(
            output.status.success(),
            "{}\n{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }

    #[test]
    fn what_cannot_be_exported_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let (plan, out) = (
            example("fmi-split-mass/oscillator.toml"),
            folder.path().join("x.fmu"),
        );
        let output = tandem(&[
            "fmu",
            "export",
            text(&plan),
            "--what",
            "rig",
            "--kind",
            "me",
            "-o",
            text(&out),
        ]);
        assert!(refused(&output, 2).contains("no continuous states"));
        let output = tandem(&[
            "fmu",
            "export",
            text(&plan),
            "--what",
            "numerical",
            "--beta",
            "-1",
            "-o",
            text(&out),
        ]);
        refused(&output, 2);
        assert!(!out.exists());
    }
}

mod in_the_loop {
    use super::common_fmi::*;
    use tandem_coordinator::recorder::RunReader;

    const TEST: &str = r#"
[excitation]
record = "el-centro-1940"
scale = 0.3
[structure]
kind = "shear-building"
masses = ["1000 kg", "1000 kg"]
stiffnesses = ["800 kN/m", "800 kN/m"]
[interface]
dof = [1]
stiffness = [[200], "kN/m"]        # what the method may assume; a virtual rig would know it by itself
damping = [[300], "N*s/m"]
[integration]
method = "newmark-explicit"
dt = "2 ms"
duration = "4 s"
[compensator]
method = "polynomial"
delay = "8 ms"
order = 3
[limits]
stroke = "100 mm"
"#;

    const RIG: &str = r#"
[rig.actuator]
method = "second-order"
frequency = "28 Hz"
damping = 0.7
[rig.specimen]
stiffness = ["200 kN/m"]
damping = ["300 N*s/m"]
"#;

    /// A rig exported as an FMU and put back behind the same loop moves and resists as the rig itself, in a process of its own, in
    /// this one, and by the wall clock; a lost one holds the test.
    #[test]
    fn a_rig_as_an_fmu_is_the_rig_itself() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let write =
            |name: &str, rig: &str| std::fs::write(at(name), format!("{TEST}{rig}")).unwrap();
        write("own.toml", RIG);
        let run = |plan: &str, out: &str, more: &[&str]| {
            let (plan, out) = (at(plan), at(out));
            let call = [&["run", text(&plan), "--json", "--out", text(&out)], more].concat();
            tandem(&call)
        };
        let own = run("own.toml", "own", &[]);
        assert!(
            own.status.success(),
            "{}",
            String::from_utf8_lossy(&own.stderr)
        );
        let force = |out: &str| {
            let run = RunReader::open(&at(out).join("run.h5")).unwrap();
            run.read("measured_force/1").unwrap()
        };
        let expected = force("own");
        let peak = expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(peak > 100.0);
        for version in ["2", "3"] {
            let fmu = at(&format!("rig{version}.fmu"));
            let made = tandem(&[
                "fmu",
                "export",
                text(&at("own.toml")),
                "--what",
                "rig",
                "--fmi",
                version,
                "--kind",
                "cs",
                "-o",
                text(&fmu),
            ]);
            assert!(
                made.status.success(),
                "{}",
                String::from_utf8_lossy(&made.stderr)
            );
            for (in_process, more) in [
                ("false", &[][..]),
                ("true", &[][..]),
                ("true", &["--realtime"][..]),
            ] {
                let name = format!("fmu{version}{in_process}{}", more.len());
                write(
                    &format!("{name}.toml"),
                    &format!(
                        "[rig]\nkind = \"fmu\"\nfmu = \"rig{version}.fmu\"\nin_process = {in_process}\n"
                    ),
                );
                let output = run(&format!("{name}.toml"), &name, more);
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{name}: {said}");
                let found = force(&name);
                assert_eq!(found.len(), expected.len(), "{name}");
                let worst = found
                    .iter()
                    .zip(&expected)
                    .fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
                assert!(worst <= 1e-12 * peak, "{name}: {worst:e}");
                let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
                assert!(
                    summary["rig"]["slowest_step_s"].as_f64().unwrap() > 0.0,
                    "{summary}"
                );
            }
        }
        // A process of its own is waited for: not by the wall clock.
        let said = refused(&run("fmu2false0.toml", "refused", &["--realtime"]), 2);
        assert!(said.contains("waits for its peers"), "{said}");
        // A step beyond its limit holds the test, and is told.
        let output = run("fmu2true0.toml", "slow", &["--set", "rig.step_limit=1e-9s"]);
        assert_eq!(output.status.code(), Some(3));
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(
            summary["warnings"].to_string().contains("a step took"),
            "{summary}"
        );
        // Wrong names are refused where they stand.
        let said = refused(
            &run(
                "fmu2true0.toml",
                "wrong",
                &["--set", "rig.force=[\"push\"]"],
            ),
            2,
        );
        assert!(
            said.contains("rig.force") && said.contains("push"),
            "{said}"
        );
    }

    /// Runs a plan of this text; the response and the summary.
    fn run(folder: &std::path::Path, name: &str, plan: &str, more: &[&str]) -> Outcome {
        let (file, out) = (folder.join(format!("{name}.toml")), folder.join(name));
        std::fs::write(&file, plan).unwrap();
        let call = [&["run", text(&file), "--json", "--out", text(&out)], more].concat();
        let output = tandem(&call);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let force = RunReader::open(&out.join("run.h5"))
            .and_then(|run| run.read("measured_force/1"))
            .unwrap_or_default();
        Outcome {
            code: output.status.code(),
            said,
            force,
            summary: serde_json::from_slice(&output.stdout).unwrap_or_default(),
        }
    }

    struct Outcome {
        code: Option<i32>,
        said: String,
        force: Vec<f64>,
        summary: serde_json::Value,
    }

    impl Outcome {
        fn same_as(&self, other: &Self, tolerance: f64) {
            assert_eq!(self.code, Some(0), "{} {}", self.said, self.summary);
            let peak = other.force.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            assert!(peak > 100.0 && self.force.len() == other.force.len());
            for (k, (a, b)) in self.force.iter().zip(&other.force).enumerate() {
                assert!((a - b).abs() <= tolerance * peak, "row {k}: {a} {b}");
            }
        }
    }

    fn export(folder: &std::path::Path, plan: &str, what: &str, more: &[&str], name: &str) {
        let (plan, out) = (folder.join(plan), folder.join(name));
        let call = [
            "fmu",
            "export",
            text(&plan),
            "--what",
            what,
            "-o",
            text(&out),
        ];
        let made = tandem(&[&call, more].concat());
        let said = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "{what}: {said}");
    }

    /// Compensator, servo, actuator and specimen as FMUs, each in place of the model it was made from: the same test to round-off, in a process
    /// of its own, in this one, by the wall clock.
    #[test]
    fn every_tenant_as_an_fmu_is_the_tenant_itself() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let servo = "[rig]\nrate = \"1 kHz\"\n[rig.servo]\nmethod = \"pid\"\nproportional = 2.0\nintegral = \"3 Hz\"\nfeed_forward = 0.5\n";
        let plan = |compensator: &str, servo: &str, actuator: &str, specimen: &str| {
            let head = TEST.split("[compensator]").next().unwrap();
            format!(
                "{head}{compensator}\n[limits]\nstroke = \"100 mm\"\n{servo}\n{actuator}\n{specimen}"
            )
        };
        let compensator = "[compensator]\nmethod = \"polynomial\"\ndelay = \"8 ms\"\norder = 3\n";
        let actuator =
            "[rig.actuator]\nmethod = \"second-order\"\nfrequency = \"28 Hz\"\ndamping = 0.7\n";
        let specimen = "[rig.specimen]\nstiffness = [\"200 kN/m\"]\ndamping = [\"300 N*s/m\"]\n";
        let own = run(
            at,
            "own",
            &plan(compensator, servo, actuator, specimen),
            &[],
        );
        // An actuator alone, at the rate of the rig, and a specimen alone.
        let alone = |rate: &str, actuator: &str, specimen: &str| {
            let text = plan("", "", actuator, specimen).replace(
                "[limits]",
                &format!("[command]\nrate = \"{rate}\"\n[limits]"),
            );
            text.replace("dt = \"2 ms\"", "dt = \"2 ms\"\ntime_scale = 1.0")
        };
        std::fs::write(
            at.join("actuator.toml"),
            alone("1 kHz", actuator, "[rig.specimen]\nkind = \"none\"\n"),
        )
        .unwrap();
        std::fs::write(at.join("specimen.toml"), alone("500 Hz", "", specimen)).unwrap();
        for version in ["2", "3"] {
            let fmi = ["--fmi", version];
            export(
                at,
                "own.toml",
                "compensator",
                &fmi,
                &format!("c{version}.fmu"),
            );
            export(at, "own.toml", "servo", &fmi, &format!("s{version}.fmu"));
            export(at, "actuator.toml", "rig", &fmi, &format!("a{version}.fmu"));
            export(at, "specimen.toml", "rig", &fmi, &format!("p{version}.fmu"));
            let apart = version == "2";
            let fmu = |section: &str, word: &str, letter: &str, more: &str| {
                format!(
                    "[{section}]\n{word} = \"fmu\"\nfmu = \"{letter}{version}.fmu\"\nin_process = {}\n{more}\n",
                    !apart
                )
            };
            let theirs = [
                fmu("compensator", "method", "c", ""),
                format!(
                    "[rig]\nrate = \"1 kHz\"\n{}",
                    fmu("rig.servo", "method", "s", "")
                ),
                fmu("rig.actuator", "method", "a", "force = \"\"").replace("force = \"\"\n", ""),
                fmu(
                    "rig.specimen",
                    "kind",
                    "p",
                    "displacement = [\"command\"]\nvelocity = [\"command_velocity\"]\nacceleration = [\"command_acceleration\"]",
                ),
            ];
            let ours = [compensator, servo, actuator, specimen];
            for k in 0..=4 {
                let pick = |i: usize| {
                    if k == i || k == 4 {
                        theirs[i].as_str()
                    } else {
                        ours[i]
                    }
                };
                let text = plan(pick(0), pick(1), pick(2), pick(3));
                let name = format!("fmu{version}{k}");
                let found = run(at, &name, &text, &[]);
                found.same_as(&own, 1e-9);
                let place = if k == 0 { "compensator" } else { "rig" };
                assert!(
                    found.summary[place]["slowest_step_s"].as_f64().unwrap() > 0.0,
                    "{}",
                    found.summary
                );
                let clock = run(at, &format!("{name}rt"), &text, &["--realtime"]);
                if apart {
                    assert_eq!(clock.code, Some(2), "{}", clock.said);
                    assert!(clock.said.contains("in_process = true"), "{}", clock.said);
                } else {
                    // By the wall clock the rig goes by its own: the numbers are others. A loaded machine may miss a deadline.
                    assert!(matches!(clock.code, Some(0 | 3)), "{}", clock.said);
                }
            }
        }
        // A step beyond its limit ends the test, whoever it is, and is told.
        let slow = "[compensator]\nmethod = \"fmu\"\nfmu = \"c2.fmu\"\nstep_limit = \"1e-9 s\"\n";
        let lost = run(at, "lost", &plan(slow, servo, actuator, specimen), &[]);
        assert_eq!(lost.code, Some(3), "{}", lost.said);
        let reason = lost.summary.to_string();
        assert!(
            reason.contains("the FMU of the compensator is lost: a step took"),
            "{reason}"
        );
        // What does not fit is refused where it stands.
        for (table, reason) in [
            ("target = [\"command\"]", "no input"),
            ("command = [\"target\"]", "is an input"),
            ("command = [\"nothing\"]", "has no variable"),
            ("start = [\"x\"]", "has no `=`"),
        ] {
            let text = format!("[compensator]\nmethod = \"fmu\"\nfmu = \"c2.fmu\"\n{table}\n");
            let refused = run(at, "refused", &plan(&text, servo, actuator, specimen), &[]);
            assert_eq!(refused.code, Some(2), "{}", refused.said);
            assert!(refused.said.contains(reason), "{}", refused.said);
        }
        let each = "[compensator]\nmethod = \"per-actuator\"\n[[compensator.actuator]]\nmethod = \"fmu\"\nfmu = \"c2.fmu\"\n";
        assert_eq!(
            run(at, "each", &plan(each, servo, actuator, specimen), &[]).code,
            Some(2)
        );
    }

    /// The structure as an FMU (Model Exchange), in the ordinary loop with its command generator, compensator and gate: the same test to round-off
    /// for every family of methods; what cannot be a structure is refused.
    #[test]
    fn a_structure_as_an_fmu_is_the_structure_itself() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let structure = "[structure]\nkind = \"shear-building\"\nmasses = [\"1000 kg\", \"1000 kg\"]\nstiffnesses = [\"800 kN/m\", \"800 kN/m\"]\n";
        assert!(TEST.contains(structure));
        let test = TEST.replace(
            "[limits]",
            "[command]\nmethod = \"last-predicted-displacement\"\nrate = \"1 kHz\"\n[limits]",
        );
        let whole = format!("{test}{RIG}");
        let damped = whole.replace(
            "[interface]",
            "[structure.damping]\nmethod = \"rayleigh\"\nratio = 0.02\nmodes = [1, 2]\n[interface]",
        );
        std::fs::write(
            at.join("alone.toml"),
            damped.split("[interface]").next().unwrap().to_owned()
                + "[integration]\nmethod = \"newmark\"\ndt = \"2 ms\"\nduration = \"4 s\"\n",
        )
        .unwrap();
        for (version, variant, in_process) in [("2", "a", true), ("3", "a", false)] {
            export(
                at,
                "alone.toml",
                "whole",
                &["--fmi", version, "--kind", "me", "--variant", variant],
                "s.fmu",
            );
            let theirs = format!(
                "[structure]\nkind = \"fmu\"\nfmu = \"s.fmu\"\nin_process = {in_process}\n[interface]"
            );
            let start = damped.find("[structure]").unwrap();
            let end = damped.find("[interface]").unwrap();
            let fmu = format!(
                "{}{theirs}{}",
                &damped[..start],
                &damped[end + "[interface]".len()..]
            );
            let ideal = [
                "rig.actuator={method=\"ideal\"}",
                "command={}",
                "compensator={}",
            ];
            for method in ["newmark-explicit", "osm", "alpha-os", "newmark-iterated"] {
                let set = format!("integration.method={method}");
                let mut more = vec!["--set", set.as_str()];
                if method == "newmark-iterated" {
                    // A method that asks back and forth needs a rig that answers at once.
                    ideal.iter().for_each(|set| more.extend(["--set", set]));
                }
                let ours = run(at, &format!("own{version}{method}"), &damped, &more);
                let found = run(at, &format!("fmu{version}{method}"), &fmu, &more);
                found.same_as(&ours, 1e-8);
                assert!(
                    found.summary["structure"]["slowest_step_s"]
                        .as_f64()
                        .unwrap()
                        > 0.0
                );
            }
            let clock = run(at, &format!("clock{version}"), &fmu, &["--realtime"]);
            assert_eq!(
                clock.code,
                Some(if in_process { 0 } else { 2 }),
                "{}",
                clock.said
            );
            if version == "2" {
                // A displacement without a force tells no mass; a given one does.
                let lost = run(
                    at,
                    "massless",
                    &fmu.replace("[interface]", "force = [\"g[1]\"]\n[interface]"),
                    &[],
                );
                assert!(
                    lost.code == Some(2) && lost.said.contains("nothing tells its mass"),
                    "{}",
                    lost.said
                );
                let given =
                    "force = [\"g[1]\"]\nmass = [[1000, 0], [0, 1000], \"kg\"]\n[interface]";
                let ours = run(at, "own2newmark-explicitagain", &damped, &[]);
                run(at, "massive", &fmu.replace("[interface]", given), &[]).same_as(&ours, 1e-8);
                let crossed = fmu.replace("[interface]", "velocity = [\"v[2]\", \"v[1]\"]\ndisplacement = [\"u[1]\", \"u[2]\"]\n[interface]");
                let crossed = run(at, "crossed", &crossed, &[]);
                assert!(
                    crossed.code == Some(2) && crossed.said.contains("do not belong together"),
                    "{}",
                    crossed.said
                );
                let part = run(
                    at,
                    "part",
                    &fmu.replace(
                        "[interface]",
                        "velocity = [\"v[1]\"]\ndisplacement = [\"u[1]\"]\n[interface]",
                    ),
                    &[],
                );
                assert!(
                    part.code == Some(2) && part.said.contains("2 states besides"),
                    "{}",
                    part.said
                );
                let slow = run(
                    at,
                    "slow",
                    &fmu.replace("[interface]", "step_limit = \"1e-9 s\"\n[interface]"),
                    &[],
                );
                assert!(
                    slow.summary
                        .to_string()
                        .contains("the FMU of the structure is lost"),
                    "{} {}",
                    slow.said,
                    slow.summary
                );
            }
        }
        export(at, "alone.toml", "whole", &["--kind", "cs"], "s.fmu");
        let theirs = format!(
            "{}[structure]\nkind = \"fmu\"\nfmu = \"s.fmu\"\n{}",
            &whole[..whole.find("[structure]").unwrap()],
            &whole[whole.find("[interface]").unwrap()..]
        );
        let refused = run(at, "cs", &theirs, &[]);
        assert!(
            refused.code == Some(2) && refused.said.contains("no Model Exchange"),
            "{}",
            refused.said
        );
    }

    /// The FMU that CasADi has made as the numerical substructure of an ordinary test.
    #[test]
    fn a_foreign_structure_runs_in_the_ordinary_loop() {
        let folder = tempfile::tempdir().unwrap();
        let fmu = example("fmi-foreign/oscillator.fmu");
        let plan = |structure: &str| {
            format!(
                "[excitation]\nkind = \"kanai-tajimi\"\nduration = \"8 s\"\npeak = \"3 m/s^2\"\n{structure}\n[interface]\ndof = [1]\npartition = \"add\"\n\
                 [integration]\nmethod = \"newmark-explicit\"\ndt = \"5 ms\"\n[command]\nmethod = \"last-predicted-displacement\"\nrate = \"1 kHz\"\n\
                 [limits]\nstroke = \"200 mm\"\n[rig.actuator]\nmethod = \"first-order\"\ntime_constant = \"2 ms\"\n[rig.specimen]\nstiffness = [\"8 kN/m\"]\n"
            )
        };
        let own = "[structure]\nkind = \"matrices\"\nmass = [[80], \"kg\"]\nstiffness = [[12], \"kN/m\"]\n[structure.damping]\nmethod = \"matrix\"\nmatrix = [[60], \"N*s/m\"]\n";
        let theirs = format!(
            "[structure]\nkind = \"fmu\"\nfmu = \"{}\"\ndisplacement = [\"x\"]\nvelocity = [\"s\"]\nforce = [\"f\"]\nground = \"g\"\n",
            text(&fmu)
        );
        let ours = run(folder.path(), "own", &plan(own), &[]);
        run(folder.path(), "fmu", &plan(&theirs), &[]).same_as(&ours, 1e-9);
    }

    /// A ground motion from an FMU: the one that FMPy's or our own simulation gives, in the unit that it states.
    #[test]
    fn an_excitation_as_an_fmu_is_the_motion_it_gives() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let source = example("fmi-foreign/oscillator.fmu");
        let (input, out) = (at.join("in.csv"), at.join("out.csv"));
        std::fs::write(&input, "time,f,g\n0,0,0\n1,0,0\n").unwrap();
        // Free vibration of the oscillator is a ground motion as good as any.
        let output = tandem(&[
            "fmu",
            "simulate",
            text(&source),
            "--kind",
            "me",
            "--step",
            "0.01",
            "--stop",
            "5",
            "--solver",
            "rk45",
            "--tolerance",
            "1e-8",
            "--set",
            "x=2",
            "--outputs",
            "x",
            "--out",
            text(&out),
        ]);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let plan = |excitation: &str| {
            format!(
                "[excitation]\n{excitation}\n{}{RIG}",
                &TEST[TEST.find("[structure]").unwrap()..]
            )
        };
        let recorded = run(
            at,
            "recorded",
            &plan("record = \"out.csv\"\nunit = \"m/s^2\"\n"),
            &[],
        );
        let fmu = format!(
            "kind = \"fmu\"\nfmu = \"{}\"\noutput = \"x\"\nstart = [\"x=2\"]\nduration = \"5 s\"\ndt = \"10 ms\"\n",
            text(&source)
        );
        run(at, "fmu", &plan(&fmu), &[]).same_as(&recorded, 1e-12);
        run(
            at,
            "inside",
            &plan(&format!("{fmu}in_process = true\n")),
            &["--realtime"],
        )
        .same_as(&recorded, 1e-12);
        // A crash and an endless step are contained, and told where they stand.
        #[cfg(target_os = "linux")]
        {
            let bad = super::hostile::bad_fmu(at, "right");
            for (mode, reason) in [
                ("1", "aborted (signal 6)"),
                ("2", "did not answer"),
                ("3", "is NaN"),
            ] {
                let text = format!(
                    "kind = \"fmu\"\nfmu = \"{}\"\noutput = \"y\"\nstart = [\"mode={mode}\"]\nduration = \"1 s\"\ntimeout = \"0.5 s\"\n",
                    text(&bad)
                );
                let refused = run(at, "bad", &plan(&text), &[]);
                assert!(
                    refused.code == Some(2) && refused.said.contains(reason),
                    "{}",
                    refused.said
                );
            }
        }
        for (line, reason) in [
            ("unit = \"g\"\noutput = \"y\"", "has no variable `y`"),
            ("solver = \"magic\"", "magic"),
        ] {
            let text = fmu.replace("output = \"x\"\n", &format!("{line}\n"));
            let refused = run(at, "refused", &plan(&text), &[]);
            assert!(
                refused.code == Some(2) && refused.said.contains(reason),
                "{}",
                refused.said
            );
        }
    }

    /// Model Exchange inside a loop: the same states as `tandem fmu simulate` with the same method.
    #[test]
    fn a_model_exchange_is_stepped_as_it_is_simulated() {
        use tandem_fmi::binding::{Wish, instantiate};
        use tandem_fmi::{Fmu, Interface, Ports, Stepping};
        let path = example("fmi-foreign/oscillator.fmu");
        let folder = tempfile::tempdir().unwrap();
        let (table, inputs) = (folder.path().join("out.csv"), folder.path().join("in.csv"));
        std::fs::write(&inputs, "time,f,g\n0,3,0.5\n10,3,0.5\n").unwrap();
        let output = tandem(&[
            "fmu",
            "simulate",
            text(&path),
            "--kind",
            "me",
            "--step",
            "0.01",
            "--stop",
            "2",
            "--solver",
            "rk4",
            "--input",
            text(&inputs),
            "--out",
            text(&table),
        ]);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let said = std::fs::read_to_string(&table).unwrap();
        let mut rows = said.lines();
        let head: Vec<&str> = rows.next().unwrap().split(',').collect();
        let last: Vec<f64> = rows
            .next_back()
            .unwrap()
            .split(',')
            .map(|x| x.parse().unwrap())
            .collect();
        let fmu = Fmu::open(&path).unwrap();
        let instance = instantiate(&fmu, "x", Wish::of(Interface::ModelExchange)).unwrap();
        let mut running =
            Stepping::begin(instance, &fmu.description, Interface::ModelExchange, 0.01).unwrap();
        let inputs = Ports::named(&fmu.description, &["f".to_owned(), "g".to_owned()]).unwrap();
        inputs.write(running.instance(), &[3.0, 0.5]).unwrap();
        for _ in 0..200 {
            running.step(0.01).unwrap();
        }
        let mut moved = 0.0_f64;
        for (name, expected) in head.iter().zip(&last).skip(1) {
            let port = Ports::named(&fmu.description, &[(*name).to_owned()]).unwrap();
            let mut found = [0.0];
            port.read(running.instance(), &mut found).unwrap();
            assert!(
                (found[0] - expected).abs() < 1e-12 * (1.0 + expected.abs()),
                "{name} {found:?} {expected}"
            );
            moved = moved.max(expected.abs());
        }
        assert!(moved > 0.0);
    }
}

mod systems {
    use super::common_fmi::*;
    use std::path::Path;
    use std::process::Command;

    const PAIR: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
 xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" name="pair" version="1.0">
 <ssd:System name="pair">
  <ssd:Elements>
   <ssd:Component name="n" type="application/x-fmu-sharedlibrary" source="resources/n.fmu"><ssd:Connectors>
    <ssd:Connector name="lambda[1]" kind="input"><ssc:Real/></ssd:Connector><ssd:Connector name="r[1]" kind="output"><ssc:Real/></ssd:Connector>
    <ssd:Connector name="u[1]" kind="output"><ssc:Real/></ssd:Connector></ssd:Connectors></ssd:Component>
   <ssd:Component name="p" type="application/x-fmu-sharedlibrary" source="resources/p.fmu"><ssd:Connectors>
    <ssd:Connector name="lambda[1]" kind="input"><ssc:Real/></ssd:Connector><ssd:Connector name="r[1]" kind="output"><ssc:Real/></ssd:Connector>
    <ssd:Connector name="u[1]" kind="output"><ssc:Real/></ssd:Connector></ssd:Connectors></ssd:Component>
  </ssd:Elements>
  <ssd:Connections>
   <ssd:Connection startElement="n" startConnector="r[1]" endElement="p" endConnector="lambda[1]"/>
   <ssd:Connection startElement="p" startConnector="r[1]" endElement="n" endConnector="lambda[1]"/>
  </ssd:Connections>
 </ssd:System>
 <ssd:DefaultExperiment startTime="0" stopTime="1"/>
</ssd:SystemStructureDescription>"#;

    /// FMPy steps the same system; the ground shakes through a parameter.
    const PEER: &str = r#"
import json, sys
from fmpy.ssp.simulation import simulate_ssp
from fmpy.ssp.ssd import Parameter, ParameterSet
parameter, values = Parameter(), ParameterSet()
parameter.name, parameter.value = "n.ag", "2"
values.parameters = [parameter]
r = simulate_ssp(sys.argv[1], stop_time=1.0, step_size=0.01, parameter_set=values)
print(json.dumps([list(map(float, r["n.u[1]"])), list(map(float, r["p.u[1]"]))]))
"#;

    fn run(folder: &Path, plan: &str, method: &str, dt: &str, columns: &[&str]) -> Vec<Vec<f64>> {
        let out = folder.join(format!("{method}{dt}"));
        let plan = folder.join(plan);
        let output = tandem(&[
            "run",
            text(&plan),
            "--out",
            text(&out),
            "--set",
            &format!("cosimulation.method={method}"),
            "--set",
            &format!("cosimulation.dt={dt}"),
            "--set",
            "cosimulation.in_process=true",
        ]);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let table = std::fs::read_to_string(out.join("result.csv")).unwrap();
        let mut lines = table.lines();
        let head: Vec<&str> = lines.next().unwrap().split(',').collect();
        let places: Vec<usize> = columns
            .iter()
            .map(|c| head.iter().position(|h| h == c).unwrap())
            .collect();
        let mut found = vec![Vec::new(); columns.len()];
        for line in lines {
            let row: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
            places
                .iter()
                .zip(&mut found)
                .for_each(|(i, list)| list.push(row[*i]));
        }
        found
    }

    /// A system structure is imported, and stepped as FMPy steps it; the other orders meet with shorter steps.
    #[test]
    fn a_system_structure_runs_as_in_fmpy() {
        let Some(python) = std::env::var_os("TANDEM_PYTHON") else {
            println!("skipped: TANDEM_PYTHON is not set, so there is no FMPy to compare with");
            return;
        };
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let oscillator = example("fmi-split-mass/oscillator.toml");
        for (what, name) in [("numerical", "n.fmu"), ("physical", "p.fmu")] {
            let made = tandem(&[
                "fmu",
                "export",
                text(&oscillator),
                "--what",
                what,
                "--fmi",
                "2",
                "--kind",
                "cs",
                "-o",
                text(&at(name)),
            ]);
            assert!(
                made.status.success(),
                "{}",
                String::from_utf8_lossy(&made.stderr)
            );
        }
        let (n, p) = (
            std::fs::read(at("n.fmu")).unwrap(),
            std::fs::read(at("p.fmu")).unwrap(),
        );
        archive(
            &at("pair.ssp"),
            &[
                ("SystemStructure.ssd", PAIR.as_bytes()),
                ("resources/n.fmu", &n),
                ("resources/p.fmu", &p),
            ],
        );
        let peer = Command::new(python)
            .args(["-c", PEER])
            .arg(at("pair.ssp"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&peer.stdout).into_owned();
        let line = said
            .lines()
            .rev()
            .find(|line| line.starts_with('['))
            .unwrap_or_else(|| panic!("{said}{}", String::from_utf8_lossy(&peer.stderr)));
        let expected: Vec<Vec<f64>> = serde_json::from_str(line).unwrap();

        let import = tandem(&[
            "import",
            text(&at("pair.ssp")),
            "-o",
            text(&at("pair.toml")),
            "--json",
        ]);
        let summary: serde_json::Value = serde_json::from_slice(&import.stdout).unwrap();
        assert_eq!(
            (&summary["parts"], &summary["connections"]),
            (&2.into(), &2.into()),
            "{summary}"
        );
        let plan = std::fs::read_to_string(at("pair.toml")).unwrap();
        let shaken = plan.replace("n.fmu\"\n", "n.fmu\"\nstart = [\"ag=2\"]\n");
        assert_ne!(plan, shaken);
        std::fs::write(at("shaken.toml"), &shaken).unwrap();
        // A source outside the archive is refused, and nothing is written.
        let stolen = PAIR.replace("resources/n.fmu", "../../../../etc/hostname");
        archive(
            &at("thief.ssp"),
            &[
                ("SystemStructure.ssd", stolen.as_bytes()),
                ("resources/p.fmu", &p),
            ],
        );
        let thief = tandem(&[
            "import",
            text(&at("thief.ssp")),
            "-o",
            text(&at("thief.toml")),
        ]);
        assert!(refused(&thief, 2).contains("is not in"));
        assert!(!at("thief.toml").exists());
        let columns = ["n/u[1]", "p/u[1]"];
        let jacobi = run(folder.path(), "shaken.toml", "jacobi", "10ms", &columns);
        for (own, other) in jacobi.iter().zip(&expected) {
            // FMPy's row k is the state at the end of step k.
            let peak = other.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            assert!(peak > 0.1 && own.len() == other.len() + 1);
            for (a, b) in own[1..].iter().zip(other) {
                assert!((a - b).abs() <= 1e-12 * peak, "{a} {b}");
            }
        }
        // The orders differ by what a step makes of the newest values: less and less with shorter steps.
        let end = |method: &str, dt: &str| {
            // These FMUs have a step of their own, which must be that of the points.
            let seconds = format!("0.00{}", dt.trim_end_matches("ms"));
            let own = shaken
                .replace("\"ag=2\"", &format!("\"ag=2\", \"dt={seconds}\""))
                .replace(
                    "p.fmu\"\n",
                    &format!("p.fmu\"\nstart = [\"dt={seconds}\"]\n"),
                );
            std::fs::write(at("own.toml"), own).unwrap();
            *run(folder.path(), "own.toml", method, dt, &columns)[0]
                .last()
                .unwrap()
        };
        let steps = ["8ms", "2ms"];
        let newest = steps.map(|dt| end("jacobi", dt));
        for method in ["gauss-seidel", "iterative"] {
            let own = steps.map(|dt| end(method, dt));
            let [coarse, fine] = [0, 1].map(|k| (own[k] - newest[k]).abs());
            assert!(
                coarse > 0.0 && fine < 0.5 * coarse,
                "{method}: {coarse:e} {fine:e}"
            );
        }
    }
}

/// An FMU that has nothing of Tandem in it, in both versions and kinds: `fmi/mass.c`.
mod foreign {
    use super::common_fmi::*;
    use std::path::{Path, PathBuf};
    use tandem_fmi::binding::{Wish, instantiate};
    use tandem_fmi::{Fmu, Instance, Interface, Kind, Launcher, Remote};

    const SOURCE: &str = include_str!("fmi/mass.c");

    /// Name, causality, start.
    const VARIABLES: [(&str, &str, &str); 11] = [
        ("x", "output", "0"),
        ("v", "output", "0"),
        ("der(x)", "local", ""),
        ("der(v)", "local", ""),
        ("m", "parameter", "1"),
        ("c", "parameter", "0"),
        ("k", "parameter", "0"),
        ("f", "input", "0"),
        ("g", "input", "0"),
        ("floor", "parameter", "0"),
        ("kick", "parameter", "-1"),
    ];

    fn description(version: u8) -> String {
        let mut list = String::new();
        for (i, (name, causality, start)) in VARIABLES.iter().enumerate() {
            let place = i + 1;
            let start = match (*start, *causality) {
                ("", _) => String::new(),
                (start, "output") => format!(" start=\"{start}\" initial=\"exact\""),
                (start, _) => format!(" start=\"{start}\""),
            };
            let (variability, derivative) = match place {
                3 | 4 => ("continuous", format!(" derivative=\"{}\"", place - 2)),
                5..=7 | 10.. => ("fixed", String::new()),
                _ => ("continuous", String::new()),
            };
            list += &match version {
                2 => {
                    let (initial, start) = match start.strip_suffix(" initial=\"exact\"") {
                        Some(start) => (" initial=\"exact\"", start.to_owned()),
                        None => ("", start),
                    };
                    format!(
                        "<ScalarVariable name=\"{name}\" valueReference=\"{place}\" causality=\"{causality}\" variability=\"{variability}\"{initial}>\
                         <Real{start}{derivative}/></ScalarVariable>"
                    )
                }
                _ => format!(
                    "<Float64 name=\"{name}\" valueReference=\"{place}\" causality=\"{causality}\" variability=\"{variability}\"{start}{derivative}/>"
                ),
            };
        }
        match version {
            2 => format!(
                "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"mass\" guid=\"mass\" numberOfEventIndicators=\"1\">\
                 <ModelExchange modelIdentifier=\"mass\" canGetAndSetFMUstate=\"true\" providesDirectionalDerivative=\"true\"/>\
                 <CoSimulation modelIdentifier=\"mass\" canHandleVariableCommunicationStepSize=\"true\" canGetAndSetFMUstate=\"true\"/>\
                 <ModelVariables>{list}</ModelVariables><ModelStructure><Outputs><Unknown index=\"1\"/><Unknown index=\"2\"/></Outputs>\
                 <Derivatives><Unknown index=\"3\"/><Unknown index=\"4\"/></Derivatives></ModelStructure></fmiModelDescription>"
            ),
            _ => format!(
                "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"mass\" instantiationToken=\"mass\">\
                 <ModelExchange modelIdentifier=\"mass\" canGetAndSetFMUState=\"true\" providesDirectionalDerivatives=\"true\"/>\
                 <CoSimulation modelIdentifier=\"mass\" canHandleVariableCommunicationStepSize=\"true\" canGetAndSetFMUState=\"true\"/>\
                 <ModelVariables><Float64 name=\"time\" valueReference=\"0\" causality=\"independent\" variability=\"continuous\"/>\
                 <Float64 name=\"height\" valueReference=\"12\" causality=\"local\" variability=\"continuous\"/>{list}</ModelVariables><ModelStructure>\
                 <Output valueReference=\"1\"/><Output valueReference=\"2\"/><ContinuousStateDerivative valueReference=\"3\"/>\
                 <ContinuousStateDerivative valueReference=\"4\"/><EventIndicator valueReference=\"12\"/></ModelStructure></fmiModelDescription>"
            ),
        }
    }

    fn make(folder: &Path, version: u8) -> PathBuf {
        let (source, library) = (folder.join("mass.c"), folder.join("mass.so"));
        std::fs::write(&source, SOURCE).unwrap();
        let status = std::process::Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-w", "-o"])
            .args([&library, &source])
            .arg("-lm")
            .status()
            .unwrap();
        assert!(status.success());
        let (path, place) = (
            folder.join(format!("mass{version}.fmu")),
            if version == 2 {
                "linux64"
            } else {
                "x86_64-linux"
            },
        );
        archive(
            &path,
            &[
                ("modelDescription.xml", description(version).as_bytes()),
                (
                    &format!("binaries/{place}/mass.so"),
                    &std::fs::read(&library).unwrap(),
                ),
            ],
        );
        path
    }

    /// Rows of `tandem fmu simulate`, and what it said.
    fn simulate(fmu: &Path, words: &[&str]) -> (Vec<Vec<f64>>, serde_json::Value) {
        let out = fmu.with_extension("csv");
        let call = ["fmu", "simulate", text(fmu), "--out", text(&out), "--json"];
        let output = tandem(&[&call, words].concat());
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let table = std::fs::read_to_string(&out).unwrap();
        let rows = table
            .lines()
            .skip(1)
            .map(|line| line.split(',').map(|x| x.parse().unwrap()).collect());
        (
            rows.collect(),
            serde_json::from_slice(&output.stdout).unwrap(),
        )
    }

    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    #[test]
    fn it_gives_its_reference_results_with_events_by_state_and_by_time() {
        let folder = tempfile::tempdir().unwrap();
        for version in [2, 3] {
            let fmu = make(folder.path(), version);
            // Damped vibration from x = 1: exact in Co-Simulation, to the tolerance in Model Exchange.
            let (k, c) = (40.0_f64, 0.6_f64);
            let (a, w) = (0.5 * c, (k - 0.25 * c * c).sqrt());
            let exact = |t: f64| (-a * t).exp() * ((w * t).cos() + a / w * (w * t).sin());
            let starts = [
                "--set", "k=40", "--set", "c=0.6", "--set", "x=1", "--step", "0.05", "--stop", "3",
            ];
            let largest = |rows: &[Vec<f64>]| {
                assert_eq!(rows.len(), 61);
                rows.iter()
                    .fold(0.0_f64, |m, row| m.max((row[1] - exact(row[0])).abs()))
            };
            let (rows, _) = simulate(&fmu, &[&["--kind", "cs"], &starts[..]].concat());
            assert!(largest(&rows) < 1e-13, "{}", largest(&rows));
            for (solver, bound) in [("rk45", 1e-7), ("rk4", 2e-3), ("heun", 0.5)] {
                let more = [
                    "--kind",
                    "me",
                    "--solver",
                    solver,
                    "--tolerance",
                    "1e-9",
                    "--in-process",
                ];
                let (rows, _) = simulate(&fmu, &[&more, &starts[..]].concat());
                assert!(
                    largest(&rows) < bound,
                    "{version} {solver}: {}",
                    largest(&rows)
                );
            }
            // A ball from 1 m: it meets the floor at t₁, and again after as long; a kick at t = 0.25 s in another run.
            let fall = [
                "--kind",
                "me",
                "--solver",
                "rk45",
                "--tolerance",
                "1e-10",
                "--set",
                "floor=1",
                "--set",
                "x=1",
                "--set",
                "g=9.81",
            ];
            let (rows, said) = simulate(
                &fmu,
                &[&fall, &["--step", "0.1", "--stop", "0.8"][..]].concat(),
            );
            let first = (2.0_f64 / 9.81).sqrt();
            for row in &rows {
                let (t, s) = (row[0], row[0] - first);
                let expected = if s < 0.0 {
                    1.0 - 0.5 * 9.81 * t * t
                } else {
                    0.5 * 9.81 * first * s - 0.5 * 9.81 * s * s
                };
                assert!(
                    (row[1] - expected).abs() < 1e-9,
                    "{version} t = {t}: {} {expected}",
                    row[1]
                );
            }
            // Down through the floor, and up from it.
            assert_eq!(said["events"], 2, "{said}");
            let kicked = [
                "--kind",
                "me",
                "--solver",
                "rk4",
                "--set",
                "kick=0.25",
                "--step",
                "0.1",
                "--stop",
                "1",
            ];
            let (rows, said) = simulate(&fmu, &kicked);
            for row in rows {
                assert!((row[1] - (row[0] - 0.25).max(0.0)).abs() < 1e-12, "{row:?}");
            }
            assert_eq!(said["events"], 1, "{said}");
        }
    }

    /// Get/set state goes back to the bit, directional derivatives are those of the equation: in this process and in one of its own.
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    #[test]
    fn states_are_put_back_and_derivatives_are_right_on_either_side_of_the_wall() {
        let folder = tempfile::tempdir().unwrap();
        let launcher = Launcher {
            program: env!("CARGO_BIN_EXE_tandem").into(),
            arguments: ["fmu", "worker"].map(Into::into).to_vec(),
            patience: std::time::Duration::from_secs(10),
        };
        for version in [2, 3] {
            let fmu = Fmu::open(&make(folder.path(), version)).unwrap();
            for (interface, apart) in [
                (Interface::CoSimulation, false),
                (Interface::CoSimulation, true),
                (Interface::ModelExchange, false),
                (Interface::ModelExchange, true),
            ] {
                let wish = Wish::of(interface);
                let mut instance: Box<dyn Instance> = if apart {
                    Box::new(Remote::start(&launcher, &fmu, "x", wish).unwrap())
                } else {
                    instantiate(&fmu, "x", wish).unwrap()
                };
                let real = Kind::Float64;
                instance
                    .set(real, &[1, 5, 6, 7], &[1.0, 2.0, 0.5, 30.0])
                    .unwrap();
                instance.enter_initialization(None, 0.0, None).unwrap();
                instance.exit_initialization().unwrap();
                if interface == Interface::CoSimulation {
                    let walk = |instance: &mut dyn Instance, from: usize| {
                        (from..from + 20)
                            .map(|k| {
                                let time = k as f64 * 0.01;
                                instance.set(real, &[8], &[time.sin()]).unwrap();
                                instance.step(time, 0.01).unwrap();
                                let mut x = [0.0; 2];
                                instance.get(real, &[1, 2], &mut x).unwrap();
                                x
                            })
                            .collect::<Vec<_>>()
                    };
                    walk(instance.as_mut(), 0);
                    let saved = instance.save(None).unwrap();
                    let once = walk(instance.as_mut(), 20);
                    instance.restore(saved).unwrap();
                    assert_eq!(walk(instance.as_mut(), 20), once);
                    // The same handle again, and one that was never made.
                    assert_eq!(instance.save(Some(saved)).unwrap(), saved);
                    let later = walk(instance.as_mut(), 40);
                    instance.restore(saved).unwrap();
                    assert_eq!(walk(instance.as_mut(), 40), later);
                    assert!(instance.restore(tandem_fmi::Saved(99)).is_err());
                } else {
                    instance.update_discrete_states().unwrap();
                    instance.enter_continuous_time().unwrap();
                    let saved = instance.save(None).unwrap();
                    instance.set_states(&[0.3, -0.2]).unwrap();
                    let mut slope = [0.0; 2];
                    for (known, expected) in [
                        (1, [0.0, -15.0]),
                        (2, [1.0, -0.25]),
                        (8, [0.0, 0.5]),
                        (9, [0.0, -1.0]),
                    ] {
                        instance
                            .directional(&[3, 4], &[known], &[1.0], &mut slope)
                            .unwrap();
                        assert_eq!(slope, expected, "{known}");
                    }
                    instance
                        .directional(&[4], &[1, 8], &[0.1, 2.0], &mut slope[..1])
                        .unwrap();
                    assert!((slope[0] + 0.5).abs() < 1e-15);
                    instance.restore(saved).unwrap();
                    let mut states = [0.0; 2];
                    instance.states(&mut states).unwrap();
                    assert_eq!(states, [1.0, 0.0]);
                }
                instance.terminate().unwrap();
            }
        }
    }

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

    /// Substructures of which nothing is known but force, velocity and how to go back (cs-c), and by their derivatives (me): the numbers of an
    /// independent implementation.
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
                    "[[part]]\nname = \"{name}\"\nfmu = \"mass{version}.fmu\"\nstart = [{starts}]\ndisplacement = [\"x\"]\nvelocity = [\"v\"]\nforce = [\"f\"]\nground = \"g\"\nbeta = {beta}\n"
                )
            };
            let plan = format!(
                "[excitation]\nrecord = \"ag.csv\"\nunit = \"m/s^2\"\n[cosimulation]\nvariant = \"{variant}\"\ndt = \"10 ms\"\nduration = \"12 s\"\nin_process = {in_process}\n{}{}",
                part("n", 2, "\"m=80\", \"c=60\", \"k=12000\"", "0.25"),
                part("p", 3, "\"m=20\", \"k=8000\"", "0.0"),
            );
            let (file, out) = (
                at.join("plan.toml"),
                at.join(format!("{variant}{in_process}")),
            );
            std::fs::write(&file, plan).unwrap();
            let output = tandem(&["run", text(&file), "--json", "--out", text(&out)]);
            assert!(
                output.status.success(),
                "{}",
                String::from_utf8_lossy(&output.stderr)
            );
            let table = std::fs::read_to_string(out.join("result.csv")).unwrap();
            let row: Vec<f64> = table
                .lines()
                .nth(301)
                .unwrap()
                .split(',')
                .map(|x| x.parse().unwrap())
                .collect();
            assert!((row[0] - 3.0).abs() < 1e-12);
            assert!(
                (row[1] - expected).abs() < 1e-12,
                "{variant}: {} {expected}",
                row[1]
            );
            let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert!(
                summary["interface"]["velocity_gap"].as_f64().unwrap() < 1e-12,
                "{summary}"
            );
        }
        // Without get/set state there is no way back.
        let described = description(2).replace(
            "canHandleVariableCommunicationStepSize=\"true\" canGetAndSetFMUstate=\"true\"",
            "",
        );
        assert_ne!(described, description(2));
        archive(
            &at.join("mass2.fmu"),
            &[
                ("modelDescription.xml", described.as_bytes()),
                (
                    "binaries/linux64/mass.so",
                    &std::fs::read(at.join("mass.so")).unwrap(),
                ),
            ],
        );
        for set in ["cosimulation.variant=cs-c", "cosimulation.method=iterative"] {
            let plan = at.join("plan.toml");
            let said = refused(
                &tandem(&[
                    "run",
                    text(&plan),
                    "--out",
                    text(&at.join("none")),
                    "--set",
                    set,
                ]),
                2,
            );
            assert!(said.contains("state"), "{said}");
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

    /// y₁ = 0.5 y₂ + 1, y₂ = 0.5 y₁: a loop without a delay is found and told; iterations with steps taken back solve it, the others lag.
    #[cfg(target_os = "linux")]
    #[test]
    fn an_algebraic_loop_is_told_and_solved_by_iterations() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        std::fs::write(at.join("gain.c"), GAIN).unwrap();
        let done = std::process::Command::new("cc")
            .args(["-shared", "-fPIC", "-w", "-o", "gain.so", "gain.c"])
            .current_dir(at)
            .status()
            .unwrap();
        assert!(done.success());
        let variable = |place: u8, name: &str, causality: &str| {
            let start = if causality == "output" {
                ""
            } else {
                " start=\"0\""
            };
            format!(
                "<ScalarVariable name=\"{name}\" valueReference=\"{place}\" causality=\"{causality}\"><Real{start}/></ScalarVariable>"
            )
        };
        let xml = format!(
            "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"gain\" guid=\"g\"><CoSimulation modelIdentifier=\"gain\" canGetAndSetFMUstate=\"true\"/><ModelVariables>{}{}{}\
             </ModelVariables><ModelStructure><Outputs><Unknown index=\"2\" dependencies=\"1\"/></Outputs></ModelStructure></fmiModelDescription>",
            variable(1, "u", "input"),
            variable(2, "y", "output"),
            variable(3, "b", "parameter")
        );
        archive(
            &at.join("gain.fmu"),
            &[
                ("modelDescription.xml", xml.as_bytes()),
                (
                    "binaries/linux64/gain.so",
                    &std::fs::read(at.join("gain.so")).unwrap(),
                ),
            ],
        );
        let plan = "[cosimulation]\ndt = \"0.1 s\"\nduration = \"0.5 s\"\nin_process = true\n[[part]]\nname = \"p\"\nfmu = \"gain.fmu\"\nstart = [\"b=1\"]\n[[part]]\nname = \"q\"\nfmu = \"gain.fmu\"\n\
                    [[connection]]\nfrom = \"p.y\"\nto = \"q.u\"\n[[connection]]\nfrom = \"q.y\"\nto = \"p.u\"\n";
        std::fs::write(at.join("plan.toml"), plan).unwrap();
        for (method, row, expected) in [
            ("jacobi", 1, [1.0, 0.0]),
            ("gauss-seidel", 1, [1.0, 0.5]),
            ("iterative", 1, [4.0 / 3.0, 2.0 / 3.0]),
            ("jacobi", 5, [1.3125, 0.625]),
        ] {
            let out = at.join(format!("{method}{row}"));
            let set = format!("cosimulation.method={method}");
            let output = tandem(&[
                "run",
                text(&at.join("plan.toml")),
                "--json",
                "--out",
                text(&out),
                "--set",
                &set,
            ]);
            let summary: serde_json::Value = serde_json::from_slice(&output.stdout)
                .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
            let notes = summary["notes"].to_string();
            assert!(
                notes.contains("algebraic loop: p.y → q.u → q.y → p.u"),
                "{notes}"
            );
            assert_eq!(
                notes.contains("lag by a step"),
                method != "iterative",
                "{notes}"
            );
            let table = std::fs::read_to_string(out.join("result.csv")).unwrap();
            let line: Vec<f64> = table
                .lines()
                .nth(row + 1)
                .unwrap()
                .split(',')
                .map(|x| x.parse().unwrap())
                .collect();
            for (found, expected) in line[1..].iter().zip(expected) {
                assert!((found - expected).abs() < 1e-8, "{method} {row}: {line:?}");
            }
        }
    }

    /// Three parts at an interface of two degrees of freedom, tied crosswise: all columns of every form are those of the native one, also the
    /// restoring forces, which belong to their row.
    #[test]
    fn every_form_couples_three_parts_and_records_each_value_at_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        ground(at);
        let oscillator = example("fmi-split-mass/oscillator.toml");
        std::fs::write(
            at.join("two.toml"),
            "[excitation]\nrecord = \"el-centro-1940\"\n[structure]\nkind = \"shear-building\"\nmasses = [\"100 kg\", \"80 kg\"]\n\
             stiffnesses = [\"30 kN/m\", \"20 kN/m\"]\n[interface]\ndof = [1, 2]\n[integration]\nmethod = \"newmark-explicit\"\ndt = \"10 ms\"\n\
             [rig.specimen]\nstiffness = [\"1 kN/m\", \"1 kN/m\"]\n",
        )
        .unwrap();
        let part = |name: &str, plan: &str, what: &str, interface: &str| {
            format!(
                "[[part]]\nname = \"{name}\"\nplan = \"{plan}\"\nwhat = \"{what}\"\ninterface = {interface}\n"
            )
        };
        let plan = at.join("plan.toml");
        let run = |variant: &str| {
            let text_of_plan = format!(
                "[excitation]\nrecord = \"ag.csv\"\nunit = \"m/s^2\"\n[cosimulation]\nvariant = \"{variant}\"\ndt = \"10 ms\"\nduration = \"3 s\"\n\
                 in_process = true\n{}{}{}",
                part("frame", "two.toml", "numerical", "[1, 2]"),
                part("upper", text(&oscillator), "physical", "[2]"),
                part("lower", text(&oscillator), "physical", "[1]"),
            );
            std::fs::write(&plan, text_of_plan).unwrap();
            let out = at.join(variant);
            let output = tandem(&["run", text(&plan), "--json", "--out", text(&out)]);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{variant}: {said}");
            let table = std::fs::read_to_string(out.join("result.csv")).unwrap();
            let mut lines = table.lines();
            let names: Vec<String> = lines
                .next()
                .unwrap()
                .split(',')
                .map(str::to_owned)
                .collect();
            let rows: Vec<Vec<f64>> = lines
                .map(|line| line.split(',').map(|x| x.parse().unwrap()).collect())
                .collect();
            (names, rows)
        };
        let (names, expected) = run("native");
        for variant in ["cs-a", "cs-b", "coupling-fmu"] {
            let (own, found) = run(variant);
            assert_eq!(found.len(), expected.len(), "{variant}");
            for (column, name) in names.iter().enumerate() {
                let place = own.iter().position(|own| own == name).unwrap();
                let peak = expected
                    .iter()
                    .fold(0.0_f64, |m, row| m.max(row[column].abs()));
                assert!(peak > 0.0, "{name}");
                for (a, b) in found.iter().zip(&expected) {
                    let apart = (a[place] - b[column]).abs();
                    assert!(
                        apart <= 1e-9 * peak,
                        "{variant} {name} at {} s: {apart:e} of {peak:e}",
                        b[0]
                    );
                }
            }
        }
    }

    /// An explicit step far beyond its limit of stability is no completed run; what a plan says twice, or what a co-simulation cannot do, is refused.
    #[test]
    fn a_co_simulation_that_went_wrong_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        let (plan, out) = (at.join("plan.toml"), at.join("run"));
        let oscillator = example("fmi-split-mass/oscillator.toml");
        let write = |second: &str, dt: &str, method: &str| {
            let part = |name: &str, what: &str| {
                format!(
                    "[[part]]\nname = \"{name}\"\nplan = \"{}\"\nwhat = \"{what}\"\nbeta = 0.0\n",
                    text(&oscillator)
                )
            };
            let plan_text = format!(
                "[excitation]\nrecord = \"el-centro-1940\"\n[cosimulation]\n{method}\ndt = \"{dt}\"\nduration = \"500 s\"\n{}{}",
                part("n", "numerical"),
                part(second, "physical"),
            );
            std::fs::write(&plan, plan_text).unwrap();
        };
        let run = |more: &[&str]| {
            let call = [&["run", text(&plan), "--json", "--out", text(&out)], more].concat();
            tandem(&call)
        };
        write("n", "10 ms", "variant = \"native\"");
        assert!(refused(&run(&[]), 2).contains("two parts are named `n`"));
        write("p", "10 ms", "variant = \"native\"");
        assert!(refused(&run(&["--realtime"]), 2).contains("wall clock"));
        let twice = "[[connection]]\nfrom = \"n.u[1]\"\nto = \"p.ag\"\n[[connection]]\nfrom = \"n.v[1]\"\nto = \"p.ag\"\n";
        write("p", "10 ms", "method = \"jacobi\"");
        let wired = format!("{}{twice}", std::fs::read_to_string(&plan).unwrap());
        std::fs::write(&plan, wired).unwrap();
        let said = refused(&run(&[]), 2);
        assert!(said.contains("two connections feed `p.ag`"), "{said}");
        write("p", "500 ms", "variant = \"native\"");
        let output = run(&[]);
        refused(&output, 3);
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(summary["outcome"], "failed", "{summary}");
        let reason = summary["reason"].as_str().unwrap();
        assert!(reason.contains("no finite number"), "{reason}");
        let page = std::fs::read_to_string(out.join("report.html")).unwrap();
        assert!(page.contains("no finite number"));
    }

    /// The page of a co-simulation shows the parts beside the undivided structure.
    #[test]
    fn a_co_simulation_leaves_a_page() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("run");
        let plan = example("fmi-split-mass/me.toml");
        let output = tandem(&["run", text(&plan), "--json", "--out", text(&out)]);
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        // The explicit part makes the whole better than the undivided structure, which is one per cent off by itself.
        let apart = summary["interface"]["from_undivided_percent"]
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
}
