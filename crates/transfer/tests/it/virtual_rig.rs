//! The virtual rig as a whole: rates, servo, sensors.

use super::common::{at, element, numbers, text};
use tandem_quantity::{Context, Entry, Motion, Value, Values};
use tandem_test_support::{filled_in, larger};
use tandem_transfer::rig::{METHODS, Measured, Rehearsal, Rig, RigContext};

fn specimen(stiffness: f64) -> Value {
    Value::Table(
        Values::new()
            .with("kind", text("spring-dashpot-mass"))
            .with("stiffness", numbers(&[stiffness])),
    )
}

fn write(rig: &mut dyn Rig, command: &Motion) {
    let mut rehearsal = Rehearsal::of(rig).unwrap();
    rig.write(rehearsal.release(command).unwrap());
}

fn build(values: &Values, period: f64) -> Box<dyn Rig> {
    let entry = Entry::find(METHODS, "virtual").unwrap();
    (entry.build)(
        values,
        &RigContext::direct(Context {
            seed: 3,
            ..Context::of(1, period)
        }),
    )
    .unwrap()
}

/// A proportional servo around an integrating actuator is x ← x + K h (r − x) at the servo's rate:
/// (1 − K h)ⁿ remains.
#[test]
fn the_servo_runs_at_its_own_rate() {
    let (gain, rate) = (40.0, 5000.0);
    for coordinator in [1000.0, 1024.0] {
        let pid = Values::new()
            .with("method", text("pid"))
            .with("proportional", Value::Number(1.0))
            .with("integral", Value::Number(0.0))
            .with("derivative", Value::Number(0.0))
            .with("feed_forward", Value::Number(0.0));
        let actuator = Values::new()
            .with("method", text("transfer-function"))
            .with("numerator", numbers(&[gain]))
            .with("denominator", numbers(&[1.0, 0.0]));
        let values = Values::new()
            .with("rate", Value::Number(rate))
            .with("servo", Value::Table(pid))
            .with("actuator", Value::Table(actuator))
            .with("specimen", specimen(1e6));
        let mut rig = build(&values, 1.0 / coordinator);
        assert!(!rig.properties().is_instantaneous);
        let mut measured = Measured::at_rest(1);
        for tick in 1..=200_i32 {
            write(rig.as_mut(), &at(0.01));
            rig.read(&mut measured);
            let servo_ticks = (f64::from(tick) * rate / coordinator + 1e-6).floor();
            let expected = 0.01 * (1.0 - (1.0 - gain / rate).powf(servo_ticks));
            assert!(
                (measured.motion.displacement[0] - expected).abs() < 1e-13,
                "{coordinator} Hz, tick {tick}"
            );
            assert!((measured.force[0] - 1e6 * expected).abs() < 1e-6);
        }
    }
}

/// Noise has the planned deviation, readings are multiples of the resolution and stay inside the
/// range.
#[test]
fn sensors_are_noisy_coarse_and_limited() {
    let sensors = Values::new()
        .with("displacement_noise", Value::Number(2e-5))
        .with("displacement_resolution", Value::Number(1e-6))
        .with("force_noise", Value::Number(3.0))
        .with("force_range", Value::Number(1002.0));
    let values = Values::new()
        .with("specimen", specimen(1e6))
        .with("sensors", Value::Table(sensors));
    let mut rig = build(&values, 1e-3);
    let mut measured = Measured::at_rest(1);
    let (mut sum, mut square, mut largest) = (0.0, 0.0, 0.0_f64);
    let n = 20_000;
    for _ in 0..n {
        write(rig.as_mut(), &at(1e-3));
        rig.read(&mut measured);
        let x = measured.motion.displacement[0];
        assert!((x / 1e-6 - (x / 1e-6).round()).abs() < 1e-6);
        sum += x - 1e-3;
        square += (x - 1e-3) * (x - 1e-3);
        largest = larger(largest, measured.force[0]);
    }
    let n = f64::from(n);
    assert!((sum / n).abs() < 5.0 * 2e-5 / n.sqrt());
    assert!(((square / n).sqrt() / 2e-5 - 1.0).abs() < 0.03);
    assert!((largest - 1002.0).abs() < 1e-9, "{largest}");
    assert!((rig.observe().truth().unwrap().force[0] - 1000.0).abs() < 1e-9);
}

