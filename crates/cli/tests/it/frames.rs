//! Frames of a plan, through the whole program: against published figures, the builder of the
//! library, and each other.

mod keys;

use std::path::PathBuf;

use tandem::assemble::Test;
use tandem_frame::material::{Elastic, Material, Steel02};
use tandem_frame::model::{Dof, LoadCase, Member, MemberMass, ModelBuilder, apply_gravity};
use tandem_frame::section::shape::{IShape, i_shape};
use tandem_frame::transformation::Geometry;
use tandem_report::StructurePicture;
use tandem_structure::Structure;
use tandem_structure::modes::modes;
use tandem_test_support::plans::{AS_WRITTEN, from_reference, plan_file, refusal, test, test_file};
use tandem_test_support::{apart, data, example, peak};

fn lnec() -> PathBuf {
    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/plans/lnec.toml").into()
}

fn dof(test: &Test, name: &str) -> usize {
    (0..test.outline.whole.properties().dof())
        .find(|dof| test.outline.whole.properties().label(*dof) == name)
        .unwrap_or_else(|| panic!("no {name}"))
}

/// Peak (mm), its time (s) and the last value (mm) of one degree of freedom.
fn figures(history: &[f64], dt: f64) -> [f64; 3] {
    let (mut peak, mut when) = (0.0_f64, 0.0);
    for (step, value) in history.iter().enumerate() {
        if value.abs() > peak {
            (peak, when) = (value.abs(), step as f64 * dt);
        }
    }
    [1e3 * peak, when, 1e3 * history.last().unwrap()]
}

#[test]
fn the_lnec_frame_has_its_frequencies() {
    let test = test_file(&lnec(), AS_WRITTEN);
    let found = modes(test.outline.whole.properties(), 3).unwrap();
    for (got, expected) in found.frequencies_hz.iter().zip([1.0800, 29.863, 42.213]) {
        assert!((got - expected).abs() < 5e-4, "{got} instead of {expected}");
    }
    assert_eq!(test.outline.whole.properties().kind, "plane frame");
}

/// Table of the specification: α-OS with α = −0.1 and 4 ms; the yielding run against a second
/// program.
#[test]
fn the_lnec_frame_shakes_as_published() {
    if data("ground-motions/elcentro_ns_g_dt0p02.txt").is_none() {
        return;
    }
    for (peak, expected, tolerance) in [
        ("0.2943 m/s^2", [13.746_179, 6.036, -1.333_737], 1.3e-5),
        ("3.1276242 m/s^2", [80.1830, 2.892, -13.1387], 8e-3),
    ] {
        let test = test_file(&lnec(), &[&format!("excitation.peak={peak}")]);
        let top = dof(&test, "A1 ux");
        let got = figures(&test.reference().unwrap().history(top), test.outline.dt);
        println!("{peak}: {got:?}");
        for (got, expected) in got.iter().zip(expected) {
            assert!(
                (got - expected).abs() <= tolerance,
                "{peak}: {got} instead of {expected}"
            );
        }
    }
}

/// The outer column in the laboratory, on a perfect actuator: the sum of both parts is the whole,
/// yielding or not.
#[test]
fn an_ideal_test_of_the_lnec_column_is_the_undivided_frame() {
    let specimen = "interface.members=[\"Exp\", \"base\"]";
    let short = "integration.duration=6s";
    for peak in ["0.3 m/s^2", "4 m/s^2"] {
        let peak = format!("excitation.peak={peak}");
        let test = test_file(&lnec(), &[specimen, short, &peak, "rig.kind=virtual"]);
        assert_eq!(test.outline.interface.len(), 2, "ux and uy of the top");
        assert!(
            !test
                .hybrid()
                .unwrap()
                .parts()
                .rig
                .properties()
                .specimen_is_linear
        );
        let reference = test.reference().unwrap();
        let top = dof(&test, "A1 ux");
        let (worst, largest) = from_reference(test, &reference, |_| {});
        assert!(worst < 1e-12 * largest, "{worst} of {largest}");

        // The reference with the specimen condensed is that of the whole model to what the
        // splitting leaves open.
        let whole = test_file(&lnec(), &[short, &peak]);
        let expected = whole.reference().unwrap().history(dof(&whole, "A1 ux"));
        let error = apart(&reference.history(top), &expected);
        println!("condensed or not: {error:e}");
        assert!(error < 2e-3, "{error}");
    }
}

