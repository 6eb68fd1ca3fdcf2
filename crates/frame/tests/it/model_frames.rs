//! Models against closed forms: space members, patches, constraints, loads, gravity, damping.

use tandem_frame::material::{Material, Steel02};
use tandem_frame::model::{
    AnalysisError, DampingStiffness, Dof, LoadCase, Member, Model, ModelBuilder, ModelError,
    StaticAnalysis, StaticSettings, apply_gravity,
};
use tandem_frame::section::shape::rectangle;
use tandem_frame::section::{ElasticSection2d, ElasticSection3d};
use tandem_frame::transformation::Geometry;
use tandem_structure::{Damping, Structure};
use tandem_test_support::close;

const E: f64 = 200e9;
const A: f64 = 0.01;
const IZ: f64 = 8e-5;
const IY: f64 = 3e-5;
const GJ: f64 = 4e6;

fn steel() -> Material {
    Steel02::new(355e6, 210e9, 0.02).unwrap().into()
}

fn solve(model: &mut Model, loads: &LoadCase) {
    apply_gravity(model, loads, 1).unwrap();
}

/// A cantilever in any direction, loaded along its local axes (given by hand for this direction).
#[test]
fn space_cantilever_bends_and_twists() {
    // Local x = (2, 1, 2)/3; up = z: local y = z × x normalised, local z = x × y.
    let x: [f64; 3] = [2.0 / 3.0, 1.0 / 3.0, 2.0 / 3.0];
    let root = 5.0_f64.sqrt();
    let y = [-1.0 / root, 2.0 / root, 0.0];
    let z = [
        x[1] * y[2] - x[2] * y[1],
        x[2] * y[0] - x[0] * y[2],
        x[0] * y[1] - x[1] * y[0],
    ];
    let length = 3.0;
    let section = ElasticSection3d::new(E, A, IZ, IY, GJ).unwrap();
    let members = [
        Member::elastic_space(E, A, IZ, IY, GJ),
        Member::force_based_space(section, 3),
        Member::displacement_based_space(section, 3),
    ];
    for member in members {
        let mut frame = ModelBuilder::space();
        frame.node(1, [0.0; 3]).unwrap();
        frame.node(2, [2.0, 1.0, 2.0]).unwrap();
        frame.fix_all(1).unwrap();
        frame.member(1, [1, 2], &member).unwrap();
        let model = frame.build().unwrap();
        let load = |force: [f64; 3], moment: [f64; 3]| {
            let dofs = Dof::ALL.into_iter();
            let values = force.into_iter().chain(moment);
            dofs.zip(values)
                .fold(LoadCase::new(), |case, (dof, value)| {
                    case.nodal(2, dof, value)
                })
        };
        let tip = |loads: &LoadCase| {
            let mut model = model.clone();
            solve(&mut model, loads);
            Dof::ALL.map(|dof| model.node_displacement(2, dof).unwrap())
        };
        let along = |u: &[f64], axis: [f64; 3]| u[0] * axis[0] + u[1] * axis[1] + u[2] * axis[2];
        let none = [0.0; 3];
        for (axis, inertia, rotation_axis, sign) in [(y, IZ, z, 1.0), (z, IY, y, -1.0)] {
            let u = tip(&load(axis.map(|v| 1000.0 * v), none));
            close(
                along(&u[..3], axis),
                1000.0 * 27.0 / (3.0 * E * inertia),
                1e-10,
            );
            let turn = along(&u[3..], rotation_axis);
            close(turn, sign * 1000.0 * 9.0 / (2.0 * E * inertia), 1e-10);
        }
        let u = tip(&load(x.map(|v| 1000.0 * v), none));
        close(along(&u[..3], x), 1000.0 * length / (E * A), 1e-10);
        let u = tip(&load(none, x.map(|v| 1000.0 * v)));
        close(along(&u[3..], x), 1000.0 * length / GJ, 1e-10);
        // Uniform loads: w L⁴/8EI. Cubic shapes are exact at the nodes.
        for (axis, inertia, direction) in [(1, IZ, y), (2, IY, z)] {
            let mut load = [0.0; 3];
            load[axis] = 500.0;
            let u = tip(&LoadCase::new().uniform(1, load));
            close(
                along(&u[..3], direction),
                500.0 * 81.0 / (8.0 * E * inertia),
                1e-9,
            );
        }
        let u = tip(&LoadCase::new().uniform(1, [500.0, 0.0, 0.0]));
        close(along(&u[..3], x), 500.0 * 9.0 / (2.0 * E * A), 1e-9);
    }
}
/// A node or direction that is not there is named, and is no fixed one.
#[test]
fn a_push_names_what_is_not_there() {
    let mut frame = ModelBuilder::plane();
    frame.node(1, [0.0, 0.0]).unwrap();
    frame.node(2, [0.0, 2.0]).unwrap();
    frame.fix_all(1).unwrap();
    frame.member(1, [1, 2], &Member::elastic(E, A, IZ)).unwrap();
    let mut frame = frame.build().unwrap();
    let push = LoadCase::new().nodal(2, Dof::Ux, 1.0);
    let mut analysis = StaticAnalysis::new(&frame, &push, StaticSettings::default()).unwrap();
    let mut refused = |node, dof| analysis.push_to(&mut frame, node, dof, 0.01).unwrap_err();
    assert!(matches!(
        refused(7, Dof::Ux),
        AnalysisError::Model(ModelError::NoNode { node: 7 })
    ));
    assert!(matches!(
        refused(2, Dof::Uz),
        AnalysisError::Model(ModelError::NoDof { node: 2, .. })
    ));
    assert!(matches!(refused(1, Dof::Ux), AnalysisError::NotFree));
}