/// One sequence for all sensors: force and displacement are off by the same number of standard
/// deviations.
#[test]
fn sensors_may_share_their_noise() {
    let noise = |same: bool| {
        let sensors = Values::new()
            .with("displacement_noise", Value::Number(2e-5))
            .with("force_noise", Value::Number(3.0))
            .with("same_noise", Value::Boolean(same));
        let values = Values::new()
            .with("specimen", specimen(1e6))
            .with("sensors", Value::Table(sensors));
        let mut rig = build(&values, 1e-3);
        let mut measured = Measured::at_rest(1);
        (0..50)
            .map(|_| {
                write(rig.as_mut(), &at(0.0));
                rig.read(&mut measured);
                (measured.motion.displacement[0] / 2e-5 - measured.force[0] / 3.0).abs()
            })
            .fold(0.0, larger)
    };
    assert!(noise(true) < 1e-9, "{}", noise(true));
    assert!(noise(false) > 1.0);
}

/// At low frequency the second-order actuator lags by 2ζ/ω, the first-order one by τ.
#[test]
fn lags_have_their_textbook_delay() {
    let h = 1.0 / 4096.0;
    let lag = |actuator: Values| {
        let mut rig = build(
            &Values::new()
                .with("actuator", Value::Table(actuator))
                .with("specimen", specimen(1e6)),
            h,
        );
        let mut measured = Measured::at_rest(1);
        // Steady ramp of 1 m/s: the piston trails by the delay, plus half a period for the held
        // command; the ripple of the staircase stays below h²/8τ < 1e-6 m.
        for k in 0..8192_i32 {
            write(rig.as_mut(), &at(f64::from(k) * h));
            rig.read(&mut measured);
        }
        8192.0 * h - measured.motion.displacement[0] - 0.5 * h
    };
    let second = Values::new()
        .with("method", text("second-order"))
        .with("frequency", Value::Number(18.0))
        .with("damping", Value::Number(0.7))
        .with("gain", Value::Number(1.0));
    let omega = 2.0 * std::f64::consts::PI * 18.0;
    assert!((lag(second) - 1.4 / omega).abs() < 1e-6);
    let first = Values::new()
        .with("method", text("first-order"))
        .with("time_constant", Value::Number(0.008))
        .with("gain", Value::Number(1.0));
    assert!((lag(first) - 0.008).abs() < 1e-6);
    let third = Values::new()
        .with("method", text("third-order"))
        .with("bandwidth", Value::Number(12.0))
        .with("frequency", Value::Number(60.0))
        .with("damping", Value::Number(0.3))
        .with("gain", Value::Number(1.0));
    let circle = 2.0 * std::f64::consts::PI;
    let expected = 1.0 / (circle * 12.0) + 0.6 / (circle * 60.0);
    assert!((lag(third) - expected).abs() < 1e-6);
}

