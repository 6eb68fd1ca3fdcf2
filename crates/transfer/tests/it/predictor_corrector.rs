//! Predictor–corrector generators against reference tables, and their continuity.

use super::common::{at, with_oracle};
use proptest::prelude::*;
use tandem_quantity::{Context, Entry, Motion, Value};
use tandem_test_support::{filled_in, larger};
use tandem_transfer::command::{CommandGenerator, LateMode, METHODS};

const DT: f64 = 0.01;

fn generator(
    method: &str,
    order: Option<i64>,
    prediction: f64,
    limit: f64,
    actuators: usize,
) -> Box<dyn CommandGenerator> {
    let entry = Entry::find(METHODS, method).unwrap();
    let mut own = vec![
        ("prediction", Value::Number(prediction)),
        ("limit", Value::Number(limit)),
    ];
    own.extend(order.map(|order| ("order", Value::Integer(order))));
    (entry.build)(
        &filled_in(entry.method.parameters, &own),
        &Context::of(actuators, 1.0),
    )
    .unwrap()
}

/// e^{iωkΔt} on two axes: cosine and sine.
fn rotating(angle: f64, omega: f64) -> Motion {
    Motion {
        displacement: vec![angle.cos(), angle.sin()],
        velocity: vec![-omega * angle.sin(), omega * angle.cos()],
        acceleration: vec![-omega * omega * angle.cos(), -omega * omega * angle.sin()],
    }
}

/// Amplitude and phase of the vector (re, im) against e^{i angle}.
fn against(re: f64, im: f64, angle: f64) -> (f64, f64) {
    let (c, s) = (angle.cos(), angle.sin());
    let (x, y) = (re * c + im * s, im * c - re * s);
    (x.hypot(y), y.atan2(x))
}

/// Runs seven whole steps of the signal, the targets of which are the steps 1 … 7.
fn walked(generator: &mut dyn CommandGenerator, omega_dt: f64) {
    let mut wanted = Motion::at_rest(2);
    for k in 1..=7 {
        generator.target(&rotating(f64::from(k) * omega_dt, omega_dt / DT));
        for j in 1..=20 {
            generator.wanted(f64::from(j) / 20.0, DT, &mut wanted);
        }
    }
}

/// Values at the fractions x that the tables have.
const FRACTIONS: [f64; 6] = [0.2, 0.4, 0.5, 0.6, 0.8, 1.0];
/// ωΔt of the tables.
const ANGLES: [f64; 12] = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0];

/// The value at `x` of the polynomial through points (place, value), by Neville's scheme.
fn through(points: &[(f64, f64)], x: f64) -> f64 {
    let mut values: Vec<f64> = points.iter().map(|point| point.1).collect();
    for width in 1..points.len() {
        for k in 0..points.len() - width {
            let (a, b) = (points[k].0, points[k + width].0);
            values[k] = ((x - b) * values[k] - (x - a) * values[k + 1]) / (a - b);
        }
    }
    values[0]
}

/// What a generator of this kind makes at `x` of a signal, the place 0 standing for the previous
/// target: it predicts through −n … 0, corrects through −n+1 … 1, and with the last predicted
/// displacement puts the point at the switch, where it has predicted, in place of 0.
fn expected(kind: &str, order: i64, switch: f64, x: f64, signal: impl Fn(f64) -> f64) -> f64 {
    let places = |newest: i64| (newest - order..=newest).rev().map(|k| k as f64);
    let point = |place: f64| (place, signal(place));
    let predict = |x: f64| through(&places(0).map(point).collect::<Vec<_>>(), x);
    let mut points: Vec<(f64, f64)> = places(1).map(point).collect();
    match kind {
        "predictor" => return predict(x),
        "corrector_lpd" => points[1] = (switch, predict(switch)),
        _ => {}
    }
    through(&points, x)
}

/// As [`expected`], of e^{iωt} on two axes.
fn rotated(kind: &str, order: i64, switch: f64, x: f64, omega_dt: f64) -> (f64, f64) {
    let of = |signal: fn(f64) -> f64| expected(kind, order, switch, x, |t| signal(omega_dt * t));
    (of(f64::cos), of(f64::sin))
}

#[allow(clippy::cast_possible_truncation)] // an order of a polynomial
fn order_of(number: f64) -> i64 {
    number as i64
}