/// Every member in the laboratory: the numerical part is mass and damping.
#[test]
fn a_frame_without_numerical_members_is_mass_and_damping() {
    let test = test_file(
        &lnec(),
        &[
            "interface.members=[\"Exp\", \"base\", \"columns\", \"beams\"]",
            "integration.duration=2s",
            "excitation.peak=4 m/s^2",
            "rig.kind=virtual",
        ],
    );
    assert_eq!(test.outline.whole.properties().dof(), 3);
    let numerical = &test
        .hybrid()
        .unwrap()
        .parts()
        .integrator
        .problem()
        .structure;
    assert!(
        numerical
            .properties()
            .stiffness
            .to_dense()
            .iter()
            .all(|k| k.abs() <= 0.0)
    );
    let reference = test.reference().unwrap();
    let (worst, peak) = from_reference(test, &reference, |_| {});
    assert!(worst < 1e-12 * peak, "{worst} of {peak}");
}

/// With only ux controlled, the top of the column is free to move up and down: half a roller.
#[test]
fn shared_degrees_of_freedom_that_are_not_controlled_are_free_in_the_specimen() {
    let test = test_file(
        &lnec(),
        &[
            "interface.members=[\"Exp\", \"base\"]",
            "interface.dof=[\"A1 ux\"]",
            "rig.kind=virtual",
        ],
    );
    assert_eq!(test.outline.interface.len(), 1);
    // 262.403 kN/m: the semi-rigid column of the specification.
    let stiffness = test.physical.specimen.stiffness[0];
    assert!((stiffness - 262.403e3).abs() < 1.0, "{stiffness}");
}

const PORTAL: &str = r#"
[excitation]
kind = "sine"
frequency = "1 Hz"
peak = "1 m/s^2"
duration = "2 s"
[structure]
kind = "frame"
[structure.grid]
bays = ["5 m"]
storeys = [3.5, 3.0, "m"]
[[structure.material]]
name = "steel"
kind = "steel02"
modulus = "210 GPa"
yield_stress = "355 MPa"
hardening = 0.01
[[structure.section]]
name = "box"
kind = "i-shape"
height = "300 mm"
width = "200 mm"
web = "10 mm"
flange = "15 mm"
material = "steel"
[[structure.section]]
name = "stiff"
kind = "elastic"
modulus = "210 GPa"
area = "80 cm^2"
inertia = "20000 cm^4"
shear_area = "30 cm^2"
[[structure.member]]
name = "columns"
along = "columns"
section = "box"
points = 4
geometry = "p-delta"
[[structure.member]]
name = "beams"
along = "beams"
section = "stiff"
element = "elastic"
mass = "500 kg/m"
[[structure.member]]
name = "roof"
along = "beams"
storeys = [2]
section = "stiff"
element = "elastic"
release = ["end"]
mass = "300 kg/m"
mass_matrix = "consistent"
[[structure.support]]
nodes = ["A0"]
[[structure.support]]
nodes = ["B0"]
fix = ["ux", "uy"]
[[structure.mass]]
nodes = ["floors"]
total = "8 t"
[structure.gravity]
weight = true
[[structure.gravity.line]]
members = ["roof"]
load = "4 kN/m"
[[structure.gravity.load]]
nodes = ["A1"]
force = "50 kN"
[integration]
method = "newmark"
dt = "10 ms"
"#;

