//! Compensators on transfer systems whose gain and delay are known.

use super::common::{self, at, element, text, with_oracle};
use tandem_quantity::{Context, Entry, Motion, Value, Values};
use tandem_signal::noise::WhiteNoise;
use tandem_test_support::{filled_in, larger};
use tandem_transfer::History;
use tandem_transfer::compensator::{Compensator, METHODS};

const RATE: f64 = 1000.0;

fn table(method: &str, own: &[(&str, Value)]) -> Values {
    let entry = Entry::find(METHODS, method).unwrap();
    filled_in(entry.method.parameters, own)
}

fn build(method: &str, own: &[(&str, Value)], actuators: usize, rate: f64) -> Box<dyn Compensator> {
    let entry = Entry::find(METHODS, method).unwrap();
    (entry.build)(&table(method, own), &Context::of(actuators, 1.0 / rate)).unwrap()
}

/// Four sines between 0.5 and 2 Hz, about 10 mm.
fn motion(t: f64) -> f64 {
    [
        (0.53, 5e-3, 0.3),
        (0.87, 4e-3, 1.1),
        (1.31, 4e-3, 2.0),
        (1.97, 3e-3, 0.7),
    ]
    .iter()
    .map(|(f, a, p)| a * (2.0 * std::f64::consts::PI * f * t + p).sin())
    .sum()
}

/// A transfer system with gain and delay: the command written at tick k shows at tick k + 1 +
/// `ticks(t)`.
struct Plant {
    line: History,
    gain: f64,
    noise: WhiteNoise,
}

impl Plant {
    fn new(gain: f64, noise: f64) -> Self {
        Self {
            line: History::new(1, 200),
            gain,
            noise: WhiteNoise::new(noise, 7).unwrap(),
        }
    }

    fn advance(&mut self, command: f64, delay_ticks: f64) -> f64 {
        self.line.push(&[command]);
        self.gain * self.line.at(0, delay_ticks) + self.noise.next()
    }
}

/// Runs `seconds`, returns the worst error of wanted against measured over the last two seconds.
fn run(
    compensator: &mut dyn Compensator,
    plant: &mut Plant,
    from: f64,
    seconds: f64,
    delay: f64,
) -> f64 {
    let mut command = at(0.0);
    let mut measured = at(0.0);
    let mut worst = 0.0_f64;
    #[allow(clippy::cast_possible_truncation)]
    let ticks = (seconds * RATE) as u32;
    for k in 0..ticks {
        let t = from + f64::from(k) / RATE;
        // Wanted for the next tick.
        let wanted = at(motion(t + 1.0 / RATE));
        compensator.compensate(&wanted, &measured, &mut command);
        measured = at(plant.advance(command.displacement[0], delay * RATE));
        if k + 2000 > ticks {
            worst = larger(
                worst,
                (measured.displacement[0] - wanted.displacement[0]).abs(),
            );
        }
    }
    worst
}

/// Ten per cent of gain error and a delay that jumps from 5 to 15 ms, with and without noise of the
/// sensor.
#[test]
fn ats_finds_gain_and_delay() {
    for derivative in ["lagrange", "backward"] {
        for noise in [0.0, 10e-6] {
            let own = [
                ("derivative", text(derivative)),
                ("a1", Value::Number(0.010)),
            ];
            let mut ats = build("ats", &own, 1, RATE);
            let mut plant = Plant::new(0.9, noise);
            let mut from = 0.0;
            for delay in [0.005, 0.015] {
                // Window 1.024 s, then a quarter of a second for the filter and the bounded rate
                // (10 ms at 0.05 s/s).
                run(ats.as_mut(), &mut plant, from, 1.28, delay);
                from += 1.28;
                let a = ats.coefficients(0);
                let (gain, found) = (1.0 / a[0], a[1] / a[0]);
                assert!(
                    (gain / 0.9 - 1.0).abs() < 0.02,
                    "{derivative} {noise} {gain}"
                );
                assert!(
                    (found - delay).abs() < 2e-4,
                    "{derivative}, noise {noise}: {found} s for {delay} s"
                );
            }
            let error = run(ats.as_mut(), &mut plant, from, 4.0, 0.015);
            // The wanted motion reaches 15 mm; uncompensated the error is above 2 mm.
            assert!(error < 1e-4 + 6.0 * noise, "{derivative} {noise}: {error}");
        }
    }
}

/// Noise alone, or a motion below the threshold, moves nothing.
#[test]
fn ats_stands_still_below_its_threshold() {
    let mut ats = build("ats", &[], 1, RATE);
    let before = ats.coefficients(0).to_vec();
    let mut noise = WhiteNoise::new(2e-4, 3).unwrap();
    let mut command = at(0.0);
    for k in 0..20_000 {
        let small = 1.3e-3 * (0.01 * f64::from(k)).sin();
        ats.compensate(&at(small), &at(small + noise.next()), &mut command);
        assert_eq!(ats.coefficients(0), before.as_slice());
    }
    // A little more (RMS 1.06 mm) and it adapts.
    for k in 0..3000 {
        let more = 1.5e-3 * (0.01 * f64::from(k)).sin();
        ats.compensate(&at(more), &at(more + noise.next()), &mut command);
    }
    assert_ne!(ats.coefficients(0), before.as_slice());
}

