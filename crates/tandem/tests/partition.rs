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

/// Every method with a slow test, with a specimen that only damps, and with several ticks for every question: always the
/// undivided structure.
#[test]
fn every_method_bears_slow_tests_and_dashpots() {
    let dashpot = PLAN.replace(
        "stiffness = [\"1200 kN/m\"]\ndamping = [\"900 N*s/m\"]\nmass = [\"250 kg\"]",
        "damping = [\"9 kN*s/m\"]",
    );
    for entry in tandem_integrator::METHODS {
        let method = format!("integration.method={}", entry.method.name);
        for (text, set) in [
            (PLAN, vec!["integration.time_scale=40"]),
            (&dashpot[..], vec![]),
            (
                &dashpot[..],
                vec!["integration.time_scale=7.3", "command.rate=500 Hz"],
            ),
        ] {
            let mut set = set;
            // Methods that give the motion of the instant take one tick a step; the message says so.
            if entry.method.name == "rk4" {
                set.retain(|word| !word.starts_with("command.rate"));
            }
            set.extend([
                method.as_str(),
                "integration.duration=4s",
                "command.method=ramp",
            ]);
            let mut test = build_from(text, &set);
            let reference = test.reference().unwrap();
            let (worst, peak) = difference(&mut test, &reference);
            assert!(
                peak > 1e-3 && worst < 1e-9 * peak,
                "{set:?}: {worst:e} of {peak:e}"
            );
        }
    }
}

/// A degree of freedom without mass: carried by implicit methods and operator splitting, refused in plain words by the rest.
#[test]
fn massless_degrees_of_freedom_are_carried_or_refused() {
    let text = PLAN
        .replace("kind = \"shear-building\"", "kind = \"matrices\"")
        .replace(
            "masses = [1000, 900, 800, \"kg\"]",
            "mass = [[1000, 0, 0], [0, 0, 0], [0, 0, 800], \"kg\"]",
        )
        .replace(
            "stiffnesses = [3500, 2800, 2000, \"kN/m\"]",
            "stiffness = [[6300, -2800, 0], [-2800, 4800, -2000], [0, -2000, 2000], \"kN/m\"]",
        )
        .replace(
            "method = \"rayleigh\"\nratio = 0.03",
            "method = \"mass-proportional\"\nratio = 0.03",
        );
    let mut carried = 0;
    for entry in tandem_integrator::METHODS {
        let set = vec![format!("integration.method={}", entry.method.name)];
        let source = Source::Text {
            name: "test",
            text: &text,
        };
        let plan = plan::read(ROOT, source, &set).unwrap_or_else(|r| panic!("{}", r.to_text()));
        match assemble(&plan.values) {
            Ok(mut test) => {
                let reference = test.reference().unwrap();
                let (worst, peak) = difference(&mut test, &reference);
                assert!(
                    peak > 1e-3 && worst < 1e-9 * peak,
                    "{set:?}: {worst:e} of {peak:e}"
                );
                carried += 1;
            }
            Err(errors) => {
                let help = &errors[0].help;
                assert!(
                    help.contains("implicit") || help.contains("condense"),
                    "{set:?}: {errors:?}"
                );
            }
        }
    }
    assert!(carried >= 8, "{carried}");
}

/// Several questions in a step: without a rate each gets its tick; a rate that leaves too few is refused with the remedy.
#[test]
fn a_rate_too_low_for_the_questions_of_a_step_is_refused() {
    let test = build(&["integration.method=hht", "integration.iterations=4"]);
    assert!((test.timing.period - 0.5e-3).abs() < 1e-12);
    let overrides = [
        "integration.method=hht",
        "integration.iterations=4",
        "command.rate=1000 Hz",
    ];
    let overrides: Vec<String> = overrides.iter().map(|s| (*s).to_owned()).collect();
    let source = Source::Text {
        name: "test",
        text: PLAN,
    };
    let plan = plan::read(ROOT, source, &overrides).unwrap_or_else(|r| panic!("{}", r.to_text()));
    let errors = assemble(&plan.values)
        .err()
        .expect("two ticks for four questions");
    assert_eq!(errors[0].key, "command.rate");
    assert!(errors[0].help.contains("2000"), "{}", errors[0].help);
}

/// A reference with finer steps, or of another method: the error of the method shows, and the finer the smaller.
#[test]
fn a_finer_reference_shows_the_error_of_the_method() {
    let error = |dt: &str, substeps: &str| {
        let mut test = build(&[
            dt,
            substeps,
            "record.reference_method=newmark-iterated",
            "integration.duration=6s",
        ]);
        let reference = test.reference().unwrap();
        let (worst, peak) = difference(&mut test, &reference);
        worst / peak
    };
    let coarse = error("integration.dt=8ms", "record.reference_steps=20");
    let fine = error("integration.dt=4ms", "record.reference_steps=20");
    assert!(
        coarse > 1e-3 && (coarse / fine).log2() > 1.7,
        "{coarse:e}, {fine:e}"
    );
    assert!(error("integration.dt=4ms", "record.reference_steps=1") < 1e-9);
}