#[test]
fn plane_and_space_fibre_columns_agree() {
    // Two fibres across: one has no stiffness about the weak axis.
    let layout = |across| rectangle(&steel(), 0.1, 0.2, (16, across)).unwrap();
    let plane = layout(1).build_2d().unwrap();
    let wide = layout(2).build_3d(1e6).unwrap();
    let mut flat = ModelBuilder::plane();
    flat.node(1, [0.0, 0.0]).unwrap();
    flat.node(2, [0.0, 2.0]).unwrap();
    flat.fix_all(1).unwrap();
    flat.member(1, [1, 2], &Member::force_based(plane, 5))
        .unwrap();
    let mut deep = ModelBuilder::space();
    deep.node(1, [0.0; 3]).unwrap();
    deep.node(2, [0.0, 0.0, 2.0]).unwrap();
    deep.fix_all(1).unwrap();
    // M_z bends in the plane x–z.
    let column = Member::force_based_space(wide, 5).with_up([0.0, 1.0, 0.0]);
    deep.member(1, [1, 2], &column).unwrap();
    let (mut flat, mut deep) = (flat.build().unwrap(), deep.build().unwrap());
    let push = LoadCase::new().nodal(2, Dof::Ux, 1.0);
    let settings = StaticSettings::default();
    let mut first = StaticAnalysis::new(&flat, &push, settings).unwrap();
    let mut second = StaticAnalysis::new(&deep, &push, settings).unwrap();
    for step in 0..40 {
        let target = 0.08 * (0.3 * f64::from(step)).sin();
        let a = first.push_to(&mut flat, 2, Dof::Ux, target).unwrap();
        let b = second.push_to(&mut deep, 2, Dof::Ux, target).unwrap();
        assert!((a - b).abs() < 1e-6 * 2e5, "{a} {b}");
    }
}

#[test]
fn irregular_chains_pass_the_patch_test() {
    let section = ElasticSection2d::new(E, A, IZ).unwrap();
    let members = [
        Member::elastic(E, A, IZ),
        Member::elastic(E, A, IZ).with_shear(1e8, 0.0),
        Member::force_based(section, 3),
        Member::displacement_based(section, 2),
    ];
    for member in members {
        let mut frame = ModelBuilder::plane();
        let (c, s) = (0.8, 0.6);
        let places = [0.0, 0.3, 1.1, 1.25, 2.0];
        for (node, place) in places.into_iter().enumerate() {
            frame.node(node, [c * place, s * place]).unwrap();
            if node > 0 {
                frame.member(node, [node - 1, node], &member).unwrap();
            }
        }
        frame.fix_all(0).unwrap();
        let mut model = frame.build().unwrap();
        let (axial, moment) = (5e4, 2e4);
        let loads = LoadCase::new()
            .nodal(4, Dof::Ux, c * axial)
            .nodal(4, Dof::Uy, s * axial)
            .nodal(4, Dof::Rz, moment);
        solve(&mut model, &loads);
        for (node, place) in places.into_iter().enumerate().skip(1) {
            let [ux, uy, turn] =
                [Dof::Ux, Dof::Uy, Dof::Rz].map(|dof| model.node_displacement(node, dof).unwrap());
            close(c * ux + s * uy, axial * place / (E * A), 1e-9);
            close(
                c * uy - s * ux,
                moment * place * place / (2.0 * E * IZ),
                1e-9,
            );
            close(turn, moment * place / (E * IZ), 1e-9);
        }
    }
}

