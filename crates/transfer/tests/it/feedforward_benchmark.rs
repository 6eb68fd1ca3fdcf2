//! The single-actuator benchmark with adaptive feed-forward: case 4 under El Centro and, as in the
//! published study, Kobe 1995, both at 40 %.
//!
//! The loop is written out here, sample by sample, so that plant and compensator are checked by
//! themselves.

use super::common::numbers;
use tandem_quantity::{Context, Entry, Motion, Value};
use tandem_signal::record::{Record, el_centro_1940};
use tandem_test_support::filled_in;
use tandem_test_support::single_actuator::{kobe_for_part, matrices};
use tandem_transfer::compensator::Compensator;
use tandem_transfer::plant::Plant;
use tandem_transfer::rig::Measured;
use tandem_transfer::{compensator, plant};

const H: f64 = 1.0 / 4096.0;
type Vector = [f64; 3];
type Matrix = [[f64; 3]; 3];

fn times(m: &Matrix, x: &Vector) -> Vector {
    std::array::from_fn(|i| (0..3).map(|j| m[i][j] * x[j]).sum())
}

struct Building {
    mass: Vector,
    ground_mass: f64,
    damping: Matrix,
    stiffness: Matrix,
}

impl Building {
    /// Runge–Kutta 4 with a constant interface force over the step; ground acceleration at start,
    /// middle and end.
    fn step(&self, state: &mut (Vector, Vector), ground: [f64; 3], force: f64) {
        let rate = |(x, v): &(Vector, Vector), a: f64| -> (Vector, Vector) {
            let (cv, kx) = (times(&self.damping, v), times(&self.stiffness, x));
            let acceleration = std::array::from_fn(|i| {
                let interface = if i == 0 { force } else { 0.0 };
                (-self.ground_mass * a - cv[i] - kx[i] - interface) / self.mass[i]
            });
            (*v, acceleration)
        };
        let along = |s: &(Vector, Vector), r: &(Vector, Vector), f: f64| -> (Vector, Vector) {
            (
                std::array::from_fn(|i| s.0[i] + f * r.0[i]),
                std::array::from_fn(|i| s.1[i] + f * r.1[i]),
            )
        };
        let k1 = rate(state, ground[0]);
        let k2 = rate(&along(state, &k1, 0.5 * H), ground[1]);
        let k3 = rate(&along(state, &k2, 0.5 * H), ground[1]);
        let k4 = rate(&along(state, &k3, H), ground[2]);
        for i in 0..3 {
            state.0[i] += H / 6.0 * (k1.0[i] + 2.0 * (k2.0[i] + k3.0[i]) + k4.0[i]);
            state.1[i] += H / 6.0 * (k1.1[i] + 2.0 * (k2.1[i] + k3.1[i]) + k4.1[i]);
        }
    }
}

/// Three rows of three.
fn square(rows: &[f64]) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| rows[3 * i + j]))
}

fn benchmark_plant() -> Box<dyn Plant> {
    // Gálmez and Fermandois 2020, Eq. 29.
    let entry = Entry::find(plant::METHODS, "benchmark-single").unwrap();
    let own = [
        ("valve_gain", 2.13e13),
        ("velocity_feedback", 4.23e6),
        ("valve_stiffness", 10e4),
        ("mass", 29.1),
        ("damping", 114.6),
        ("stiffness", 1.19e6),
    ];
    let own = own.map(|(key, x)| (key, Value::Number(x)));
    (entry.build)(
        &filled_in(entry.method.parameters, &own),
        &Context::of(1, H),
    )
    .unwrap()
}

fn feedforward(gains: [f64; 2]) -> Box<dyn Compensator> {
    let entry = Entry::find(compensator::METHODS, "adaptive-feedforward").unwrap();
    let own = [
        ("start", numbers(&[1.0, 0.010])),
        ("adaptation", numbers(&gains)),
        ("ahead", Value::Integer(0)),
        // As published: at every amplitude and at any rate.
        ("threshold", Value::Number(0.0)),
        ("a0_rate", Value::Number(1000.0)),
    ];
    (entry.build)(
        &filled_in(entry.method.parameters, &own),
        &Context::of(1, H),
    )
    .unwrap()
}

