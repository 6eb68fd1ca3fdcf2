//! An ordinary test around an FMU, and how it is run.

use super::common::*;
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
missed_deadlines = 1000000         # a busy machine misses some; these tests are about numbers
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
pub fn run(folder: &Path, name: &str, plan: &str, more: &[&str]) -> Outcome {
    let output = TANDEM.run_plan(folder, name, plan, more);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let force = RunReader::open(&folder.join(name).join("run.h5"))
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
    pub summary: Value,
}

impl Outcome {
    /// It was refused for this reason.
    #[track_caller]
    pub fn refused(&self, reason: &str) {
        assert_eq!(self.code, Some(2), "{} {}", self.said, self.summary);
        assert!(self.said.contains(reason), "{reason}: {}", self.said);
    }

    /// It went through, with the same force to a part of the peak.
    #[track_caller]
    pub fn same_as(&self, other: &Self, tolerance: f64) {
        assert_eq!(self.code, Some(0), "{} {}", self.said, self.summary);
        assert!(peak(&other.force) > 100.0);
        let error = apart(&self.force, &other.force);
        assert!(error <= tolerance, "{error:e}");
    }
}

pub fn export(folder: &Path, plan: &str, what: &str, more: &[&str], name: &str) {
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
    done(&TANDEM.says(&[&call, more].concat()));
}
