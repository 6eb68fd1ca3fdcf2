//! Actuators driven by signals that are known beforehand, and what `tandem identify` makes of the
//! record.

use std::f64::consts::TAU;

use tandem_coordinator::Progress;
use tandem_identify::Complex;
use tandem_identify::outcome::data::{Column, Data};
use tandem_identify::outcome::{ats, transfer};
use tandem_test_support::plans::{self, AS_WRITTEN};
use tandem_test_support::{done, example, json, number_at, refused};

use crate::TANDEM;

/// Runs the loop of a plan and keeps what it would record, without a folder.
fn record(text: &str) -> Data {
    let test = plans::test(text, AS_WRITTEN);
    let period = test.outline.timing.period;
    let mut hybrid = test.into_hybrid().unwrap();
    let names = hybrid.channels().iter().map(|channel| channel.name.clone());
    let mut columns: Vec<Column> = names
        .map(|name| Column {
            name,
            samples: Vec::new(),
            dimension: None,
        })
        .collect();
    let progress = plans::to_the_end(&mut hybrid, |hybrid| {
        for (column, value) in columns.iter_mut().zip(hybrid.row()) {
            column.samples.push(*value);
        }
    });
    assert_eq!(progress, Progress::Complete);
    Data {
        source: "the virtual rig".into(),
        fs: 1.0 / period,
        columns,
    }
}

/// The paper's table as a closed loop, 9.5 Hz with a damping ratio of 0.7, behind a gain and a
/// delay; the rates and the sensors of the single-actuator benchmark (Silva et al. 2020): 4096 Hz,
/// 16 µm of noise, 18 bits.
const GAIN: f64 = 0.97;
const FREQUENCY: f64 = 9.5;
const DAMPING: f64 = 0.7;
const DELAY: f64 = 5e-3;
const BENCHMARK_NOISE_UM: f64 = 16.0;

fn table(noise_um: f64, delay_ms: f64, seed: u64) -> String {
    let w = TAU * FREQUENCY;
    format!(
        r#"
seed = {seed}

[excitation]
kind = "characterise"

[[excitation.signal]]
kind = "noise"
duration = "60 s"
high = "20 Hz"
rms = "1 mm"
taper = "6 s"
seed = {seed}

[integration]
dt = "0.244140625 ms"

[rig.actuator]
method = "transfer-function"
numerator = [{}]
denominator = [1, {}, {}]
delay = "{delay_ms} ms"

[rig.specimen]
kind = "none"

[rig.sensors]
displacement_noise = "{noise_um} um"
displacement_resolution = "3.814697265625 um"
acceleration_noise = "{} mm/s^2"

[limits]
stroke = "50 mm"
velocity = "2 m/s"
tracking_error = "20 mm"
"#,
        GAIN * w * w,
        2.0 * DAMPING * w,
        w * w,
        noise_um / 3.2,
    )
}

/// Levels of noise: a third of the benchmark's, the benchmark's, three times as much.
const LEVELS: [f64; 3] = [
    BENCHMARK_NOISE_UM / 3.0,
    BENCHMARK_NOISE_UM,
    3.0 * BENCHMARK_NOISE_UM,
];
const SEEDS: u64 = 3;