#[test]
fn a_plan_makes_the_model_that_the_builder_makes() {
    let test = test(PORTAL, AS_WRITTEN);
    let steel = Steel02::new(355e6, 210e9, 0.01)
        .and_then(|law| law.with_curve(20.0, 0.925, 0.15))
        .unwrap();
    let shape = IShape {
        height: 0.3,
        width: 0.2,
        web: 0.01,
        flange: 0.015,
    };
    let section = i_shape(&steel.into(), shape, (4, 1), (16, 1))
        .unwrap()
        .build_2d()
        .unwrap();
    let mut frame = ModelBuilder::plane();
    for (node, place) in [
        [0.0, 0.0],
        [5.0, 0.0],
        [0.0, 3.5],
        [5.0, 3.5],
        [0.0, 6.5],
        [5.0, 6.5],
    ]
    .into_iter()
    .enumerate()
    {
        frame.node(node, place).unwrap();
    }
    frame.fix_all(0).unwrap();
    frame.fix(1, &[Dof::Ux, Dof::Uy]).unwrap();
    let column = Member::force_based(section, 4).with_geometry(Geometry::PDelta);
    for (number, nodes) in [[0, 2], [1, 3], [2, 4], [3, 5]].into_iter().enumerate() {
        frame.member(number, nodes, &column).unwrap();
    }
    let beam = Member::elastic(210e9, 80e-4, 2e-4).with_shear(210e9 / 2.6 * 30e-4, 0.0);
    frame
        .member(
            4,
            [2, 3],
            &beam.clone().with_mass(MemberMass::Lumped(500.0)),
        )
        .unwrap();
    let hinge = Material::from(Elastic::new(0.0).unwrap());
    let roof = beam
        .with_hinges([None, Some(hinge)])
        .with_mass(MemberMass::Consistent(300.0));
    frame.member(5, [4, 5], &roof).unwrap();
    let g = tandem_quantity::STANDARD_GRAVITY;
    let mut loads = LoadCase::new().nodal(2, Dof::Uy, -50e3);
    for node in 2..6 {
        frame
            .mass(node, &[(Dof::Ux, 2000.0), (Dof::Uy, 2000.0)])
            .unwrap();
        loads = loads.nodal(node, Dof::Uy, -2000.0 * g);
    }
    // A beam from left to right has its local y upwards.
    loads = loads
        .uniform(4, [0.0, -500.0 * g, 0.0])
        .uniform(5, [0.0, -300.0 * g - 4e3, 0.0]);
    let mut model = frame.build().unwrap();
    apply_gravity(&mut model, &loads, 10).unwrap();
    assert_eq!(
        test.outline.whole.properties().dof(),
        model.properties().dof()
    );
    for (what, ours, theirs) in [
        (
            "mass",
            &test.outline.whole.properties().mass,
            &model.properties().mass,
        ),
        (
            "stiffness",
            &test.outline.whole.properties().stiffness,
            &model.properties().stiffness,
        ),
    ] {
        for (got, expected) in ours.to_dense().iter().zip(theirs.to_dense()) {
            assert!(
                (got - expected).abs() <= 1e-9 * expected.abs().max(1.0),
                "{what}: {got} {expected}"
            );
        }
    }
    let frame = test.frame().unwrap();
    assert_eq!(frame.dof("B2 uy"), Some(dof(&test, "B2 uy")));
    let sagged = frame
        .model
        .node_displacement(frame.model.node_named("A1").unwrap(), Dof::Uy)
        .unwrap();
    assert!(
        (sagged - model.node_displacement(2, Dof::Uy).unwrap()).abs() < 1e-12 && sagged < -1e-5
    );
}

/// One storey on four equal columns, a rigid floor with the mass off the middle: closed form by
/// hand for a shear floor with fixed–fixed columns (12EI/h³ each way, torsion about the centre).
#[test]
fn a_rigid_floor_in_space_sways_and_turns() {
    let text = r#"
[excitation]
kind = "sine"
frequency = "1 Hz"
peak = "1 m/s^2"
duration = "1 s"
[structure]
kind = "frame"
space = "space"
[structure.grid]
bays = ["4 m"]
depths = ["4 m"]
storeys = ["3 m"]
[[structure.node]]
name = "centre"
at = [2, 2, 3, "m"]
[[structure.section]]
name = "column"
kind = "elastic"
modulus = "200 GPa"
area = "100 cm^2"
inertia = "5000 cm^4"
weak_inertia = "5000 cm^4"
torsion = "10 cm^4"
[[structure.section]]
name = "floor"
kind = "elastic"
modulus = "200 GPa"
area = "1 m^2"
inertia = "10 m^4"
weak_inertia = "10 m^4"
torsion = "10 m^4"
[[structure.member]]
name = "columns"
along = "columns"
section = "column"
element = "elastic"
[[structure.member]]
name = "beams"
along = "beams"
section = "floor"
element = "elastic"
[[structure.member]]
name = "cross"
along = "cross-beams"
section = "floor"
element = "elastic"
[[structure.support]]
nodes = ["base"]
[[structure.diaphragm]]
nodes = ["level 1"]
centre = "centre"
[[structure.mass]]
nodes = ["centre"]
mass = "20 t"
dof = ["ux", "uy"]
rotary = "60000 kg*m^2"
[integration]
method = "newmark"
dt = "10 ms"
"#;
    let test = test(text, AS_WRITTEN);
    let sway: f64 = 4.0 * 12.0 * 200e9 * 5000e-8 / 27.0;
    let turn = sway * 8.0; // each column stands √8 m from the centre
    let found = modes(test.outline.whole.properties(), 3).unwrap();
    let expected = [
        (sway / 20e3).sqrt(),
        (sway / 20e3).sqrt(),
        (turn / 60e3).sqrt(),
    ];
    for (got, expected) in found
        .frequencies_hz
        .iter()
        .zip(expected.map(|w| w / std::f64::consts::TAU))
    {
        // Axial flexibility of the columns lets the floor rock by a little.
        assert!(
            (got / expected - 1.0).abs() < 0.01,
            "{got} instead of {expected}"
        );
    }
    assert_eq!(test.outline.whole.properties().kind, "space frame");
}

