//! Moving supports, reduction, aggregated sections and dampers, as a plan writes them.

use std::process::Command;

use tandem_frame::element::MrDamperLaw;
use tandem_frame::model::{Dof, ModelBuilder};
use tandem_structure::Structure;
use tandem_test_support::{json_numbers, last_json, python};

use super::*;

/// The viaduct of the example, fibres and all, beside OpenSees with one ground motion for each
/// pier.
#[test]
fn supports_that_are_shaken_one_after_the_other_are_those_of_opensees() {
    let Some(python) = python(&["numpy", "openseespy.opensees"]) else {
        return;
    };
    let script = example("long-frame/opensees.py");
    let peer = last_json(&Command::new(python).arg(script).output().unwrap());
    let test = test_file(&example("long-frame/plan.toml"), AS_WRITTEN);
    let reference = test.reference().unwrap();
    let axes = ["A", "B", "C", "D", "E", "F"];
    let [most, last] = ["peak_m", "final_m"].map(|key| json_numbers(&peer[key]));
    assert_eq!((most.len(), last.len()), (axes.len(), axes.len()));
    for (axis, (peak, last)) in axes.into_iter().zip(most.into_iter().zip(last)) {
        let history = reference.history(dof(&test, &format!("{axis}1 ux")));
        let most = super::peak(&history);
        assert!((most - peak).abs() < 1e-7 * peak, "{axis}: {most} {peak}");
        let end = history.last().unwrap();
        assert!((end - last).abs() < 1e-7 * peak, "{axis}: {end} {last}");
    }
}

const SWAYING: &str = r#"
[excitation]
kind = "none"
duration = "4 s"
[structure]
kind = "frame"
support_baseline = "none"
[structure.grid]
bays = [6, 6, "m"]
storeys = [4, 3, "m"]
[[structure.section]]
name = "elastic"
kind = "elastic"
modulus = "210 GPa"
area = "100 cm^2"
inertia = "10000 cm^4"
[[structure.member]]
name = "columns"
along = "columns"
section = "elastic"
element = "elastic"
[[structure.member]]
name = "beams"
along = "beams"
section = "elastic"
element = "elastic"
[[structure.support]]
nodes = ["base"]
[[structure.mass]]
nodes = ["floors"]
mass = "10 t"
dof = ["ux"]
[integration]
method = "newmark"
dt = "1 ms"
"#;

const PULSE: &str =
    r#"{kind="pulse", duration="4 s", dt="1 ms", peak="2 m/s^2", start="1 s", length="0.8 s"}"#;

/// Supports that all move with the same pulse on ground at rest carry the frame along: its
/// displacement is that of the ground and, on top of it, what the same pulse makes of it as a
/// uniform excitation.
#[test]
fn supports_with_one_motion_of_their_own_are_a_uniform_excitation() {
    let damping = "structure.damping={method=\"stiffness-proportional\", ratio=0.05}";
    let own = format!("structure.support=[{{nodes=[\"base\"], motion={PULSE}}}]");
    let moved = test(SWAYING, &[damping, &own]);
    assert_eq!(moved.outline.whole.properties().moving_supports, 1);
    let shaken = test(SWAYING, &[damping, &format!("excitation={PULSE}")]);
    let top = "A2 ux";
    let absolute = moved.reference().unwrap().history(dof(&moved, top));
    let relative = shaken.reference().unwrap().history(dof(&shaken, top));
    let ground = tandem_signal::record::GroundDisplacement::of(&shaken.outline.record);
    let carried = absolute.iter().enumerate();
    let carried = carried.map(|(step, total)| total - ground.at(step as f64 * shaken.outline.dt).0);
    let error = apart(&carried.collect::<Vec<_>>(), &relative);
    assert!(error < 2e-5, "{error}");
}

#[test]
fn supports_are_told_where_they_cannot_move() {
    let wrong = [
        (
            vec![
                "structure.support=[{nodes=[\"base\"], fix=[\"uy\", \"rz\"], amplitude=2}, \
                {nodes=[\"A1\"], fix=[\"ux\"]}]",
            ],
            "not held in the direction",
        ),
        (
            vec![
                "structure.wave_speed=300 m/s",
                "structure.reduction={method=\"static\"}",
            ],
            "only a linear structure",
        ),
        (
            vec![
                "structure.wave_speed=300 m/s",
                "interface.members=[\"columns\"]",
                "rig.kind=virtual",
            ],
            "a motion of its own",
        ),
        (
            vec!["structure.reduction={method=\"static\", keep=[\"Z9 ux\"]}"],
            "not a free degree of freedom",
        ),
        (
            vec!["structure.reduction={method=\"craig-bampton\", band=\"5 Hz\"}"],
            "nothing stays",
        ),
    ];
    for (set, expected) in wrong {
        let text = refusal(SWAYING, &set);
        assert!(text.contains(expected), "{expected}:\n{text}");
    }
}

