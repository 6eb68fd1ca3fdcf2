//! Through whole runs: a linkage between interface and ideal actuators changes nothing, at small
//! and at finite rotations.

use tandem::assemble::Test;
use tandem_coordinator::{Cause, Limit, Progress};
use tandem_test_support::plans::{AS_WRITTEN, test, to_the_end};
use tandem_test_support::{apart, peak};

/// A node with `n` motions, each of about 1 Hz; half of its stiffness is the specimen, and all are
/// coupled.
fn plan_text(n: usize, kinematics: &str) -> String {
    let matrix = |diagonal: f64, beside: f64| {
        let rows: Vec<String> = (0..n)
            .map(|i| {
                let row: Vec<String> = (0..n)
                    .map(|j| if i == j { diagonal } else { beside }.to_string())
                    .collect();
                format!("[{}]", row.join(", "))
            })
            .collect();
        rows.join(", ")
    };
    let dofs: Vec<String> = (1..=n).map(|i| i.to_string()).collect();
    format!(
        r#"
[excitation]
record = "el-centro-1940"
[structure]
kind = "matrices"
mass = [{}, "kg"]
stiffness = [{}, "N/m"]
[interface]
dof = [{}]
[integration]
method = "newmark-explicit"
dt = "4 ms"
duration = "6 s"
{kinematics}
[rig.specimen]
stiffness_matrix = [{}, "N/m"]
damping_matrix = [{}, "N*s/m"]
mass_matrix = [{}, "kg"]
"#,
        matrix(1000.0, 0.0),
        matrix(40e3, 2e3),
        dofs.join(", "),
        matrix(20e3, 3e3),
        matrix(400.0, 30.0),
        matrix(100.0, 0.0),
    )
}

/// Displacements of all steps, one after the other, and how the run ended.
fn run(test: Test) -> (Vec<f64>, Progress) {
    let mut out = Vec::new();
    let end = to_the_end(&mut test.into_hybrid().unwrap(), |hybrid| {
        out.extend_from_slice(&hybrid.parts().integrator.response().displacement);
    });
    (out, end)
}

const PLANE_THREE: &str = r#"
[kinematics]
method = "plane-three"
bases = [[-1.5, 0.0], [-0.6, -1.4], [0.6, -1.4], "m"]
heads = [[-0.3, 0.1], [-0.5, -0.1], [0.5, -0.1], "m"]
"#;

#[test]
fn a_linkage_with_ideal_actuators_changes_nothing() {
    let cases = [
        (
            2,
            "[kinematics]\nmethod = \"linear\"\nmatrix = [[1, 0.5], [-0.2, 2]]",
        ),
        (
            1,
            "[kinematics]\nmethod = \"one-actuator\"\ndirection = [-1]",
        ),
        (
            2,
            "[kinematics]\nmethod = \"plane-two\"\nbases = [[-1.5, 0.1], [0.2, -1.2], \"m\"]",
        ),
        (3, PLANE_THREE),
        (
            2,
            "[kinematics]\nmethod = \"coupler\"\nreach = \"800 mm\"\narm = \"600 mm\"",
        ),
        (
            2,
            "[kinematics]\nmethod = \"inverted-v-brace\"\nhalf_span = \"3 m\"\nheight = \"2.5 m\"",
        ),
        // Two braces and one degree of freedom; three actuators and two.
        (
            1,
            "[kinematics]\nmethod = \"inverted-v-brace\"\nhalf_span = \"3 m\"\nheight = \"2.5 m\"",
        ),
        (
            2,
            "[kinematics]\nmethod = \"linear\"\nmatrix = [[1, 0.5], [-0.2, 2], [1, 1]]",
        ),
        (
            4,
            r#"
[kinematics]
method = "space-four"
bases = [[-1.5, 0, 0.3], [-1.5, 0.1, -0.3], [0, -1.5, 0.3], [0.1, -1.5, -0.3], "m"]
heads = [[-0.3, 0, 0.3], [-0.3, 0, -0.3], [0, -0.3, 0.3], [0, -0.3, -0.3], "m"]
"#,
        ),
        (
            3,
            r#"
[kinematics]
method = "linkage"
motions = ["z", "x", "ry"]
bases = [[-1.5, 0, 0.2], [-1.5, 0, -0.2], [-0.5, 0, -1.4], [0.5, 0, -1.4], "m"]
heads = [[-0.3, 0, 0.2], [-0.3, 0, -0.2], [-0.5, 0, -0.3], [0.5, 0, -0.3], "m"]
"#,
        ),
    ];
    for (n, kinematics) in cases {
        let plain = run(test(&plan_text(n, ""), AS_WRITTEN)).0;
        let (linked, end) = run(test(&plan_text(n, kinematics), AS_WRITTEN));
        assert_eq!(end, Progress::Complete, "{kinematics}");
        let (error, peak) = (apart(&linked, &plain), peak(&plain));
        assert!(peak > 0.1, "{kinematics}: only {peak} m or rad");
        assert!(error < 1e-10, "{kinematics}: {error:e}");
    }
}