/// Delay within 0.1 ms, gain within 0.5 %, poles within 2 %, at three levels of noise; the errors
/// grow in proportion to it, as those of least squares do, and stay within what the fit says of
/// itself.
#[test]
fn the_transfer_system_comes_back_from_the_virtual_rig() {
    let mut spread = Vec::new();
    for noise in LEVELS {
        let (mut square, mut said) = (0.0, 0.0);
        for seed in 1..=SEEDS {
            let data = record(&table(noise, 1e3 * DELAY, seed));
            let found = transfer::identify(&data, &transfer::Request::default()).unwrap();
            let found = serde_json::to_value(&found.figures).unwrap();
            let delay = 1e-3 * number_at(&found, "/delay_ms") - DELAY;
            let error = 1e-3 * number_at(&found, "/delay_standard_error_ms");
            let gain = number_at(&found, "/gain") / GAIN - 1.0;
            let frequency = number_at(&found, "/poles/0/frequency_hz") / FREQUENCY - 1.0;
            let damping = number_at(&found, "/poles/0/damping") / DAMPING - 1.0;
            let what = format!(
                "{noise:.1} um, seed {seed}: delay {:+.4} ms (± {:.4}), gain {:+.4} %, pole {:+.3} \
                % and damping {:+.3} %",
                1e3 * delay,
                1e3 * error,
                100.0 * gain,
                100.0 * frequency,
                100.0 * damping
            );
            println!("{what}");
            assert_eq!(found["poles"].as_array().unwrap().len(), 1, "{what}");
            assert!(delay.abs() < 1e-4 && delay.abs() < 5.0 * error, "{what}");
            assert!(gain.abs() < 5e-3, "{what}");
            assert!(frequency.abs() < 0.02 && damping.abs() < 0.02, "{what}");
            square += delay * delay;
            said += error;
        }
        let runs = SEEDS as f64;
        spread.push([(square / runs).sqrt(), said / runs]);
    }
    // Three times the noise is three times the error that is claimed; the quantiser adds a little
    // to the smallest.
    for pair in spread.windows(2) {
        let claimed = pair[1][1] / pair[0][1];
        assert!((2.6..3.2).contains(&claimed), "{spread:?}");
    }
    assert!(spread[2][0] > 2.0 * spread[0][0], "{spread:?}");
}

/// a0, a1 and a2 within 2 % of those of the plant, from displacement alone and fused with
/// acceleration at 4 Hz, at the same levels.
#[test]
fn the_compensator_comes_back_from_the_virtual_rig() {
    let w = TAU * FREQUENCY;
    let truth = [1.0 / GAIN, 2.0 * DAMPING / w / GAIN, 1.0 / (w * w) / GAIN];
    let mut spread = Vec::new();
    for noise in LEVELS {
        let mut square = 0.0;
        for seed in 1..=SEEDS {
            let mut data = record(&table(noise, 0.0, seed));
            for fused in [true, false] {
                if !fused {
                    data.columns
                        .retain(|c| !c.name.starts_with("measured_acceleration"));
                }
                let request = ats::Request {
                    options: tandem_identify::ats::Options::default(),
                    ..ats::Request::default()
                };
                let found = ats::identify(&data, &request).unwrap().figures;
                let found = serde_json::to_value(found).unwrap();
                assert_eq!(
                    found["velocity"],
                    if fused { "fused" } else { "differentiated" }
                );
                let a = ["/a0", "/a1_s", "/a2_s2"].map(|key| number_at(&found, key));
                let errors: [f64; 3] = std::array::from_fn(|k| 100.0 * (a[k] / truth[k] - 1.0));
                let what = format!(
                    "{noise:.1} um, seed {seed}, {}: a0 {:+.3} %, a1 {:+.3} %, a2 {:+.3} %",
                    found["velocity"], errors[0], errors[1], errors[2]
                );
                println!("{what}");
                assert!(errors.iter().all(|e| e.abs() < 2.0), "{what}");
                // An accelerometer that is read just before a held command jumps shows an
                // acceleration half a tick old, whatever the noise: 1.7 % of a2 here. The
                // displacement alone shows how noise grows.
                if !fused {
                    square += errors.iter().map(|e| e * e).sum::<f64>();
                }
            }
        }
        spread.push(square.sqrt());
    }
    assert!(
        spread[1] > spread[0] && spread[2] > 2.0 * spread[0],
        "{spread:?}"
    );
}

