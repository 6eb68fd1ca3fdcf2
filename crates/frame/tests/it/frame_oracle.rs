//! Elastic frames, P-Delta and large rotations against OpenSees 3.7.1 and closed forms.

use std::f64::consts::{PI, TAU};

use crate::common::exact;
use tandem_frame::model::{
    Dof, LoadCase, Member, MemberMass, Model, ModelBuilder, StaticAnalysis, apply_gravity,
};
use tandem_frame::section::ElasticSection2d;
use tandem_frame::transformation::Geometry;
use tandem_structure::Structure;
use tandem_structure::modes::modes;
use tandem_test_support::{Table, data_for_part, numbers, oracle};

const STEEL: f64 = 210e9;

/// Area and second moment of area.
const COLUMN: [f64; 2] = [0.00538, 4.18e-5];
const BEAM: [f64; 2] = [0.00845, 2.313e-4];

fn elastic([area, inertia]: [f64; 2]) -> Member {
    Member::elastic(STEEL, area, inertia)
}

fn portal(member: impl Fn([f64; 2]) -> Member) -> ModelBuilder {
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
    frame.member(1, [1, 2], &member(COLUMN)).unwrap();
    frame.member(2, [2, 3], &member(BEAM)).unwrap();
    frame.member(3, [4, 3], &member(COLUMN)).unwrap();
    // The parameter file has no masses; these follow from the sum and the product of the six
    // squared frequencies.
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
            let column = elastic(COLUMN).with_mass(column_mass);
            frame.member(1000 + above, [below, above], &column).unwrap();
            if line < 2 {
                let beam = elastic(BEAM).with_mass(beam_mass);
                frame
                    .member(2000 + above, [above, above + 1], &beam)
                    .unwrap();
            }
        }
    }
    frame
}

const STATIC: &str = "frame_elastic_static.csv";

/// A node, its displacements and its reactions.
type Row = (usize, [[f64; 3]; 2]);

/// The rows of a case in the file.
fn case(table: &Table, name: &str) -> Vec<Row> {
    let rows = table.rows.iter().filter(|row| row[0] == name);
    rows.map(|row| {
        let [a, b, c, d, e, f] = numbers(&row[2..])[..] else {
            panic!("{row:?}")
        };
        (row[1].parse().unwrap(), [[a, b, c], [d, e, f]])
    })
    .collect()
}

/// Compares displacements and, in case A, reactions.
fn static_case(case: &str, rows: &[Row], model: &Model) {
    let mut compared = 0;
    for (node, [moves, reactions]) in rows {
        for (k, dof) in [Dof::Ux, Dof::Uy, Dof::Rz].into_iter().enumerate() {
            let got = model.node_displacement(*node, dof).unwrap();
            let scale = if k == 2 { 1e-3 } else { 1e-2 };
            assert!(
                (got - moves[k]).abs() < 1e-11 * scale,
                "{case} node {node} {dof}: {got} instead of {}",
                moves[k]
            );
            let reaction = model.reaction(*node, dof).unwrap();
            if case == "A" {
                assert!(
                    (reaction - reactions[k]).abs() < 1e-9 * 4e4,
                    "{case} node {node} {dof}: reaction {reaction} instead of {}",
                    reactions[k]
                );
            }
            compared += 1;
        }
    }
    assert!(compared >= 12);
}

/// Forces on the left joint of the portal: along x and y, and a moment.
const PUSH: [f64; 3] = [10_000.0, -5_000.0, 2_000.0];

fn portal_loads() -> LoadCase {
    let [x, y, moment] = PUSH;
    LoadCase::new()
        .nodal(2, Dof::Ux, x)
        .nodal(2, Dof::Uy, y)
        .nodal(2, Dof::Rz, moment)
        .uniform(2, [0.0, -12_000.0, 0.0])
}

/// Forces of the reference at the ends of the beam, in global axes.
const BEAM_ENDS: [f64; 6] = [
    12_286.995_590_023_71,
    33_956.064_705_285_13,
    9_482.705_723_174_047,
    -12_286.995_590_023_71,
    38_043.935_294_714_87,
    -21_746.317_491_463_273,
];

