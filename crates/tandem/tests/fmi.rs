//! FMUs: hostile ones are refused or contained, exported ones are what FMPy says they should be.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

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

    fn bad_fmu(folder: &std::path::Path, guid: &str) -> std::path::PathBuf {
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

    /// Every kind of part, both versions: FMPy finds nothing to say, and simulates the same numbers.
    const SCRIPT: &str = r#"
import csv, subprocess, sys
import numpy as np
import fmpy
from fmpy.validation import validate_fmu
tandem, plan, folder = sys.argv[1:]
def call(*words):
    subprocess.run([tandem, *words], check=True, stdout=subprocess.DEVNULL)
def ours(fmu, *words):
    call('fmu', 'simulate', fmu, '--step', '0.01', '--stop', '2', '--out', folder + '/out.csv', '--in-process', *words)
    rows = list(csv.reader(open(folder + '/out.csv')))
    return dict(zip(rows[0], np.array(rows[1:], float).T))
t = np.linspace(0, 2, 201)
ag = np.sin(7 * t)
with open(folder + '/ag.csv', 'w') as f:
    f.write('time,ag\n')
    f.writelines(f'{a!r},{b!r}\n' for a, b in zip(t.tolist(), ag.tolist()))
table = np.array(list(zip(t, ag)), dtype=[('time', float), ('ag', float)])
for what, version, kind, variant in [
    ('numerical', '2', 'both', 'b'), ('numerical', '3', 'both', 'b'), ('numerical', '3', 'both', 'a'), ('physical', '2', 'me', 'b'),
    ('whole', '3', 'cs', 'b'), ('coupling', '2', 'cs', 'a'), ('coupling', '3', 'cs', 'b'), ('rig', '2', 'cs', 'b'), ('compensator', '3', 'cs', 'b'),
]:
    fmu = f'{folder}/{what}{variant}{version}.fmu'
    call('fmu', 'export', plan, '--what', what, '--fmi', version, '--kind', kind, '--variant', variant, '-o', fmu)
    problems = validate_fmu(fmu)
    assert not problems, (fmu, problems)
for version in '2', '3':
    for what in 'numerical',:
        fmu = f'{folder}/{what}b{version}.fmu'
        name = 'u[1]' if version == '2' else 'u'
        for kind, solver in ('CoSimulation', None), ('ModelExchange', 'Euler'), ('ModelExchange', 'CVode'):
            free = solver == 'CVode'   # FMPy holds inputs over a step of CVode
            settings = dict(solver=solver) if solver else {}
            if free:
                settings.update(start_values={name: '0.01' if version == '2' else [0.01]}, relative_tolerance=1e-10)
            else:
                settings.update(input=table)
            theirs = fmpy.simulate_fmu(fmu, fmi_type=kind, stop_time=2, output_interval=0.01, step_size=0.01, **settings)
            words = ['--kind', 'cs' if kind == 'CoSimulation' else 'me', '--solver', 'rk45' if free else 'euler']
            words += ['--set', name + '=0.01', '--tolerance', '1e-11'] if free else ['--input', folder + '/ag.csv']
            mine = ours(fmu, *words)['u[1]']
            other = np.ravel(theirs[name])
            assert len(mine) == len(other) == 201, (len(mine), len(other))
            error = abs(mine - other).max() / abs(other).max()
            assert error < (1e-6 if free else 1e-12), (fmu, kind, solver, error)
            print(fmu.rsplit('/', 1)[1], kind, solver, error)
"#;

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
            Stepping::begin(instance, &fmu.description, Interface::ModelExchange).unwrap();
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
