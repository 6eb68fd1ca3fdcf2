//! What conditioners do to a measurement, against closed forms.

use super::common::{numbers, text};
use tandem_quantity::{Context, Entry, Motion, Value, Values};
use tandem_test_support::filled_in;
use tandem_transfer::conditioning::{self, Conditioner, METHODS};
use tandem_transfer::rig::Measured;

const PERIOD: f64 = 1e-3;

fn build(method: &str, own: &[(&str, Value)]) -> Box<dyn Conditioner> {
    let entry = Entry::find(METHODS, method).unwrap();
    (entry.build)(
        &filled_in(entry.method.parameters, own),
        &Context::of(1, PERIOD),
    )
    .unwrap()
}

fn one(x: f64) -> Value {
    Value::List(vec![numbers(&[x])])
}

fn measured(displacement: f64, acceleration: f64, force: f64) -> Measured {
    let mut m = Measured::at_rest(1);
    m.motion.displacement[0] = displacement;
    m.motion.acceleration[0] = acceleration;
    m.force[0] = force;
    m
}

/// A ramp comes out of the low-pass later by the delay that it reports: force and displacement
/// alike.
#[test]
fn the_low_pass_knows_its_delay() {
    let mut conditioner = build("low-pass", &[]);
    let wanted = Motion::at_rest(1);
    let mut last = measured(0.0, 0.0, 0.0);
    for k in 0..2000 {
        let t = f64::from(k) * PERIOD;
        last = measured(t, 0.0, 5.0 * t);
        conditioner.condition(&wanted, &mut last);
    }
    let now = 1999.0 * PERIOD;
    let delay = now - last.motion.displacement[0];
    assert!((delay - conditioner.delay()).abs() < 1e-9, "{delay}");
    assert!((now - last.force[0] / 5.0 - delay).abs() < 1e-9);
    // Second order at 100 Hz: √2/ω, a little more by the bilinear transform.
    let analog = std::f64::consts::SQRT_2 / (2.0 * std::f64::consts::PI * 100.0);
    assert!((delay / analog - 1.0).abs() < 0.04, "{delay} {analog}");
}

#[test]
fn a_unit_delay_gives_the_force_of_n_ticks_ago() {
    for samples in [0_i64, 1, 5] {
        let mut conditioner = build("unit-delay", &[("samples", Value::Integer(samples))]);
        let wanted = Motion::at_rest(1);
        for k in 1..20_i32 {
            let mut m = measured(f64::from(k), 0.0, f64::from(k));
            conditioner.condition(&wanted, &mut m);
            let expected = (i64::from(k) - samples).max(0);
            assert!((m.force[0] - expected as f64).abs() < 1e-15);
            assert!((m.motion.displacement[0] - f64::from(k)).abs() < 1e-15);
        }
        assert!((conditioner.delay() - samples as f64 * PERIOD).abs() < 1e-15);
    }
}

/// For a linear specimen the corrected force is the force at the wanted displacement, exactly.
#[test]
fn the_corrected_force_belongs_to_the_wanted_displacement() {
    let mut conditioner = build("force-correction", &[("stiffness", one(2e6))]);
    let mut wanted = Motion::at_rest(1);
    wanted.displacement[0] = 0.010;
    let mut m = measured(0.0093, 0.0, 2e6 * 0.0093);
    conditioner.condition(&wanted, &mut m);
    assert!((m.force[0] - 2e4).abs() < 1e-9);
    assert!((m.motion.displacement[0] - 0.010).abs() < 1e-15);
    // What was measured is still there for whoever estimates a stiffness of it.
    let before = conditioner.uncorrected().unwrap();
    let pair = (before.motion.displacement[0], before.force[0]);
    assert_eq!(pair, (0.0093, 2e6 * 0.0093));
}

#[test]
fn inertia_is_taken_out() {
    let mut wanted = Motion::at_rest(1);
    wanted.acceleration[0] = 3.0;
    for (source, expected) in [("measured", 1000.0 - 60.0), ("wanted", 1000.0 - 90.0)] {
        let own = [("mass", numbers(&[30.0])), ("acceleration", text(source))];
        let mut m = measured(0.0, 2.0, 1000.0);
        build("inertia-removal", &own).condition(&wanted, &mut m);
        assert!((m.force[0] - expected).abs() < 1e-12);
    }
}