/// NRMSE (%) of the measured against the reference displacement, and the coefficients at the end.
fn run(record: &Record, gains: [f64; 2]) -> (f64, [f64; 2]) {
    let [mass, damping, stiffness] = matrices(4);
    assert_eq!(
        square(&mass),
        [[1000.0, 0.0, 0.0], [0.0, 1000.0, 0.0], [0.0, 0.0, 1000.0]]
    );
    let (damping, stiffness) = (square(&damping), square(&stiffness));
    let reference = Building {
        mass: [1000.0; 3],
        ground_mass: 1000.0,
        damping,
        stiffness,
    };
    let mut numerical = Building {
        mass: [1000.0 - 29.1, 1000.0, 1000.0],
        ..reference
    };
    numerical.damping[0][0] -= 114.6;
    numerical.stiffness[0][0] -= 1.19e6;
    let (mut plant, mut amb) = (benchmark_plant(), feedforward(gains));
    let mut whole = ([0.0; 3], [0.0; 3]);
    let mut part = ([0.0; 3], [0.0; 3]);
    let mut truth = Measured::at_rest(1);
    let (mut wanted, mut command) = (Motion::at_rest(1), Motion::at_rest(1));
    let (mut error, mut power) = (0.0, 0.0);
    let ground = |t: f64| 0.4 * record.at(t);
    #[allow(clippy::cast_possible_truncation)]
    let samples = (record.duration() / H) as u32;
    for k in 0..samples {
        let t = f64::from(k) * H;
        let x = truth.motion.displacement[0];
        error += (x - whole.0[0]).powi(2);
        power += whole.0[0].powi(2);
        wanted.displacement[0] = part.0[0];
        amb.compensate(&wanted, &truth.motion, &mut command);
        let resolution = 2.0_f64.powi(-18);
        command.displacement[0] = (command.displacement[0] / resolution).round() * resolution;
        let a = [ground(t), ground(t + 0.5 * H), ground(t + H)];
        reference.step(&mut whole, a, 0.0);
        // Plant and building are one continuous system in the published loop: over a step the
        // force is between those of its ends.
        let before = truth.force[0];
        plant.advance(&command, &mut truth);
        numerical.step(&mut part, a, 0.5 * (before + truth.force[0]));
    }
    let end = amb.coefficients(0);
    (100.0 * (error / power).sqrt(), [end[0], end[1]])
}

/// Published behaviour: stable for both gains, the faster ones better. Values from an independent
/// program without noise, whose law is the published one and no more.
#[test]
fn adaptive_feedforward_is_the_published_one() {
    let gains = [[1e5, 1e4], [2.4e6, 1.1e5]];
    let figures = [
        (11.4224, [0.938_80, 0.024_609]),
        (3.5263, [0.935_13, 0.024_641]),
    ];
    let record = el_centro_1940();
    for (gains, (nrmse, coefficients)) in gains.into_iter().zip(figures) {
        let (found, end) = run(&record, gains);
        assert!(
            (found / nrmse - 1.0).abs() < 1e-4,
            "{gains:?}: {found} %, {end:?}"
        );
        for (found, expected) in end.into_iter().zip(coefficients) {
            assert!((found / expected - 1.0).abs() < 1e-4, "{gains:?}: {end:?}");
        }
    }
    let Some(record) = kobe_for_part("the record of the published study") else {
        return;
    };
    // With noise the coefficients end near these.
    let figures = [(11.4, 0.945, 0.0246), (2.92, 0.944, 0.0241)];
    for (gains, (nrmse, a0, a1)) in gains.into_iter().zip(figures) {
        let (found, end) = run(&record, gains);
        assert!(
            (found / nrmse - 1.0).abs() < 0.005,
            "{gains:?}: {found} %, {end:?}"
        );
        assert!(
            (end[0] - a0).abs() < 0.004 && (end[1] - a1).abs() < 7e-4,
            "{gains:?}: {end:?}"
        );
    }
}
