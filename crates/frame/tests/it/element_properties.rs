//! What holds for every element: tangents are derivatives, rigid motions cost nothing, forces
//! balance, states come back.

use proptest::prelude::*;
use tandem_frame::element::{Determination, ElastomericShear, MrDamperLaw, PendulumShear};
use tandem_frame::material::{BoucWenRate, Elastic, Material, Maxwell, Steel02, Viscous};
use tandem_frame::model::{Dof, Member, Model, ModelBuilder, Orientation};
use tandem_frame::section::shape::rectangle;
use tandem_frame::section::{Section2d, Section3d};
use tandem_frame::transformation::Geometry;
use tandem_quantity::{Snapshot, StateReader};
use tandem_structure::{Matrix, Structure};
use tandem_test_support::larger;

const PLANE_SPAN: [f64; 2] = [1.2, 1.6];
const SPACE_SPAN: [f64; 3] = [1.2, 1.6, 0.9];

fn steel() -> Material {
    let law = Steel02::new(355e6, 210e9, 0.02).unwrap();
    law.with_curve(20.0, 0.925, 0.15).unwrap().into()
}

fn plane_section() -> Section2d {
    let layout = rectangle(&steel(), 0.1, 0.2, (12, 1)).unwrap();
    layout.build_2d().unwrap().into()
}

fn space_section() -> Section3d {
    let layout = rectangle(&steel(), 0.1, 0.2, (8, 4)).unwrap();
    layout.build_3d(2e6).unwrap().into()
}

fn tight(member: Member) -> Member {
    member.with_determination(Determination::Iterated {
        tolerance: 1e-26,
        passes: 25,
    })
}

fn spring(stiffness: f64) -> Material {
    Elastic::new(stiffness).unwrap().into()
}

fn hysteretic(stiffness: f64, at: f64) -> Material {
    BoucWenRate::new(0.1, stiffness, at, 1.0, 0.6, 0.4)
        .unwrap()
        .into()
}

/// What a law of large displacements is checked with.
#[derive(Clone, Copy, PartialEq)]
enum Moves {
    /// Rigid motion of any size costs nothing.
    Freely,
    /// A small one does.
    Slightly,
    /// The element knows only relative displacements.
    Relatively,
}

struct Case {
    name: &'static str,
    moves: Moves,
    model: Model,
    /// Size of displacements (m) that reaches the nonlinear range.
    reach: f64,
    /// Whether the tangent is the exact derivative; otherwise it is that at constant axial force.
    exact: bool,
}

fn plane(name: &'static str, moves: Moves, add: impl Fn(&mut ModelBuilder)) -> Case {
    let mut builder = ModelBuilder::plane();
    builder.node(1, [0.3, -0.2]).unwrap();
    builder
        .node(2, [0.3 + PLANE_SPAN[0], -0.2 + PLANE_SPAN[1]])
        .unwrap();
    add(&mut builder);
    Case {
        name,
        moves,
        model: builder.build().unwrap(),
        reach: 0.02,
        exact: true,
    }
}

fn space(name: &'static str, moves: Moves, add: impl Fn(&mut ModelBuilder)) -> Case {
    let mut builder = ModelBuilder::space();
    builder.node(1, [0.0, 0.0, 0.0]).unwrap();
    builder.node(2, SPACE_SPAN).unwrap();
    add(&mut builder);
    Case {
        name,
        moves,
        model: builder.build().unwrap(),
        reach: 0.02,
        exact: true,
    }
}

