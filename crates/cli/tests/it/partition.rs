//! Without a transfer system the partitioned test is the undivided structure, for every method.

use tandem::assemble::{Test, assemble};
use tandem::registry::standard;
use tandem_test_support::plans::{from_reference, plan, test};

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

/// Largest difference between test and reference over all floors and steps, and the reference's
/// peak.
fn difference(test: Test) -> (f64, f64) {
    let reference = test.reference().unwrap();
    from_reference(test, &reference, |_| {})
}

#[test]
fn an_ideal_partition_equals_the_undivided_structure() {
    assert!(tandem_integrator::METHODS.len() >= 4);
    for entry in tandem_integrator::METHODS {
        let method = entry.method.name;
        for partition in ["subtract", "add"] {
            let set = [
                format!("integration.method={method}"),
                format!("interface.partition={partition}"),
            ];
            let (worst, peak) = difference(test(PLAN, &set));
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
        let set = [&method, "interface.dof=[1, 2]"];
        let (worst, peak) = difference(test(&text, &set));
        assert!(worst < 1e-9 * peak, "{method}: {worst:e} of {peak:e}");
    }
}

/// Pseudo-dynamic: many ticks per step, also when they do not divide evenly, change nothing in an
/// ideal test.
#[test]
fn slow_tests_with_uneven_sub_steps_give_the_same_answer() {
    for rate in ["1024 Hz", "1000 Hz", "333 Hz"] {
        let rate = format!("command.rate={rate}");
        let set = [
            "integration.time_scale=27.8",
            &rate,
            "command.method=ramp",
            "integration.duration=6s",
        ];
        let (worst, peak) = difference(test(PLAN, &set));
        assert!(worst < 1e-9 * peak, "{rate}: {worst:e} of {peak:e}");
    }
}

/// A delay must make a difference, or the tests above would prove nothing.
#[test]
fn a_delay_shows() {
    let set = [
        "rig.actuator.method=delay",
        "rig.actuator.samples=3",
        "interface.partition=add",
    ];
    let (worst, peak) = difference(test(PLAN, &set));
    assert!(worst > 1e-2 * peak, "{worst:e} of {peak:e}");
}

/// Every method with a slow test, with a specimen that only damps, and with several ticks for every
/// question: always the undivided structure.
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
            // Methods that give the motion of the instant take one tick a step; the message says
            // so.
            if entry.method.name == "rk4" {
                set.retain(|word| !word.starts_with("command.rate"));
            }
            set.extend([
                method.as_str(),
                "integration.duration=4s",
                "command.method=ramp",
            ]);
            let (worst, peak) = difference(test(text, &set));
            assert!(
                peak > 1e-3 && worst < 1e-9 * peak,
                "{set:?}: {worst:e} of {peak:e}"
            );
        }
    }
}

/// A degree of freedom without mass: carried by implicit methods and operator splitting, refused in
/// plain words by the rest.
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
        match assemble(&plan(&text, &set).values, standard()) {
            Ok(test) => {
                let (worst, peak) = difference(test);
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

/// Several questions in a step: without a rate each gets its tick; a rate that leaves too few is
/// refused with the remedy.
#[test]
fn a_rate_too_low_for_the_questions_of_a_step_is_refused() {
    let set = [
        "integration.method=hht",
        "integration.iterations=4",
        "command.rate=1000 Hz",
    ];
    let without = test(PLAN, &set[..2]);
    assert!((without.outline.timing.period - 0.5e-3).abs() < 1e-12);
    let refused = assemble(&plan(PLAN, &set).values, standard()).err();
    let errors = refused.expect("two ticks for four questions");
    assert_eq!(errors[0].key, "command.rate");
    assert!(errors[0].help.contains("2000"), "{}", errors[0].help);
}

/// A reference with finer steps, or of another method: the error of the method shows, and the finer
/// the smaller.
#[test]
fn a_finer_reference_shows_the_error_of_the_method() {
    let error = |dt: &str, substeps: &str| {
        let set = [
            dt,
            substeps,
            "record.reference_method=newmark-iterated",
            "integration.duration=6s",
        ];
        let (worst, peak) = difference(test(PLAN, &set));
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
