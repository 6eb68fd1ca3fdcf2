//! A frame in two parts: their sum is the whole, what is inside the specimen is in equilibrium, and
//! nothing allocates.

use assert_no_alloc::assert_no_alloc;
use tandem_frame::material::{Material, Steel02};
use tandem_frame::model::{
    DampingStiffness, Dof, LoadCase, Member, Model, ModelBuilder, ModelError, apply_gravity,
};
use tandem_frame::section::shape::{IShape, i_shape};
use tandem_frame::transformation::Geometry;
use tandem_quantity::{Attachment, Snapshot, StateReader};
use tandem_structure::{Damping, Structure};

/// A portal on two columns with fibres, under its own weight: nodes 0 and 1 at the base, 2 and 3
/// above; node 4 is the top of the right column, hinged to node 3. Elements 1 and 2 are the
/// columns, 3 the beam.
fn portal() -> ModelBuilder {
    let steel = Material::from(Steel02::new(355e6, 210e9, 0.01).unwrap());
    let shape = IShape {
        height: 0.2,
        width: 0.2,
        web: 0.009,
        flange: 0.015,
    };
    let section = i_shape(&steel, shape, (2, 1), (6, 1))
        .unwrap()
        .build_2d()
        .unwrap();
    let column = Member::force_based(section, 4).with_geometry(Geometry::PDelta);
    let mut frame = ModelBuilder::plane();
    for (node, place) in [[0.0, 0.0], [4.0, 0.0], [0.0, 3.0], [4.0, 3.0], [4.0, 3.0]]
        .into_iter()
        .enumerate()
    {
        frame.node(node, place).unwrap();
    }
    frame.fix_all(0).unwrap();
    frame.fix_all(1).unwrap();
    frame.equal_dof(3, 4, &[Dof::Ux, Dof::Uy]).unwrap();
    frame.member(1, [0, 2], &column).unwrap();
    frame.member(2, [1, 4], &column).unwrap();
    frame
        .member(3, [2, 3], &Member::elastic(210e9, 8e-3, 1e-4))
        .unwrap();
    for node in [2, 3] {
        frame
            .mass(node, &[(Dof::Ux, 8000.0), (Dof::Uy, 8000.0)])
            .unwrap();
    }
    frame
}

fn under_weight(frame: ModelBuilder) -> Model {
    let mut model = frame.build().unwrap();
    let loads = LoadCase::new()
        .nodal(2, Dof::Uy, -8e4)
        .nodal(3, Dof::Uy, -8e4);
    apply_gravity(&mut model, &loads, 2).unwrap();
    model
}

/// Stiffness and masses come apart and together again, and forces count from the state under the
/// loads.
#[test]
fn the_parts_add_up() {
    let mut whole = under_weight(portal());
    // The left column shares everything with the beam: nothing is inside it.
    let mut division = whole.divide(&[1], None).unwrap();
    assert_eq!(division.interface.len(), 3);
    assert_eq!(
        division.numerical.properties().dof(),
        whole.properties().dof()
    );
    let n = whole.properties().dof();
    let mut sum = division.numerical.properties().stiffness.to_dense();
    for (a, i) in division.interface.iter().enumerate() {
        for (b, j) in division.interface.iter().enumerate() {
            sum[i * n + j] +=
                division.specimen.specimen_matrices().stiffness[a * division.interface.len() + b];
        }
    }
    for (got, expected) in sum.iter().zip(whole.properties().stiffness.to_dense()) {
        assert!(
            (got - expected).abs() < 1e-6 * expected.abs().max(1e3),
            "{got} {expected}"
        );
    }
    let rest = vec![0.0; n];
    let (mut all, mut part, mut own) = (rest.clone(), rest.clone(), vec![0.0; 3]);
    for step in 0..40 {
        // A path into the plastic range and back.
        let push = 0.08 * (f64::from(step) * 0.25).sin();
        let d: Vec<f64> = (0..n).map(|i| push * [1.0, 0.01, 0.2][i % 3]).collect();
        let controls: Vec<f64> = division.interface.iter().map(|i| d[*i]).collect();
        whole.restoring_force(&d, &rest, &mut all);
        division.numerical.restoring_force(&d, &rest, &mut part);
        division.specimen.force(&controls, &[0.0; 3], &mut own);
        for (force, i) in own.iter().zip(&division.interface) {
            part[*i] += force;
        }
        let size = all.iter().fold(1.0_f64, |m, f| m.max(f.abs()));
        for (got, expected) in part.iter().zip(&all) {
            assert!(
                (got - expected).abs() < 1e-9 * size,
                "step {step}: {got} {expected}"
            );
        }
        whole.commit();
        division.numerical.commit();
        division.specimen.commit();
    }
}

