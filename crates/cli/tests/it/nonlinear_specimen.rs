//! Specimens of nonlinear materials through whole runs: with an ideal rig the test is the undivided
//! nonlinear structure.

use tandem::assemble::Test;
use tandem_coordinator::ReferenceRun;
use tandem_test_support::peak;
use tandem_test_support::plans::{from_reference, test};

const PLAN: &str = r#"
[excitation]
record = "el-centro-1940"
[structure]
kind = "shear-building"
masses = [1000, 900, 800, "kg"]
stiffnesses = [3500, 2800, 2000, "kN/m"]
[structure.damping]
method = "rayleigh"
ratio = 0.03
[interface]
dof = [1, 2]
[integration]
method = "newmark-explicit"
dt = "2 ms"
duration = "10 s"
"#;

fn build(rest: &str, overrides: &[&str]) -> Test {
    test(&format!("{PLAN}{rest}"), overrides)
}

/// Largest difference from the reference, its peak, and displacement, force and velocity of the
/// first actuator.
fn run(test: Test, reference: &ReferenceRun) -> (f64, f64, Vec<[f64; 3]>) {
    let mut path = Vec::new();
    let (worst, peak) = from_reference(test, reference, |hybrid| {
        let truth = hybrid.parts().rig.observe().truth().unwrap();
        let motion = &truth.motion;
        path.push([motion.displacement[0], truth.force[0], motion.velocity[0]]);
    });
    (worst, peak, path)
}

const LAWS: [&str; 4] = [
    "[[rig.specimen.material]]\nkind = \"bilinear\"\nstiffness = \"1200 kN/m\"\n\
    yield_force = \"6 kN\"\nhardening = 0.05\n",
    "[[rig.specimen.material]]\nkind = \"steel02\"\nstiffness = \"1200 kN/m\"\n\
    yield_force = \"6 kN\"\nhardening = 0.05\n",
    "[[rig.specimen.material]]\nkind = \"bouc-wen\"\nstiffness = \"1200 kN/m\"\n\
    yield_force = \"6 kN\"\nhardening = 0.05\n",
    "[[rig.specimen.material]]\nkind = \"viscous\"\ncoefficient = \"20 kN\"\nexponent = 1.0\n",
];

#[test]
fn an_ideal_test_is_the_undivided_nonlinear_structure() {
    for law in LAWS {
        for between in ["ground", "dofs"] {
            for method in ["newmark-explicit", "alpha-os", "central-difference"] {
                let rest = format!(
                    "[rig.specimen]\nkind = \"materials\"\nbetween = \"{between}\"\n\
                    mass = [60, 50, \"kg\"]\ndamping = [300, 200, \"N*s/m\"]\n{law}"
                );
                let method = format!("integration.method={method}");
                // A step that explicit methods with the specimen's damping in them can take.
                let test = build(&rest, &[&method, "integration.dt=1ms"]);
                assert!(test.warnings.is_empty(), "{:?}", test.warnings);
                let reference = test.reference().unwrap();
                let (worst, peak, path) = run(test, &reference);
                assert!(peak > 5e-3, "{law}: {peak}");
                assert!(
                    worst < 1e-8 * peak,
                    "{method}, {between}, {law}: {worst:e} of {peak:e}"
                );
                assert!(path.iter().any(|[_, f, _]| f.abs() > 500.0));
            }
        }
    }
}

/// One law against its own closed form: an elastic–plastic spring never gives more than its yield
/// force, and dissipates.
#[test]
fn a_yielding_specimen_yields() {
    let law = "[[rig.specimen.material]]\nkind = \"elastic-plastic\"\nstiffness = \"1200 kN/m\"\n\
        yield_force = \"6 kN\"\n";
    let test = build(
        &format!("[rig.specimen]\nkind = \"materials\"\n{law}"),
        &["interface.dof=[1]"],
    );
    let reference = test.reference().unwrap();
    let (worst, largest, path) = run(test, &reference);
    assert!(worst < 1e-9 * largest);
    let top = peak(&path.iter().map(|[_, f, _]| *f).collect::<Vec<_>>());
    assert!((top - 6e3).abs() < 1e-6, "{top}");
    let work: f64 = path
        .windows(2)
        .map(|w| 0.5 * (w[0][1] + w[1][1]) * (w[1][0] - w[0][0]))
        .sum();
    assert!(work > 0.5, "{work} J");
}

/// At its fracture the force drops to zero and stays there, in the test as in the reference.
#[test]
fn a_broken_specimen_has_no_force() {
    let test = build(
        "[rig.specimen]\nkind = \"materials\"\nfracture = \"4 mm\"\n[[rig.specimen.material]]\n\
        kind = \"elastic\"\nstiffness = \"1200 kN/m\"\n",
        &["interface.dof=[1]"],
    );
    let reference = test.reference().unwrap();
    let (worst, peak, path) = run(test, &reference);
    assert!(worst < 1e-9 * peak, "{worst:e} of {peak:e}");
    let broken = path.iter().position(|[x, ..]| x.abs() > 4e-3).unwrap();
    assert!(
        path[..broken]
            .iter()
            .all(|[x, f, _]| (f - 1.2e6 * x).abs() < 1e-6)
    );
    assert!(path[broken..].iter().all(|[_, f, _]| f.abs() < 1e-6));
}

/// The damper of Spencer et al. 1997 under a slow sine: once z has settled, f = c x' + k x ± α
/// √(A/(β + γ)).
#[test]
fn the_mr_damper_gives_its_published_force() {
    let test = build(
        "[rig.specimen]\nkind = \"mr-damper\"\nvoltage = 2.25\n",
        &["interface.dof=[1]", "interface.partition=add"],
    );
    let c = 2100.0 + 2.25 * 350.0;
    let (k, alpha) = (4690.0, 14e3 + 2.25 * 69.5e3);
    let z = (301.0_f64 / 7.26e6).sqrt();
    assert!(
        (test.physical.specimen.damping[0] - c).abs() < 1e-9,
        "{:?}",
        test.physical.specimen
    );
    let reference = test.reference().unwrap();
    let (worst, peak, path) = run(test, &reference);
    assert!(worst < 1e-8 * peak, "{worst:e} of {peak:e}");
    // Where the motion is fast the hysteretic part is at its bound: the force is within the sum of
    // the three parts.
    let bound = |x: f64, v: f64| c * v.abs() + k * x.abs() + alpha * z;
    let mut near = 0.0_f64;
    for [x, f, v] in path.iter().filter(|[_, f, _]| f.abs() > 100.0) {
        let share = f.abs() / bound(*x, *v);
        assert!(share < 1.0 + 1e-9, "{share}");
        near = near.max(share);
    }
    assert!(near > 0.999, "{near}");
}

/// A law along one inclined actuator: the reference sees it through the same linkage.
#[test]
fn a_yielding_brace_behind_a_linkage_equals_the_undivided_structure() {
    let test = build(
        "[kinematics]\nmethod = \"one-actuator\"\ndirection = [0.6, 0.8]\n[rig]\n\
        specimen_at = \"actuators\"\n[rig.specimen]\nkind = \"materials\"\n\
        [[rig.specimen.material]]\nkind = \"bilinear\"\nstiffness = \"1200 kN/m\"\n\
        yield_force = \"6 kN\"\nhardening = 0.05\n",
        &[],
    );
    let reference = test.reference().unwrap();
    let (worst, peak, path) = run(test, &reference);
    assert!(worst < 1e-9 * peak, "{worst:e} of {peak:e}");
    assert!(path.iter().any(|[_, f, _]| f.abs() > 6e3));
}