/// Rotations and verticals have no mass here: without them the frame is the same one.
#[test]
fn statics_removes_what_has_no_mass_without_a_trace() {
    let shaken = format!("excitation={PULSE}");
    let whole = test(SWAYING, &[&shaken]);
    let few = test(SWAYING, &[&shaken, "structure.reduction.method=static"]);
    assert_eq!(
        (
            whole.outline.whole.properties().dof(),
            few.outline.whole.properties().dof()
        ),
        (18, 6)
    );
    assert!(
        few.outline
            .notes
            .iter()
            .any(|note| note.contains("from 18"))
    );
    let (a, b) = (whole.reference().unwrap(), few.reference().unwrap());
    for name in ["A1 ux", "C2 ux"] {
        let (a, b) = (a.history(dof(&whole, name)), b.history(dof(&few, name)));
        assert!(apart(&b, &a) < 1e-7, "{name}");
    }
}

/// With all inner modes nothing is lost; with few of them the error is told, and it is not larger.
#[test]
fn craig_and_bampton_tell_their_error() {
    let set = |modes: &str| {
        let reduced = format!(
            "structure.reduction={{method=\"craig-bampton\", keep=[\"B2 ux\"], band=\"4 \
            Hz\"{modes}}}"
        );
        test(SWAYING, &[&format!("excitation={PULSE}"), &reduced])
    };
    let whole = test(SWAYING, &[&format!("excitation={PULSE}")]);
    let expected = whole.reference().unwrap().history(dof(&whole, "B2 ux"));
    let apart = |test: &Test| {
        let got = test.reference().unwrap().history(dof(test, "B2 ux"));
        apart(&got, &expected)
    };
    let all = set(", modes=5");
    assert_eq!(all.outline.whole.properties().dof(), 6);
    assert!(apart(&all) < 1e-7, "{}", apart(&all));
    let one = set(", modes=1");
    assert_eq!(one.outline.whole.properties().dof(), 2);
    let told = one.reduction().unwrap().summary();
    let bound = told.bound.unwrap().apparent_mass_error;
    let frequencies = told.compared.unwrap().frequency_error;
    assert!(bound > 0.0 && bound < 0.05, "{bound}");
    assert!(frequencies < 0.05, "{frequencies}");
    let error = apart(&one);
    assert!(error > 1e-6 && error < 0.02, "{error}");
}

/// One pier in the laboratory: with the rest reduced, the test stays equal to its undivided
/// structure, and near the one that is not reduced.
#[test]
fn the_numerical_part_of_a_test_can_be_reduced() {
    let short = "integration.duration=4s";
    let reduced = test_file(&example("long-frame/pier-reduced.toml"), &[short]);
    let whole = test_file(&example("long-frame/pier.toml"), &[short]);
    assert!(2 * reduced.outline.whole.properties().dof() < whole.outline.whole.properties().dof());
    let (a, b) = (reduced.reference().unwrap(), whole.reference().unwrap());
    let name = "I2 ux";
    let (got, expected) = (a.history(dof(&reduced, name)), b.history(dof(&whole, name)));
    let error = apart(&got, &expected);
    println!("reduced or not: {error:e}");
    assert!(error < 0.01, "{error}");
    let (worst, peak) = from_reference(reduced, &a, |_| {});
    assert!(worst < 1e-9 * peak, "{worst} of {peak}");
}

const DAMPED: &str = r#"
[excitation]
kind = "none"
duration = "1 s"
[structure]
kind = "frame"
[[structure.node]]
name = "ground"
at = [0, 0, "m"]
[[structure.node]]
name = "mass"
at = [3, 4, "m"]
[[structure.damper]]
name = "brace"
kind = "mr"
between = ["ground mass"]
voltage = 1.5
[[structure.spring]]
name = "held"
between = ["ground mass"]
ux = { kind = "elastic", stiffness = "20 kN/m" }
uy = { kind = "elastic", stiffness = "20 kN/m" }
[[structure.support]]
nodes = ["ground"]
[[structure.support]]
nodes = ["mass"]
fix = ["rz"]
[[structure.mass]]
nodes = ["mass"]
mass = "1 t"
[integration]
method = "newmark-iterated"
dt = "5 ms"
"#;

