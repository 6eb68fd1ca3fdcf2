//! Elastic frames, P-Delta and large rotations against OpenSees 3.7.1 and closed forms.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::f64::consts::TAU;
use std::path::PathBuf;

use tandem_structure::Structure;
use tandem_structure::model::{
    Dof, LoadCase, Member, MemberMass, Model, ModelBuilder, StaticAnalysis, StaticSettings,
    apply_gravity,
};
use tandem_structure::modes::modes;
use tandem_structure::transformation::Geometry;

/// Rows of a reference file as text cells, without the header.
fn rows(file: &str) -> Option<Vec<Vec<String>>> {
    let Some(data) = std::env::var_os("TANDEM_DATA") else {
        println!("{file}: skipped, TANDEM_DATA is not set");
        return None;
    };
    let path = PathBuf::from(data).join("oracles").join(file);
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
    let rows: Vec<_> = text.lines().skip(1).map(cells).collect();
    assert!(rows.len() > 5, "{file} is short");
    Some(rows)
}

fn numbers(cells: &[String]) -> Vec<f64> {
    cells.iter().map(|cell| cell.parse().unwrap()).collect()
}

fn exact() -> StaticSettings {
    StaticSettings {
        tolerance: 1e-13,
        ..StaticSettings::default()
    }
}

const STEEL: f64 = 210e9;

fn column() -> Member {
    Member::elastic(STEEL, 0.00538, 4.18e-5)
}

fn beam() -> Member {
    Member::elastic(STEEL, 0.00845, 2.313e-4)
}

fn portal() -> ModelBuilder {
    let mut frame = ModelBuilder::plane();
    for (node, place) in [
        (1, [0.0, 0.0]),
        (2, [0.0, 3.0]),
        (3, [6.0, 3.0]),
        (4, [6.0, 0.0]),
    ] {
        frame.node(node, place).unwrap();
    }
    frame.fix_all(1).unwrap();
    frame.fix_all(4).unwrap();
    frame.member(1, [1, 2], &column()).unwrap();
    frame.member(2, [2, 3], &beam()).unwrap();
    frame.member(3, [4, 3], &column()).unwrap();
    // The parameter file has no masses; these follow from the sum and the product of the six squared frequencies.
    for node in [2, 3] {
        let masses = [(Dof::Ux, 1000.0), (Dof::Uy, 1000.0), (Dof::Rz, 10.0)];
        frame.mass(node, &masses).unwrap();
    }
    frame
}

fn three_storeys(column_mass: MemberMass, beam_mass: MemberMass) -> ModelBuilder {
    let mut frame = ModelBuilder::plane();
    for storey in 0..=3_usize {
        for line in 0..=2_usize {
            let place = [5.0 * line as f64, 3.2 * storey as f64];
            frame.node(100 * storey + line, place).unwrap();
            if storey == 0 {
                frame.fix_all(line).unwrap();
            }
        }
    }
    for storey in 1..=3 {
        for line in 0..=2 {
            let (below, above) = (100 * (storey - 1) + line, 100 * storey + line);
            let column = column().with_mass(column_mass);
            frame.member(1000 + above, [below, above], &column).unwrap();
            if line < 2 {
                let beam = beam().with_mass(beam_mass);
                frame
                    .member(2000 + above, [above, above + 1], &beam)
                    .unwrap();
            }
        }
    }
    frame
}

/// Compares displacements and, at supports, reactions with the file.
fn static_case(case: &str, model: &Model) {
    let Some(rows) = rows("frame_elastic_static.csv") else {
        return;
    };
    let mut compared = 0;
    for row in rows.iter().filter(|row| row[0] == case) {
        let node: usize = row[1].parse().unwrap();
        let expected = numbers(&row[2..]);
        for (k, dof) in [Dof::Ux, Dof::Uy, Dof::Rz].into_iter().enumerate() {
            let got = model.node_displacement(node, dof).unwrap();
            let scale = if k == 2 { 1e-3 } else { 1e-2 };
            assert!(
                (got - expected[k]).abs() < 1e-11 * scale,
                "{case} node {node} {dof}: {got} instead of {}",
                expected[k]
            );
            let reaction = model.reaction(node, dof).unwrap();
            if case == "A" {
                assert!(
                    (reaction - expected[3 + k]).abs() < 1e-9 * 4e4,
                    "{case} node {node} {dof}: reaction {reaction} instead of {}",
                    expected[3 + k]
                );
            }
            compared += 1;
        }
    }
    assert!(compared >= 12);
}