/// The weights of Lagrange's polynomials: Nakashima and Masaoka 1999.
#[test]
fn weights_are_those_of_the_table() {
    let mut rows = Vec::new();
    for order in 1..=4 {
        for x in FRACTIONS {
            for (kind, newest) in [("predictor", 0), ("corrector", 1)] {
                let weight = |at: i64| {
                    let unit = |place: f64| {
                        if (place - at as f64).abs() < 0.5 {
                            1.0
                        } else {
                            0.0
                        }
                    };
                    expected(kind, order, 0.0, x, unit)
                };
                let mut row = vec![order as f64, x];
                row.extend((newest - order..=newest).map(weight));
                rows.push((kind.to_owned(), row));
            }
        }
    }
    for (kind, row) in with_oracle(rows, "precor_coefficients.csv", true) {
        let (order, x) = (order_of(row[0]), row[1]);
        let predictor = kind == "predictor";
        for (k, expected) in (0..=order).zip(&row[2..]) {
            // A unit impulse at one target picks out its weight. Targets −4 … 1 are the fed ones
            // 1 … 6.
            let mut g = generator("displacement", Some(order), 0.0, 1.0, 1);
            let newest = if predictor { 5 } else { 6 };
            let mut wanted = Motion::at_rest(1);
            for fed in 1..=newest {
                g.target(&at(if fed == newest - order + k { 1.0 } else { 0.0 }));
                if fed < newest || predictor {
                    g.wanted(1.0, DT, &mut wanted);
                }
            }
            if predictor {
                assert_eq!(g.waiting(x, 0.0, DT, &mut wanted), LateMode::Predicting);
            } else {
                g.wanted(x, DT, &mut wanted);
            }
            let found = wanted.displacement[0];
            assert!(
                (found - expected).abs() < 1e-10,
                "{kind} {row:?} weight {k}: {found}"
            );
        }
    }
}

#[test]
fn amplitude_and_phase_are_those_of_the_table() {
    let mut rows = Vec::new();
    for order in 1..=4 {
        let mut add = |kind: &str, switch: f64, x: f64| {
            for omega_dt in ANGLES {
                let (re, im) = rotated(kind, order, switch, x, omega_dt);
                let (amplitude, phase) = against(re, im, omega_dt * x);
                let row = vec![order as f64, switch, x, omega_dt, amplitude, phase];
                rows.push((kind.to_owned(), row));
            }
        };
        for x in FRACTIONS {
            add("predictor", f64::NAN, x);
            add("corrector", f64::NAN, x);
        }
        for switch in [0.4, 0.6, 0.8] {
            for x in [0.7, 0.8, 0.9, 1.0].into_iter().filter(|x| *x > switch) {
                add("corrector_lpd", switch, x);
            }
        }
    }
    for (kind, row) in with_oracle(rows, "precor_accuracy.csv", true) {
        let [order, switch, x, omega_dt, amplitude, phase] = row[..] else {
            panic!("{kind} {row:?}");
        };
        let order = Some(order_of(order));
        let mut wanted = Motion::at_rest(2);
        match kind.as_str() {
            "predictor" => {
                let mut g = generator("displacement", order, 0.0, 1.0, 2);
                walked(g.as_mut(), omega_dt);
                g.waiting(x, 0.0, DT, &mut wanted);
            }
            "corrector" => {
                let mut g = generator("displacement", order, 0.0, 1.0, 2);
                walked(g.as_mut(), omega_dt);
                g.target(&rotating(8.0 * omega_dt, omega_dt / DT));
                g.wanted(x, DT, &mut wanted);
            }
            "corrector_lpd" => {
                let mut g = generator("last-predicted-displacement", order, switch, 1.0, 2);
                walked(g.as_mut(), omega_dt);
                g.target(&rotating(8.0 * omega_dt, omega_dt / DT));
                g.wanted(switch, DT, &mut wanted);
                g.wanted(x, DT, &mut wanted);
            }
            other => panic!("{other}"),
        }
        let (a, p) = against(
            wanted.displacement[0],
            wanted.displacement[1],
            (7.0 + x) * omega_dt,
        );
        // Eleven digits are printed.
        assert!(
            (a - amplitude).abs() < 1e-10 * amplitude,
            "{kind} {row:?}: {a}"
        );
        assert!((p - phase).abs() < 1e-10, "{kind} {row:?}: {p}");
    }
}