/// A plant replaces the actuators, and brings its specimen or asks for one.
#[test]
fn a_plant_and_its_specimen_fit_together() {
    let entry = Entry::find(METHODS, "virtual").unwrap();
    let single = Entry::find(tandem_transfer::plant::METHODS, "benchmark-single").unwrap();
    let table = filled_in(single.method.parameters, &[]).with("kind", text("benchmark-single"));
    let with_plant = Values::new().with("plant", Value::Table(table));
    let context = |actuators| RigContext::direct(Context::of(actuators, 1e-3));
    let rig = (entry.build)(&with_plant, &context(1)).unwrap();
    assert!(rig.properties().specimen_is_linear && !rig.properties().is_instantaneous);
    // Damping ratio 0.97 % of the published specimen.
    let damping = rig.properties().specimen.unwrap().damping[0];
    assert!((damping - 114.22).abs() < 0.01, "{damping}");
    let key = |values: &Values, n| {
        (entry.build)(values, &context(n))
            .map(|_| ())
            .unwrap_err()
            .key
    };
    assert_eq!(key(&with_plant, 2), "plant.kind");
    assert_eq!(
        key(&with_plant.clone().with("specimen", specimen(1.0)), 1),
        "specimen"
    );
    let ideal = Value::Table(Values::new().with("method", text("ideal")));
    assert_eq!(key(&with_plant.with("actuator", ideal), 1), "actuator");
    assert_eq!(key(&Values::new(), 1), "specimen");
}

/// Expected: scipy.signal.tf2ss and cont2discrete (zoh) at 1024 Hz, under a command that jumps
/// between 1 mm (60 samples of a hundred) and −0.5 mm; samples 50 and 400.
#[test]
fn linear_actuators_are_those_that_scipy_samples() {
    let one = |list: &[(&str, Value)]| {
        let start = Values::new();
        list.iter()
            .fold(start, |v, (key, x)| v.with(key, x.clone()))
    };
    let n = Value::Number;
    let cases = [
        (
            "first-order",
            one(&[("time_constant", n(0.012)), ("gain", n(1.0))]),
            [0.000_982_905_703_628_982, -0.000_329_816_206_944_336_8],
        ),
        (
            "second-order",
            one(&[
                ("frequency", n(18.0)),
                ("damping", n(0.7)),
                ("gain", n(0.97)),
            ]),
            [0.000_998_445_191_454_667, -0.000_543_493_065_456_665_8],
        ),
        (
            "third-order",
            one(&[
                ("bandwidth", n(15.0)),
                ("frequency", n(60.0)),
                ("damping", n(0.3)),
                ("gain", n(0.95)),
            ]),
            [0.000_940_593_999_674_263_2, -0.000_432_340_422_795_951_43],
        ),
        (
            "transfer-function",
            one(&[
                ("numerator", numbers(&[1.5e6])),
                ("denominator", numbers(&[1.0, 190.0, 2e4, 1.5e6])),
            ]),
            [0.001_132_654_453_093_458, -0.000_812_925_269_342_845_3],
        ),
    ];
    for (method, table, expected) in cases {
        let values = Values::new()
            .with("actuator", Value::Table(table.with("method", text(method))))
            .with("specimen", specimen(1e6));
        let mut rig = build(&values, 1.0 / 1024.0);
        let mut measured = Measured::at_rest(1);
        for k in 1..=400 {
            write(
                rig.as_mut(),
                &at(if k % 100 < 60 { 0.001 } else { -0.0005 }),
            );
            rig.read(&mut measured);
            let i = match k {
                50 => 0,
                400 => 1,
                _ => continue,
            };
            let x = measured.motion.displacement[0];
            assert!((x - expected[i]).abs() < 1e-15, "{method} {k}: {x}");
        }
    }
}

fn matrix_plant(more: &[(&str, Value)]) -> Values {
    let entry = Entry::find(tandem_transfer::plant::METHODS, "transfer-matrix").unwrap();
    filled_in(entry.method.parameters, more).with(
        "element",
        Value::List(vec![
            element(1, 1, &[1.02e4], &[1.0, 150.0, 1.0e4]),
            element(1, 2, &[0.2, 0.0], &[1.0, 120.0]),
            element(2, 1, &[0.2, 0.0], &[1.0, 120.0]),
            element(2, 2, &[85.0], &[1.0, 87.0]),
        ]),
    )
}