#[test]
fn portal_carries_its_loads_like_the_reference() {
    let mut model = portal().build().unwrap();
    let loads = LoadCase::new()
        .nodal(2, Dof::Ux, 10_000.0)
        .nodal(2, Dof::Uy, -5_000.0)
        .nodal(2, Dof::Rz, 2_000.0)
        .uniform(2, [0.0, -12_000.0, 0.0]);
    apply_gravity(&mut model, &loads, 1).unwrap();
    static_case("A", &model);
    // Element end forces of the reference in global axes.
    let expected = [
        12_286.995_590_023_71,
        33_956.064_705_285_13,
        9_482.705_723_174_047,
        -12_286.995_590_023_71,
        38_043.935_294_714_87,
        -21_746.317_491_463_273,
    ];
    for (got, expected) in model.end_forces(2).unwrap().iter().zip(expected) {
        assert!((got - expected).abs() < 1e-9 * 4e4, "{got} {expected}");
    }
}

#[test]
fn force_based_portal_carries_its_loads_like_the_elastic_one() {
    if std::env::var_os("TANDEM_DATA").is_none() {
        return println!("skipped, TANDEM_DATA is not set");
    }
    use tandem_structure::section::ElasticSection2d;
    let section = |area, inertia| ElasticSection2d::new(STEEL, area, inertia).unwrap();
    for fibres in [Member::force_based, Member::displacement_based] {
        let mut frame = ModelBuilder::plane();
        for (node, place) in [
            (1, [0.0, 0.0]),
            (2, [0.0, 3.0]),
            (3, [6.0, 3.0]),
            (4, [6.0, 0.0]),
        ] {
            frame.node(node, place).unwrap();
        }
        frame.fix_all(1).unwrap();
        frame.fix_all(4).unwrap();
        let column = fibres(section(0.00538, 4.18e-5), 4);
        let beam = fibres(section(0.00845, 2.313e-4), 4);
        frame.member(1, [1, 2], &column).unwrap();
        frame.member(2, [2, 3], &beam).unwrap();
        frame.member(3, [4, 3], &column).unwrap();
        let mut model = frame.build().unwrap();
        assert!(!model.is_linear());
        let loads = LoadCase::new()
            .nodal(2, Dof::Ux, 10_000.0)
            .nodal(2, Dof::Uy, -5_000.0)
            .nodal(2, Dof::Rz, 2_000.0)
            .uniform(2, [0.0, -12_000.0, 0.0]);
        apply_gravity(&mut model, &loads, 2).unwrap();
        static_case("A", &model);
    }
}

#[test]
fn three_storeys_move_like_the_reference() {
    let mut model = three_storeys(MemberMass::None, MemberMass::None)
        .build()
        .unwrap();
    let loads = (1..=3_usize).fold(LoadCase::new(), |loads, storey| {
        loads.nodal(100 * storey, Dof::Ux, 20e3 * storey as f64)
    });
    apply_gravity(&mut model, &loads, 1).unwrap();
    static_case("B", &model);
}

#[test]
fn frequencies_are_those_of_the_reference() {
    let Some(rows) = rows("frame_elastic_frequencies.csv") else {
        return;
    };
    let models = [
        ("A", portal()),
        (
            "B_lumped",
            three_storeys(MemberMass::Lumped(42.0), MemberMass::Lumped(2000.0)),
        ),
        (
            "B_consistent",
            three_storeys(MemberMass::Consistent(42.0), MemberMass::Consistent(2000.0)),
        ),
    ];
    for (case, builder) in models {
        let model = builder.build().unwrap();
        let expected: Vec<f64> = rows
            .iter()
            .filter(|row| row[0] == case)
            .map(|row| row[2].parse().unwrap())
            .collect();
        let found = modes(&model, expected.len()).unwrap();
        assert_eq!(found.count(), expected.len());
        for (got, expected) in found.frequencies_hz.iter().zip(&expected) {
            assert!(
                (got / expected - 1.0).abs() < 1e-9,
                "{case}: {got} instead of {expected}"
            );
        }
    }
}