#[test]
fn a_rigid_arm_turns_a_force_into_a_moment() {
    let mut frame = ModelBuilder::plane();
    frame.node(1, [0.0, 0.0]).unwrap();
    frame.node(2, [2.0, 0.0]).unwrap();
    frame.node(3, [2.0, 1.5]).unwrap();
    frame.node(4, [2.5, 1.5]).unwrap();
    frame.fix_all(1).unwrap();
    frame.member(1, [1, 2], &Member::elastic(E, A, IZ)).unwrap();
    frame.rigid_link(2, 3).unwrap();
    // A chain: node 4 follows node 3, which follows node 2.
    frame.rigid_link(3, 4).unwrap();
    let mut model = frame.build().unwrap();
    assert_eq!(model.properties().dof(), 3);
    solve(&mut model, &LoadCase::new().nodal(4, Dof::Ux, 1e4));
    let turn = -1.5e4 * 2.0 / (E * IZ);
    close(model.node_displacement(2, Dof::Rz).unwrap(), turn, 1e-10);
    let along = 1e4 * 2.0 / (E * A);
    close(
        model.node_displacement(4, Dof::Ux).unwrap(),
        along - 1.5 * turn,
        1e-10,
    );
    close(
        model.node_displacement(4, Dof::Uy).unwrap(),
        -1.5e4 * 4.0 / (2.0 * E * IZ) + 0.5 * turn,
        1e-10,
    );
    close(model.reaction(1, Dof::Rz).unwrap(), 1.5e4, 1e-10);
    close(model.reaction(1, Dof::Ux).unwrap(), -1e4, 1e-10);
}

#[test]
fn a_diaphragm_turns_about_its_columns() {
    let mut frame = ModelBuilder::space();
    let height = 3.0;
    frame.node(100, [1.0, 0.5, height]).unwrap();
    frame.fix(100, &[Dof::Uz, Dof::Rx, Dof::Ry]).unwrap();
    let places = [[0.0, 0.0], [4.0, 0.0], [0.0, 5.0], [4.0, 5.0]];
    for (corner, [x, y]) in places.into_iter().enumerate() {
        frame.node(corner, [x, y, 0.0]).unwrap();
        frame.fix_all(corner).unwrap();
        frame.node(10 + corner, [x, y, height]).unwrap();
        frame
            .fix(10 + corner, &[Dof::Uz, Dof::Rx, Dof::Ry])
            .unwrap();
        let column = Member::elastic_space(E, A, IZ, IY, GJ);
        frame
            .member(corner, [corner, 10 + corner], &column)
            .unwrap();
    }
    frame
        .rigid_diaphragm(Dof::Rz, 100, &[10, 11, 12, 13])
        .unwrap();
    frame
        .mass(100, &[(Dof::Ux, 1e3), (Dof::Uy, 1e3), (Dof::Rz, 4e3)])
        .unwrap();
    let model = frame.build().unwrap();
    assert_eq!(model.properties().dof(), 3);
    assert_eq!(model.properties().label(2), "node 100 rz");
    // Which of the two axes is the strong one is up to the member's local axes.
    let (kx, ky) = (
        12.0 * E * IY / height.powi(3),
        12.0 * E * IZ / height.powi(3),
    );
    let (low, high) = (kx.min(ky), kx.max(ky));
    let k = &model.properties().stiffness;
    let (sway_x, sway_y) = (k.get(0, 0) / 4.0, k.get(1, 1) / 4.0);
    close(sway_x.min(sway_y), low, 1e-10);
    close(sway_x.max(sway_y), high, 1e-10);
    let torsion: f64 = places
        .iter()
        .map(|[x, y]| sway_x * (y - 0.5).powi(2) + sway_y * (x - 1.0).powi(2) + GJ / height)
        .sum();
    close(k.get(2, 2), torsion, 1e-10);
    assert_eq!(&model.properties().influence, &[1.0, 0.0, 0.0]);
    assert_eq!(model.influence_of([0.0, 1.0, 0.0]), vec![0.0, 1.0, 0.0]);
}