#[test]
fn mistakes_are_told_with_their_place() {
    for (overrides, parts) in [
        (
            &["structure.member.0.section=boxx"][..],
            &["there is no section `boxx`", "did you mean `box`?"][..],
        ),
        (
            &["structure.section.0.material=Steel"],
            &["there is no material `Steel`", "`steel`"],
        ),
        (
            &["structure.support.1.nodes=[\"C0\"]"],
            &["there is no node `C0`"],
        ),
        (
            &["structure.support.1.nodes=[\"level 7\"]"],
            &["`level 7` is not on the grid", "0 (base) to 2"],
        ),
        (
            &["structure.support.1.fix=[\"uz\"]"],
            &["`uz` is not a degree of freedom", "ux, uy, rz"],
        ),
        (
            &[
                "structure.support.0.fix=[\"uy\"]",
                "structure.support.1.fix=[\"uy\"]",
            ],
            &["mechanism"],
        ),
        (
            &["structure.member.1.storeys=[3]"],
            &["3 is not on the grid", "1 to 2"],
        ),
        (
            &["structure.gravity.line.0.members=[\"rof\"]"],
            &["there is no group `rof`", "did you mean `roof`?"],
        ),
        (
            &["interface.dof=[\"B9 ux\"]", "rig.kind=virtual"],
            &["`B9 ux` is not a free degree of freedom"],
        ),
        (
            &["interface.members=[\"column\"]", "rig.kind=virtual"],
            &["there is no group `column`", "`columns`"],
        ),
        (
            &[
                "interface.members=[\"columns\"]",
                "interface.dof=[\"A1 ux\"]",
                "rig.kind=virtual",
            ],
            &["nothing holds"],
        ),
    ] {
        let said = refusal(PORTAL, overrides);
        for part in parts {
            assert!(said.contains(part), "{overrides:?}: {said}");
        }
    }
    // Far beyond what the columns carry before the frame falls over.
    let said = refusal(PORTAL, &["structure.gravity.load.0.force=400 MN"]);
    assert!(said.contains("constant loads"), "{said}");
    let no_length = PORTAL.replace(
        "along = \"columns\"",
        "between = [\"A0 A0\", \"A0 A1\", \"B0 B1\", \"A1 A2\", \"B1 B2\"]",
    );
    assert!(refusal(&no_length, AS_WRITTEN).contains("has no length"));
}

/// A column of P-Delta members under twice its critical load: the damping asks for a mode that does
/// not swing.
#[test]
fn a_frame_that_buckles_under_its_weight_is_told_so() {
    let text = r#"
[excitation]
kind = "none"
duration = "1 s"
[structure]
kind = "frame"
[structure.damping]
method = "mass-proportional"
ratio = "2 %"
[structure.grid]
bays = ["5 m"]
storeys = ["4 m"]
[[structure.section]]
name = "bar"
kind = "elastic"
modulus = "200 GPa"
area = "36 cm^2"
inertia = "108 cm^4"
[[structure.member]]
name = "columns"
along = "columns"
section = "bar"
element = "elastic"
geometry = "p-delta"
[[structure.member]]
name = "beams"
along = "beams"
section = "bar"
element = "elastic"
[[structure.support]]
nodes = ["base"]
[[structure.mass]]
nodes = ["floors"]
total = "2 t"
[[structure.gravity.load]]
nodes = ["A1", "B1"]
force = "200 kN"
[integration]
method = "newmark"
dt = "10 ms"
"#;
    let said = refusal(text, AS_WRITTEN);
    assert!(
        said.contains("unstable under its constant loads") && said.contains("mode 1"),
        "{said}"
    );
}