#[test]
fn columns_buckle_like_the_reference() {
    let Some(rows) = rows("pdelta_cantilever.csv") else {
        return;
    };
    for row in &rows {
        let geometry = match row[0].as_str() {
            "Linear" => Geometry::Linear,
            "PDelta" => Geometry::PDelta,
            _ => Geometry::Corotational,
        };
        let elements: usize = row[1].parse().unwrap();
        let values = numbers(&row[2..]);
        let (axial, expected) = (values[1], &values[2..5]);
        let mut frame = ModelBuilder::plane();
        for node in 0..=elements {
            let place = [0.0, 4.0 * node as f64 / elements as f64];
            frame.node(node, place).unwrap();
        }
        frame.fix_all(0).unwrap();
        let member = Member::elastic(200e6, 0.004, 5e-6).with_geometry(geometry);
        for node in 1..=elements {
            frame.member(node, [node - 1, node], &member).unwrap();
        }
        let mut model = frame.build().unwrap();
        let gravity = LoadCase::new().nodal(elements, Dof::Uy, -axial);
        apply_gravity(&mut model, &gravity, 1).unwrap();
        let push = LoadCase::new().nodal(elements, Dof::Ux, 1.0);
        let mut analysis = StaticAnalysis::new(&model, &push, exact()).unwrap();
        analysis.load_to(&mut model, 1.0).unwrap();
        for (dof, expected) in [Dof::Ux, Dof::Uy, Dof::Rz].into_iter().zip(expected) {
            let got = model.node_displacement(elements, dof).unwrap();
            assert!(
                (got - expected).abs() < 1e-9 * expected.abs().max(1e-3),
                "{row:?} {dof}: {got}"
            );
        }
    }
}

#[test]
fn a_strip_rolls_up_like_the_reference() {
    let Some(rows) = rows("corotational_rollup.csv") else {
        return;
    };
    let elements = 16;
    let mut frame = ModelBuilder::plane();
    for node in 0..=elements {
        frame
            .node(node, [4.0 * node as f64 / elements as f64, 0.0])
            .unwrap();
    }
    frame.fix_all(0).unwrap();
    let member = Member::elastic(200e6, 0.004, 5e-6).with_geometry(Geometry::Corotational);
    for node in 1..=elements {
        frame.member(node, [node - 1, node], &member).unwrap();
    }
    let mut model = frame.build().unwrap();
    let moment = TAU * 200e6 * 5e-6 / 4.0;
    let bend = LoadCase::new().nodal(elements, Dof::Rz, moment);
    let mut analysis = StaticAnalysis::new(&model, &bend, exact()).unwrap();
    for row in &rows {
        let values = numbers(row);
        analysis.load_to(&mut model, values[0]).unwrap();
        for (dof, expected) in [Dof::Ux, Dof::Uy, Dof::Rz].into_iter().zip(&values[1..4]) {
            let got = model.node_displacement(elements, dof).unwrap();
            assert!(
                (got - expected).abs() < 1e-8 * expected.abs().max(1.0),
                "{values:?} {dof}: {got}"
            );
        }
    }
    // On to two full turns: chords that pass π keep their rotation.
    for turn in 6..=20_u32 {
        analysis.load_to(&mut model, 0.1 * f64::from(turn)).unwrap();
    }
    let rotation = model.node_displacement(elements, Dof::Rz).unwrap();
    assert!((rotation - 2.0 * TAU).abs() < 1e-8, "{rotation}");
    let back = model.node_displacement(elements, Dof::Ux).unwrap();
    assert!((back + 4.0).abs() < 1e-6, "{back}");
}