/// Every element, between two free nodes.
fn cases() -> Vec<Case> {
    use Moves::{Freely, Relatively, Slightly};
    let member = |member: Member| move |b: &mut ModelBuilder| b.member(7, [1, 2], &member).unwrap();
    let elastic = Member::elastic(210e9, 0.02, 6e-5);
    let elastic_space = Member::elastic_space(210e9, 0.02, 6e-5, 2e-5, 2e6);
    let force = tight(Member::force_based(plane_section(), 5));
    let displacement = Member::displacement_based(plane_section(), 3);
    let law = MrDamperLaw {
        viscous: [1e3, 1e3],
        hysteretic: [1e6, 1e6],
        stiffness: 1e5,
        offset: 0.01,
        amplitude: 1.2,
        gamma: 80.0,
        beta: 60.0,
        exponent: 1.0,
    };
    let shear = ElastomericShear {
        stiffness: 1e6,
        yield_force: 1e4,
        hardening_ratio: 0.1,
    };
    let pendulum = PendulumShear {
        radius: 2.0,
        stiffness: 1e6,
        slow_friction: 0.05,
        fast_friction: 0.08,
        rate: 20.0,
    };
    let upright = Orientation::default();
    let mut all = vec![
        plane("elastic", Slightly, member(elastic.clone())),
        plane(
            "Timoshenko",
            Slightly,
            member(elastic.clone().with_shear(1e8, 1e8)),
        ),
        plane(
            "corotational",
            Freely,
            member(elastic.clone().with_geometry(Geometry::Corotational)),
        ),
        plane("force-based", Slightly, member(force.clone())),
        plane(
            "force-based corotational",
            Freely,
            member(force.with_geometry(Geometry::Corotational)),
        ),
        plane("displacement-based", Slightly, member(displacement)),
        plane(
            "hinged",
            Slightly,
            member(
                elastic
                    .clone()
                    .with_hinges([Some(hysteretic(5e6, 0.002)), Some(spring(0.0))]),
            ),
        ),
        plane(
            "P-Delta",
            Slightly,
            member(elastic.with_geometry(Geometry::PDelta)),
        ),
        plane("truss", Slightly, |b| {
            b.truss(7, [1, 2], &steel(), 1e-3, Geometry::Linear)
                .unwrap();
        }),
        plane("corotational truss", Freely, |b| {
            b.truss(7, [1, 2], &steel(), 1e-3, Geometry::Corotational)
                .unwrap();
        }),
        plane("zero-length", Relatively, |b| {
            let (stiff, soft) = (hysteretic(1e6, 0.005), spring(1e5));
            let springs = [(Dof::Ux, &stiff), (Dof::Uy, &soft), (Dof::Rz, &stiff)];
            b.zero_length(7, [1, 2], &springs).unwrap();
        }),
        plane("two-node link", Slightly, |b| {
            let (stiff, soft) = (hysteretic(1e6, 0.005), spring(1e5));
            let springs = [(Dof::Ux, &stiff), (Dof::Uy, &soft), (Dof::Rz, &stiff)];
            b.two_node_link(7, [1, 2], &springs, &upright).unwrap();
        }),
        plane("elastomeric bearing", Slightly, |b| {
            b.elastomeric_bearing(7, [1, 2], shear, &spring(1e8), &spring(1e4), &upright)
                .unwrap();
        }),
        plane("MR damper", Slightly, |b| {
            b.mr_damper(7, [1, 2], law).unwrap();
        }),
        plane("Maxwell damper", Slightly, |b| {
            let maxwell = Material::from(Maxwell::new(1e6, 1e4).unwrap());
            b.damper(7, [1, 2], &maxwell).unwrap();
        }),
        space("elastic in space", Slightly, member(elastic_space.clone())),
        space(
            "corotational in space",
            Freely,
            member(
                elastic_space
                    .clone()
                    .with_geometry(Geometry::Corotational)
                    .with_up([0.3, 0.1, 1.0]),
            ),
        ),
        space(
            "force-based corotational in space",
            Freely,
            member(
                tight(Member::force_based_space(space_section(), 3))
                    .with_geometry(Geometry::Corotational),
            ),
        ),
        space(
            "hinged in space",
            Slightly,
            member(elastic_space.clone().with_hinges_space(
                [Some(hysteretic(5e6, 0.002)), Some(spring(0.0))],
                [None, Some(hysteretic(3e6, 0.003))],
            )),
        ),
        space(
            "P-Delta in space",
            Slightly,
            member(elastic_space.with_geometry(Geometry::PDelta)),
        ),
        space(
            "force-based in space",
            Slightly,
            member(tight(Member::force_based_space(space_section(), 4)).with_up([0.3, 0.1, 1.0])),
        ),
        space(
            "displacement-based in space",
            Slightly,
            member(Member::displacement_based_space(space_section(), 3)),
        ),
        space("truss in space", Slightly, |b| {
            b.truss(7, [1, 2], &steel(), 1e-3, Geometry::Linear)
                .unwrap();
        }),
        space("link in space", Slightly, |b| {
            let (stiff, soft) = (hysteretic(1e6, 0.005), spring(1e5));
            let springs = Dof::ALL.map(|dof| (dof, if dof == Dof::Uz { &soft } else { &stiff }));
            b.two_node_link(7, [1, 2], &springs, &upright).unwrap();
        }),
        space("bearing in space", Slightly, |b| {
            b.elastomeric_bearing(7, [1, 2], shear, &spring(1e8), &spring(1e4), &upright)
                .unwrap();
        }),
        space("pendulum in space", Slightly, |b| {
            b.friction_pendulum(7, [1, 2], pendulum, &spring(1e8), &spring(1e4), &upright)
                .unwrap();
        }),
    ];
    for case in &mut all {
        case.exact = !case.name.contains("P-Delta") && !case.name.contains("pendulum");
        if case.name == "MR damper" {
            // The offset of its accumulator is a force at rest.
            case.moves = Moves::Relatively;
        }
    }
    all
}