#[test]
fn switching_velocity_is_that_of_the_table() {
    let mut rows = Vec::new();
    for (kind, correcting) in [("conventional", "corrector"), ("lpd", "corrector_lpd")] {
        for order in 1..=4 {
            for (switch, substeps) in [0.4, 0.6, 0.8].map(|x| [(x, 10.0), (x, 20.0)]).concat() {
                for omega_dt in ANGLES {
                    let last = rotated("predictor", order, switch, switch, omega_dt);
                    let x = switch + 1.0 / substeps;
                    let first = rotated(correcting, order, switch, x, omega_dt);
                    let (ratio, phase) = switched(last, first, switch, substeps, omega_dt);
                    let row = vec![order as f64, switch, substeps, omega_dt, ratio, phase];
                    rows.push((kind.to_owned(), row));
                }
            }
        }
    }
    for (kind, row) in with_oracle(rows, "precor_switching_velocity.csv", true) {
        let [order, switch, substeps, omega_dt, amplitude, phase] = row[..] else {
            panic!("{kind} {row:?}");
        };
        let method = match kind.as_str() {
            "lpd" => "last-predicted-displacement",
            "conventional" => "displacement",
            other => panic!("{other}"),
        };
        let mut g = generator(method, Some(order_of(order)), switch, 1.0, 2);
        walked(g.as_mut(), omega_dt);
        g.target(&rotating(8.0 * omega_dt, omega_dt / DT));
        let (mut last, mut first) = (Motion::at_rest(2), Motion::at_rest(2));
        g.wanted(switch, DT, &mut last);
        g.wanted(switch + 1.0 / substeps, DT, &mut first);
        let turned = |motion: &Motion| {
            // The way begins at the seventh target.
            let (re, im) = (motion.displacement[0], motion.displacement[1]);
            let (amplitude, phase) = against(re, im, 7.0 * omega_dt);
            (amplitude * phase.cos(), amplitude * phase.sin())
        };
        let (a, p) = switched(turned(&last), turned(&first), switch, substeps, omega_dt);
        assert!(
            (a - amplitude).abs() < 1e-9 * amplitude,
            "{kind} {row:?}: {a} {p}"
        );
        assert!((p - phase).abs() < 1e-9, "{kind} {row:?}: {p}");
    }
}

/// Velocity of e^{iωt} over the sub-step behind the switch against the true one, the chord of the
/// circle: 2 sin(ωδ/2)/δ, square to its middle.
fn switched(
    last: (f64, f64),
    first: (f64, f64),
    switch: f64,
    substeps: f64,
    omega_dt: f64,
) -> (f64, f64) {
    let velocity = [first.0 - last.0, first.1 - last.1].map(|x| x * substeps);
    let (middle, half) = (switch + 0.5 / substeps, 0.5 * omega_dt / substeps);
    let truth = 2.0 * half.sin() * substeps;
    let (a, p) = against(velocity[1], -velocity[0], middle * omega_dt);
    (a / truth, p)
}

/// Third-order polynomials reproduce cubics whatever the lengths of the ways.
#[test]
fn cubics_are_followed_over_uneven_ways() {
    let cubic = |t: f64| 0.3 + 2.0 * t - 5.0 * t * t + 4.0 * t * t * t;
    let slope = |t: f64| 2.0 - 10.0 * t + 12.0 * t * t;
    let curvature = |t: f64| -10.0 + 24.0 * t;
    for (method, order) in [
        ("displacement", Some(3)),
        ("last-predicted-displacement", Some(3)),
        ("given-velocity", Some(3)),
        ("given-velocity", Some(5)),
    ] {
        let mut g = generator(method, order, 0.6, 0.8, 1);
        let mut wanted = Motion::at_rest(1);
        let mut t = 0.0;
        for (k, duration) in [0.1, 0.05, 0.05, 0.1, 0.2, 0.1, 0.05, 0.15]
            .into_iter()
            .enumerate()
        {
            let end = t + duration;
            g.target(&Motion {
                displacement: vec![cubic(end)],
                velocity: vec![slope(end)],
                acceleration: vec![curvature(end)],
            });
            for j in 1..=7 {
                let x = f64::from(j) / 7.0;
                g.wanted(x, duration, &mut wanted);
                if k >= 5 {
                    let now = t + x * duration;
                    assert!(
                        (wanted.displacement[0] - cubic(now)).abs() < 1e-13,
                        "{method}"
                    );
                    assert!((wanted.velocity[0] - slope(now)).abs() < 1e-11, "{method}");
                    assert!((wanted.acceleration[0] - curvature(now)).abs() < 1e-8);
                }
            }
            t = end;
        }
    }
}