/// Coefficients stay in their bounds and change no faster than allowed, whatever the measurement.
#[test]
fn ats_is_bounded() {
    let mut ats = build("ats", &[], 1, RATE);
    let mut noise = WhiteNoise::new(0.02, 11).unwrap();
    let mut command = at(0.0);
    let mut last = ats.coefficients(0).to_vec();
    for k in 0..30_000 {
        let measured = if k % 5000 == 4999 {
            f64::NAN
        } else {
            noise.next()
        };
        ats.compensate(
            &at(motion(f64::from(k) / RATE)),
            &at(measured),
            &mut command,
        );
        let a = ats.coefficients(0);
        assert!((0.7..=1.3).contains(&a[0]) && (0.0..=0.02).contains(&a[1]));
        assert!((0.0..=2e-4).contains(&a[2]));
        assert_eq!(ats.bounds(0), [(0.7, 1.3), (0.0, 0.02), (0.0, 2e-4)]);
        assert!((a[0] - last[0]).abs() <= 1e-3 + 1e-15);
        assert!((a[1] - last[1]).abs() <= 5e-5 + 1e-15);
        last = a.to_vec();
    }
}

/// Amplitude and phase of the compensator itself, over frequency, delay, gain and spacing: with
/// q = e^{−iωh} a difference of the past is a polynomial in q.
#[test]
fn the_gain_of_ats_is_that_of_the_table() {
    // Weights of the samples now, h, 2h and 3h ago, for a first and a second derivative.
    let backward = [[1.0, -1.0, 0.0, 0.0], [1.0, -2.0, 1.0, 0.0]];
    let third = [11.0, -18.0, 9.0, -2.0].map(|weight| weight / 6.0);
    let lagrange = [third, [2.0, -5.0, 4.0, -1.0]];
    let gain = |a: [f64; 3], [first, second]: [[f64; 4]; 2], angle: f64| {
        let (mut re, mut im) = (a[0], 0.0);
        for k in 0..4_u8 {
            let weight = a[1] * first[usize::from(k)] + a[2] * second[usize::from(k)];
            re += weight * (angle * f64::from(k)).cos();
            im -= weight * (angle * f64::from(k)).sin();
        }
        [re.hypot(im), im.atan2(re)]
    };
    let row = |spacing: f64, delay: f64, a0: f64, frequency: f64| {
        let angle = 2.0 * std::f64::consts::PI * frequency * spacing;
        let a = [a0, delay / spacing, 0.5 * (delay / spacing).powi(2)];
        let gains = [gain(a, backward, angle), gain(a, lagrange, angle)].concat();
        let row = [vec![spacing, delay, a0, frequency], gains].concat();
        (String::new(), row)
    };
    let mut rows = Vec::new();
    for spacing in [0.001, 0.004, 0.01, 0.02] {
        for delay in [0.01, 0.02, 0.04] {
            for a0 in [0.9, 1.0, 1.1] {
                let frequencies = (0..=40).map(|k| 0.25 * f64::from(k));
                rows.extend(frequencies.map(|frequency| row(spacing, delay, a0, frequency)));
            }
        }
    }
    for (_, n) in with_oracle(rows, "ats_gain.csv", false) {
        let (spacing, delay, a0, frequency) = (n[0], n[1], n[2], n[3]);
        #[allow(clippy::cast_possible_truncation)]
        let ticks = (spacing * RATE).round() as i64;
        for (derivative, amplitude, phase) in [("backward", n[4], n[5]), ("lagrange", n[6], n[7])] {
            let own = [
                ("derivative", text(derivative)),
                ("spacing", Value::Integer(ticks)),
                ("a0", Value::Number(a0)),
                ("a1", Value::Number(delay)),
                ("a2", Value::Number(0.5 * delay * delay)),
                ("window", Value::Integer(64)),
            ];
            let mut ats = build("ats", &own, 2, RATE);
            let rest = Motion::at_rest(2);
            let (mut wanted, mut command) = (Motion::at_rest(2), Motion::at_rest(2));
            let mut angle = 0.0_f64;
            for k in 0..=3 * ticks {
                angle = 2.0 * std::f64::consts::PI * frequency * k as f64 / RATE;
                wanted.displacement = vec![angle.cos(), angle.sin()];
                ats.compensate(&wanted, &rest, &mut command);
            }
            let (c, s) = (angle.cos(), angle.sin());
            let (re, im) = (command.displacement[0], command.displacement[1]);
            let (x, y) = (re * c + im * s, im * c - re * s);
            assert!((x.hypot(y) - amplitude).abs() < 1e-7 * amplitude, "{n:?}");
            let mut error = y.atan2(x) - phase;
            error -= (error / (2.0 * std::f64::consts::PI)).round() * 2.0 * std::f64::consts::PI;
            assert!(error.abs() < 1e-7, "{n:?} {error}");
        }
    }
}