/// What follows from the forces at the ends of the beam: a column is a cantilever under what the
/// beam leaves to it of the loads on its top.
fn portal_by_statics() -> [Row; 4] {
    let ([area, inertia], height) = (COLUMN, 3.0_f64);
    let (axial, bending) = (STEEL * area, STEEL * inertia);
    let column = |load: [f64; 3], beam: &[f64]| {
        let [push, weight, moment] = [0, 1, 2].map(|k| load[k] - beam[k]);
        let moves = [
            (push * height.powi(3) / 3.0 - moment * height.powi(2) / 2.0) / bending,
            weight * height / axial,
            (moment * height - push * height.powi(2) / 2.0) / bending,
        ];
        (moves, [-push, -weight, push * height - moment])
    };
    let none = [0.0; 3];
    let (left, left_base) = column(PUSH, &BEAM_ENDS[..3]);
    let (right, right_base) = column(none, &BEAM_ENDS[3..]);
    [
        (1, [none, left_base]),
        (2, [left, none]),
        (3, [right, none]),
        (4, [none, right_base]),
    ]
}

/// Case A, by statics and, where it is there, by the file.
fn portal_case(model: &Model) {
    static_case("A", &portal_by_statics(), model);
    let file = format!("oracles/{STATIC}");
    if let Some(path) = data_for_part("case A by OpenSees", &file) {
        let table = Table::read(&path);
        static_case("A", &case(&table, "A"), model);
    }
}

#[test]
fn portal_carries_its_loads_like_the_reference() {
    let mut model = portal(elastic).build().unwrap();
    apply_gravity(&mut model, &portal_loads(), 1).unwrap();
    portal_case(&model);
    for (got, expected) in model.end_forces(2).unwrap().iter().zip(BEAM_ENDS) {
        assert!((got - expected).abs() < 1e-9 * 4e4, "{got} {expected}");
    }
}

#[test]
fn force_based_portal_carries_its_loads_like_the_elastic_one() {
    for fibres in [Member::force_based, Member::displacement_based] {
        let member = |[area, inertia]: [f64; 2]| {
            fibres(ElasticSection2d::new(STEEL, area, inertia).unwrap(), 4)
        };
        let mut model = portal(member).build().unwrap();
        assert!(!model.properties().is_linear);
        apply_gravity(&mut model, &portal_loads(), 2).unwrap();
        portal_case(&model);
    }
}

#[test]
fn three_storeys_move_like_the_reference() {
    let Some(table) = oracle(STATIC) else { return };
    let mut model = three_storeys(MemberMass::None, MemberMass::None)
        .build()
        .unwrap();
    let loads = (1..=3_usize).fold(LoadCase::new(), |loads, storey| {
        loads.nodal(100 * storey, Dof::Ux, 20e3 * storey as f64)
    });
    apply_gravity(&mut model, &loads, 1).unwrap();
    static_case("B", &case(&table, "B"), &model);
}

#[test]
fn frequencies_are_those_of_the_reference() {
    let Some(table) = oracle("frame_elastic_frequencies.csv") else {
        return;
    };
    let models = [
        ("A", portal(elastic)),
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
        let expected: Vec<f64> = table
            .rows
            .iter()
            .filter(|row| row[0] == case)
            .map(|row| row[2].parse().unwrap())
            .collect();
        let found = modes(model.properties(), expected.len()).unwrap();
        assert_eq!(found.count(), expected.len());
        for (got, expected) in found.frequencies_hz.iter().zip(&expected) {
            assert!(
                (got / expected - 1.0).abs() < 1e-9,
                "{case}: {got} instead of {expected}"
            );
        }
    }
}

/// A cantilever 4 m high (kN) of equal elements under an axial force and a unit push: its tip.
fn buckled(geometry: Geometry, elements: usize, axial: f64) -> [f64; 3] {
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
    [Dof::Ux, Dof::Uy, Dof::Rz].map(|dof| model.node_displacement(elements, dof).unwrap())
}