/// A target that never comes: full pace to the limit, then a smooth stop, then hold; when it comes,
/// the way goes on.
#[test]
fn a_late_target_slows_the_command_down() {
    for method in METHODS.iter().map(|entry| entry.method) {
        if !method.parameters.iter().any(|p| p.key == "limit") {
            continue;
        }
        let mut g = generator(method.name, None, 0.6, 0.8, 1);
        let ramp = |k: i32| Motion {
            displacement: vec![f64::from(k)],
            velocity: vec![1.0 / DT],
            acceleration: vec![0.0],
        };
        let mut wanted = Motion::at_rest(1);
        for k in 1..=6 {
            g.target(&ramp(k));
            for j in 1..=10 {
                g.wanted(f64::from(j) / 10.0, DT, &mut wanted);
            }
        }
        // A method that stands has nothing to slow down: its way takes as long as one in time.
        let stands = method.name == "hold";
        let moving = if stands { 0.0 } else { 1.0 };
        let limit = g.late_limit();
        assert!((limit - if stands { 0.6 } else { 0.8 }).abs() < 1e-15);
        let rest = 1.0 - limit;
        let mut last = 6.0;
        for j in 1..=300 {
            let clock = f64::from(j) / 100.0;
            let (x, late) = (clock.min(limit), (clock - limit).max(0.0));
            let lateness = g.waiting(x, late, DT, &mut wanted);
            let u = (late / rest).min(1.0);
            let expected = match late {
                late if late <= 0.0 => LateMode::Predicting,
                late if late < rest => LateMode::Slowing,
                _ => LateMode::Holding,
            };
            let s = x + rest * (u - u.powi(3) + 0.5 * u.powi(4));
            let pace = 1.0 - 3.0 * u * u + 2.0 * u.powi(3);
            assert!((wanted.displacement[0] - 6.0 - moving * s).abs() < 1e-12);
            assert!((wanted.velocity[0] * DT - moving * pace).abs() < 1e-9);
            assert_eq!(lateness, expected);
            assert!(wanted.displacement[0] >= last - 1e-12);
            last = wanted.displacement[0];
            assert!(g.is_waiting());
        }
        g.target(&ramp(7));
        assert!(!g.is_waiting());
        for j in 1..=20 {
            let x = limit + rest * f64::from(j) / 20.0;
            g.wanted(x.min(1.0), DT, &mut wanted);
            // No sub-step is larger than at the method's own pace.
            assert!(
                (wanted.displacement[0] - last).abs() < 0.051,
                "{}",
                method.name
            );
            last = wanted.displacement[0];
        }
        assert_eq!(last.to_bits(), 7.0_f64.to_bits());
    }
}