/// For sines the enclosed area grows by g = ½ a² sin φ sin Δ a tick, Δ the angle of a tick; so
/// after n ticks the delay is τ₀ + kp g n + ki T g n (n + 1)/2, until it is at its bound.
#[test]
fn the_adaptive_inverse_goes_by_the_area() {
    let (amplitude, phase, angle) = (0.02, 0.3_f64, 0.04_f64);
    let (first, proportional, integral, most) = (0.008, 8.0, 60.0, 0.02);
    let own = [
        ("adaptive", Value::Boolean(true)),
        ("delay", Value::Number(first)),
        ("proportional", Value::Number(proportional)),
        ("integral", Value::Number(integral)),
        ("maximum_delay", Value::Number(most)),
        ("threshold", Value::Number(0.0)),
        ("delay_rate", Value::Number(1e3)),
    ];
    let mut inverse = build("inverse", &own, 1, RATE);
    let growth = 0.5 * amplitude * amplitude * phase.sin() * angle.sin();
    let (mut command, mut last) = (at(0.0), 0.0);
    let mut bounded = 0;
    for k in 0..1000 {
        // What is wanted now is measured at the next tick, late by the phase.
        let wanted = amplitude * (angle * f64::from(k)).sin();
        let measured = amplitude * (angle * f64::from(k - 1) - phase).sin();
        inverse.compensate(&at(wanted), &at(measured), &mut command);
        let n = f64::from((k - 1).max(0));
        let sum = growth * 0.5 * n * (n + 1.0) / RATE;
        let delay = (first + proportional * growth * n + integral * sum).min(most);
        let found = inverse.coefficients(0)[0];
        assert!((found - delay).abs() < 1e-12, "{k}: {found} {delay}");
        let u = wanted + found * (wanted - last) * RATE;
        assert!((command.displacement[0] - u).abs() < 1e-12, "{k}");
        last = wanted;
        bounded += i32::from(delay >= most);
    }
    assert!((100..900).contains(&bounded), "{bounded}");
}

/// An error that stays is answered by proportion and integral up to the bound; when it turns, the
/// integral has not wound up.
#[test]
fn the_correction_of_the_model_based_method_is_bounded() {
    let (error, proportional, integral, bound) = (1e-3, 2.0, 10.0, 5e-3);
    let own = [
        ("proportional", Value::Number(proportional)),
        ("integral", Value::Number(integral)),
        ("correction", Value::Number(bound)),
    ];
    for side in [1.0, -1.0] {
        let mut method = build("model-based", &own, 1, RATE);
        let mut command = at(0.0);
        let mut correct = |error: f64| {
            method.compensate(&at(0.0), &at(-side * error), &mut command);
            side * command.displacement[0]
        };
        for n in 1..=1000 {
            let free = error * (proportional + integral * f64::from(n) / RATE);
            let found = correct(error);
            assert!((found - free.min(bound)).abs() < 1.5e-5, "{n}: {found}");
        }
        // What the integral had when the bound was reached.
        let left = bound - 2.0 * proportional * error;
        let found = correct(-error);
        assert!((found - left).abs() < 3e-5, "{found} {left}");
    }
}

/// A method says of itself whether it corrects by the measured error: then, and only then, another
/// measurement makes another command at once, before anything is learned.
#[test]
fn who_closes_a_loop_says_so() {
    for entry in METHODS {
        let name = entry.method.name;
        let own: Vec<(&str, Value)> = match name {
            "polynomial" => vec![("delay", Value::Number(0.012))],
            "inverse-first-order" => vec![("time_constant", Value::Number(0.012))],
            "per-actuator" => {
                let inner = table("ats", &[("method", text("ats"))]);
                vec![("actuator", Value::List(vec![Value::Table(inner)]))]
            }
            _ => vec![],
        };
        let [mut near, mut far] = [(); 2].map(|()| build(name, &own, 1, RATE));
        let [mut one, mut other] = [(); 2].map(|()| at(0.0));
        let mut apart = 0.0_f64;
        for k in 0..2 {
            let wanted = 1e-5 * (0.05 * f64::from(k)).sin();
            near.compensate(&at(wanted), &at(wanted), &mut one);
            far.compensate(&at(wanted), &at(wanted + 1e-5), &mut other);
            apart = larger(apart, (one.displacement[0] - other.displacement[0]).abs());
        }
        // The LQG controller mends its integrals itself, by what was sent.
        let expected = apart > 1e-10 && name != "lqg";
        assert_eq!(near.closes_a_loop(), expected, "{name}: {apart}");
    }
}