/// The hinged column: its top rotation is inside, and the stiffness is that of a cantilever less
/// its geometric part, 3EI/L³ − P/L (P-Delta with one element).
#[test]
fn what_is_inside_is_condensed() {
    let whole = under_weight(portal());
    let division = whole
        .divide(&[2], Some(&[whole.free_dof(3, Dof::Ux).unwrap().unwrap()]))
        .unwrap();
    assert_eq!(
        division.numerical.properties().dof(),
        whole.properties().dof() - 1
    );
    let section = |y: f64, area: f64| y * y * area;
    // Fibres at mid-heights of 2 layers a flange and 6 in the web.
    let mut inertia = 0.0;
    for k in 0..2 {
        inertia += 2.0 * section(0.1 - 0.015 * (f64::from(k) + 0.5) / 2.0, 0.2 * 0.0075);
    }
    for k in 0..6 {
        inertia += section(
            -0.085 + 0.17 * (f64::from(k) + 0.5) / 6.0,
            0.009 * 0.17 / 6.0,
        );
    }
    let expected = 3.0 * 210e9 * inertia / 27.0 - 8e4 / 3.0;
    let got = division.specimen.specimen_matrices().stiffness[0];
    assert!(
        (got / expected - 1.0).abs() < 2e-3,
        "{got} instead of {expected}"
    );
}

#[test]
fn a_trial_leaves_no_trace_and_a_state_comes_back() {
    let whole = under_weight(portal());
    let mut part = whole.divide(&[2], None).unwrap().specimen;
    let n = part.specimen_matrices().dof;
    let (rest, mut first, mut again) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    let there: Vec<f64> = (0..n).map(|k| [0.06, 1e-4][k]).collect();
    let far: Vec<f64> = there.iter().map(|d| -1.5 * d).collect();
    part.force(&there, &rest, &mut first);
    part.force(&far, &rest, &mut again);
    part.force(&there, &rest, &mut again);
    assert_eq!(first, again);
    part.commit();
    let mut words = Vec::new();
    part.save(&mut words);
    part.force(&far, &rest, &mut first);
    part.commit();
    part.restore(&mut StateReader::new(&words)).unwrap();
    part.force(&far, &rest, &mut again);
    assert_eq!(first, again);
    assert_eq!(part.troubles(), (0, 0));
}

#[test]
fn a_specimen_answers_without_allocating() {
    let whole = under_weight(portal());
    let mut part = whole.divide(&[2], None).unwrap().specimen;
    let mut force = [0.0; 2];
    for step in 0..50 {
        let push = 0.08 * (f64::from(step) * 0.3).sin();
        assert_no_alloc(|| {
            part.force(&[push, 0.0], &[0.0; 2], &mut force);
            part.commit();
        });
    }
    assert!(force[0].abs() > 0.0);
}

/// Damping proportional to the stiffness goes to the numerical part, with what is inside condensed
/// as statics does it.
#[test]
fn damping_stays_with_the_numerical_part() {
    let mut frame = portal();
    let rule = Damping::Rayleigh {
        mass: 0.3,
        stiffness: 2e-3,
    };
    frame.damping(rule, DampingStiffness::Initial);
    let whole = frame.build().unwrap();
    let division = whole.divide(&[2], None).unwrap();
    let total = tandem_structure::WithSpecimen::new(
        division.numerical.clone(),
        division.specimen.clone(),
        &division.interface,
        tandem_structure::GroundTerm::Base,
    )
    .unwrap();
    // C = aM + bK of the condensed structure.
    for i in 0..total.properties().dof() {
        for j in 0..total.properties().dof() {
            let expected = 0.3 * total.properties().mass.get(i, j)
                + 2e-3 * total.properties().stiffness.get(i, j);
            let got = total.properties().damping.get(i, j);
            assert!(
                (got - expected).abs() < 1e-9 * expected.abs().max(1e3),
                "{got} {expected}"
            );
        }
    }
}

#[test]
fn what_cannot_be_divided_is_refused() {
    let whole = portal().build().unwrap();
    let turning = whole.free_dof(2, Dof::Rz).unwrap().unwrap();
    assert!(matches!(
        whole.divide(&[2], Some(&[turning])),
        Err(ModelError::NotShared { dof }) if dof == turning
    ));
    assert!(matches!(
        whole.divide(&[9], None),
        Err(ModelError::NoElement { element: 9 })
    ));
    // A beam on its two columns, held at one of its ends only by what is controlled: it could turn.
    let across = whole.free_dof(2, Dof::Ux).unwrap().unwrap();
    assert!(whole.divide(&[3], Some(&[across])).is_err());
    let mut frame = portal();
    frame.damping(
        Damping::Rayleigh {
            mass: 0.0,
            stiffness: 1e-3,
        },
        DampingStiffness::Committed,
    );
    assert!(matches!(
        frame.build().unwrap().divide(&[1], None),
        Err(ModelError::ChangingDamping)
    ));
}
