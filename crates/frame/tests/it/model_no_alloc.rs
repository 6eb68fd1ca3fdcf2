//! Steps of a frame (restoring force, tangent, commit) take no memory.

use assert_no_alloc::assert_no_alloc;
use tandem_frame::element::{Determination, ElastomericShear, MrDamperLaw, PendulumShear};
use tandem_frame::material::{BoucWenRate, Elastic, Material, Maxwell, Steel02, Viscous};
use tandem_frame::model::{
    DampingStiffness, Dof, LoadCase, Member, ModelBuilder, Orientation, StaticAnalysis,
    StaticSettings,
};
use tandem_frame::section::shape::rectangle;
use tandem_frame::transformation::Geometry;
use tandem_structure::{Damping, Structure};

fn steel() -> Material {
    Steel02::new(355e6, 210e9, 0.01).unwrap().into()
}

/// A plane frame with one of each element.
fn plane(stiffness: DampingStiffness) -> ModelBuilder {
    let mut frame = ModelBuilder::plane();
    for storey in 0..=6_usize {
        for line in 0..=1_usize {
            let node = 10 * storey + line;
            frame
                .node(node, [4.0 * line as f64, 3.0 * storey as f64])
                .unwrap();
            if storey == 0 {
                frame.fix_all(node).unwrap();
            } else {
                let masses = [(Dof::Ux, 1e4), (Dof::Uy, 1e4)];
                frame.mass(node, &masses).unwrap();
            }
        }
    }
    let section = || {
        rectangle(&steel(), 0.2, 0.3, (20, 1))
            .unwrap()
            .build_2d()
            .unwrap()
    };
    let hinge = Material::from(BoucWenRate::new(0.05, 1e7, 0.005, 1.0, 0.5, 0.5).unwrap());
    let force = Member::force_based(section(), 5);
    let members = [
        force.clone(),
        force.clone().with_determination(Determination::Carried),
        Member::displacement_based(section(), 3),
        Member::elastic(210e9, 0.06, 4.5e-4)
            .with_hinges([Some(hinge.clone()), Some(hinge.clone())]),
        Member::elastic(210e9, 0.06, 4.5e-4).with_geometry(Geometry::Corotational),
        force.with_geometry(Geometry::PDelta),
    ];
    for (storey, member) in members.iter().enumerate() {
        for line in 0..=1 {
            let below = 10 * storey + line;
            frame
                .member(100 + below, [below, below + 10], member)
                .unwrap();
        }
        let above = 10 * (storey + 1);
        frame
            .member(200 + above, [above, above + 1], &members[storey])
            .unwrap();
    }
    frame
        .truss(300, [0, 11], &steel(), 1e-4, Geometry::Corotational)
        .unwrap();
    let maxwell = Material::from(Maxwell::new(1e6, 1e5).unwrap());
    frame.damper(301, [10, 21], &maxwell).unwrap();
    let viscous = Material::from(Viscous::new(1e4, 0.4).unwrap());
    frame.damper(302, [20, 31], &viscous).unwrap();
    let law = MrDamperLaw {
        viscous: [1e3, 1e3],
        hysteretic: [1e5, 1e5],
        stiffness: 1e4,
        offset: 0.0,
        amplitude: 1.0,
        gamma: 80.0,
        beta: 60.0,
        exponent: 2.0,
    };
    frame.mr_damper(303, [30, 41], law).unwrap();
    frame
        .zero_length(304, [50, 60], &[(Dof::Ux, &hinge), (Dof::Rz, &hinge)])
        .unwrap();
    frame.node(99, [8.0, 3.0]).unwrap();
    frame.rigid_link(11, 99).unwrap();
    let (axial, rotational) = (
        Material::from(Elastic::new(1e8).unwrap()),
        Material::from(Elastic::new(1e4).unwrap()),
    );
    let shear = ElastomericShear {
        stiffness: 1e6,
        yield_force: 1e4,
        hardening_ratio: 0.1,
    };
    let upright = Orientation::default();
    frame
        .elastomeric_bearing(305, [11, 21], shear, &axial, &rotational, &upright)
        .unwrap();
    let pendulum = PendulumShear {
        radius: 2.0,
        stiffness: 1e6,
        slow_friction: 0.05,
        fast_friction: 0.08,
        rate: 20.0,
    };
    frame
        .friction_pendulum(306, [99, 21], pendulum, &axial, &rotational, &upright)
        .unwrap();
    let damping = Damping::RayleighRatio {
        ratios: [0.03, 0.03],
        modes: [1, 2],
    };
    frame.damping(damping, stiffness);
    frame
}