fn force_at(model: &mut Model, displacement: &[f64]) -> Vec<f64> {
    let rest = vec![0.0; model.properties().dof()];
    let mut force = rest.clone();
    model.restoring_force(displacement, &rest, &mut force);
    force
}

fn tangent_at(model: &mut Model, displacement: &[f64]) -> Matrix {
    force_at(model, displacement);
    let mut tangent = model.properties().stiffness.clone();
    model.tangent(&mut tangent);
    tangent
}

fn largest(values: &[f64]) -> f64 {
    values.iter().map(|v| v.abs()).fold(0.0, larger)
}

fn motion() -> impl Strategy<Value = Vec<f64>> {
    proptest::collection::vec(-1.0..1.0_f64, 12)
}

fn scaled(case: &Case, motion: &[f64], scale: f64) -> Vec<f64> {
    motion[..case.model.properties().dof()]
        .iter()
        .map(|v| v * scale * case.reach)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn tangents_are_derivatives(first in motion(), second in motion()) {
        for mut case in cases().into_iter().filter(|case| case.exact) {
            let before = scaled(&case, &first, 0.5);
            force_at(&mut case.model, &before);
            case.model.commit();
            let at: Vec<f64> =
                before.iter().zip(scaled(&case, &second, 1.0)).map(|(a, b)| a + b).collect();
            let tangent = tangent_at(&mut case.model, &at);
            let n = case.model.properties().dof();
            let scale = largest(&tangent.to_dense());
            let h = 1e-7 * case.reach;
            for j in 0..n {
                let mut shifted = at.clone();
                shifted[j] = at[j] + h;
                let plus = force_at(&mut case.model, &shifted);
                shifted[j] = at[j] - h;
                let minus = force_at(&mut case.model, &shifted);
                for i in 0..n {
                    let slope = (plus[i] - minus[i]) / (2.0 * h);
                    let error = (slope - tangent.get(i, j)).abs() / scale;
                    prop_assert!(error < 2e-5, "{}: ∂f{i}/∂u{j} {slope} against \
                        {}", case.name, tangent.get(i, j));
                }
            }
        }
    }

    /// The shear force of P-Delta members and pendulums is N times something, and N does not depend
    /// on the shear: with the change of N in it the tangent would not be symmetric, on which the
    /// solvers rely. So it is left out, and the tangent is the derivative along all motions that
    /// keep N.
    #[test]
    fn tangents_at_constant_axial_force_are_derivatives(
        first in motion(), second in motion(), along in motion()) {
        for mut case in cases().into_iter().filter(|case| !case.exact) {
            let before = scaled(&case, &first, 0.5);
            force_at(&mut case.model, &before);
            case.model.commit();
            let at: Vec<f64> =
                before.iter().zip(scaled(&case, &second, 1.0)).map(|(a, b)| a + b).collect();
            let tangent = tangent_at(&mut case.model, &at);
            let n = case.model.properties().dof();
            let span: &[f64] = if n == 6 { &PLANE_SPAN } else { &SPACE_SPAN };
            let length = span.iter().map(|x| x * x).sum::<f64>().sqrt();
            let mut direction = along[..n].to_vec();
            let stretch: f64 = (0..span.len())
                .map(|k| (direction[n / 2 + k] - direction[k]) * span[k] / length)
                .sum();
            for (k, x) in span.iter().enumerate() {
                direction[n / 2 + k] -= stretch * x / length;
            }
            let h = 1e-7 * case.reach;
            let moved = |sign: f64| -> Vec<f64> {
                at.iter().zip(&direction).map(|(u, d)| u + sign * h * d).collect()
            };
            let (ahead, behind) = (moved(1.0), moved(-1.0));
            let (plus, minus) =
                (force_at(&mut case.model, &ahead), force_at(&mut case.model, &behind));
            let scale = largest(&tangent.to_dense());
            for i in 0..n {
                let slope = (plus[i] - minus[i]) / (2.0 * h);
                let linear: f64 = (0..n).map(|j| tangent.get(i, j) * direction[j]).sum();
                prop_assert!((slope - linear).abs() < 2e-5 * scale, "{}: force {i}: {slope} \
                    against {linear}", case.name);
            }
        }
    }

    #[test]
    fn tangents_are_symmetric(first in motion()) {
        for mut case in cases() {
            let at = scaled(&case, &first, 1.0);
            let tangent = tangent_at(&mut case.model, &at);
            let scale = largest(&tangent.to_dense());
            for i in 0..case.model.properties().dof() {
                for j in 0..i {
                    let gap = (tangent.get(i, j) - tangent.get(j, i)).abs();
                    prop_assert!(gap < 1e-9 * scale, "{}", case.name);
                }
            }
        }
    }

    #[test]
    fn rigid_motions_cost_nothing(shift in motion(), turn in -1.0..1.0_f64) {
        for mut case in cases() {
            let n = case.model.properties().dof() / 2;
            let mut u = vec![0.0; 2 * n];
            let dimensions = if n == 3 { 2 } else { 3 };
            u[..dimensions].copy_from_slice(&shift[..dimensions]);
            u[n..n + dimensions].copy_from_slice(&shift[..dimensions]);
            match (case.moves, n) {
                (Moves::Relatively, _) => {}
                (Moves::Freely, 6) => {
                    // exp θ about a slanted axis: r cos φ + a × r sin φ + a (a·r)(1 − cos φ).
                    let axis = [2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0];
                    let angle = 3.0 * turn;
                    let (s, c) = angle.sin_cos();
                    let r = SPACE_SPAN;
                    let along: f64 = (0..3).map(|k| axis[k] * r[k]).sum();
                    for k in 0..3 {
                        let (a, b) = ((k + 1) % 3, (k + 2) % 3);
                        let across = axis[a] * r[b] - axis[b] * r[a];
                        u[6 + k] += c * r[k] + s * across + (1.0 - c) * along * axis[k] - r[k];
                        u[3 + k] = angle * axis[k];
                        u[9 + k] = angle * axis[k];
                    }
                }
                (Moves::Freely, _) => {
                    let angle = 3.0 * turn;
                    let (s, c) = angle.sin_cos();
                    let [x, y] = PLANE_SPAN;
                    u[3] += c * x - s * y - x;
                    u[4] += s * x + c * y - y;
                    u[2] = angle;
                    u[5] = angle;
                }
                (Moves::Slightly, 3) => {
                    let [x, y] = PLANE_SPAN;
                    u[3] -= turn * y;
                    u[4] += turn * x;
                    u[2] = turn;
                    u[5] = turn;
                }
                (Moves::Slightly, _) => {
                    let w = [turn, -0.3 * turn, 0.7 * turn];
                    let r = SPACE_SPAN;
                    for k in 0..3 {
                        let (a, b) = ((k + 1) % 3, (k + 2) % 3);
                        u[6 + k] += w[a] * r[b] - w[b] * r[a];
                    }
                    u[3..6].copy_from_slice(&w);
                    u[9..12].copy_from_slice(&w);
                }
            }
            let rest = vec![0.0; 2 * n];
            let at_rest = force_at(&mut case.model, &rest);
            let stiffest = largest(&case.model.properties().stiffness.to_dense());
            let force = force_at(&mut case.model, &u);
            for (force, rest) in force.iter().zip(&at_rest) {
                prop_assert!((force - rest).abs() < 1e-12 * stiffest, "{}: {force}", case.name);
            }
        }
    }

    #[test]
    fn forces_balance(first in motion()) {
        for mut case in cases() {
            let at = scaled(&case, &first, 1.0);
            let force = force_at(&mut case.model, &at);
            let n = force.len() / 2;
            let dimensions = if n == 3 { 2 } else { 3 };
            let scale = largest(&force).max(1.0);
            for k in 0..dimensions {
                prop_assert!((force[k] + force[n + k]).abs() < 1e-9 * scale, "{}", case.name);
            }
            // Moments about node i, on the shape on which equilibrium is written.
            let deformed = case.name.contains("corotational") || case.name.contains("P-Delta");
            if n == 3 && case.moves != Moves::Relatively && !case.name.contains("P-Delta") {
                let part = if deformed { 1.0 } else { 0.0 };
                let x = PLANE_SPAN[0] + part * (at[3] - at[0]);
                let y = PLANE_SPAN[1] + part * (at[4] - at[1]);
                let moment = force[2] + force[5] + x * force[4] - y * force[3];
                prop_assert!(moment.abs() < 1e-9 * scale, "{}: {moment}", case.name);
            }
        }
    }

    #[test]
    fn states_come_back_bit_for_bit(path in proptest::collection::vec(motion(), 4)) {
        for mut case in cases() {
            let model = &mut case.model;
            model.set_time_step(0.01);
            let n = model.properties().dof();
            let at = |index: usize| -> Vec<f64> {
                path[index][..n].iter().map(|v| v * case.reach).collect()
            };
            let mut force = vec![0.0; n];
            let mut go = |model: &mut Model, index: usize| {
                let (u, v) = (at(index), at((index + 1) % 4));
                model.restoring_force(&u, &v, &mut force);
                force.iter().map(|f| f.to_bits()).collect::<Vec<u64>>()
            };
            go(model, 0);
            model.commit();
            let mut words = Vec::new();
            model.save(&mut words);
            let expected = go(model, 1);
            // Other trials in between leave no trace.
            go(model, 2);
            go(model, 3);
            model.revert();
            prop_assert_eq!(&go(model, 1), &expected, "{} after revert", case.name);
            model.commit();
            let later = go(model, 2);
            let mut other = model.clone();
            other.restore(&mut StateReader::new(&words)).unwrap();
            prop_assert_eq!(&go(&mut other, 1), &expected, "{} after restore", case.name);
            other.commit();
            prop_assert_eq!(&go(&mut other, 2), &later, "{} later", case.name);
            let (mut a, mut b) = (Vec::new(), Vec::new());
            model.save(&mut a);
            other.save(&mut b);
            let bits = |words: &[f64]| words.iter().map(|w| w.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&a), bits(&b), "{}", case.name);
        }
    }
}