/// Where another command is sent than the one proposed, the controller goes on as if it had
/// proposed that one: so the next proposal is other in the same sense, by what a tick leaves of it.
#[test]
fn lqg_goes_on_from_what_was_sent() {
    let [mut as_proposed, mut other] = [(); 2].map(|()| build("lqg", &[], 2, RATE));
    let rest = Motion::at_rest(2);
    let (mut wanted, mut command) = (Motion::at_rest(2), Motion::at_rest(2));
    for k in 0..200 {
        wanted.displacement.fill(motion(f64::from(k) / RATE));
        as_proposed.compensate(&wanted, &rest, &mut command);
        other.compensate(&wanted, &rest, &mut command);
    }
    let by = [1e-3, -2e-3];
    as_proposed.propose(&wanted, &rest, &mut command);
    as_proposed.sent(&command);
    other.propose(&wanted, &rest, &mut command);
    for (x, by) in command.displacement.iter_mut().zip(by) {
        *x += by;
    }
    other.sent(&command);
    let mut next = Motion::at_rest(2);
    as_proposed.propose(&wanted, &rest, &mut command);
    other.propose(&wanted, &rest, &mut next);
    for i in 0..2 {
        let found = next.displacement[i] - command.displacement[i];
        assert!((0.2..1.2).contains(&(found / by[i])), "{i}: {found}");
    }
}

/// 1/((1 + s/ω_b)(1 + 2ζ s/ω + s²/ω²)) inverted: for a motion of constant jerk the command is
/// x + c₁ v + c₂ a + c₃ j with the coefficients of the product.
#[test]
fn a_third_order_inverse_takes_the_jerk() {
    let (frequency, damping, bandwidth) = (15.0, 0.6, 9.0);
    let own = [
        ("frequency", Value::Number(frequency)),
        ("damping", Value::Number(damping)),
        ("bandwidth", Value::Number(bandwidth)),
        ("integral", Value::Number(0.0)),
    ];
    let mut method = build("model-based", &own, 1, RATE);
    let circle = 2.0 * std::f64::consts::PI;
    let (w, lag) = (circle * frequency, 1.0 / (circle * bandwidth));
    let (c1, c2) = (2.0 * damping / w, 1.0 / (w * w));
    let c = [1.0, c1 + lag, c2 + lag * c1, lag * c2];
    let mut command = at(0.0);
    for k in 0..400 {
        let t = f64::from(k) / RATE;
        let motion = [t.powi(3), 3.0 * t * t, 6.0 * t, 6.0];
        method.compensate(&at(motion[0]), &at(0.0), &mut command);
        let expected: f64 = c.iter().zip(motion).map(|(c, x)| c * x).sum();
        let found = command.displacement[0];
        if k > 100 {
            // Without the jerk it would lack 1e-5.
            assert!((found - expected).abs() < 1e-7, "{k}: {found} {expected}");
        }
    }
}

/// What is recorded of the adaptive inverse is the inverse of its model as long as nothing was
/// learned: 1 and 2ζ/ω of 1 + 2ζ s/ω + s²/ω².
#[test]
fn coefficients_of_the_adaptive_inverse_are_those_of_its_model() {
    let own = [
        ("frequency", Value::Number(15.0)),
        ("damping", Value::Number(0.6)),
    ];
    let method = build("adaptive-inverse", &own, 2, RATE);
    let w = 2.0 * std::f64::consts::PI * 15.0;
    for actuator in 0..2 {
        let found = method.coefficients(actuator);
        for (found, expected) in found.iter().zip([1.0, 1.2 / w]) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
        assert!(found.len() >= 2);
    }
}

/// Velocity and acceleration that are sent with a command are those of its displacement: for a
/// motion of constant acceleration by central differences, which are exact.
#[test]
fn velocity_and_acceleration_go_with_the_command() {
    let delay = |key| vec![(key, Value::Number(0.012))];
    let cases = [
        ("none", vec![], 1e-9),
        ("inverse", delay("delay"), 1e-9),
        ("polynomial", delay("delay"), 1e-9),
        ("inverse-first-order", delay("time_constant"), 1e-9),
        ("ats", vec![], 1e-9),
        ("adaptive-feedforward", vec![], 1e-9),
        ("model-based", vec![("integral", Value::Number(0.0))], 1e-9),
        // Half a tick of the acceleration.
        ("adaptive-inverse", vec![], 2e-3),
        // It scales the velocity and leaves out what the lead adds: delay times acceleration.
        ("recursive-least-squares", delay("delay"), 0.025),
    ];
    let (speed, acceleration) = (0.1, 2.0);
    for (method, own, tolerance) in cases {
        let mut compensator = build(method, &own, 1, RATE);
        let (rest, mut command) = (at(0.0), at(0.0));
        let mut sent = Vec::new();
        for k in 0..300 {
            let t = f64::from(k) / RATE;
            let wanted = Motion {
                displacement: vec![speed * t + 0.5 * acceleration * t * t],
                velocity: vec![speed + acceleration * t],
                acceleration: vec![acceleration],
            };
            compensator.compensate(&wanted, &rest, &mut command);
            sent.push(command.clone());
        }
        let x = |k: usize| sent[k].displacement[0];
        let v = 0.5 * RATE * (x(251) - x(249));
        let a = RATE * RATE * (x(251) - 2.0 * x(250) + x(249));
        let (found_v, found_a) = (sent[250].velocity[0], sent[250].acceleration[0]);
        assert!((found_v - v).abs() < tolerance, "{method}: {v} {found_v}");
        assert!((found_a - a).abs() < 1e-6, "{method}: {a} {found_a}");
    }
}

