//! Force-based fibre members against OpenSees 3.7.1.

use std::collections::BTreeMap;

use crate::common::exact;
use tandem_frame::element::Determination;
use tandem_frame::model::{Dof, LoadCase, Member, ModelBuilder, StaticAnalysis, apply_gravity};
use tandem_frame::section::FibreSection2d;
use tandem_frame::transformation::Geometry;
use tandem_structure::Structure;
use tandem_test_support::sections::{heb100, reinforced_concrete};
use tandem_test_support::{Table, data_for_part, larger, oracle};

/// By case and step: its number, lateral displacement, lateral force, vertical displacement,
/// rotation and curvature at the base.
type Cases = BTreeMap<String, Vec<Vec<f64>>>;

fn cases() -> Option<Cases> {
    Some(oracle("element_fbc_cantilever.csv")?.cases())
}

/// N and mm.
fn steel() -> FibreSection2d {
    heb100(0.01087, 1.0, 1.0)
}

/// One column from node 1 (fixed) to node 2 under an axial force, pushed along these displacements:
/// lateral force, vertical displacement, rotation, curvature at the base.
fn pushed(
    name: &str,
    member: &Member,
    [height, axial]: [f64; 2],
    path: impl IntoIterator<Item = f64>,
) -> Vec<[f64; 4]> {
    let mut frame = ModelBuilder::plane();
    frame.node(1, [0.0, 0.0]).unwrap();
    frame.node(2, [0.0, height]).unwrap();
    frame.fix_all(1).unwrap();
    frame.member(1, [1, 2], member).unwrap();
    let mut model = frame.build().unwrap();
    let gravity = LoadCase::new().nodal(2, Dof::Uy, axial);
    apply_gravity(&mut model, &gravity, 10).unwrap();
    let push = LoadCase::new().nodal(2, Dof::Ux, 1.0);
    let mut analysis = StaticAnalysis::new(&model, &push, exact()).unwrap();
    let steps = path.into_iter().map(|displacement| {
        let force = analysis
            .push_to(&mut model, 2, Dof::Ux, displacement)
            .unwrap_or_else(|error| panic!("{name} at {displacement}: {error}"));
        let base = &model.sections(1).unwrap()[0];
        let [vertical, rotation] =
            [Dof::Uy, Dof::Rz].map(|dof| model.node_displacement(2, dof).unwrap());
        [force, vertical, rotation, base.deformation[1]]
    });
    let steps = steps.collect();
    assert_eq!(model.failures(), 0);
    steps
}

/// Compares with steps of the same path, relative to the largest of each column.
fn follows(
    name: &str,
    path: &[f64],
    found: &[[f64; 4]],
    expected: &[[f64; 4]],
    tolerance: [f64; 4],
) {
    assert_eq!(found.len(), expected.len());
    let largest = |values: &[f64]| values.iter().map(|x| x.abs()).fold(0.0, f64::max);
    let column = |k: usize| expected.iter().map(|row| row[k]).collect::<Vec<_>>();
    let mut scale = [0, 1, 2, 3].map(|k| largest(&column(k)));
    scale[1] = scale[1].max(1e-3 * largest(path));
    let mut worst = [0.0_f64; 4];
    for (found, expected) in found.iter().zip(expected) {
        for k in 0..4 {
            worst[k] = larger(worst[k], (found[k] - expected[k]).abs() / scale[k]);
        }
    }
    println!("{name}: off by {worst:?} (force, vertical, rotation, curvature)");
    let mut all = worst.iter().zip(tolerance);
    assert!(all.all(|(error, most)| *error < most), "{name}: {worst:?}");
}

/// Pushes a column along the displacements of a case.
fn cantilever(
    (cases, name): (&Cases, &str),
    member: &Member,
    column: [f64; 2],
    tolerance: [f64; 4],
) {
    let rows = &cases[name];
    assert!(rows.len() > 200);
    let path: Vec<f64> = rows.iter().map(|row| row[1]).collect();
    let expected: Vec<[f64; 4]> = rows[1..]
        .iter()
        .map(|row| row[2..].try_into().unwrap())
        .collect();
    let found = pushed(name, member, column, path[1..].iter().copied());
    follows(name, &path, &found, &expected, tolerance);
}

fn iterated(member: Member) -> Member {
    member.with_determination(Determination::Iterated {
        tolerance: 1e-24,
        passes: 20,
    })
}

