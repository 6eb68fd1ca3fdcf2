//! Without a transfer system the partitioned test is the undivided structure, for every method.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

use tandem::assemble::{Test, assemble};
use tandem::plan::{self, Source, sections::ROOT};
use tandem_coordinator::recorder::Block;
use tandem_coordinator::{Progress, ReferenceRun};

const PLAN: &str = r#"
[excitation]
record = "el-centro-1940"
scale = 0.4
[structure]
kind = "shear-building"
masses = [1000, 900, 800, "kg"]
stiffnesses = [3500, 2800, 2000, "kN/m"]
[structure.damping]
method = "rayleigh"
ratio = 0.03
[interface]
dof = [1]
[integration]
method = "newmark"
dt = "2 ms"
[rig.specimen]
stiffness = ["1200 kN/m"]
damping = ["900 N*s/m"]
mass = ["250 kg"]
"#;

fn build(overrides: &[&str]) -> Test {
    build_from(PLAN, overrides)
}

fn build_from(text: &str, overrides: &[&str]) -> Test {
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    let source = Source::Text { name: "test", text };
    let plan = plan::read(ROOT, source, &overrides).unwrap_or_else(|r| panic!("{}", r.to_text()));
    assemble(&plan.values).unwrap_or_else(|e| panic!("{e:?}"))
}

/// Largest difference between test and reference over all floors and steps, and the reference's peak.
fn difference(test: &mut Test, reference: &ReferenceRun) -> (f64, f64) {
    let mut hybrid = test.hybrid.take().unwrap();
    let mut block = Block::new(hybrid.channels().len(), 16);
    let (mut worst, mut peak) = (0.0_f64, 0.0_f64);
    let mut step = 0;
    loop {
        block.clear();
        let progress = hybrid.tick(&mut block);
        assert!(
            matches!(progress, Progress::Running | Progress::Complete),
            "{progress:?}"
        );
        let steps = usize::try_from(hybrid.steps()).unwrap();
        if steps > step || step == 0 {
            step = steps;
            let row = &reference.displacement[steps * reference.dof..(steps + 1) * reference.dof];
            for (a, b) in hybrid
                .parts()
                .integrator
                .response()
                .displacement
                .iter()
                .zip(row)
            {
                worst = worst.max((a - b).abs());
                peak = peak.max(b.abs());
            }
        }
        if progress == Progress::Complete {
            return (worst, peak);
        }
    }
}

#[test]
fn an_ideal_partition_equals_the_undivided_structure() {
    let methods: Vec<_> = tandem_integrator::METHODS
        .iter()
        .map(|entry| entry.method.name)
        .collect();
    assert!(methods.len() >= 4);
    for method in methods {
        for partition in ["subtract", "add"] {
            let set = [
                format!("integration.method={method}"),
                format!("interface.partition={partition}"),
            ];
            let set: Vec<&str> = set.iter().map(String::as_str).collect();
            let mut test = build(&set);
            let reference = test.reference().unwrap();
            let (worst, peak) = difference(&mut test, &reference);
            assert!(peak > 1e-3, "{method}: the structure hardly moves: {peak}");
            assert!(
                worst < 1e-9 * peak,
                "{method}, {partition}: {worst:e} of {peak:e}"
            );
        }
    }
}

/// The same with two interface degrees of freedom and a coupled specimen.
#[test]
fn a_specimen_with_two_degrees_of_freedom_couples_exactly() {
    for method in ["newmark", "newmark-explicit", "central-difference", "rk4"] {
        let method = format!("integration.method={method}");
        let text = PLAN.split("[rig.specimen]").next().unwrap().to_owned()
            + r#"[rig.specimen]
stiffness_matrix = [[1500, -600], [-600, 700], "kN/m"]
damping_matrix = [[900, -200], [-200, 300], "N*s/m"]
mass_matrix = [[120, 10], [10, 80], "kg"]
"#;
        let mut test = build_from(&text, &[&method, "interface.dof=[1, 2]"]);
        let reference = test.reference().unwrap();
        let (worst, peak) = difference(&mut test, &reference);
        assert!(worst < 1e-9 * peak, "{method}: {worst:e} of {peak:e}");
    }
}

/// Pseudo-dynamic: many ticks per step, also when they do not divide evenly, change nothing in an ideal test.
#[test]
fn slow_tests_with_uneven_sub_steps_give_the_same_answer() {
    for rate in ["1024 Hz", "1000 Hz", "333 Hz"] {
        let rate = format!("command.rate={rate}");
        let mut test = build(&[
            "integration.time_scale=27.8",
            &rate,
            "command.method=ramp",
            "integration.duration=6s",
        ]);
        let reference = test.reference().unwrap();
        let (worst, peak) = difference(&mut test, &reference);
        assert!(worst < 1e-9 * peak, "{rate}: {worst:e} of {peak:e}");
    }
}

/// A delay must make a difference, or the tests above would prove nothing.
#[test]
fn a_delay_shows() {
    let mut test = build(&[
        "rig.actuator.method=delay",
        "rig.actuator.samples=3",
        "interface.partition=add",
    ]);
    let reference = test.reference().unwrap();
    let (worst, peak) = difference(&mut test, &reference);
    assert!(worst > 1e-2 * peak, "{worst:e} of {peak:e}");
}