#[test]
fn nodes_at_which_nothing_ends_are_noted() {
    let text = format!("{PORTAL}\n[[structure.node]]\nname = \"lost\"\nat = [9, 9, \"m\"]\n");
    let notes = test(&text, AS_WRITTEN).outline.notes;
    assert!(notes.iter().any(|note| note.contains("lost")), "{notes:?}");
    assert!(
        !test(PORTAL, AS_WRITTEN)
            .outline
            .notes
            .iter()
            .any(|note| note.contains("ends there"))
    );
}

#[test]
fn wide_structures_are_drawn_over_the_full_width() {
    let test = test_file(&example("long-frame/plan.toml"), AS_WRITTEN);
    let picture =
        StructurePicture::of(&test, &modes(test.outline.whole.properties(), 3).unwrap()).unwrap();
    let svg = picture.svg();
    let numbers = |key: &str| -> Vec<f64> {
        svg.split(&format!(" {key}=\""))
            .skip(1)
            .filter_map(|rest| rest.split('"').next()?.parse().ok())
            .collect()
    };
    let (x, y) = (numbers("x1"), numbers("y1"));
    let span = |values: &[f64]| {
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        most - values.iter().copied().fold(f64::INFINITY, f64::min)
    };
    assert!(span(&x) > 600.0, "{}", span(&x));
    // Four drawings, one below the other.
    assert!(span(&y) > 200.0, "{}", span(&y));
}

/// What a rotation is measured in, and a picture that marks the specimen.
#[test]
fn rotations_have_their_units_and_the_specimen_its_colour() {
    let test = test(
        PORTAL,
        &["interface.members=[\"roof\"]", "rig.kind=virtual"],
    );
    let channels = test.hybrid().unwrap().channels();
    let unit = |name: &str| {
        let channel = channels.iter().find(|channel| channel.name == name);
        channel.unwrap().unit.clone()
    };
    let labels: Vec<&str> = test
        .outline
        .interface
        .iter()
        .map(|dof| test.outline.whole.properties().label(*dof))
        .collect();
    assert_eq!(labels, ["A2 ux", "A2 uy", "A2 rz", "B2 ux", "B2 uy"]);
    assert_eq!(unit("target/3"), "rad");
    assert_eq!(unit("measured_force/3"), "N*m");
    assert_eq!(unit("measured_force/4"), "N");
    let picture =
        StructurePicture::of(&test, &modes(test.outline.whole.properties(), 3).unwrap()).unwrap();
    let svg = picture.svg();
    // One beam of six members, in the drawing and in three modes with their ghosts.
    assert_eq!(svg.matches("vermilion").count(), 7);
    assert_eq!(svg.matches("<line").count(), 7 * 6);
    assert!(svg.contains("mode 1: ") && svg.contains(">B2</text>"));
}

/// One lateral degree of freedom with mass, rotations and verticals without: the critical delay is
/// that of the single oscillator, C/K_e to first order in the delay, C = 0.2714336 · 25 967.51 kg/s
/// and K_e = 262.403 kN/m.
#[test]
fn massless_degrees_of_freedom_do_not_spoil_the_critical_delay() {
    let plan = plan_file(
        &lnec(),
        &[
            "interface.members=[\"Exp\", \"base\"]",
            "interface.dof=[\"A1 ux\"]",
            "rig.kind=virtual",
            "excitation.record=el-centro-1940",
        ],
    );
    let checked = tandem::check::check(&plan).unwrap();
    let delay = checked.stability.exact.seconds().unwrap();
    let expected = 0.271_433_6 * 25_967.51 / 262.403e3;
    assert!((delay / expected - 1.0).abs() < 0.01, "{delay} {expected}");
}