#[test]
fn steel_cantilever_follows_the_reference() {
    let Some(cases) = cases() else { return };
    let column = iterated(Member::force_based(steel(), 5));
    let case = (&cases, "heb100_N0_linear");
    cantilever(case, &column, [1800.0, 0.0], [1e-11; 4]);
    let column = column.with_geometry(Geometry::PDelta);
    let case = (&cases, "heb100_N-88kN_pdelta");
    cantilever(case, &column, [1800.0, -88_000.0], [1e-9; 4]);
}

#[test]
fn concrete_cantilever_follows_the_reference() {
    let Some(cases) = cases() else { return };
    let column = iterated(Member::force_based(reinforced_concrete(), 5));
    let case = (&cases, "rc_N-150kip_linear");
    cantilever(case, &column, [120.0, -150.0], [2e-9; 4]);
    let column = column.with_geometry(Geometry::PDelta);
    // The reference's own curvature of step 295 is loose: its run without P-Delta has the same
    // state and agrees with ours.
    let tolerance = [2e-9, 2e-9, 2e-9, 2e-6];
    let case = (&cases, "rc_N-150kip_pdelta");
    cantilever(case, &column, [120.0, -150.0], tolerance);
}

#[test]
fn carried_residuals_settle_to_the_same_path() {
    let column = Member::force_based(steel(), 5).with_determination(Determination::Carried);
    let cycles: Vec<f64> = (1..=300)
        .map(|k| 0.2 * f64::from(k) * (0.06 * f64::from(k)).sin())
        .collect();
    let run = |name, column: &Member| pushed(name, column, [1800.0, 0.0], cycles.iter().copied());
    let expected = run("iterated", &iterated(column.clone()));
    let found = run("carried", &column);
    follows("carried", &cycles, &found, &expected, [1e-10; 4]);
    let file = "oracles/element_fbc_cantilever.csv";
    let Some(path) = data_for_part("the path of the reference", file) else {
        return;
    };
    let cases = Table::read(&path).cases();
    let case = (&cases, "heb100_N0_linear");
    cantilever(case, &column, [1800.0, 0.0], [1e-10; 4]);
}

/// Increments far beyond those of an analysis, through cracking, crushing and softening: the member
/// still ends in equilibrium (N constant, M linear) and compatibility (elongation and rotations are
/// the integrals of its sections').
#[test]
fn concrete_member_survives_large_increments() {
    let mut frame = ModelBuilder::plane();
    frame.node(1, [0.0, 0.0]).unwrap();
    frame.node(2, [120.0, 0.0]).unwrap();
    frame.fix_all(1).unwrap();
    let member = iterated(Member::force_based(reinforced_concrete(), 5));
    frame.member(1, [1, 2], &member).unwrap();
    let mut model = frame.build().unwrap();
    let inner = 0.5 * (1.0 - (3.0_f64 / 7.0).sqrt());
    let points = [
        (0.0, 0.05),
        (inner, 49.0 / 180.0),
        (0.5, 16.0 / 45.0),
        (1.0 - inner, 49.0 / 180.0),
        (1.0, 0.05),
    ];
    let mut force = [0.0; 3];
    for step in 0..60_u32 {
        let t = f64::from(step);
        let u = [
            0.15 * (0.7 * t).sin(),
            3.0 * (1.1 * t).sin(),
            0.03 * (1.7 * t).sin(),
        ];
        model.restoring_force(&u, &[0.0; 3], &mut force);
        model.commit();
        let sections = model.sections(1).unwrap();
        let (axial, moment) = (force[0], force[2]);
        let scale = 1e4;
        let mut integrals = [0.0; 3];
        for ((xi, weight), section) in points.iter().zip(&sections) {
            let expected = moment + (1.0 - xi) * 120.0 * force[1];
            assert!(
                (section.force[0] - axial).abs() < 1e-6 * scale,
                "step {step}"
            );
            assert!(
                (section.force[1] - expected).abs() < 1e-6 * scale,
                "step {step}"
            );
            let length = 120.0 * weight;
            integrals[0] += length * section.deformation[0];
            integrals[1] += length * (xi - 1.0) * section.deformation[1];
            integrals[2] += length * xi * section.deformation[1];
        }
        let chord = u[1] / 120.0;
        for (got, expected) in integrals.iter().zip([u[0], -chord, u[2] - chord]) {
            assert!(
                (got - expected).abs() < 1e-7,
                "step {step}: {got} {expected}"
            );
        }
    }
    assert_eq!(model.failures(), 0);
}