/// Targets that come at any moment, on time or late: the acceleration of the whole trajectory stays
/// within what slowing down from the pace of the motion takes, whatever the method, and every way
/// ends on its target. The method's own switch, where the target was in time, is another matter:
/// `displacement` jumps there by design.
#[test]
fn a_late_target_never_kinks_the_command() {
    const TICKS: i32 = 100;
    let omega = 0.3;
    for method in METHODS.iter().map(|entry| entry.method) {
        if method.name == "hold" || !method.parameters.iter().any(|p| p.key == "limit") {
            continue;
        }
        for wait in [81, 85, 90, 95, 99, 100, 101, 120, 150, 300] {
            let mut g = generator(method.name, None, 0.6, 0.8, 1);
            let mut wanted = Motion::at_rest(1);
            let mut walk = Vec::new();
            for k in 1..=40_i32 {
                let phase = omega * f64::from(k);
                // The model that is late has computed from a force that was not foreseen.
                let target = Motion {
                    displacement: vec![phase.sin() + 0.002 * f64::from(k % 3)],
                    velocity: vec![omega / DT * phase.cos()],
                    acceleration: vec![-(omega / DT).powi(2) * phase.sin()],
                };
                let stands = (g.late_limit() * f64::from(TICKS)).floor();
                let (mut clock, mut there) = (0.0, false);
                for tick in 0.. {
                    if tick >= wait && !there {
                        g.target(&target);
                        there = true;
                    }
                    if there {
                        clock += 1.0;
                        g.wanted(clock / f64::from(TICKS), DT, &mut wanted);
                    } else {
                        clock = f64::from(tick + 1).min(stands);
                        let late = f64::from(tick + 1) - clock;
                        let way = f64::from(TICKS);
                        g.waiting(clock / way, late / way, DT, &mut wanted);
                    }
                    // The first targets come out of rest with a jump: until they are behind all
                    // polynomials.
                    if k > 8 {
                        walk.push(wanted.displacement[0]);
                    }
                    if clock >= f64::from(TICKS) {
                        break;
                    }
                }
                assert_eq!(
                    wanted.displacement[0].to_bits(),
                    target.displacement[0].to_bits()
                );
            }
            // From its pace (at most ω a step) to rest within a fifth of a step: 1.5 ω/0.2 a step².
            // What the prediction missed, some per cent of the amplitude here, is made up for
            // within the same time. A kink would be a hundred times as much.
            let bend = walk
                .windows(3)
                .fold(0.0, |m, w| larger(m, (w[2] - 2.0 * w[1] + w[0]).abs()));
            let bound = (1.5 * omega / 0.2 + 6.0 * 0.05 / 0.04) / f64::from(TICKS).powi(2);
            assert!(bend < bound, "{} {wait}: {bend} {bound}", method.name);
        }
    }
}

fn continuous_methods() -> impl Strategy<Value = (&'static str, Option<i64>)> {
    prop_oneof![
        (1..=4_i64).prop_map(|order| ("last-predicted-displacement", Some(order))),
        Just(("velocity", None)),
        Just(("given-velocity", Some(3))),
        Just(("given-velocity", Some(5))),
        Just(("hold", None)),
    ]
}

proptest! {
    /// Just behind the last predicted point the command stands (nearly) where it stood: the switch
    /// adds nothing.
    #[test]
    fn the_switch_is_continuous(
        (method, order) in continuous_methods(),
        prediction in 0.01..0.99_f64,
        targets in prop::collection::vec(-1.0..1.0_f64, 8),
    ) {
        let mut g = generator(method, order, prediction, 1.0, 1);
        let mut wanted = Motion::at_rest(1);
        for x in &targets {
            let mut target = Motion::at_rest(1);
            target.displacement[0] = *x;
            target.velocity[0] = 3.0 * x;
            g.target(&target);
            g.wanted(prediction, DT, &mut wanted);
            let last = wanted.displacement[0];
            let velocity = wanted.velocity[0];
            g.wanted(prediction + 1e-8, DT, &mut wanted);
            // Slopes over the way stay below a few thousand for targets within ±1.
            prop_assert!((wanted.displacement[0] - last).abs() < 1e-4, "{} \
                {}", wanted.displacement[0], last);
            if method.contains("velocity") {
                prop_assert!((wanted.velocity[0] - velocity).abs() * DT < 1e-2);
            }
            g.wanted(1.0, DT, &mut wanted);
            prop_assert_eq!(wanted.displacement[0].to_bits(), x.to_bits());
        }
    }

    /// Every method ends on its target bit for bit, with whatever sub-steps.
    #[test]
    fn the_way_ends_on_the_target(
        index in 0..METHODS.len(),
        targets in prop::collection::vec(-1.0..1.0_f64, 6),
        cuts in prop::collection::vec(0.001..0.999_f64, 0..6),
    ) {
        let entry = &METHODS[index];
        let mut g =
            (entry.build)(&filled_in(entry.method.parameters, &[]), &Context::of(1, 1.0)).unwrap();
        let mut wanted = Motion::at_rest(1);
        let mut cuts = cuts;
        cuts.sort_by(f64::total_cmp);
        for x in &targets {
            let mut target = Motion::at_rest(1);
            target.displacement[0] = *x;
            g.target(&target);
            for cut in &cuts {
                g.wanted(*cut, DT, &mut wanted);
                prop_assert!(wanted.is_finite());
            }
            g.wanted(1.0, DT, &mut wanted);
            prop_assert_eq!(wanted.displacement[0].to_bits(), x.to_bits());
            prop_assert!(wanted.is_finite());
        }
    }
}