/// x = t² + 3t: backward differences give v = 2t + 3 − h and a = 2.
#[test]
fn a_force_is_computed_where_none_is_measured() {
    let own = [
        ("stiffness", one(7.0)),
        ("damping", one(11.0)),
        ("mass", one(13.0)),
    ];
    let mut conditioner = build("specimen-model", &own);
    let wanted = Motion::at_rest(1);
    for k in 0..100 {
        let t = f64::from(k) * PERIOD;
        let mut m = measured(t * t + 3.0 * t, 0.0, 1e9);
        conditioner.condition(&wanted, &mut m);
        if k > 3 {
            let expected = 7.0 * (t * t + 3.0 * t) + 11.0 * (2.0 * t + 3.0 - PERIOD) + 26.0;
            assert!((m.force[0] - expected).abs() < 1e-6, "{k}");
        }
    }
}

/// What a plan writes for a step: its defaults and these.
fn step(method: &str, own: &[(&str, Value)]) -> Value {
    let entry = Entry::find(METHODS, method).unwrap();
    Value::Table(filled_in(entry.method.parameters, own).with("method", text(method)))
}

fn chain(steps: Vec<Value>) -> conditioning::Pipeline {
    let values = Values::new()
        .with("method", text("chain"))
        .with("step", Value::List(steps));
    conditioning::build(&values, &Context::of(1, PERIOD))
        .unwrap()
        .unwrap()
}

/// A chain within a chain counts like its steps. Calibration and inertia are in what everybody
/// sees; the correction, and the calibration behind it, only in what goes back.
#[test]
fn readings_come_first_and_the_feedback_is_made_of_them() {
    let calibration = |offset: f64| {
        let own = [
            ("displacement_offset", numbers(&[offset])),
            ("force_factor", numbers(&[0.5])),
        ];
        step("calibration", &own)
    };
    let inner = Value::Table(Values::new().with("method", text("chain")).with(
        "step",
        Value::List(vec![
            step("inertia-removal", &[("mass", numbers(&[30.0]))]),
            step("force-correction", &[("stiffness", one(2e6))]),
        ]),
    ));
    let mut both = chain(vec![calibration(1e-3), inner, calibration(0.0)]);
    assert!(both.has_readings() && both.has_feedback());
    let mut wanted = Motion::at_rest(1);
    wanted.displacement[0] = 0.010;
    let mut m = measured(0.0103, 2.0, 4e4);
    both.read(&wanted, &mut m);
    assert!((m.motion.displacement[0] - 0.0093).abs() < 1e-15);
    assert!((m.force[0] - (2e4 - 60.0)).abs() < 1e-9);
    let seen = m.clone();
    both.feedback_from(&wanted, &mut m);
    // 2 MN/m times 0.7 mm, then halved once more.
    assert!((m.force[0] - 0.5 * (2e4 - 60.0 + 1400.0)).abs() < 1e-9);
    assert!((m.motion.displacement[0] - 0.010).abs() < 1e-15);
    // Both at once are the same.
    let mut again = measured(0.0103, 2.0, 4e4);
    both.condition(&wanted, &mut again);
    assert_eq!(again, m);
    assert_ne!(seen, m);
    // Each kind alone.
    assert!(!chain(vec![calibration(0.0)]).has_feedback());
    assert!(!chain(vec![step("low-pass", &[])]).has_readings());
    let nothing = Values::new().with("method", text("none"));
    assert!(
        conditioning::build(&nothing, &Context::of(1, PERIOD))
            .unwrap()
            .is_none()
    );
}

/// Every conditioner that tells what the specimen does, by name: all others would let a monitor
/// judge by what goes back.
#[test]
fn readings_are_these() {
    let found: Vec<&str> = METHODS
        .iter()
        .filter(|entry| {
            let own: Vec<(&str, Value)> = match entry.method.name {
                "inertia-removal" => vec![("mass", numbers(&[1.0]))],
                "force-correction" | "force-prediction" | "open-loop" | "specimen-model" => {
                    vec![("stiffness", one(1.0))]
                }
                "chain" | "none" => return false,
                _ => vec![],
            };
            build(entry.method.name, &own).is_reading()
        })
        .map(|entry| entry.method.name)
        .collect();
    assert_eq!(
        found,
        ["calibration", "inertia-removal", "kalman", "velocity"]
    );
}