fn space() -> ModelBuilder {
    let mut frame = ModelBuilder::space();
    let section = || {
        rectangle(&steel(), 0.2, 0.3, (6, 4))
            .unwrap()
            .build_3d(1e6)
            .unwrap()
    };
    for storey in 0..=3_usize {
        for corner in 0..4_usize {
            let node = 10 * storey + corner;
            let place = [
                4.0 * (corner % 2) as f64,
                5.0 * (corner / 2) as f64,
                3.0 * storey as f64,
            ];
            frame.node(node, place).unwrap();
            if storey == 0 {
                frame.fix_all(node).unwrap();
            } else {
                let column =
                    Member::force_based_space(section(), 4).with_geometry(Geometry::PDelta);
                frame
                    .member(100 + node, [node - 10, node], &column)
                    .unwrap();
            }
        }
        if storey > 0 {
            let first = 10 * storey;
            for (a, b) in [(0, 1), (2, 3), (0, 2), (1, 3)] {
                let beam = Member::displacement_based_space(section(), 3);
                frame
                    .member(1000 + 100 * a + first + b, [first + a, first + b], &beam)
                    .unwrap();
            }
            frame
                .rigid_diaphragm(Dof::Rz, first, &[first + 1, first + 2, first + 3])
                .unwrap();
            frame
                .mass(first, &[(Dof::Ux, 1e4), (Dof::Uy, 1e4), (Dof::Rz, 1e4)])
                .unwrap();
        }
    }
    frame
}

#[test]
fn stepping_takes_no_memory() {
    let builders = [
        plane(DampingStiffness::Initial),
        plane(DampingStiffness::Committed),
        plane(DampingStiffness::Current),
        space(),
    ];
    for builder in builders {
        let mut model = builder.build().unwrap();
        model.set_time_step(0.01);
        let n = model.properties().dof();
        let mut tangent = model.properties().stiffness.clone();
        let mut solver = tangent.factor().unwrap();
        let (mut d, mut v, mut force) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        let mut solution = vec![0.0; n];
        assert_no_alloc(|| {
            for step in 0..60_u32 {
                let t = 0.1 * f64::from(step);
                for i in 0..n {
                    let place = 0.37 * i as f64;
                    d[i] = 0.004 * (t + place).sin();
                    v[i] = 0.04 * (t + place).cos();
                }
                model.restoring_force(&d, &v, &mut force);
                model.tangent(&mut tangent);
                if step % 4 == 3 {
                    model.revert();
                } else {
                    model.commit();
                }
            }
            solution.copy_from_slice(&force);
            solver.solve_in_place(&mut solution);
        });
        assert!(force.iter().all(|f| f.is_finite()));
        assert!(force.iter().any(|f| f.abs() > 1e3));
    }
}

#[test]
fn static_increments_take_no_memory() {
    let mut frame = ModelBuilder::plane();
    frame.node(1, [0.0, 0.0]).unwrap();
    frame.node(2, [0.0, 3.0]).unwrap();
    frame.fix_all(1).unwrap();
    let section = rectangle(&steel(), 0.2, 0.3, (20, 1))
        .unwrap()
        .build_2d()
        .unwrap();
    frame
        .member(1, [1, 2], &Member::force_based(section, 5))
        .unwrap();
    let mut model = frame.build().unwrap();
    let push = LoadCase::new()
        .nodal(2, Dof::Ux, 1.0)
        .uniform(1, [0.0, -10.0, 0.0]);
    let mut analysis = StaticAnalysis::new(&model, &push, StaticSettings::default()).unwrap();
    let mut peak = 0.0_f64;
    assert_no_alloc(|| {
        for step in 1..=30 {
            let target = 0.005 * f64::from(step);
            let reached = analysis.push_to(&mut model, 2, Dof::Ux, target);
            peak = peak.max(reached.unwrap_or(f64::NAN));
        }
    });
    assert!(peak > 1e3, "{peak}");
}