/// The same transfer system through every adaptive method: the remaining error is a small part of
/// the uncompensated one.
#[test]
fn adaptive_methods_reduce_the_error() {
    let list = common::numbers;
    type Case = (&'static str, Vec<(&'static str, Value)>, f64);
    let cases: [Case; 5] = [
        ("none", vec![], 5e-3),
        (
            "inverse",
            vec![
                ("adaptive", Value::Boolean(true)),
                ("delay", Value::Number(0.008)),
                // The indicator grows by v² (1.6e-3 m²/s²) times the error of the delay: time
                // constant 1 s.
                ("proportional", Value::Number(600.0)),
            ],
            // What a first-order inverse leaves: τ²/2 times the acceleration of 0.9 m/s².
            1e-4,
        ),
        (
            "adaptive-feedforward",
            vec![
                ("order", Value::Integer(2)),
                ("start", list(&[1.0, 0.010, 5e-5])),
                ("adaptation", list(&[3e5, 1e4, 0.1])),
            ],
            3e-4,
        ),
        (
            "recursive-least-squares",
            vec![("uncertainty", Value::Number(1e12))],
            1e-4,
        ),
        ("ats", vec![], 1e-4),
    ];
    for (method, own, most) in cases {
        // Gain 1 for the inverse of a delay, 0.95 for the methods that see gain.
        let gain = if method == "inverse" { 1.0 } else { 0.95 };
        let mut compensator = build(method, &own, 1, RATE);
        let mut plant = Plant::new(gain, 0.0);
        let error = run(compensator.as_mut(), &mut plant, 0.0, 30.0, 0.012);
        assert!(error < most, "{method}: {error}");
        if method == "none" {
            assert!(error > 1e-3);
        }
    }
}

/// From a tenth of a millimetre to a metre: the gradient law stays within its bounds without
/// jumping between them, and the better coefficients of a large motion are kept.
#[test]
fn adaptive_feedforward_is_stable_at_every_amplitude() {
    for order in 1..=3_usize {
        for amplitude in [0.01, 0.1, 1.0, 10.0, 70.0] {
            let list = |x: [f64; 4]| common::numbers(&x[..=order]);
            let own = [
                ("order", Value::Integer(order as i64)),
                ("start", list([1.0, 0.010, 5e-5, 0.0])),
                ("adaptation", list([1e5, 1e4, 0.1, 1e-6])),
            ];
            let mut method = build("adaptive-feedforward", &own, 1, RATE);
            let mut plant = Plant::new(0.95, 0.0);
            let (mut command, mut measured) = (at(0.0), at(0.0));
            let (mut worst, mut moved) = (0.0_f64, 0.0_f64);
            let mut last = method.coefficients(0).to_vec();
            for k in 0..20_000 {
                let t = f64::from(k + 1) / RATE;
                let wanted = at(amplitude * motion(t));
                method.compensate(&wanted, &measured, &mut command);
                measured = at(plant.advance(command.displacement[0], 12.0));
                if k > 15_000 {
                    let error = measured.displacement[0] - wanted.displacement[0];
                    worst = larger(worst, error.abs() / (amplitude * 15e-3));
                    let a = method.coefficients(0);
                    moved = larger(moved, (a[1] - last[1]).abs());
                }
                last = method.coefficients(0).to_vec();
            }
            assert!(
                worst < 0.12,
                "order {order}, amplitude {amplitude}: {worst}"
            );
            assert!(
                moved < 2e-3,
                "order {order}, amplitude {amplitude}: {moved}"
            );
        }
    }
}

