//! Who sees what of a measurement: calibrated values everywhere, what goes back only in the
//! integration.

use super::{LAG, Run, SPRING, plan, program, run};
use tandem_test_support::plans::QUICK_START;
use tandem_test_support::{done, json, peak};

use crate::TANDEM;

/// The transducer is wrong by a factor and 2 mm, the load cell by a factor.
const WRONG: &str =
    "[rig.sensors]\ndisplacement_gain = 1.25\ndisplacement_offset = \"2 mm\"\nforce_gain = 0.8\n";
const CALIBRATION: &str = "{ method = \"calibration\", displacement_factor = [0.8], \
    displacement_offset = [\"2 mm\"], force_factor = [1.25] }";
const CORRECTION: &str = "{ method = \"force-correction\", stiffness = [[1200], \"kN/m\"] }";
const WATCHED: &str = "[command]\nrate = \"1 kHz\"\nmethod = \"velocity\"\n\
    [monitor.tracking_error]\nbound = \"1 m\"\n[conditioning]\nmethod = \"chain\"\n";

/// Largest tracking error as the monitor saw it and as target and true motion give it, with the
/// steps of the chain.
fn errors(text: &str, steps: &[&str]) -> (Run, f64, f64) {
    let chain = format!("conditioning.step=[{}]", steps.join(", "));
    let found = run(&plan(text), &["integration.time_scale=20", &chain]);
    let monitor = peak(&found.channel("tracking_error"));
    let recorded: Vec<f64> = found
        .channel("target/1")
        .iter()
        .zip(found.channel("measured_displacement/1"))
        .map(|(t, m)| t - m)
        .collect();
    (found, monitor, peak(&recorded))
}

/// Monitor, record, summary and the limit of the tracking error go by the calibrated displacement,
/// and the raw one is kept beside it; the ideal rig of the same test without wrong sensors gives
/// the same.
#[test]
fn everybody_sees_calibrated_values() {
    let text = format!("{LAG}{SPRING}{WATCHED}");
    let (right, seen, _) = errors(&text, &["{ method = \"calibration\" }"]);
    let (found, monitor, recorded) = errors(&format!("{text}{WRONG}"), &[CALIBRATION]);
    assert!(seen > 1e-5, "{seen}");
    assert!(
        (monitor - seen).abs() < 1e-12 && (recorded - seen).abs() < 1e-12,
        "{monitor} {recorded} {seen}"
    );
    let nrmse = |run: &Run| {
        run.summary["tracking"]["nrmse_percent"][0]
            .as_f64()
            .unwrap()
    };
    assert!((nrmse(&found) - nrmse(&right)).abs() < 1e-9);
    assert!((found.error() - right.error()).abs() < 1e-9);
    for (raw, measured, factor, offset) in [
        ("raw_displacement/1", "measured_displacement/1", 1.25, 2e-3),
        ("raw_force/1", "measured_force/1", 0.8, 0.0),
    ] {
        let (raw, measured) = (found.channel(raw), found.channel(measured));
        assert!(
            raw.iter()
                .zip(&measured)
                .all(|(r, m)| (r - factor * m - offset).abs() < 1e-9)
        );
    }
    // The sensors' own values are 2 mm and more away from the target.
    let limited = format!("{text}{WRONG}[limits]\ntracking_error = \"1.9 mm\"\n");
    let (_, monitor, _) = errors(&limited, &[CALIBRATION]);
    assert!(monitor < 1.9e-3);
    // Without readings there is nothing beside the measured values.
    let (plain, ..) = errors(&text, &[CORRECTION]);
    assert!(plain.record.read("raw_displacement/1").is_err());
}