/// The published nominal plant of the multi-axial benchmark, by its roots (Hz) and gains (spec of
/// the problem; Condori Uribe et al. 2023, Table 2, roots in rad/s).
fn published(output: usize, input: usize, frequency: f64) -> Complex<f64> {
    let s = Complex::new(0.0, TAU * frequency);
    let root = |hz: f64| s + TAU * hz;
    let frame =
        (s + Complex::new(TAU * 50.0, TAU * 63.0)) * (s + Complex::new(TAU * 50.0, -TAU * 63.0));
    match (output, input) {
        (0, 0) => 2165.2 * root(120.0) * root(90.0) / (root(2.65) * root(40.0)) / frame,
        (1, 0) => 349.95 * root(120.0) * root(90.0) / (root(2.65) * root(40.0)) / frame,
        (0, 1) => 4.5394e6 * root(3.0) / (root(3.5) * root(18.5)) / frame,
        _ => 1.9238e7 * root(5.0) / (root(3.5) * root(18.5)) / frame,
    }
}

/// The fitted 2 × 2 plant against the published one, with the benchmark's noise: within 0.1 dB and
/// 1° on the diagonal and 0.5 dB and 3° across, up to 30 Hz.
#[test]
fn two_coupled_actuators_are_told_apart() {
    let text = std::fs::read_to_string(example("characterise/pair.toml")).unwrap();
    let data = record(&text);
    let found = transfer::identify(&data, &transfer::Request::default()).unwrap();
    assert!(found.fragment.contains("[[rig.plant.element]]"));
    let found = serde_json::to_value(found.figures).unwrap();
    for output in 0..2 {
        for input in 0..2 {
            let path = &found["outputs"][output]["paths"][input];
            let list = |key: &str| -> Vec<f64> {
                let list = path[key].as_array().unwrap();
                list.iter().map(|x| x.as_f64().unwrap()).collect()
            };
            let (numerator, denominator) = (list("numerator"), list("denominator"));
            let delay = 1e-3 * path["delay_ms"].as_f64().unwrap();
            let (mut gain, mut phase) = (0.0_f64, 0.0_f64);
            for k in 0..=100 {
                let f = 0.5 * 60.0_f64.powf(f64::from(k) / 100.0);
                let s = Complex::new(0.0, TAU * f);
                let polynomial =
                    |c: &[f64]| c.iter().fold(Complex::new(0.0, 0.0), |sum, c| sum * s + *c);
                let fitted = polynomial(&numerator) / polynomial(&denominator) * (-s * delay).exp();
                let ratio = fitted / published(output, input, f);
                gain = gain.max((20.0 * ratio.norm().log10()).abs());
                phase = phase.max(ratio.arg().to_degrees().abs());
            }
            let what = format!(
                "H{}{}: {gain:.3} dB, {phase:.2} degrees",
                output + 1,
                input + 1
            );
            println!("{what}; poles {}", path["poles"]);
            let (most_gain, most_phase) = if output == input {
                (0.1, 1.0)
            } else {
                (0.5, 3.0)
            };
            assert!(gain < most_gain && phase < most_phase, "{what}");
        }
    }
}

