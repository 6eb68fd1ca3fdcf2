//! Bearings and dampers in a model, against their equations.

use tandem_frame::element::{ElastomericShear, Element, MrDamperLaw, PendulumShear};
use tandem_frame::material::{Elastic, Material, Steel01};
use tandem_frame::model::{Dof, LoadCase, ModelBuilder, Orientation};
use tandem_structure::Structure;
use tandem_test_support::{close, larger};

fn spring(stiffness: f64) -> Material {
    Elastic::new(stiffness).unwrap().into()
}

/// A bearing at one place between a fixed node and a free one.
fn bearing(add: impl Fn(&mut ModelBuilder)) -> ModelBuilder {
    let mut frame = ModelBuilder::space();
    frame.node(1, [0.0; 3]).unwrap();
    frame.node(2, [0.0; 3]).unwrap();
    frame.fix_all(1).unwrap();
    add(&mut frame);
    frame
}

#[test]
fn an_elastomeric_bearing_yields_on_a_circle() {
    let law = ElastomericShear {
        stiffness: 1e6,
        yield_force: 1e4,
        hardening_ratio: 0.1,
    };
    let mut model = bearing(|frame| {
        let orientation = Orientation::default();
        frame
            .elastomeric_bearing(1, [1, 2], law, &spring(1e9), &spring(1e5), &orientation)
            .unwrap();
    })
    .build()
    .unwrap();
    let mut reference = Material::from(Steel01::new(1e4, 1e6, 0.1).unwrap()).point();
    for step in 0..60_u32 {
        let slide = 0.05 * (0.2 * f64::from(step)).sin();
        let angle = 0.7_f64;
        let mut u = [0.0; 6];
        u[0] = slide * angle.cos();
        u[1] = slide * angle.sin();
        let mut force = [0.0; 6];
        model.restoring_force(&u, &[0.0; 6], &mut force);
        model.commit();
        let expected = reference
            .trial(tandem_frame::material::Drive::at(slide))
            .stress;
        reference.commit();
        assert!((force[0] - expected * angle.cos()).abs() < 1e-8 * 1e4);
        assert!((force[1] - expected * angle.sin()).abs() < 1e-8 * 1e4);
    }
}

#[test]
fn a_friction_pendulum_slides_under_its_weight() {
    let law = PendulumShear {
        radius: 2.0,
        stiffness: 1e7,
        slow_friction: 0.04,
        fast_friction: 0.06,
        rate: 50.0,
    };
    let weight = 1e5;
    let gravity = LoadCase::new().nodal(2, Dof::Uz, -weight);
    let mut model = bearing(|frame| {
        let orientation = Orientation::default();
        frame
            .friction_pendulum(1, [1, 2], law, &spring(1e9), &spring(1e5), &orientation)
            .unwrap();
        let prop = spring(1.0);
        frame
            .zero_length(2, [1, 2], &[(Dof::Ux, &prop), (Dof::Uy, &prop)])
            .unwrap();
    })
    .build_with_gravity(&gravity, 1)
    .unwrap();
    let mut force = [0.0; 6];
    let mut at = |x: f64, speed: f64| {
        let (mut u, mut v) = ([0.0; 6], [0.0; 6]);
        u[0] = x;
        v[0] = speed;
        model.restoring_force(&u, &v, &mut force);
        model.commit();
        force[0] - x
    };
    close(at(1e-4, 0.0), 1e7 * 1e-4 + weight / 2.0 * 1e-4, 1e-9);
    close(at(0.1, 0.0), weight / 2.0 * 0.1 + 0.04 * weight, 1e-9);
    close(at(0.12, 10.0), weight / 2.0 * 0.12 + 0.06 * weight, 1e-9);
    close(at(0.05, -10.0), weight / 2.0 * 0.05 - 0.06 * weight, 1e-9);
    let Element::Pendulum(bearing) = model.element(1).unwrap() else {
        panic!()
    };
    let (deformation, shear) = bearing.shear();
    close(deformation[0].hypot(deformation[1]), 0.05, 1e-12);
    close(
        shear[0].hypot(shear[1]),
        0.06 * weight - 0.025 * weight,
        1e-9,
    );
}

/// Force of the damper against its equations by fourth-order Runge–Kutta with many small steps.
#[test]
fn an_mr_damper_follows_its_equations() {
    let law = MrDamperLaw {
        viscous: [2.1e3, 3.5e2],
        hysteretic: [1.4e4, 6.95e4],
        stiffness: 4.69e3,
        offset: 0.0143,
        amplitude: 301.0,
        gamma: 3.63e4,
        beta: 3.63e4,
        exponent: 2.0,
    };
    let mut frame = ModelBuilder::plane();
    frame.node(1, [0.0, 0.0]).unwrap();
    frame.node(2, [0.0, 1.0]).unwrap();
    frame.fix_all(1).unwrap();
    frame.mr_damper(1, [1, 2], law).unwrap();
    let mut model = frame.build().unwrap();
    close(model.properties().damping.get(1, 1), 2.1e3, 1e-12);
    let command = 1.5;
    let Element::Mr(damper) = model.element_mut(1).unwrap() else {
        panic!()
    };
    damper.set_command(command);
    // The motion turns exactly at the end of a step.
    let (amplitude, circular, dt) = (0.015, 2.5 * std::f64::consts::PI, 1e-3);
    let x = |t: f64| amplitude * (circular * t).sin();
    let speed = |t: f64| amplitude * circular * (circular * t).cos();
    let rate = |t: f64, z: f64| {
        let v = speed(t);
        law.amplitude * v - law.gamma * v.abs() * z * z.abs() - law.beta * v * z * z
    };
    let mut z = 0.0_f64;
    let mut worst = 0.0_f64;
    for step in 0..1500_u32 {
        let parts = 40;
        let h = dt / f64::from(parts);
        for part in 0..parts {
            let t = f64::from(step) * dt + f64::from(part) * h;
            let k1 = rate(t, z);
            let k2 = rate(t + 0.5 * h, z + 0.5 * h * k1);
            let k3 = rate(t + 0.5 * h, z + 0.5 * h * k2);
            let k4 = rate(t + h, z + h * k3);
            z += h / 6.0 * (k1 + 2.0 * (k2 + k3) + k4);
        }
        let t = f64::from(step + 1) * dt;
        let mut force = [0.0; 3];
        model.restoring_force(&[0.0, x(t), 0.0], &[0.0, speed(t), 0.0], &mut force);
        model.commit();
        let expected =
            3.5e2 * command * speed(t) + 4.69e3 * (x(t) - 0.0143) + (1.4e4 + 6.95e4 * command) * z;
        worst = larger(worst, (force[1] - expected).abs());
    }
    assert!(worst < 1e-8 * 7.7e3, "{worst}");
}