#[test]
fn a_linear_dashpot_is_part_of_the_damping_matrix() {
    let mut builder = ModelBuilder::plane();
    builder.node(1, [0.0, 0.0]).unwrap();
    builder.node(2, [3.0, 4.0]).unwrap();
    builder.fix_all(1).unwrap();
    let dashpot = Material::from(Viscous::new(500.0, 1.0).unwrap());
    builder.damper(1, [1, 2], &dashpot).unwrap();
    let mut model = builder.build().unwrap();
    // c n nᵀ with n = (0.6, 0.8).
    assert!((model.properties().damping.get(0, 0) - 500.0 * 0.36).abs() < 1e-10);
    assert!((model.properties().damping.get(0, 1) - 500.0 * 0.48).abs() < 1e-10);
    let mut force = [0.0; 3];
    model.restoring_force(&[0.0; 3], &[2.0, 1.0, 0.0], &mut force);
    assert!(largest(&force) < 1e-10);
}

#[test]
fn a_power_law_damper_acts_along_its_line() {
    let mut builder = ModelBuilder::plane();
    builder.node(1, [0.0, 0.0]).unwrap();
    builder.node(2, [3.0, 4.0]).unwrap();
    builder.fix_all(1).unwrap();
    let dashpot = Material::from(Viscous::new(500.0, 0.5).unwrap());
    builder.damper(1, [1, 2], &dashpot).unwrap();
    let mut model = builder.build().unwrap();
    let mut force = [0.0; 3];
    model.restoring_force(&[0.0; 3], &[2.0, 1.0, 0.0], &mut force);
    let expected = 500.0 * (2.0_f64 * 0.6 + 0.8).sqrt();
    assert!((force[0] - 0.6 * expected).abs() < 1e-9 && (force[1] - 0.8 * expected).abs() < 1e-9);
    assert!(largest(&model.properties().damping.to_dense()) < 1e-12);
}
