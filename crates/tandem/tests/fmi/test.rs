//! An ordinary test around an FMU, and how it is run.

use crate::common::*;
use tandem_coordinator::recorder::RunReader;

pub const TEST: &str = r#"
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

pub const RIG: &str = r#"
[rig.actuator]
method = "second-order"
frequency = "28 Hz"
damping = 0.7
[rig.specimen]
stiffness = ["200 kN/m"]
damping = ["300 N*s/m"]
"#;

/// Runs a plan of this text; the response and the summary.
pub fn run(folder: &std::path::Path, name: &str, plan: &str, more: &[&str]) -> Outcome {
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

pub struct Outcome {
    pub code: Option<i32>,
    pub said: String,
    pub force: Vec<f64>,
    pub summary: serde_json::Value,
}

impl Outcome {
    pub fn same_as(&self, other: &Self, tolerance: f64) {
        assert_eq!(self.code, Some(0), "{} {}", self.said, self.summary);
        let peak = other.force.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        assert!(peak > 100.0 && self.force.len() == other.force.len());
        for (k, (a, b)) in self.force.iter().zip(&other.force).enumerate() {
            assert!((a - b).abs() <= tolerance * peak, "row {k}: {a} {b}");
        }
    }
}

pub fn export(folder: &std::path::Path, plan: &str, what: &str, more: &[&str], name: &str) {
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