/// The same in closed form, element by element from the base: in each, the chord's slope adds
/// `second_order` times the axial force to the shear force, under which the element bends as a
/// beam.
fn buckled_by_hand(second_order: f64, elements: u8, axial: f64) -> [f64; 3] {
    let (bending, stretching, height) = (200e6 * 5e-6, 200e6 * 0.004, 4.0);
    let length = height / f64::from(elements);
    let thrust = second_order * axial;
    // Displacement, slope and moment at the tip for a moment at the base.
    let tip = |base: f64| {
        let (mut u, mut slope, mut moment) = (0.0, 0.0, base);
        for _ in 0..elements {
            let bend = moment * length.powi(2) / 2.0 - length.powi(3) / 6.0;
            let step = slope * length + bend / bending;
            let step = step / (1.0 + thrust * length.powi(2) / (6.0 * bending));
            let shear = 1.0 + thrust * step / length;
            u += step;
            slope += (moment * length - shear * length.powi(2) / 2.0) / bending;
            moment -= shear * length;
        }
        (u, slope, moment)
    };
    // No moment is left at the tip.
    let (none, unit) = (tip(0.0).2, tip(1.0).2);
    let (u, slope, _) = tip(none / (none - unit));
    [u, -axial * height / stretching, -slope]
}

#[test]
fn columns_buckle_like_the_reference() {
    let close = |what: &str, got: [f64; 3], expected: &[f64]| {
        for (got, expected) in got.iter().zip(expected) {
            assert!(
                (got - expected).abs() < 1e-9 * expected.abs().max(1e-3),
                "{what}: {got} instead of {expected}"
            );
        }
    };
    for elements in [1, 2, 4, 16] {
        for share in [0.0, 0.1, 0.3, 0.5, 0.8] {
            // Of the critical force π²EI/4L².
            let axial = share * PI * PI * 1e3 / 64.0;
            for (geometry, second_order) in [(Geometry::Linear, 0.0), (Geometry::PDelta, 1.0)] {
                let what = format!("{geometry:?}, {elements} elements, {axial}");
                let expected = buckled_by_hand(second_order, elements, axial);
                close(&what, buckled(geometry, elements.into(), axial), &expected);
            }
        }
    }
    let file = "oracles/pdelta_cantilever.csv";
    let Some(path) = data_for_part("corotational columns", file) else {
        return;
    };
    for row in Table::read(&path).rows {
        let geometry = match row[0].as_str() {
            "Linear" => Geometry::Linear,
            "PDelta" => Geometry::PDelta,
            _ => Geometry::Corotational,
        };
        let values = numbers(&row[2..]);
        let got = buckled(geometry, row[1].parse().unwrap(), values[1]);
        close(&format!("{row:?}"), got, &values[2..5]);
    }
}

/// Part of a full circle and, for it, displacements and rotation of the tip of a strip 4 m long
/// whose 16 elements all turn by the same angle, their chords unstretched; and the same by the
/// file, where it is there.
fn rolled_up() -> Vec<[f64; 4]> {
    let mut rows: Vec<_> = (1..=10)
        .map(|k| {
            let part = 0.05 * f64::from(k);
            let turn = TAU * part;
            // The sum of chords 4/16 m long, the first of which has half the turn of an element.
            let radius = 4.0 / 32.0 / (turn / 32.0).sin();
            [
                part,
                radius * turn.sin() - 4.0,
                radius * (1.0 - turn.cos()),
                turn,
            ]
        })
        .collect();
    let file = "oracles/corotational_rollup.csv";
    if let Some(path) = data_for_part("the roll-up by OpenSees", file) {
        let table = Table::read(&path);
        rows.extend(table.rows.iter().map(|row| {
            let values = numbers(row);
            [values[0], values[1], values[2], values[3]]
        }));
        rows.sort_by(|a, b| a[0].total_cmp(&b[0]));
        assert_eq!(rows.len(), 20);
    }
    rows
}

#[test]
fn a_strip_rolls_up_like_the_reference() {
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
    for values in rolled_up() {
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
    for values in rolled_up() {
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

/// The 45° bend of Bathe & Bolourchi (1979): radius 100, unit square section, a force out of its
/// plane; 8 straight elements. Tip positions of Simo & Vu-Quoc (1986), whose eight elements have
/// shear deformation and J = 1/6: ours come within 0.16 of them.
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