/// With the default gains every coefficient of the inverse is found: a2 of an actuator of second
/// order (1/ω²), and a3 of one of third order at least in sign and size.
#[test]
fn adaptive_feedforward_finds_all_its_coefficients() {
    let actuator = |method: &str, own: &[(&str, Value)]| {
        let entry = Entry::find(tandem_transfer::actuator::METHODS, method).unwrap();
        (entry.build)(
            &filled_in(entry.method.parameters, own),
            &Context::of(1, 1.0 / RATE),
        )
        .unwrap()
    };
    let second: Vec<(&str, Value)> = vec![
        ("frequency", Value::Number(18.57)),
        ("damping", Value::Number(0.7)),
    ];
    let third = vec![
        ("numerator", common::numbers(&[1.5e6])),
        ("denominator", common::numbers(&[1.0, 190.0, 2e4, 1.5e6])),
    ];
    let w = 2.0 * std::f64::consts::PI * 18.57;
    for (order, method, own, truth, share) in [
        (2, "second-order", second, 1.0 / (w * w), 0.1),
        (3, "transfer-function", third, 1.0 / 1.5e6, 0.75),
    ] {
        let mut plant = actuator(method, &own);
        let mut method = build(
            "adaptive-feedforward",
            &[("order", Value::Integer(order))],
            1,
            RATE,
        );
        let mut noise = WhiteNoise::new(5e-6, 7).unwrap();
        let (mut command, mut measured) = (at(0.0), at(0.0));
        for k in 0..40_000 {
            // Between 2.1 and 7.9 Hz.
            let wanted = at(motion(4.0 * f64::from(k) / RATE));
            method.compensate(&wanted, &measured, &mut command);
            measured = at(plant.advance([command.displacement[0], 0.0, 0.0])[0] + noise.next());
        }
        let found = method.coefficients(0);
        let last = found[found.len() - 1];
        assert!(
            (last / truth - 1.0).abs() < share,
            "order {order}: {found:?} for {truth:e}"
        );
    }
}

/// The adaptive inverse moves at a bounded rate and only with a motion above its threshold.
#[test]
fn the_adaptive_inverse_is_gated_and_slow() {
    let own = [
        ("adaptive", Value::Boolean(true)),
        ("delay", Value::Number(0.008)),
        ("proportional", Value::Number(6000.0)),
        ("threshold", Value::Number(1e-3)),
        ("delay_rate", Value::Number(0.02)),
    ];
    for (scale, moves) in [(0.05, false), (1.0, true)] {
        let mut method = build("inverse", &own, 1, RATE);
        let mut plant = Plant::new(1.0, 0.0);
        let (mut command, mut measured) = (at(0.0), at(0.0));
        let mut last = method.coefficients(0)[0];
        for k in 0..6000 {
            let wanted = at(scale * motion(f64::from(k + 1) / RATE));
            method.compensate(&wanted, &measured, &mut command);
            measured = at(plant.advance(command.displacement[0], 12.0));
            let now = method.coefficients(0)[0];
            assert!((now - last).abs() <= 0.02 / RATE + 1e-15);
            assert!((0.0..=0.016).contains(&now));
            last = now;
        }
        assert_eq!((last - 0.008).abs() > 1e-4, moves, "{last}");
    }
}

/// Every method begins in the middle of a motion without a jump: the command before is the wanted
/// one, and no step of it is larger than the compensated motion asks for.
#[test]
fn every_method_begins_without_a_bump() {
    for entry in METHODS {
        let name = entry.method.name;
        let own: Vec<(&str, Value)> = match name {
            "polynomial" => vec![("delay", Value::Number(0.012))],
            "inverse-first-order" => vec![("time_constant", Value::Number(0.012))],
            "per-actuator" => {
                let inner = table("ats", &[("method", text("ats"))]);
                vec![("actuator", Value::List(vec![Value::Table(inner)]))]
            }
            // Gains for a plant that is nothing but late.
            "pi-phase-lead" => vec![
                ("proportional", Value::Number(0.3)),
                ("integral", Value::Number(30.0)),
                ("lead", Value::Number(1.0 + 8570.0 / 30.0)),
            ],
            // Nothing to see.
            "none" => continue,
            _ => vec![],
        };
        let values = table(name, &own)
            .with("method", text(name))
            .with("switch_on", Value::Number(6.0))
            .with("blend", Value::Number(1.0));
        let mut method =
            tandem_transfer::compensator::build(&values, &Context::of(1, 1.0 / RATE)).unwrap();
        let mut plant = Plant::new(1.0, 0.0);
        // A controller holds on the plant it was designed for: its own second-order lag.
        let mut piston = (name == "lqg").then(|| second_order(18.0));
        let (mut command, mut measured) = (at(0.0), at(0.0));
        let (mut last, mut largest) = (0.0, 0.0_f64);
        for k in 0..9000 {
            let wanted = at(motion(f64::from(k + 1) / RATE) - motion(0.0));
            method.compensate(&wanted, &measured, &mut command);
            let u = command.displacement[0];
            if k < 6000 {
                assert_eq!(u.to_bits(), wanted.displacement[0].to_bits(), "{name} {k}");
            }
            if k > 0 {
                largest = larger(largest, (u - last).abs());
            }
            last = u;
            measured = at(match &mut piston {
                Some(piston) => piston.advance([u, 0.0, 0.0])[0],
                None => plant.advance(u, 10.0),
            });
        }
        // The motion itself moves by up to 0.12 mm a tick.
        assert!(largest < 2.5e-4, "{name}: {largest}");
    }
}

