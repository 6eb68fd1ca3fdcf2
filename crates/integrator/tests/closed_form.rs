//! Every method against the closed form of a harmonically loaded oscillator, and its order of convergence.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

use tandem_integrator::{Answer, Integrator, Loading, METHODS, Problem};
use tandem_quantity::{Value, Values};
use tandem_structure::{Linear, Matrix};

const MASS: f64 = 2.5;
const OMEGA: f64 = 2.0 * std::f64::consts::PI * 1.3;
const ZETA: f64 = 0.05;
const LOAD: f64 = 7.0;
const FREQUENCY: f64 = 2.0 * std::f64::consts::PI * 0.7;

struct Harmonic;

impl Loading for Harmonic {
    fn force(&self, time: f64, force: &mut [f64]) {
        force[0] = LOAD * (FREQUENCY * time).sin();
    }
}

/// m x'' + 2ζωm x' + ω²m x = F sin(Ωt), from rest: steady part plus the transient that cancels it at t = 0.
fn exact(time: f64) -> [f64; 2] {
    let (w, o) = (OMEGA, FREQUENCY);
    let stiff = w * w - o * o;
    let damp = 2.0 * ZETA * w * o;
    let scale = LOAD / MASS / (stiff * stiff + damp * damp);
    let (a, b) = (scale * stiff, -scale * damp);
    let wd = w * (1.0 - ZETA * ZETA).sqrt();
    let (c, d) = (-b, (-ZETA * w * b - a * o) / wd);
    let decay = (-ZETA * w * time).exp();
    let (s, co) = (wd * time).sin_cos();
    let transient = decay * (c * co + d * s);
    let rate = decay * ((wd * d - ZETA * w * c) * co - (wd * c + ZETA * w * d) * s);
    [
        a * (o * time).sin() + b * (o * time).cos() + transient,
        o * (a * (o * time).cos() - b * (o * time).sin()) + rate,
    ]
}

fn build(name: &str, dt: f64) -> Box<dyn Integrator> {
    let one = |x: f64| Matrix::diagonal(&[x]);
    let structure = Linear::new(
        one(MASS),
        one(2.0 * ZETA * OMEGA * MASS),
        one(OMEGA * OMEGA * MASS),
    )
    .unwrap();
    let values = Values::new()
        .with("gamma", Value::Number(0.5))
        .with("beta", Value::Number(0.25))
        .with("force", Value::Text("auto".into()));
    let entry = METHODS
        .iter()
        .find(|entry| entry.method.name == name)
        .unwrap();
    (entry.build)(
        &values,
        Problem::all_numerical(Box::new(structure), dt),
        &Harmonic,
    )
    .unwrap()
}

/// Largest error of displacement and velocity over three seconds.
fn errors(name: &str, per_second: u32) -> [f64; 2] {
    let dt = 1.0 / f64::from(per_second);
    let mut method = build(name, dt);
    let mut worst = [0.0_f64; 2];
    while method.steps() < u64::from(3 * per_second) {
        if method.feed(Answer::NONE, &Harmonic) {
            let [x, v] = exact(method.steps() as f64 * dt);
            let response = method.response();
            worst[0] = worst[0].max((response.displacement[0] - x).abs());
            worst[1] = worst[1].max((response.velocity[0] - v).abs());
        }
    }
    worst
}

#[test]
fn the_closed_form_fulfils_its_equation() {
    let h = 1e-5;
    for time in [0.2, 1.0, 2.7] {
        let [x, v] = exact(time);
        let (before, after) = (exact(time - h), exact(time + h));
        let acceleration = (after[1] - before[1]) / (2.0 * h);
        let balance = MASS * (acceleration + 2.0 * ZETA * OMEGA * v + OMEGA * OMEGA * x)
            - LOAD * (FREQUENCY * time).sin();
        assert!(balance.abs() < 1e-6, "{balance:e}");
        assert!(((after[0] - before[0]) / (2.0 * h) - v).abs() < 1e-7);
    }
    assert!(exact(0.0)[0].abs() < 1e-15 && exact(0.0)[1].abs() < 1e-14);
}

#[test]
fn every_method_converges_to_the_closed_form_with_its_order() {
    for entry in METHODS {
        let name = entry.method.name;
        let order = if name == "rk4" { 4.0 } else { 2.0 };
        let (coarse, fine) = (errors(name, 100), errors(name, 200));
        for part in 0..2 {
            let found = (coarse[part] / fine[part]).log2();
            assert!(
                (found - order).abs() < 0.1,
                "{name}: order {found:.3} of part {part}, expected {order}"
            );
        }
        // Peak displacement is about 0.11 m.
        assert!(fine[0] < 2e-4, "{name}: {:e}", fine[0]);
    }
}

#[test]
fn a_step_above_the_stability_limit_is_refused_with_the_limit() {
    for name in ["newmark-explicit", "central-difference", "rk4"] {
        let limit = if name == "rk4" { 8.0_f64.sqrt() } else { 2.0 } / OMEGA;
        assert!(
            (build(name, 0.5 * limit).critical_dt().unwrap() / limit - 1.0).abs() < 1e-5,
            "{name}"
        );
        let one = |x: f64| Matrix::diagonal(&[x]);
        let structure = Linear::new(one(MASS), one(0.0), one(OMEGA * OMEGA * MASS)).unwrap();
        let values = Values::new()
            .with("gamma", Value::Number(0.5))
            .with("force", Value::Text("auto".into()));
        let entry = METHODS
            .iter()
            .find(|entry| entry.method.name == name)
            .unwrap();
        let problem = Problem::all_numerical(Box::new(structure), 1.01 * limit);
        let error = (entry.build)(&values, problem, &Harmonic).err().unwrap();
        assert_eq!(error.key, "dt");
        assert!(
            error.help.contains(&format!("{:.3}", limit * 1e3)[..5]),
            "{}",
            error.help
        );
    }
    assert_eq!(build("newmark", 0.1).critical_dt(), None);
}