/// Run, identify, and rehearse another test with what was found: the compensator takes the table's
/// lag away.
#[test]
fn from_the_signal_to_the_rehearsal() {
    let folder = tempfile::tempdir().unwrap();
    let two_bands = example("characterise/two-band.toml");
    let two_bands = two_bands.to_str().unwrap();
    let go = |words: &[&str]| {
        let output = TANDEM.run(&[words, &["--json"]].concat(), folder.path());
        done(&output);
        json(&output)
    };
    let checked = go(&["check", two_bands, "--report", "check.html"]);
    assert_eq!(checked["characterises"], true);
    assert!(number_at(&checked, "/demands/0/displacement_m") > 0.02);
    let summary = go(&["run", two_bands, "--out", "run"]);
    assert_eq!(summary["characterises"], true);
    assert!(summary["reference"].is_null());
    assert!(number_at(&summary, "/response/measured_acceleration~11/peak") > 1.0);
    let page = std::fs::read_to_string(folder.path().join("run/report.html")).unwrap();
    assert!(
        page.contains("Characterisation of actuators") || page.contains("white noise in two bands")
    );
    assert!(!page.contains("Ground motion"), "there is no ground motion");
    let replayed = go(&["replay", "run"]);
    assert_eq!(replayed["identical"], true);
    // The text of the export says the same as the run itself.
    go(&["export", "run", "--to", "csv", "--out", "run.csv"]);
    let found = go(&["identify", "transfer", "run", "-o", "transfer.toml"]);
    let from_text = go(&["identify", "transfer", "run.csv"]);
    let gain = number_at(&found, "/gain");
    assert!((gain / number_at(&from_text, "/gain") - 1.0).abs() < 1e-9);
    assert!((gain - 1.0).abs() < 5e-3, "{found}");
    let coefficients = go(&["identify", "ats", "run", "-o", "ats.toml"]);
    assert_eq!(coefficients["velocity"], "fused");
    let plan = format!(
        "extends = [{:?}, \"transfer.toml\", \"ats.toml\"]\n[limits]\ntracking_error = \"20 mm\"\n",
        example("quick-start/plan.toml")
    );
    std::fs::write(folder.path().join("rehearsal.toml"), plan).unwrap();
    let words = [
        "run",
        "rehearsal.toml",
        "--json",
        "--out",
        "before",
        "--set",
        "compensator.method=none",
        "--set",
        "monitor.stability_warning.action=warn",
    ];
    let before = json(&TANDEM.run(&words, folder.path()));
    assert!(
        number_at(&before, "/tracking/delay_ms/0") > 10.0,
        "{before}"
    );
    let summary = go(&["run", "rehearsal.toml", "--out", "rehearsal"]);
    assert!(
        number_at(&summary, "/tracking/delay_ms/0").abs() < 1.0,
        "{summary}"
    );
}

/// The gate guards a characterisation like any test.
#[test]
fn limits_hold() {
    let folder = tempfile::tempdir().unwrap();
    let plan = example("characterise/noise.toml");
    let plan = plan.to_str().unwrap();
    let set = ["--json", "--set", "limits.stroke=2mm"];
    let output = TANDEM.run(
        &[&["run", plan, "--out", "run"], &set[..]].concat(),
        folder.path(),
    );
    refused(&output, 3);
    let summary = json(&output);
    assert_eq!(summary["stopped_by"], "stroke", "{summary}");
    let output = TANDEM.run(&[&["check", plan], &set[..]].concat(), folder.path());
    done(&output);
    let checked = json(&output);
    let warnings = checked["warnings"].to_string();
    assert!(
        warnings.contains("more than the limit stroke"),
        "{warnings}"
    );
}

#[test]
fn wrong_plans_are_refused_with_the_remedy() {
    let noise = "[excitation]\nkind = \"characterise\"\n[[excitation.signal]]\nkind = \"noise\"\n\
        duration = \"5 s\"\nrms = \"1 mm\"\n";
    let rig = "[rig.specimen]\nkind = \"none\"\n";
    for (text, wanted) in [
        (format!("{noise}[rig]\n"), "no specimen"),
        (
            format!(
                "{noise}{rig}[structure]\nkind = \"shear-building\"\nmasses = [1, \"kg\"]\n\
                stiffnesses = [1, \"N/m\"]\n"
            ),
            "without a structure",
        ),
        (
            format!("{noise}{rig}[integration]\nmethod = \"newmark\"\ndt = \"1 ms\"\n"),
            "belong together",
        ),
        (
            format!("{noise}{rig}[interface]\ndof = [1]\n"),
            "there is no structure",
        ),
        (
            format!("{noise}{rig}[command]\nrate = \"100 Hz\"\n"),
            "less than one tick",
        ),
        (
            format!(
                "{}{rig}",
                noise.replace("noise", "two-band-noise").replace(
                    "\"1 mm\"",
                    "[1, \
                \"mm\"]"
                )
            ),
            "two bands",
        ),
        (format!("{}{rig}", noise.replace("5 s", "5 ms")), "duration"),
        (
            "[excitation]\nkind = \"none\"\nduration = \"1 s\"\n[structure]\nkind = \"none\"\n\
            [integration]\nmethod = \"prescribed\"\n"
                .to_owned(),
            "belong together",
        ),
    ] {
        let said = plans::refusal(&text, AS_WRITTEN);
        assert!(said.contains(wanted), "{text}\n{said}");
    }
}