/// What is said of a method is said of it inside others: coefficients, bounds and the estimated
/// displacement.
#[test]
fn a_method_inside_others_is_seen_through_them() {
    for method in ["ats", "adaptive-inverse"] {
        let inner = table(method, &[])
            .with("method", text(method))
            .with("switch_on", Value::Number(1.0));
        let values = table("per-actuator", &[])
            .with("method", text("per-actuator"))
            .with("actuator", Value::List(vec![Value::Table(inner); 2]));
        let mut outer =
            tandem_transfer::compensator::build(&values, &Context::of(2, 1.0 / RATE)).unwrap();
        let mut alone = build(method, &[], 2, RATE);
        let (mut wanted, mut command) = (Motion::at_rest(2), Motion::at_rest(2));
        let rest = Motion::at_rest(2);
        for k in 0..500 {
            wanted.displacement.fill(motion(f64::from(k) / RATE));
            outer.compensate(&wanted, &rest, &mut command);
            // Until it is switched on, the wanted motion is sent.
            alone.propose(&wanted, &rest, &mut command);
            alone.sent(&wanted);
        }
        for i in 0..2 {
            assert_eq!(outer.bounds(i), alone.bounds(i), "{method}");
            assert_eq!(outer.coefficients(i), alone.coefficients(i), "{method}");
        }
        assert!(!outer.coefficients(0).is_empty(), "{method}");
        assert_eq!(outer.bounds(0).is_empty(), method != "ats");
        let (mut one, mut other) = ([0.0; 2], [0.0; 2]);
        outer.estimate(&[0.5, 0.5], &mut one);
        alone.estimate(&[0.5, 0.5], &mut other);
        assert_eq!(one.as_slice(), other.as_slice(), "{method}");
        // One of them knows better than a sensor that is half a metre off.
        assert_eq!((one[0] - 0.5).abs() > 0.1, method == "adaptive-inverse");
    }
}

fn plant_table(kind: &str) -> Values {
    let entry = Entry::find(tandem_transfer::plant::METHODS, kind).unwrap();
    filled_in(entry.method.parameters, &[]).with("kind", text(kind))
}

/// Two coupled actuators under the controller designed for them. Expected: the same loop in numpy,
/// gains by scipy.linalg.solve_continuous_are, plant and controller by scipy.signal.cont2discrete
/// at 1024 Hz, weight 1e10.
#[test]
fn lqg_is_the_controller_that_scipy_designs() {
    let own = [
        ("plant", Value::Table(plant_table("benchmark-multi"))),
        ("tracking_weight", Value::Number(1e10)),
    ];
    let mut lqg = build("lqg", &own, 2, 1024.0);
    let entry = Entry::find(tandem_transfer::plant::METHODS, "benchmark-multi").unwrap();
    let mut plant = (entry.build)(
        &plant_table("benchmark-multi"),
        &Context::of(2, 1.0 / 1024.0),
    )
    .unwrap();
    let mut truth = tandem_transfer::rig::Measured::at_rest(2);
    let (mut wanted, mut command) = (Motion::at_rest(2), Motion::at_rest(2));
    for k in 1..=400 {
        let t = f64::from(k);
        wanted.displacement = vec![(0.02 * t).sin(), 0.5 * (0.013 * t).sin()];
        lqg.compensate(&wanted, &truth.motion, &mut command);
        plant.advance(&command, &mut truth);
        let (u, y) = match k {
            100 => (LQG_100.0, LQG_100.1),
            400 => (LQG_400.0, LQG_400.1),
            _ => continue,
        };
        for i in 0..2 {
            assert!(
                (command.displacement[i] - u[i]).abs() < 1e-7,
                "{k}: {command:?}"
            );
            assert!(
                (truth.motion.displacement[i] - y[i]).abs() < 1e-7,
                "{k}: {truth:?}"
            );
        }
    }
}

/// An actuator of second order with damping ratio 0.7.
fn second_order(frequency: f64) -> Box<dyn tandem_transfer::actuator::Actuator> {
    let entry = Entry::find(tandem_transfer::actuator::METHODS, "second-order").unwrap();
    let values = Values::new()
        .with("frequency", Value::Number(frequency))
        .with("damping", Value::Number(0.7))
        .with("gain", Value::Number(1.0));
    (entry.build)(&values, &Context::of(1, 1.0 / RATE)).unwrap()
}