/// A force that is corrected to the target, a filter and a rehearsal with an open loop make the
/// answer better, later or equal to the target: none of it hides how far the specimen is from where
/// it should be, with and without a linkage.
#[test]
fn what_goes_back_does_not_hide_the_tracking_error() {
    let linkage = "[kinematics]\nmethod = \"one-actuator\"\ndirection = [1]\n";
    for linked in ["", linkage] {
        let text = format!("{LAG}{SPRING}{linked}{WATCHED}");
        let (_, plain, _) = errors(&text, &["{ method = \"calibration\" }"]);
        for (step, like) in [
            (CORRECTION, 0.2),
            ("{ method = \"low-pass\", cutoff = \"4 Hz\" }", 0.2),
            (
                "{ method = \"open-loop\", stiffness = [[1200], \"kN/m\"] }",
                0.2,
            ),
        ] {
            let (_, monitor, recorded) = errors(&text, &[step]);
            assert!(
                (monitor - recorded).abs() < 1e-12,
                "{linked}{step}: {monitor} {recorded}"
            );
            assert!(
                (monitor / plain - 1.0).abs() < like,
                "{linked}{step}: {monitor} {plain}"
            );
        }
    }
}

/// Recorded values with calibration, a filter with memory and noise give the same bits again.
#[test]
fn a_calibrated_run_is_replayed_bit_for_bit() {
    let text = plan(&format!(
        "{LAG}{SPRING}{WATCHED}{WRONG}displacement_noise = \"5 um\"\nforce_noise = \"5 N\"\n\
         [compensator]\nmethod = \"ats\"\na1 = \"15 ms\"\nthreshold = \"0.01 mm\"\n"
    ));
    let chain = format!(
        "conditioning.step=[{CALIBRATION}, {{ method = \"velocity\" }}, {{ method = \"low-pass\", \
        cutoff = \"20 Hz\" }}]"
    );
    let set = [
        "integration.time_scale=20",
        "integration.duration=1s",
        &chain,
    ];
    let (output, folder) = program(&text, &set);
    done(&output);
    let replay = TANDEM.run(&["replay", "--json", "run"], folder.path());
    done(&replay);
    let said = json(&replay);
    assert_eq!(said["identical"], true, "{said}");
}

/// What the Kalman filter says against what the transducer says (2 µm of noise): not later. Behind
/// a held command an accelerometer that is sampled just before the command jumps would make it 1.2
/// ms late.
#[test]
fn the_kalman_estimate_is_not_late() {
    let set = [
        "integration.duration=8s",
        "rig.sensors.acceleration_noise=0.01 m/s^2",
        "conditioning.method=kalman",
    ];
    let found = super::run(QUICK_START, &set);
    let truth = found.channel("raw_displacement/1");
    let estimate = found.channel("measured_displacement/1");
    // x(t − δ) ≈ x − δ v.
    let (mut cross, mut square) = (0.0, 0.0);
    for k in 1..truth.len() - 1 {
        let velocity = (truth[k + 1] - truth[k - 1]) * 512.0;
        cross += (truth[k] - estimate[k]) * velocity;
        square += velocity * velocity;
    }
    let late = cross / square;
    assert!(late.abs() < 0.2e-3, "{late} s");
}

/// A displacement that comes 12 ms late is no failed specimen once it is brought to the present;
/// one that fractures still is.
#[test]
fn a_late_displacement_is_no_failed_specimen() {
    let set = [
        "integration.duration=8s",
        "rig.sensors.displacement_late=12ms",
        "rig.sensors.acceleration_noise=0.01 m/s^2",
        "conditioning={method=\"kalman\", late=12}",
    ];
    let found = super::run(QUICK_START, &set);
    let warned = |run: &Run| {
        run.summary["warnings"]
            .to_string()
            .contains("specimen_failure")
    };
    assert!(!warned(&found));
    // Without it the gate compares what does not belong together, and the plan is told.
    let raw = [&set[..3], &["limits.actions.specimen_failure=warn"]].concat();
    assert!(warned(&super::run(QUICK_START, &raw)));
    let broken = [
        &set[..],
        &["faults=[{kind=\"specimen-fractures\", at=\"4 s\"}]"],
    ]
    .concat();
    let (output, _folder) = super::program(QUICK_START, &broken);
    let summary = json(&output);
    assert_eq!(summary["stopped_by"], "specimen_failure", "{summary}");
}