/// The plan's damper is that of the library (which is checked against its equations), with the
/// constants of Dyke et al. 1996 in metres and the voltage worked in, along the line between its
/// nodes.
#[test]
fn a_plan_writes_a_magnetorheological_damper() {
    let mut model = test(DAMPED, AS_WRITTEN).frame().unwrap().model.clone();
    let mut expected = ModelBuilder::plane();
    expected.node(1, [0.0, 0.0]).unwrap();
    expected.node(2, [3.0, 4.0]).unwrap();
    expected.fix_all(1).unwrap();
    expected.fix(2, &[Dof::Rz]).unwrap();
    expected.mass(2, &[(Dof::Ux, 1e3), (Dof::Uy, 1e3)]).unwrap();
    let law = MrDamperLaw {
        viscous: [2100.0 + 1.5 * 350.0, 0.0],
        hysteretic: [14e3 + 1.5 * 69.5e3, 0.0],
        stiffness: 4.69e3,
        offset: 0.0,
        amplitude: 301.0,
        gamma: 363e4,
        beta: 363e4,
        exponent: 2.0,
    };
    expected.mr_damper(1, [1, 2], law).unwrap();
    let mut alone = expected.build().unwrap();
    for (dof, value) in [(0, 0.36), (1, 0.64)] {
        let viscous = model.properties().damping.get(dof, dof);
        assert!((viscous - value * 2625.0).abs() < 1e-9, "{viscous}");
    }
    for step in 0..200 {
        let t = 0.01 * f64::from(step);
        let (x, v) = (0.02 * (9.0 * t).sin(), 0.18 * (9.0 * t).cos());
        let (d, rate) = ([x, 0.5 * x], [v, 0.5 * v]);
        let (mut got, mut wanted) = ([0.0; 2], [0.0; 2]);
        model.restoring_force(&d, &rate, &mut got);
        alone.restoring_force(&d, &rate, &mut wanted);
        model.commit();
        alone.commit();
        for k in 0..2 {
            let spring = 20e3 * d[k];
            assert!((got[k] - spring - wanted[k]).abs() < 1e-6, "{got:?}");
        }
    }
    // It takes part in a run, and can be the specimen.
    let set = "excitation={kind=\"sine\", peak=\"3 m/s^2\", frequency=\"1 Hz\", duration=\"1 s\"}";
    let history = test(DAMPED, &[set]).reference().unwrap().history(0);
    assert!(history.iter().any(|x| x.abs() > 1e-4));
    let specimen = "interface.members=[\"brace\"]";
    let newton = "integration.method=alpha-os";
    let hybrid = test(DAMPED, &[set, specimen, newton, "rig.kind=virtual"]);
    let reference = hybrid.reference().unwrap();
    let (worst, peak) = from_reference(hybrid, &reference, |_| {});
    assert!(worst < 1e-9 * peak, "{worst} of {peak}");
}

#[test]
fn aggregated_sections_are_refused_where_they_do_not_fit() {
    let section = |text: &str| {
        format!(
            "structure.section=[{{name=\"base\", kind=\"elastic\", modulus=\"210 GPa\", area=\"1 \
            m^2\", inertia=\"1 m^4\"}}, {{name=\"elastic\", kind=\"aggregated\", {text}}}]"
        )
    };
    let shear = "shear={kind=\"elastic\", stiffness=\"5 MN\"}";
    let axial = "axial={kind=\"elastic\", stiffness=\"5 MN\"}";
    let element = |kind: &str| {
        format!(
            "structure.member=[{{name=\"columns\", along=\"columns\", section=\"elastic\", \
            element=\"{kind}\"}}]"
        )
    };
    for (laws, kind, expected) in [
        (
            format!("section=\"base\", {shear}"),
            "displacement-based",
            "no shear deformation",
        ),
        (
            format!("section=\"base\", {axial}"),
            "force-based",
            "has its law in",
        ),
        (axial.to_owned(), "force-based", "has no law"),
        (format!("{axial}, {shear}"), "elastic", "laws only"),
        (
            "section=\"base\"".to_owned(),
            "force-based",
            "there is no law",
        ),
        (
            format!("section=\"nothing\", {shear}"),
            "force-based",
            "no section `nothing`",
        ),
    ] {
        let text = refusal(SWAYING, &[&section(&laws), &element(kind)]);
        assert!(text.contains(expected), "{expected}:\n{text}");
    }
    // A good one: with elastic laws the member is Timoshenko's.
    let set = section(&format!("section=\"base\", {shear}"));
    let columns = test(SWAYING, &[&set, &element("force-based")]);
    let plain = "structure.section=[{name=\"elastic\", kind=\"elastic\", modulus=\"210 GPa\", \
        area=\"1 m^2\", inertia=\"1 m^4\", poisson=0.05, shear_area=\"0.5 cm^2\"}]";
    let expected = test(SWAYING, &[plain, &element("elastic")]);
    let (a, b) = (
        &columns.outline.whole.properties().stiffness,
        &expected.outline.whole.properties().stiffness,
    );
    for i in 0..a.order() {
        for j in 0..a.order() {
            let error = (a.get(i, j) - b.get(i, j)).abs();
            assert!(error < 1e-9 * b.get(i, i).abs().max(b.get(j, j).abs()));
        }
    }
}
