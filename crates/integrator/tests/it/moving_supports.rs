//! Supports that move by themselves.

use crate::common;
use tandem_frame::model::{Dof, Member, ModelBuilder};
use tandem_integrator::{
    Answer, Integrator, Loading, MovingSupports, NoLoad, Problem, SupportMotion,
};
use tandem_structure::Structure;

/// A rigid floor on two clamped–clamped columns, of which the second stands on ground of its own.
fn portal() -> Box<dyn Structure> {
    let mut frame = ModelBuilder::plane();
    for (node, place) in [[0.0, 0.0], [0.0, 3.0], [4.0, 0.0], [4.0, 3.0]]
        .into_iter()
        .enumerate()
    {
        frame.node(node, place).unwrap();
    }
    frame.fix_all(0).unwrap();
    frame.fix_all(2).unwrap();
    frame.fix(1, &[Dof::Uy, Dof::Rz]).unwrap();
    frame.fix(3, &[Dof::Uy, Dof::Rz]).unwrap();
    frame.equal_dof(1, 3, &[Dof::Ux]).unwrap();
    frame.mass(1, &[(Dof::Ux, 5e3)]).unwrap();
    // 12 EI/L³: one column is three times as stiff as the other.
    frame
        .member(1, [0, 1], &Member::elastic(1e9, 1.0, 9e-4))
        .unwrap();
    frame
        .member(2, [2, 3], &Member::elastic(1e9, 1.0, 2.7e-3))
        .unwrap();
    frame.moving_support(2, 0, [1.0, 0.0, 0.0]).unwrap();
    Box::new(frame.build().unwrap())
}

struct Push(f64);
impl Loading for Push {
    fn force(&self, time: f64, force: &mut [f64]) {
        force[0] = self.0 * delta(time);
    }
}

fn delta(time: f64) -> f64 {
    0.02 * (7.0 * time).sin()
}

fn method(name: &str, loading: &dyn Loading) -> Box<dyn Integrator> {
    let problem = Problem::all_numerical(portal(), 0.005);
    common::build(name, &[], problem, loading)
}

/// m d̈ + (k₁ + k₂) d = k₂ δ(t): the moving support is a load k₂ δ.
#[test]
fn a_moving_support_pushes_through_its_column() {
    let (k1, k2) = (12.0 * 9e5 / 27.0, 12.0 * 2.7e6 / 27.0);
    for name in ["newmark", "alpha-os", "newmark-iterated", "kr-alpha"] {
        let motion: SupportMotion = Box::new(|time, d, v| {
            d[0] = delta(time);
            v[0] = 0.0;
        });
        let inner = method(name, &NoLoad);
        let mut moved = MovingSupports::new(inner, motion).unwrap();
        let push = Push(k2);
        let mut pushed = method(name, &push);
        let mut peak = 0.0_f64;
        for _ in 0..400 {
            while !moved.feed(Answer::NONE, &NoLoad) {}
            while !pushed.feed(Answer::NONE, &push) {}
            let (a, b) = (
                moved.response().displacement[0],
                pushed.response().displacement[0],
            );
            peak = peak.max(b.abs());
            assert!((a - b).abs() < 1e-11, "{name}: {a} against {b}");
        }
        // Steady part: k₂ δ₀/(k₁ + k₂ − m ω²).
        assert!(peak > 0.02 * k2 / (k1 + k2 - 5e3 * 49.0), "{name}: {peak}");
    }
}

#[test]
fn methods_that_work_within_steps_are_refused() {
    for name in ["rk4", "rosenbrock"] {
        let inner = method(name, &NoLoad);
        assert!(MovingSupports::new(inner, Box::new(|_, _, _| {})).is_err());
    }
}