/// 1.5e6/(s³ + 190 s² + 2e4 s + 1.5e6) under a controller with the same weight: designed for the
/// lag of second order that fits it best, whose phase is wrong where the loop is fast, it loses the
/// loop (numpy: largest eigenvalue 1.0012 at 1024 Hz); designed for the plant itself it holds
/// (0.9562).
#[test]
fn lqg_needs_a_model_with_all_poles() {
    let element = element(1, 1, &[1.5e6], &[1.0, 190.0, 2e4, 1.5e6]);
    let table = plant_table("transfer-matrix").with("element", Value::List(vec![element]));
    let rate = 1024.0;
    let entry = Entry::find(tandem_transfer::plant::METHODS, "transfer-matrix").unwrap();
    let weight = (
        "tracking_weight",
        Value::Number((3.0_f64 / 11.91e-3).powi(2)),
    );
    let lag = [
        weight.clone(),
        ("frequency", Value::Number(14.5)),
        ("damping", Value::Number(0.54)),
    ];
    let own = [weight, ("plant", Value::Table(table.clone()))];
    for (settings, growth) in [(&lag[..], 1.0012_f64), (&own[..], 0.9562)] {
        let mut lqg = build("lqg", settings, 1, rate);
        let mut plant = (entry.build)(&table, &Context::of(1, 1.0 / rate)).unwrap();
        let mut truth = tandem_transfer::rig::Measured::at_rest(1);
        let mut command = at(0.0);
        let mut largest = [0.0_f64; 2];
        for k in 0..8192_usize {
            let wanted = at(if k < 100 { 0.01 } else { 0.0 });
            lqg.compensate(&wanted, &truth.motion, &mut command);
            plant.advance(&command, &mut truth);
            let x = truth.motion.displacement[0].abs();
            if (2048..2148).contains(&k) {
                largest[0] = larger(largest[0], x);
            } else if (4096..4196).contains(&k) {
                largest[1] = larger(largest[1], x);
            }
        }
        if growth > 1.0 {
            let found = (largest[1] / largest[0]).powf(1.0 / 2048.0);
            assert!((found - growth).abs() < 2e-4, "{found}");
        } else {
            assert!(largest[1] < 1e-9, "{largest:?}");
        }
    }
}

/// A weight that asks for a faster loop than the ticks allow is refused where it stands, and a
/// plant that jumps with its command too. numpy: at 1024 Hz the sampled loop of an 18.57 Hz lag
/// with weight 1e10 has its largest eigenvalue at 0.883 for process noise 1 and at 1.079 for 1e4.
#[test]
fn lqg_is_refused_where_it_cannot_hold_its_own_model() {
    let entry = Entry::find(METHODS, "lqg").unwrap();
    let own = |noise: f64| {
        table(
            "lqg",
            &[
                ("frequency", Value::Number(18.57)),
                ("tracking_weight", Value::Number(1e10)),
                ("process_noise", Value::Number(noise)),
            ],
        )
    };
    assert!((entry.build)(&own(1.0), &Context::of(1, 1.0 / 1024.0)).is_ok());
    let error = (entry.build)(&own(1e4), &Context::of(1, 1.0 / 1024.0))
        .err()
        .unwrap();
    assert_eq!(error.key, "tracking_weight");
    assert!(error.to_string().contains("1024 ticks"), "{error}");
    // Four times as many ticks, and it holds.
    assert!((entry.build)(&own(1e4), &Context::of(1, 1.0 / 4096.0)).is_ok());
    let element = element(1, 1, &[1.0, 5.0], &[1.0, 10.0]);
    let jumps = plant_table("transfer-matrix").with("element", Value::List(vec![element]));
    let values = table("lqg", &[("plant", Value::Table(jumps))]);
    let error = (entry.build)(&values, &Context::of(1, 1.0 / 1024.0))
        .err()
        .unwrap();
    assert_eq!(error.key, "plant");
}

/// Model-based methods on the actuator that they model, second order at 18 Hz, and on one that is
/// 15 % off.
#[test]
fn model_based_methods_follow_their_model() {
    for (method, exact, off) in [
        ("none", 2e-3, 2e-3),
        ("model-based", 6e-5, 4e-4),
        ("sliding-mode", 6e-5, 7e-4),
        ("lqg", 4e-4, 4e-4),
    ] {
        for (frequency, most) in [(18.0, exact), (15.3, off)] {
            let mut compensator = build(method, &[], 1, RATE);
            let mut piston = second_order(frequency);
            let (mut command, mut measured) = (at(0.0), at(0.0));
            let mut worst = 0.0_f64;
            for k in 0..8000 {
                let wanted = at(motion(f64::from(k + 1) / RATE));
                compensator.compensate(&wanted, &measured, &mut command);
                let [x, ..] = piston.advance([command.displacement[0], 0.0, 0.0]);
                measured = at(x);
                if k > 4000 {
                    worst = larger(worst, (x - wanted.displacement[0]).abs());
                }
            }
            assert!(worst < most, "{method} at {frequency} Hz: {worst}");
            if method == "none" {
                assert!(worst > 9e-4);
            }
        }
    }
}

const LQG_100: ([f64; 2], [f64; 2]) = (
    [0.334_155_943_128_735, 0.445_701_511_225_877],
    [0.926_648_187_888_21, 0.477_392_854_905_352],
);
const LQG_400: ([f64; 2], [f64; 2]) = (
    [0.952_506_868_253_181, -0.621_653_774_747_529],
    [0.995_495_014_564_387, -0.446_244_754_442_116],
);
