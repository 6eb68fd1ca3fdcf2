//! Criteria of signals whose errors are known.

use std::f64::consts::TAU;
use tandem_monitor::criteria::{
    Axis, Node, Spread, equivalent_damping_error, global_error, multi_axial, single_actuator,
};

const PERIOD: f64 = 1.0 / 1024.0;

/// Whole cycles of 2 Hz with a delay in samples and a gain.
fn wave(gain: f64, delay: f64) -> Vec<f64> {
    (0..4096)
        .map(|n| gain * (TAU * 2.0 * PERIOD * (f64::from(n) - delay)).sin())
        .collect()
}

fn close(got: f64, expected: f64, tolerance: f64) {
    assert!((got - expected).abs() < tolerance, "{got} {expected}");
}

#[test]
fn the_single_actuator_criteria_are_those_of_shifted_waves() {
    let (target, measured) = (wave(1.0, 0.0), wave(0.9, 7.0));
    let offset: Vec<f64> = target.iter().map(|x| x + 0.2).collect();
    let half = wave(0.5, 0.0);
    let found = single_actuator(
        &target,
        &measured,
        [&offset, &half],
        [&target, &target, &target],
        PERIOD,
    )
    .unwrap();
    close(found.j1_ms, 7e3 * PERIOD, 1e-12);
    let phase = TAU * 2.0 * PERIOD * 7.0;
    let error = 100.0 * (1.0 + 0.81 - 1.8 * phase.cos()).sqrt();
    close(found.j2.rms, error, 1e-9);
    close(found.j2.of(Spread::Deviation), error, 1e-9);
    close(found.j3, error, 0.01);
    close(found.j4.rms, error, 1e-9);
    close(found.j5, error, 0.01);
    // A constant error is seen by the RMS, not by the deviation.
    close(found.j6.of(Spread::Rms), 100.0 * 0.2 * 2.0_f64.sqrt(), 1e-9);
    close(found.j6.deviation, 0.0, 1e-9);
    close(found.j8, 20.0, 1e-9);
    close(found.j7.rms, 50.0, 1e-9);
    close(found.j9, 50.0, 1e-9);
}

#[test]
fn the_multi_axial_criteria_tell_lead_from_lag_and_interface_from_frame() {
    let (target, lead, estimate) = (wave(1.0, 0.0), wave(1.0, -5.0), wave(1.0, 3.0));
    let numerical = wave(1.1, 0.0);
    let axis = Axis {
        target: &target,
        measured: &lead,
        estimated: &estimate,
    };
    let nodes = [
        Node {
            estimated: Some(&numerical),
            numerical: &target,
            reference: &wave(1.25, 0.0),
        },
        Node {
            estimated: None,
            numerical: &numerical,
            reference: &target,
        },
    ];
    let found = multi_axial(&[axis, axis], &nodes, PERIOD).unwrap();
    assert_eq!(
        (found.j1_ms.len(), found.j5.len(), found.j8.len()),
        (2, 1, 1)
    );
    close(found.j1_ms[1], -5e3 * PERIOD, 1e-12);
    close(found.j4_ms[0], 3e3 * PERIOD, 1e-12);
    close(found.j5[0].rms, 10.0, 1e-9);
    close(found.j6[0], 10.0, 1e-9);
    close(found.j7[0].deviation, 12.0, 1e-9);
    close(found.j9[0], 12.0, 1e-9);
    close(found.j8[0].rms, 10.0, 1e-9);
    close(found.j10[0], 10.0, 1e-9);
    let error = 100.0 * 2.0 * (TAU * PERIOD * 5.0).sin();
    close(found.j2[0].rms, error, 1e-9);
    assert!(
        multi_axial(
            &[Axis {
                measured: &lead[1..],
                ..axis
            }],
            &[],
            PERIOD
        )
        .is_err()
    );
}

/// Lags of either sign are found to the sample, however far they are from none.
#[test]
fn long_leads_and_lags_are_found() {
    let motion = |delay: f64| -> Vec<f64> {
        let at = |time: f64| {
            let sines = (0..9).map(|k| {
                let k = f64::from(k);
                (TAU * (0.73 + 0.77 * k) * time + 1.9 * k * k).sin() / (1.0 + 0.4 * k)
            });
            sines.sum()
        };
        let times = (0..6000).map(|n| PERIOD * (f64::from(n) - delay));
        times.map(at).collect()
    };
    let target = motion(0.0);
    for delay in [-511.0, -300.0, -77.0, 0.0, 120.0, 333.0, 512.0] {
        let measured = motion(delay);
        let axis = Axis {
            target: &target,
            measured: &measured,
            estimated: &target,
        };
        let found = multi_axial(&[axis], &[], PERIOD).unwrap();
        close(found.j1_ms[0], 1e3 * PERIOD * delay, 1e-9);
        close(found.j4_ms[0], 0.0, 1e-9);
    }
}

#[test]
fn a_lagging_spring_is_negative_damping() {
    // c = −k sin(ωτ)/ω for a sinusoid; Horiuchi et al. 1999 for small ωτ: −k τ.
    let (stiffness, mass, omega) = (1e6, 1000.0, TAU * 2.0);
    let (target, measured) = (wave(0.01, 0.0), wave(0.01, 4.0));
    let force: Vec<f64> = measured.iter().map(|x| stiffness * x).collect();
    let found = equivalent_damping_error(&target, &measured, &force, PERIOD, mass, omega);
    let exact = -stiffness * (omega * 4.0 * PERIOD).sin() / omega / (2.0 * mass * omega);
    close(found / exact, 1.0, 1e-3);
    let linear = -stiffness * 4.0 * PERIOD / (2.0 * mass * omega);
    close(found / linear, 1.0, 2e-3);
    close(
        global_error(&measured, &target).unwrap().rms,
        200.0 * (omega * 2.0 * PERIOD).sin(),
        1e-9,
    );
}
