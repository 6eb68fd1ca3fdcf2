//! System structures of other tools (SSP).

use crate::common::*;
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
