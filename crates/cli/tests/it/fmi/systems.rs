//! System structures of other tools (SSP).

use super::common::*;
use super::test::export;
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

fn run(folder: &Path, plan: &str, method: &str, dt: &str) -> Vec<Vec<f64>> {
    let settings = [
        format!("cosimulation.method={method}"),
        format!("cosimulation.dt={dt}"),
        "cosimulation.in_process=true".to_owned(),
    ];
    let more: Vec<&str> = settings.iter().flat_map(|set| ["--set", set]).collect();
    let name = format!("{method}{dt}");
    done(&TANDEM.run_plan(folder, &name, plan, &more));
    let table = result(&folder.join(name));
    COLUMNS.map(|column| table.column(column)).to_vec()
}

const COLUMNS: [&str; 2] = ["n/u/1", "p/u/1"];

/// Makes `pair.ssp` and imports it; the plan, whose ground shakes.
fn imported(folder: &Path) -> String {
    let at = |name: &str| folder.join(name);
    let oscillator = example("fmi-split-mass/oscillator.toml");
    for (what, name) in [("numerical", "n.fmu"), ("physical", "p.fmu")] {
        let fmi = ["--fmi", "2", "--kind", "cs"];
        export(folder, text(&oscillator), what, &fmi, name);
    }
    let [n, p] = ["n.fmu", "p.fmu"].map(|name| std::fs::read(at(name)).unwrap());
    let pair = [
        ("SystemStructure.ssd", PAIR.as_bytes()),
        ("resources/n.fmu", &n),
        ("resources/p.fmu", &p),
    ];
    archive(&at("pair.ssp"), &pair);
    let import = ["import", "pair.ssp", "-o", "pair.toml", "--json"];
    let summary = json(&TANDEM.run(&import, folder));
    assert_eq!(
        (&summary["parts"], &summary["connections"]),
        (&2.into(), &2.into()),
        "{summary}"
    );
    let plan = std::fs::read_to_string(at("pair.toml")).unwrap();
    let shaken = plan.replace("n.fmu\"\n", "n.fmu\"\nstart = [\"ag=2\"]\n");
    assert_ne!(plan, shaken);
    // A source outside the archive is refused, and nothing is written.
    let stolen = PAIR.replace("resources/n.fmu", "../../../../etc/hostname");
    archive(
        &at("thief.ssp"),
        &[("SystemStructure.ssd", stolen.as_bytes()), pair[2]],
    );
    let thief = ["import", "thief.ssp", "-o", "thief.toml"];
    let said = refused(&TANDEM.run(&thief, folder), 2);
    assert!(said.contains("is not in"), "{said}");
    assert!(!at("thief.toml").exists());
    shaken
}

/// A system structure is imported, and stepped as FMPy steps it.
#[test]
fn a_system_structure_runs_as_in_fmpy() {
    let Some(python) = tandem_test_support::python(&["fmpy"]) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let shaken = imported(folder.path());
    let peer = Command::new(python)
        .args(["-c", PEER, "pair.ssp"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let expected: Vec<Vec<f64>> = serde_json::from_value(last_json(&peer)).unwrap();
    let jacobi = run(folder.path(), &shaken, "jacobi", "10ms");
    assert_eq!(jacobi.len(), expected.len());
    for (own, other) in jacobi.iter().zip(&expected) {
        // FMPy's row k is the state at the end of step k.
        assert!(peak(other) > 0.1);
        let error = apart(&own[1..], other);
        assert!(error <= 1e-12, "{error:e}");
    }
}

/// The orders differ by what a step makes of the newest values: less and less with shorter steps.
#[test]
fn the_orders_of_a_system_structure_meet_with_shorter_steps() {
    let folder = tempfile::tempdir().unwrap();
    let shaken = imported(folder.path());
    let end = |method: &str, dt: &str| {
        // These FMUs have a step of their own, which must be that of the points.
        let seconds = format!("0.00{}", dt.trim_end_matches("ms"));
        let own = shaken
            .replace("\"ag=2\"", &format!("\"ag=2\", \"dt={seconds}\""))
            .replace(
                "p.fmu\"\n",
                &format!("p.fmu\"\nstart = [\"dt={seconds}\"]\n"),
            );
        *run(folder.path(), &own, method, dt)[0].last().unwrap()
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