#[test]
fn wrong_models_are_refused() {
    let mut frame = ModelBuilder::plane();
    frame.node(1, [0.0, 0.0]).unwrap();
    frame.node(2, [1.0, 0.0]).unwrap();
    assert_eq!(
        frame.node(1, [0.0, 0.0]),
        Err(ModelError::Twice {
            what: "node",
            number: 1
        })
    );
    assert!(matches!(
        frame.node(3, [0.0; 3]),
        Err(ModelError::Value { got, .. }) if (got - 3.0).abs() < 0.1
    ));
    assert_eq!(frame.fix_all(9), Err(ModelError::NoNode { node: 9 }));
    let no_uz = frame.fix(1, &[Dof::Uz]);
    assert!(matches!(no_uz, Err(ModelError::NoDof { node: 1, .. })));
    let space = Member::elastic_space(E, A, IZ, IY, GJ);
    assert!(matches!(
        frame.member(1, [1, 2], &space),
        Err(ModelError::WrongSpace { element: 1, .. })
    ));
    assert!(matches!(
        frame.member(1, [1, 1], &Member::elastic(E, A, IZ)),
        Err(ModelError::NoLength { element: 1 })
    ));
    assert!(matches!(
        frame.member(1, [1, 2], &Member::elastic(E, -A, IZ)),
        Err(ModelError::Value { what: "EA", .. })
    ));
    let section = ElasticSection2d::new(E, A, IZ).unwrap();
    assert!(matches!(
        frame.member(1, [1, 2], &Member::force_based(section, 1)),
        Err(ModelError::Sections { element: 1, .. })
    ));
    frame.equal_dof(1, 2, &[Dof::Ux]).unwrap();
    assert!(matches!(
        frame.fix(2, &[Dof::Ux]),
        Err(ModelError::ConstrainedTwice { node: 2, .. })
    ));
    frame.equal_dof(2, 1, &[Dof::Ux]).unwrap();
    assert!(matches!(
        frame.clone().build(),
        Err(ModelError::Circle { .. })
    ));
    let mut stiff = ModelBuilder::plane();
    stiff.node(1, [0.0, 0.0]).unwrap();
    stiff.fix_all(1).unwrap();
    assert!(matches!(stiff.build(), Err(ModelError::NothingFree)));
}

fn upright(member: &Member) -> ModelBuilder {
    let mut frame = ModelBuilder::plane();
    frame.node(1, [0.0, 0.0]).unwrap();
    frame.node(2, [0.0, 4.0]).unwrap();
    frame.fix_all(1).unwrap();
    frame.mass(2, &[(Dof::Ux, 2e4), (Dof::Uy, 2e4)]).unwrap();
    frame.member(1, [1, 2], member).unwrap();
    frame
}

#[test]
fn gravity_stays_and_softens() {
    let column = Member::elastic(E, A, IZ).with_geometry(Geometry::PDelta);
    let (height, weight) = (4.0, 5e5);
    let gravity = LoadCase::new().nodal(2, Dof::Uy, -weight);
    let mut model = upright(&column).build_with_gravity(&gravity, 2).unwrap();
    let mut force = [1.0; 3];
    model.restoring_force(&[0.0; 3], &[0.0; 3], &mut force);
    assert!(force.iter().all(|f| f.abs() < 1e-6), "{force:?}");
    close(
        model.node_displacement(2, Dof::Uy).unwrap(),
        -weight * height / (E * A),
        1e-9,
    );
    // Tip stiffness with the rotation condensed: 3EI/L³ − P/L.
    let k = &model.properties().stiffness;
    let tip = k.get(0, 0) - k.get(0, 2) * k.get(2, 0) / k.get(2, 2);
    close(tip, 3.0 * E * IZ / height.powi(3) - weight / height, 1e-10);
    assert!(!model.properties().is_linear);
    let push = LoadCase::new().nodal(2, Dof::Ux, 1e3);
    let mut analysis = StaticAnalysis::new(&model, &push, StaticSettings::default()).unwrap();
    analysis.load_to(&mut model, 1.0).unwrap();
    close(model.committed_displacement()[0], 1e3 / tip, 1e-9);
}

