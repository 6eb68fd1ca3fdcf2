//! There and back through every linkage, and work that is the same on both sides.

use super::common::{matrix, numbers, text};
use proptest::prelude::*;
use tandem_quantity::{Context, Entry, Motion, Value, Values};
use tandem_test_support::filled_in;
use tandem_transfer::kinematics::{Kinematics, METHODS};

fn build(method: &str, own: &[(&str, Value)], interface: usize) -> Box<dyn Kinematics> {
    let entry = Entry::find(METHODS, method).unwrap();
    (entry.build)(
        &filled_in(entry.method.parameters, own),
        &Context::of(interface, 1.0),
    )
    .unwrap()
}

fn brace(interface: usize) -> Box<dyn Kinematics> {
    let own = [
        ("half_span", Value::Number(3.0)),
        ("height", Value::Number(2.5)),
    ];
    build("inverted-v-brace", &own, interface)
}

/// Every method with a geometry from a laboratory.
fn all() -> Vec<(&'static str, Box<dyn Kinematics>)> {
    let hexapod: Vec<[f64; 3]> = (0..6)
        .map(|k| {
            let a = f64::from(k) * std::f64::consts::FRAC_PI_3 + 0.1;
            [1.5 * a.cos(), 1.5 * a.sin(), -1.2]
        })
        .collect();
    let platform: Vec<[f64; 3]> = (0..6)
        .map(|k| {
            let side = f64::from((k + 1) / 2) * 2.0 * std::f64::consts::FRAC_PI_3;
            [0.8 * side.cos(), 0.8 * side.sin(), 0.1 * f64::from(k % 2)]
        })
        .collect();
    let rows = |points: &[[f64; 3]]| Value::List(points.iter().map(|p| numbers(p)).collect());
    vec![
        ("none", build("none", &[], 3)),
        (
            "linear",
            build(
                "linear",
                &[("matrix", matrix(&[&[1.0, 0.5], &[-0.2, 2.0]]))],
                2,
            ),
        ),
        (
            "one-actuator",
            build("one-actuator", &[("direction", numbers(&[-2.0]))], 1),
        ),
        (
            "plane-two",
            build(
                "plane-two",
                &[("bases", matrix(&[&[-1.5, 0.1], &[0.2, -1.2]]))],
                2,
            ),
        ),
        (
            "plane-three",
            build(
                "plane-three",
                &[
                    (
                        "bases",
                        matrix(&[&[-1.5, 0.0], &[-0.6, -1.4], &[0.6, -1.4]]),
                    ),
                    (
                        "heads",
                        matrix(&[&[-0.3, 0.1], &[-0.5, -0.1], &[0.5, -0.1]]),
                    ),
                ],
                3,
            ),
        ),
        ("coupler", build("coupler", &[], 2)),
        (
            "space-four",
            build(
                "space-four",
                &[
                    (
                        "bases",
                        matrix(&[
                            &[-1.5, 0.0, 0.3],
                            &[-1.5, 0.1, -0.3],
                            &[0.0, -1.5, 0.3],
                            &[0.1, -1.5, -0.3],
                        ]),
                    ),
                    (
                        "heads",
                        matrix(&[
                            &[-0.3, 0.0, 0.3],
                            &[-0.3, 0.0, -0.3],
                            &[0.0, -0.3, 0.3],
                            &[0.0, -0.3, -0.3],
                        ]),
                    ),
                ],
                4,
            ),
        ),
        ("inverted-v-brace", brace(2)),
        ("inverted-v-brace of one dof", brace(1)),
        (
            "linkage",
            build(
                "linkage",
                &[
                    ("motions", Value::List(["z", "x", "ry"].map(text).to_vec())),
                    // Four actuators hold three motions.
                    (
                        "bases",
                        matrix(&[
                            &[-1.5, 0.0, 0.2],
                            &[-1.5, 0.0, -0.2],
                            &[-0.5, 0.0, -1.4],
                            &[0.5, 0.0, -1.4],
                        ]),
                    ),
                    (
                        "heads",
                        matrix(&[
                            &[-0.3, 0.0, 0.2],
                            &[-0.3, 0.0, -0.2],
                            &[-0.5, 0.0, -0.3],
                            &[0.5, 0.0, -0.3],
                        ]),
                    ),
                ],
                3,
            ),
        ),
        (
            "rigid-body",
            build(
                "rigid-body",
                &[("bases", rows(&hexapod)), ("heads", rows(&platform))],
                6,
            ),
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn there_and_back(
        x in prop::collection::vec(-0.1..0.1_f64, 6),
        v in prop::collection::vec(-0.5..0.5_f64, 6),
        a in prop::collection::vec(-5.0..5.0_f64, 6),
        f in prop::collection::vec(-1e4..1e4_f64, 6),
    ) {
        for (name, mut kinematics) in all() {
            let (n, m) = (kinematics.interface(), kinematics.actuators());
            let given = Motion {
                displacement: x[..n].to_vec(),
                velocity: v[..n].to_vec(),
                acceleration: a[..n].to_vec(),
            };
            let (mut strokes, mut back) = (Motion::at_rest(m), Motion::at_rest(n));
            kinematics.to_actuators(&given, &mut strokes);
            prop_assert!(kinematics.to_interface(&strokes, &mut back), "{}", name);
            for k in 0..n {
                prop_assert!((back.displacement[k] - x[k]).abs() < 1e-12, "{} {:?}", name, back);
                prop_assert!((back.velocity[k] - v[k]).abs() < 1e-10, "{}", name);
                prop_assert!((back.acceleration[k] - a[k]).abs() < 1e-8, "{}", name);
            }
            // Power: forces times velocities, on either side.
            let mut force = vec![0.0; n];
            kinematics.force_to_interface(&f[..m], &mut force);
            let power = |f: &[f64], v: &[f64]| f.iter().zip(v).map(|(a, b)| a * b).sum::<f64>();
            let (here, there) = (power(&force, &v[..n]), power(&f[..m], &strokes.velocity));
            prop_assert!((here - there).abs() < 1e-7, "{}: {} {}", name, here, there);
            // The forces that a specimen would need of the actuators come back as they were.
            let (mut held, mut again) = (vec![0.0; m], vec![0.0; n]);
            kinematics.force_to_actuators(&force, &mut held);
            kinematics.force_to_interface(&held, &mut again);
            for k in 0..n {
                prop_assert!((again[k] - force[k]).abs() < 1e-6, "{}: {:?} \
                    {:?}", name, again, force);
            }
        }
    }

    /// The derivatives that the geometry gives are those of its positions (central differences).
    #[test]
    fn strokes_have_their_derivatives(
        x in prop::collection::vec(-0.1..0.1_f64, 6),
        v in prop::collection::vec(-0.5..0.5_f64, 6),
        a in prop::collection::vec(-5.0..5.0_f64, 6),
    ) {
        for (name, mut kinematics) in all() {
            let (n, m) = (kinematics.interface(), kinematics.actuators());
            let h = 1e-4;
            let mut stroke = |t: f64| {
                let q = Motion {
                    displacement: (0..n).map(|k| x[k] + v[k] * t + 0.5 * a[k] * t * t).collect(),
                    velocity: (0..n).map(|k| v[k] + a[k] * t).collect(),
                    acceleration: a[..n].to_vec(),
                };
                let mut out = Motion::at_rest(m);
                kinematics.to_actuators(&q, &mut out);
                out
            };
            let (before, now, after) = (stroke(-h), stroke(0.0), stroke(h));
            for i in 0..m {
                let (p, q, r) =
                    (before.displacement[i], now.displacement[i], after.displacement[i]);
                prop_assert!(((r - p) / (2.0 * h) - now.velocity[i]).abs() < 1e-6, "{}", name);
                prop_assert!(((r - 2.0 * q + p) / (h * h) - now.acceleration[i]).abs() < 1e-5, "{}",
                    name);
            }
        }
    }
}

/// The published inverse of the coupler: s = (η₁ − η₂)/(2 p sin α), θ = asin s, x = η₁ − p (cos(θ −
/// α) − cos α).
#[test]
fn the_coupler_is_the_published_one() {
    let mut kinematics = build("coupler", &[], 2);
    let (p, alpha) = (0.295_395_f64, 25.4633_f64.to_radians());
    let strokes = Motion {
        displacement: vec![0.0042, -0.0011],
        velocity: vec![0.0; 2],
        acceleration: vec![0.0; 2],
    };
    let mut node = Motion::at_rest(2);
    assert!(kinematics.to_interface(&strokes, &mut node));
    let s = (0.0042 + 0.0011) / (2.0 * p * alpha.sin());
    let theta = s.asin();
    let x = 0.0042 - p * ((theta - alpha).cos() - alpha.cos());
    // The published radius and angle have six digits.
    assert!((node.displacement[1] - theta).abs() < 1e-7, "{node:?}");
    assert!((node.displacement[0] - x).abs() < 1e-7, "{node:?}");
    let mut clockwise = build("coupler", &[("clockwise", Value::Boolean(true))], 2);
    let mut other = Motion::at_rest(2);
    assert!(clockwise.to_interface(&strokes, &mut other));
    assert!((other.displacement[1] + theta).abs() < 1e-7);
}

/// Pythagoras: a point 3 m and 4 m away from two pins moves to the corners of right triangles.
#[test]
fn two_actuators_in_the_plane_obey_pythagoras() {
    let mut kinematics = build(
        "plane-two",
        &[("bases", matrix(&[&[-3.0, 0.0], &[0.0, -4.0]]))],
        2,
    );
    let node = Motion {
        displacement: vec![0.0, 4.0],
        velocity: vec![0.0; 2],
        acceleration: vec![0.0; 2],
    };
    let mut strokes = Motion::at_rest(2);
    kinematics.to_actuators(&node, &mut strokes);
    assert!((strokes.displacement[0] - 2.0).abs() < 1e-15);
    assert!((strokes.displacement[1] - 4.0).abs() < 1e-15);
}

/// Strokes that belong to no position are refused, and the interface keeps its last one.
#[test]
fn impossible_strokes_are_refused() {
    let mut kinematics = build("coupler", &[], 2);
    let mut node = Motion::at_rest(2);
    let mut strokes = Motion::at_rest(2);
    strokes.displacement = vec![0.004, 0.001];
    assert!(kinematics.to_interface(&strokes, &mut node));
    let last = node.displacement.clone();
    for impossible in [[1.0, -1.0], [f64::NAN, 0.0]] {
        strokes.displacement = impossible.to_vec();
        assert!(!kinematics.to_interface(&strokes, &mut node));
        assert_eq!(node.displacement, last);
    }
    let entry = Entry::find(METHODS, "plane-two").unwrap();
    let parallel = Values::new().with("bases", matrix(&[&[-3.0, 0.0], &[3.0, 0.0]]));
    let refused = (entry.build)(&parallel, &Context::of(2, 1.0))
        .err()
        .unwrap();
    let said = refused.to_string();
    assert!(said.contains("moves no actuator"), "{said}");
}

/// Twelve actuators hold the six motions of a body: the round trip is exact, and forces by the
/// transpose do the same work.
#[test]
fn any_number_of_actuators_holds_a_body() {
    let ring = |radius: f64, height: f64, turn: f64| -> Vec<Vec<f64>> {
        (0..12_u32)
            .map(|k| {
                let angle =
                    f64::from(k) * std::f64::consts::PI / 6.0 + turn * f64::from(k % 2 * 2) - turn;
                vec![radius * angle.cos(), radius * angle.sin(), height]
            })
            .collect()
    };
    let rows = |points: Vec<Vec<f64>>| Value::List(points.iter().map(|p| numbers(p)).collect());
    let motions = ["x", "y", "z", "rx", "ry", "rz"].map(text).to_vec();
    let mut linkage = build(
        "linkage",
        &[
            ("motions", Value::List(motions)),
            ("bases", rows(ring(1.5, -1.2, 0.3))),
            ("heads", rows(ring(0.7, 0.0, -0.1))),
        ],
        6,
    );
    assert_eq!((linkage.interface(), linkage.actuators()), (6, 12));
    let (mut strokes, mut back) = (Motion::at_rest(12), Motion::at_rest(6));
    for k in 1..=50_u32 {
        let t = f64::from(k) * 0.1;
        let at = |scale: f64| {
            (0..6)
                .map(|i| scale * (t + f64::from(i)).sin())
                .collect::<Vec<f64>>()
        };
        let node = Motion {
            displacement: at(0.05),
            velocity: at(0.3),
            acceleration: at(-2.0),
        };
        linkage.to_actuators(&node, &mut strokes);
        assert!(linkage.to_interface(&strokes, &mut back));
        for i in 0..6 {
            assert!((back.displacement[i] - node.displacement[i]).abs() < 1e-12);
            assert!((back.velocity[i] - node.velocity[i]).abs() < 1e-10);
            assert!((back.acceleration[i] - node.acceleration[i]).abs() < 1e-9);
        }
        let held: Vec<f64> = (0..12)
            .map(|i| 1e3 * (t * f64::from(i + 1)).cos())
            .collect();
        let mut force = vec![0.0; 6];
        linkage.force_to_interface(&held, &mut force);
        let power = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (outside, inside) = (
            power(&held, &strokes.velocity),
            power(&force, &node.velocity),
        );
        assert!(
            (outside - inside).abs() < 1e-9 * held.len() as f64 * 1e3,
            "{outside} {inside}"
        );
    }
}