/// The same strip in a slanted plane of space: rotations about one axis are the plane ones.
#[test]
fn a_strip_rolls_up_in_space_as_in_the_plane() {
    let Some(rows) = rows("corotational_rollup.csv") else {
        return;
    };
    let elements = 16;
    // Orthonormal: along the strip, across it in its plane, and the axis it rolls about.
    let along = [2.0 / 3.0, 2.0 / 3.0, 1.0 / 3.0];
    let across = [-2.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0];
    let axis = [1.0 / 3.0, -2.0 / 3.0, 2.0 / 3.0];
    let mut frame = ModelBuilder::space();
    for node in 0..=elements {
        let x = 4.0 * node as f64 / elements as f64;
        frame.node(node, along.map(|v| v * x)).unwrap();
    }
    frame.fix_all(0).unwrap();
    let member = Member::elastic_space(200e6, 0.004, 5e-6, 8e-6, 900.0)
        .with_geometry(Geometry::Corotational)
        .with_up(axis);
    for node in 1..=elements {
        frame.member(node, [node - 1, node], &member).unwrap();
    }
    let mut model = frame.build().unwrap();
    let moment = TAU * 200e6 * 5e-6 / 4.0;
    let turns = [Dof::Rx, Dof::Ry, Dof::Rz];
    let mut bend = LoadCase::new();
    for (dof, part) in turns.into_iter().zip(axis) {
        bend = bend.nodal(elements, dof, moment * part);
    }
    let mut analysis = StaticAnalysis::new(&model, &bend, exact()).unwrap();
    for row in &rows {
        let values = numbers(row);
        analysis.load_to(&mut model, values[0]).unwrap();
        let read = |dofs: [Dof; 3], direction: [f64; 3]| -> f64 {
            (0..3)
                .map(|k| direction[k] * model.node_displacement(elements, dofs[k]).unwrap())
                .sum()
        };
        let moves = [Dof::Ux, Dof::Uy, Dof::Uz];
        let got = [read(moves, along), read(moves, across), read(turns, axis)];
        for (got, expected) in got.iter().zip(&values[1..4]) {
            assert!(
                (got - expected).abs() < 1e-8 * expected.abs().max(1.0),
                "{values:?}: {got}"
            );
        }
    }
}

/// The 45° bend of Bathe & Bolourchi (1979): radius 100, unit square section, a force out of its plane; 8 straight elements.
/// Tip positions of Simo & Vu-Quoc (1986), whose eight elements have shear deformation and J = 1/6: ours come within 0.16 of them.
#[test]
fn a_bent_cantilever_is_pulled_out_of_its_plane_as_published() {
    let (elements, radius) = (8, 100.0);
    let place = |node: usize| {
        let angle = std::f64::consts::FRAC_PI_4 * node as f64 / elements as f64;
        [radius * (1.0 - angle.cos()), radius * angle.sin(), 0.0]
    };
    let mut frame = ModelBuilder::space();
    for node in 0..=elements {
        frame.node(node, place(node)).unwrap();
    }
    frame.fix_all(0).unwrap();
    let member = Member::elastic_space(1e7, 1.0, 1.0 / 12.0, 1.0 / 12.0, 5e6 / 6.0)
        .with_geometry(Geometry::Corotational);
    for node in 1..=elements {
        frame.member(node, [node - 1, node], &member).unwrap();
    }
    let mut model = frame.build().unwrap();
    let pull = LoadCase::new().nodal(elements, Dof::Uz, 600.0);
    let mut analysis = StaticAnalysis::new(&model, &pull, exact()).unwrap();
    let published = [
        (6, [22.33, 58.84, 40.08]),
        (9, [18.62, 52.32, 48.39]),
        (12, [15.79, 47.23, 53.37]),
    ];
    let start = place(elements);
    let mut part = 0;
    for (stage, expected) in published {
        while part < stage {
            part += 1;
            analysis
                .load_to(&mut model, f64::from(part) / 12.0)
                .unwrap();
        }
        for (k, dof) in [Dof::Ux, Dof::Uy, Dof::Uz].into_iter().enumerate() {
            let got = start[k] + model.node_displacement(elements, dof).unwrap();
            assert!((got - expected[k]).abs() < 0.2, "{stage} {dof}: {got}");
        }
    }
}