#[test]
fn damping_follows_the_stiffness_it_stands_on() {
    let section = rectangle(&steel(), 0.1, 0.2, (16, 1))
        .unwrap()
        .build_2d()
        .unwrap();
    let column = Member::force_based(section, 5);
    let factor = 0.01;
    for on in [DampingStiffness::Committed, DampingStiffness::Current] {
        let mut frame = upright(&column);
        let damping = Damping::Rayleigh {
            mass: 0.0,
            stiffness: factor,
        };
        frame.damping(damping, on);
        let mut model = frame.build().unwrap();
        let (rest, v) = ([0.0; 3], [0.3, 0.1, -0.2]);
        let (mut still, mut moving) = ([0.0; 3], [0.0; 3]);
        let first = [0.15, 0.0, -0.05];
        model.restoring_force(&first, &rest, &mut still);
        let mut committed = model.properties().stiffness.clone();
        model.tangent(&mut committed);
        model.commit();
        let second = [0.16, 0.001, -0.056];
        model.restoring_force(&second, &rest, &mut still);
        let mut current = model.properties().stiffness.clone();
        model.tangent(&mut current);
        model.restoring_force(&second, &v, &mut moving);
        let tangent = if on == DampingStiffness::Committed {
            &committed
        } else {
            &current
        };
        for i in 0..3 {
            let expected: f64 = (0..3)
                .map(|j| {
                    factor * (tangent.get(i, j) - model.properties().stiffness.get(i, j)) * v[j]
                })
                .sum();
            assert!((moving[i] - still[i] - expected).abs() < 1e-6 * expected.abs().max(1.0));
            assert!(expected.abs() > 1.0);
        }
        assert!((committed.get(0, 0) - current.get(0, 0)).abs() > 1.0);
    }
}

#[test]
fn a_large_increment_of_a_force_based_member_ends_in_equilibrium() {
    let section = rectangle(&steel(), 0.1, 0.2, (16, 1))
        .unwrap()
        .build_2d()
        .unwrap();
    let mut model = upright(&Member::force_based(section, 5)).build().unwrap();
    let mut force = [0.0; 3];
    for sign in [1.0, -1.0, 1.0] {
        let u = [0.5 * sign, 0.02, -0.3 * sign];
        model.restoring_force(&u, &[0.0; 3], &mut force);
        model.commit();
        assert_eq!(model.failures(), 0);
        let sections = model.sections(1).unwrap();
        let ends = [sections[0].force[1], sections[4].force[1]];
        let inner = 0.5 * (1.0 - (3.0_f64 / 7.0).sqrt());
        for (xi, section) in [0.0, inner, 0.5, 1.0 - inner, 1.0].iter().zip(&sections) {
            let expected = ends[0] + xi * (ends[1] - ends[0]);
            assert!((section.force[1] - expected).abs() < 1e-6 * ends[0].abs().max(ends[1].abs()));
        }
    }
}

#[test]
fn sections_and_states_can_be_read() {
    let section = ElasticSection2d::new(E, A, IZ).unwrap();
    let mut model = upright(&Member::force_based(section, 5)).build().unwrap();
    let push = LoadCase::new().nodal(2, Dof::Ux, 1e3);
    let mut analysis = StaticAnalysis::new(&model, &push, StaticSettings::default()).unwrap();
    analysis.load_to(&mut model, 1.0).unwrap();
    let sections = model.sections(1).unwrap();
    assert_eq!(sections.len(), 5);
    close(sections[0].force[1].abs(), 4e3, 1e-9);
    close(sections[0].deformation[1].abs(), 4e3 / (E * IZ), 1e-9);
    assert!(sections[4].force[1].abs() < 1e-6);
    let ends = model.end_forces(1).unwrap();
    close(ends[0], -1e3, 1e-9);
    close(ends[2], 4e3, 1e-9);
    assert_eq!(model.element_nodes(1).unwrap(), [1, 2]);
    assert_eq!(model.node_numbers().collect::<Vec<_>>(), vec![1, 2]);
    assert!(matches!(
        model.end_forces(5),
        Err(ModelError::NoElement { element: 5 })
    ));
}