/// Expected: every element by scipy.signal.tf2ss and cont2discrete (zoh) at 1024 Hz, summed up; the
/// second drive is half the first, thirty samples earlier. A draw keeps the static gains unless
/// they are uncertain too.
#[test]
fn a_matrix_of_transfer_functions_is_the_sum_that_scipy_samples() {
    let entry = Entry::find(tandem_transfer::plant::METHODS, "transfer-matrix").unwrap();
    let make = |more: &[(&str, Value)]| {
        (entry.build)(&matrix_plant(more), &Context::of(2, 1.0 / 1024.0)).unwrap()
    };
    let mut plant = make(&[]);
    let mut truth = Measured::at_rest(2);
    let jump = |k: i32| if k % 100 < 60 { 0.001 } else { -0.0005 };
    for k in 1..=400 {
        let mut drive = Motion::at_rest(2);
        drive.displacement = vec![jump(k), 0.5 * jump(k + 30)];
        plant.advance(&drive, &mut truth);
        let expected = match k {
            50 => [0.001_036_184_993_769_145_4, -0.000_127_608_405_872_984_26],
            400 => [-0.000_526_438_074_389_443_8, 0.000_702_008_010_348_919_5],
            _ => continue,
        };
        for i in 0..2 {
            let x = truth.motion.displacement[i];
            assert!((x - expected[i]).abs() < 1e-15, "{k}: {x}");
        }
    }
    let reply = |more: &[(&str, Value)]| {
        let mut plant = make(more);
        let mut truth = Measured::at_rest(2);
        let mut drive = Motion::at_rest(2);
        drive.displacement[0] = 1.0;
        let mut early = 0.0;
        for k in 0..4000 {
            plant.advance(&drive, &mut truth);
            if k == 10 {
                early = truth.motion.displacement[0];
            }
        }
        (early, truth.motion.displacement[0])
    };
    let uncertain = |draw: i64| {
        reply(&[
            ("frequency_uncertainty", Value::Number(0.05)),
            ("draw", Value::Integer(draw)),
        ])
    };
    let all: Vec<(f64, f64)> = (1..=100).map(uncertain).collect();
    assert_eq!(uncertain(7), all[6]);
    assert!(all.iter().all(|(_, gain)| (gain - 1.02).abs() < 1e-9));
    let (least, most) = all.iter().fold((f64::MAX, f64::MIN), |(a, b), (x, _)| {
        (a.min(*x), b.max(*x))
    });
    assert!(most / least > 1.1 && most / least < 2.0, "{least} {most}");
}

/// A servo sees what its transducer says, not the truth: with an offset of 1 mm the piston stands 1
/// mm off.
#[test]
fn servos_read_their_sensors() {
    let pid = Values::new()
        .with("method", text("pid"))
        .with("proportional", Value::Number(1.0))
        .with("integral", Value::Number(0.0))
        .with("derivative", Value::Number(0.0))
        .with("feed_forward", Value::Number(0.0));
    let actuator = Values::new()
        .with("method", text("transfer-function"))
        .with("numerator", numbers(&[40.0]))
        .with("denominator", numbers(&[1.0, 0.0]));
    let sensors = Values::new()
        .with("displacement_offset", Value::Number(1e-3))
        .with("displacement_gain", Value::Number(1.02));
    let values = Values::new()
        .with("rate", Value::Number(5000.0))
        .with("servo", Value::Table(pid))
        .with("actuator", Value::Table(actuator))
        .with("sensors", Value::Table(sensors))
        .with("specimen", specimen(1e6));
    let mut rig = build(&values, 1e-3);
    let mut measured = Measured::at_rest(1);
    for _ in 0..3000 {
        write(rig.as_mut(), &at(0.01));
        rig.read(&mut measured);
    }
    assert!((measured.motion.displacement[0] - 0.01).abs() < 1e-9);
    let truth = rig.observe().truth().unwrap().motion.displacement[0];
    assert!((truth - 0.009 / 1.02).abs() < 1e-9, "{truth}");
}
