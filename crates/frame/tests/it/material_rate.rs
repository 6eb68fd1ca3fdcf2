//! Laws that know time: Maxwell, fluid damper, dashpot.

use tandem_frame::material::{Damper, Drive, Material, MaterialPoint, Maxwell, Viscous};

const DT: f64 = 0.01;

fn motion(t: f64) -> f64 {
    0.01 * (std::f64::consts::TAU * t).sin() + 0.004 * (7.3 * t).sin()
}

/// Stresses after steps 5, 10, … 60 of the motion.
fn drive(point: &mut MaterialPoint) -> Vec<f64> {
    let mut recorded = Vec::new();
    for step in 1..=60_u32 {
        let (before, now) = (
            motion(DT * f64::from(step - 1)),
            motion(DT * f64::from(step)),
        );
        let answer = point.trial(Drive {
            strain: now,
            rate: (now - before) / DT,
            dt: DT,
        });
        // The tangent is the derivative within the step.
        let nearby = point.trial(Drive {
            strain: now + 1e-7,
            rate: (now + 1e-7 - before) / DT,
            dt: DT,
        });
        let slope = (nearby.stress - answer.stress) / 1e-7;
        assert!(
            (slope - answer.tangent).abs() < 1e-4 * point.initial_tangent(),
            "{slope} {answer:?}"
        );
        point.trial(Drive {
            strain: now,
            rate: (now - before) / DT,
            dt: DT,
        });
        point.commit();
        if step % 5 == 0 {
            recorded.push(answer.stress);
        }
    }
    recorded
}

fn close(got: &[f64], expected: &[f64], tolerance: f64) {
    let peak = expected
        .iter()
        .fold(0.0_f64, |peak, value| peak.max(value.abs()));
    assert_eq!(got.len(), expected.len());
    for (got, expected) in got.iter().zip(expected) {
        assert!(
            (got - expected).abs() < tolerance * peak,
            "{got} instead of {expected}"
        );
    }
}

/// OpenSees 3.7.1: `uniaxialMaterial('Maxwell', 1, 2000.0, 150.0, 1.0, 1.0)` in a `zeroLength`
/// element whose node follows the motion (`sp` with a `Path` series), transient analysis with steps
/// of 0.01 s.
#[test]
fn maxwell_follows_opensees() {
    let mut point = Material::from(Maxwell::new(2000.0, 150.0).unwrap()).point();
    let expected = [
        6.585130142631626,
        9.212266695358979,
        9.17584258627564,
        7.293813757422967,
        4.191951581472247,
        0.42657040617160136,
        -3.478892315134642,
        -7.041684435670552,
        -9.847457483052343,
        -11.582642704852029,
        -12.061634476958455,
        -11.24259898989822,
    ];
    close(&drive(&mut point), &expected, 1e-12);
}

/// A step of strain relaxes as e^(−t/τ).
#[test]
fn maxwell_relaxes() {
    let mut point = Material::from(Maxwell::new(2000.0, 150.0).unwrap()).point();
    point.trial(Drive::at(0.01));
    point.commit();
    let answer = point.trial(Drive {
        strain: 0.01,
        rate: 0.0,
        dt: 0.075,
    });
    assert!((answer.stress - 20.0 * (-1.0_f64).exp()).abs() < 1e-12);
}

/// scipy 1.17: `solve_ivp` with Radau, rtol = atol = 1e-12, velocity constant within each step.
#[test]
fn damper_follows_scipy() {
    let mut point = Material::from(Damper::new(25_000.0, 40.0, 0.3).unwrap()).point();
    let expected = [
        19.292919110706116,
        18.35480231543211,
        16.585000625945657,
        13.496311780835578,
        6.608425760123567,
        -13.826532919774593,
        -17.087988754484293,
        -18.590524601642503,
        -19.300072722407588,
        -19.346166046753485,
        -18.745999152940144,
        -17.42677693309348,
    ];
    close(&drive(&mut point), &expected, 1e-6);
}

/// At constant velocity the damper settles at C v^α.
#[test]
fn damper_settles() {
    let mut point = Material::from(Damper::new(25_000.0, 40.0, 0.5).unwrap()).point();
    let mut force = 0.0;
    for step in 1..=200_u32 {
        force = point
            .trial(Drive {
                strain: 0.04 * DT * f64::from(step),
                rate: 0.04,
                dt: DT,
            })
            .stress;
        point.commit();
    }
    assert!((force - 8.0).abs() < 1e-9, "{force}");
}

#[test]
fn dashpot_is_a_power_law() {
    let mut point = Material::from(Viscous::new(40.0, 0.5).unwrap()).point();
    let answer = point.trial(Drive {
        strain: 1.0,
        rate: -0.04,
        dt: DT,
    });
    assert!((answer.stress + 8.0).abs() < 1e-14 && (answer.damping - 100.0).abs() < 1e-12);
    assert!(answer.tangent.abs() < f64::EPSILON);
    assert!(point.trial(Drive::at(1.0)).stress.abs() < f64::EPSILON);
}