/// The same in a slow test with a trajectory between the targets, and with methods that ask within
/// the tick.
#[test]
fn a_linkage_works_at_any_speed_and_with_any_method() {
    for overrides in [
        &[
            "integration.time_scale=25",
            "command.rate=1000Hz",
            "command.method=ramp",
        ][..],
        &["integration.method=newmark-iterated"],
        &["integration.method=alpha-os"],
        &["integration.method=rk4"],
    ] {
        let (plain, end) = run(test(&plan_text(3, ""), overrides));
        assert_eq!(end, Progress::Complete, "{overrides:?}");
        let linked = run(test(&plan_text(3, PLANE_THREE), overrides)).0;
        let error = apart(&linked, &plain);
        assert!(error < 1e-10, "{overrides:?}: {error:e}");
    }
}

/// One actuator at 30° to two degrees of freedom feels a spring along itself: K = k n n'.
#[test]
fn a_specimen_along_its_actuator_is_projected() {
    let (c, s) = (30_f64.to_radians().cos(), 30_f64.to_radians().sin());
    let along = plan_text(
        2,
        &format!("[kinematics]\nmethod = \"one-actuator\"\ndirection = [{c}, {s}]"),
    );
    let along = along.split("[rig.specimen]").next().unwrap().to_owned()
        + "[rig]\nspecimen_at = \"actuators\"\n[rig.specimen]\nstiffness = [\"20 kN/m\"]\n";
    let plain = plan_text(2, "")
        .split("[rig.specimen]")
        .next()
        .unwrap()
        .to_owned()
        + &format!(
            "[rig.specimen]\nstiffness_matrix = [[{}, {}], [{}, {}], \"kN/m\"]\n",
            20.0 * c * c,
            20.0 * c * s,
            20.0 * c * s,
            20.0 * s * s
        );
    let along = test(&along, AS_WRITTEN);
    assert_eq!(
        (along.physical.actuators, along.outline.interface.len()),
        (1, 2)
    );
    let names: Vec<String> = along
        .hybrid()
        .unwrap()
        .channels()
        .iter()
        .map(|channel| channel.name.clone())
        .collect();
    for name in [
        "target/1",
        "measured_force/1",
        "interface_displacement/2",
        "interface_force/2",
    ] {
        assert!(
            names.iter().any(|known| known == name),
            "{name} of {names:?}"
        );
    }
    assert!(!names.iter().any(|known| known == "target/2"));
    let (plain, end) = run(test(&plain, AS_WRITTEN));
    assert_eq!(end, Progress::Complete);
    let error = apart(&run(along).0, &plain);
    assert!(error < 1e-10, "{error:e}");
}

/// A coupler turned beyond what its arms allow cannot be: the test stops and says why.
#[test]
fn impossible_strokes_stop_the_test() {
    let short = "[kinematics]\nmethod = \"coupler\"\nreach = \"80 mm\"\narm = \"60 mm\"";
    let noisy = plan_text(2, short) + "[rig.sensors]\ndisplacement_noise = \"90 mm\"\n";
    let (_, end) = run(test(&noisy, AS_WRITTEN));
    assert!(
        matches!(end, Progress::Act(_, Cause::Limit(trip)) if trip.limit == Limit::Linkage),
        "{end:?}"
    );
}
