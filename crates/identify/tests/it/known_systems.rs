//! Known systems come back from their own noisy data. The data are made by small time steps of the
//! equations of motion, not by the sampled systems that the fit uses.

use std::f64::consts::PI;
use tandem_identify::transfer::{Options, Shape, fit};
use tandem_identify::{ats, frf, modes, pid, transfer};
use tandem_signal::noise::WhiteNoise;
use tandem_signal::synthetic::{Band, Sampling, band_limited_noise};

const RATE: f64 = 1024.0;

fn command(seconds: f64, high: f64, seed: u64) -> Vec<f64> {
    let sampling = Sampling::new(1.0 / RATE, seconds).unwrap();
    let band = Band {
        low: 0.0,
        high,
        rms: 1e-3,
    };
    band_limited_noise(&sampling, band, 1.0, seed).unwrap()
}

fn with_noise(x: &[f64], std: f64, seed: u64) -> Vec<f64> {
    if std <= 0.0 {
        return x.to_vec();
    }
    let mut noise = WhiteNoise::new(std, seed).unwrap();
    x.iter().map(|x| x + noise.next()).collect()
}

/// Two real poles behind a delay of whole samples, by the exact solution of two lags in a row under
/// a held command.
fn two_lags(u: &[f64], gain: f64, late: usize, poles: [f64; 2]) -> Vec<f64> {
    let steps = 64;
    let h = 1.0 / RATE / f64::from(steps);
    let [p, q] = poles.map(|f| 2.0 * PI * f);
    let (mut x, mut y) = (0.0, 0.0);
    (0..u.len())
        .map(|k| {
            let now = gain * y;
            let held = if k >= late { u[k - late] } else { 0.0 };
            // Mid-point rule: errors of 1e-6 at 64 steps a sample.
            for _ in 0..steps {
                let (dx, dy) = (p * (held - x), q * (x - y));
                let (mx, my) = (x + 0.5 * h * dx, y + 0.5 * h * dy);
                x += h * p * (held - mx);
                y += h * q * (mx - my);
            }
            now
        })
        .collect()
}

/// Delay, gain and poles at three levels of noise; the errors grow with the noise and stay within
/// what the fit says of itself.
#[test]
fn a_known_plant_comes_back() {
    let u = command(30.0, 60.0, 3);
    let clean = two_lags(&u, 0.97, 4, [12.0, 35.0]);
    let mut last = 0.0;
    // The benchmark's displacement noise is 16 µm (Silva et al. 2020); a third and three times that
    // as well.
    for noise in [5.3e-6, 16e-6, 48e-6] {
        let y = with_noise(&clean, noise, 9);
        let found = fit(&[&u], &y, RATE, &Options::default()).unwrap();
        let path = &found.paths[0];
        assert_eq!(path.pairs.len(), 1, "{:?}", found.candidates);
        let delay = found.delay[0];
        assert!((delay.value - 4.0 / RATE).abs() < 1e-4, "{delay:?}");
        assert!(
            (delay.value - 4.0 / RATE).abs() < 5.0 * delay.error,
            "{delay:?}"
        );
        assert!((found.gain[0].value / 0.97 - 1.0).abs() < 5e-3);
        let poles = found.poles(0);
        assert!((poles[0].frequency / 12.0 - 1.0).abs() < 0.02, "{poles:?}");
        assert!((poles[1].frequency / 35.0 - 1.0).abs() < 0.02, "{poles:?}");
        assert!((found.residual_rms / noise - 1.0).abs() < 0.03);
        assert!(delay.error > 2.0 * last, "{} {last}", delay.error);
        last = delay.error;
    }
}

/// The order is chosen by data that the fit has not seen.
#[test]
fn one_pole_is_not_made_two() {
    let u = command(20.0, 40.0, 5);
    let (mut x, p) = (0.0, (-2.0 * PI * 8.0 / RATE).exp());
    let clean: Vec<f64> = u
        .iter()
        .map(|u| {
            let now = x;
            x = p * x + (1.0 - p) * u;
            now
        })
        .collect();
    let found = fit(
        &[&u],
        &with_noise(&clean, 5e-6, 2),
        RATE,
        &Options::default(),
    )
    .unwrap();
    assert_eq!(
        found.paths[0].single.map(|_| 1),
        Some(1),
        "{:?}",
        found.candidates
    );
    assert!(found.paths[0].pairs.is_empty(), "{:?}", found.candidates);
    assert!((found.poles(0)[0].frequency - 8.0).abs() < 0.05);
    assert!(found.delay[0].value < 1e-4);
}

/// Two actuators that act on each other's sensor.
#[test]
fn two_inputs_are_told_apart() {
    let (a, b) = (command(30.0, 50.0, 1), command(30.0, 50.0, 2));
    let own = two_lags(&a, 0.9, 3, [10.0, 30.0]);
    let other = two_lags(&b, 0.2, 5, [20.0, 25.0]);
    let sum: Vec<f64> = own.iter().zip(&other).map(|(a, b)| a + b).collect();
    let y = with_noise(&sum, 3e-6, 4);
    let options = Options {
        shape: Some(Shape { poles: 2, zeros: 0 }),
        ..Options::default()
    };
    let found = fit(&[&a, &b], &y, RATE, &options).unwrap();
    assert!((found.gain[0].value - 0.9).abs() < 2e-3, "{:?}", found.gain);
    assert!((found.gain[1].value - 0.2).abs() < 2e-3, "{:?}", found.gain);
    assert!((found.delay[0].value - 3.0 / RATE).abs() < 1e-4);
    assert!((found.delay[1].value - 5.0 / RATE).abs() < 3e-4);
}

/// A lag of second order is inverted exactly by a₀ + a₁ s + a₂ s²: 0 to 20 Hz, crossover at 4 Hz,
/// as in the paper.
#[test]
fn coefficients_of_a_second_order_lag() {
    let u = command(60.0, 20.0, 7);
    let (w, zeta, gain) = (2.0 * PI * 15.0, 0.7, 1.1);
    let steps = 32;
    let h = 1.0 / RATE / f64::from(steps);
    let (mut x, mut v, mut before) = (0.0, 0.0, 0.0);
    let mut acceleration = Vec::new();
    let clean: Vec<f64> = u
        .iter()
        .map(|u| {
            let now = gain * x;
            // The held command jumps here: an accelerometer shows the mean of both sides.
            let between = 0.5 * (u + before);
            before = *u;
            acceleration.push(gain * (w * w * (between - x) - 2.0 * zeta * w * v));
            for _ in 0..steps {
                let a = w * w * (u - x) - 2.0 * zeta * w * v;
                let (mx, mv) = (x + 0.5 * h * v, v + 0.5 * h * a);
                let ma = w * w * (u - mx) - 2.0 * zeta * w * mv;
                x += h * mv;
                v += h * ma;
            }
            now
        })
        .collect();
    let truth = [1.0 / gain, 2.0 * zeta / w / gain, 1.0 / (w * w) / gain];
    let options = ats::Options::default();
    // The benchmark's displacement noise is 16 µm (Silva et al. 2020); three times that as well.
    for (noise, accelerometer) in [(0.0, 0.0), (16e-6, 5e-3), (48e-6, 15e-3)] {
        let y = with_noise(&clean, noise, 3);
        let felt = with_noise(&acceleration, accelerometer, 5);
        for with in [None, Some(felt.as_slice())] {
            let found = ats::coefficients(&u, &y, with, RATE, &options).unwrap();
            for k in 0..3 {
                let error = (found.a[k] / truth[k] - 1.0).abs();
                assert!(error < 0.02, "a{k} {:?} for {truth:?} at {noise}", found.a);
            }
            assert!((found.gain_error_percent - 10.0).abs() < 0.5);
            assert!(found.condition < 50.0);
        }
    }
}

/// Six masses on springs, hit at one of them again and again: three methods find the same modes.
#[test]
fn modes_of_a_chain() {
    let (n, k, m): (usize, f64, f64) = (6, 4.0e5, 10.0);
    let fs = 512.0;
    let zeta = 0.006;
    // Fixed at one end, free at the other: ω_j = 2 √(k/m) sin((2j − 1)π/(2(2n + 1))), shapes
    // sin((2j − 1) i π/(2n + 1)).
    let order = |j: usize| f64::from(u32::try_from(2 * j - 1).unwrap()) * PI / 13.0;
    let frequency = |j: usize| 2.0 * (k / m).sqrt() * (0.5 * order(j)).sin() / (2.0 * PI);
    let shape = |j: usize, i: usize| (order(j) * f64::from(u32::try_from(i + 1).unwrap())).sin();
    let seconds = 120.0;
    let count = (seconds * fs) as usize;
    let mut force = vec![0.0; count];
    let mut t = 1.0;
    let mut jitter = WhiteNoise::new(0.2, 4).unwrap();
    while t < seconds - 9.0 {
        let at = (t * fs) as usize;
        for (i, part) in [0.3, 1.0, 0.3].iter().enumerate() {
            force[at + i] = 500.0 * part * (1.0 + jitter.next());
        }
        t += 10.0;
    }
    // Modal superposition, each mode stepped exactly for a held force.
    let hit = 3;
    let mut motions = vec![vec![0.0; count]; n];
    for j in 1..=n {
        let w = 2.0 * PI * frequency(j);
        let mass: f64 = (0..n).map(|i| m * shape(j, i).powi(2)).sum();
        let wd = w * (1.0_f64 - zeta * zeta).sqrt();
        let (e, dt) = ((-zeta * w / fs).exp(), 1.0 / fs);
        let (c, s) = ((wd * dt).cos(), (wd * dt).sin());
        let (mut q, mut v) = (0.0_f64, 0.0_f64);
        for step in 0..count {
            let p = force[step] * shape(j, hit) / mass;
            let a = p - 2.0 * zeta * w * v - w * w * q;
            for i in 0..n {
                motions[i][step] += shape(j, i) * a;
            }
            let rest = p / (w * w);
            let (q0, v0) = (q - rest, v);
            q = rest + e * (q0 * (c + zeta * w / wd * s) + v0 / wd * s);
            v = e * (v0 * (c - zeta * w / wd * s) - q0 * w * w / wd * s);
        }
    }
    let motions: Vec<Vec<f64>> = motions
        .iter()
        .zip(10..)
        .map(|(x, seed)| with_noise(x, 0.02, seed))
        .collect();
    let columns: Vec<&[f64]> = motions.iter().map(Vec::as_slice).collect();
    let exact = |j: usize| -> Vec<tandem_identify::Complex<f64>> {
        (0..n)
            .map(|i| tandem_identify::Complex::new(shape(j, i), 0.0))
            .collect()
    };
    let check = |what: &str, found: &[modes::Mode], wanted: usize, damping: f64| {
        for j in 1..=wanted {
            let mode = found
                .iter()
                .min_by(|a, b| {
                    let far = |m: &modes::Mode| (m.frequency - frequency(j)).abs();
                    far(a).total_cmp(&far(b))
                })
                .unwrap();
            let error = (mode.frequency / frequency(j) - 1.0).abs();
            assert!(
                error < 2e-3,
                "{what} {j}: {} {}",
                mode.frequency,
                frequency(j)
            );
            assert!(modes::mac(&mode.shape, &exact(j)) > 0.99, "{what} {j}");
            let off = (mode.damping / zeta - 1.0).abs();
            assert!(off < damping, "{what} {j}: damping {}", mode.damping);
        }
    };
    let found = modes::superposition::superimpose(&force, &columns, fs, 70.0, 8).unwrap();
    assert_eq!(found.impacts, 11);
    check("superposition", &found.modes, 6, 0.03);
    let found =
        modes::subspace::identify(&columns, fs, &modes::subspace::Options::default()).unwrap();
    check("subspace", &found.modes, 5, 0.15);
    assert!(found.modes.len() <= 7, "{}", found.modes.len());
    let found = modes::decomposition::decompose(&columns, fs, 4096, 8).unwrap();
    check("decomposition", &found.modes, 5, 0.15);
}

/// First-order plant behind an integrator, K/(s (1 + sT)): with a proportional gain alone the
/// margins have closed forms.
#[test]
fn margins_of_a_known_loop() {
    // Closed with k = 2: T(s) = 2K/(T s² + s + 2K), K = 10, T = 0.01.
    let (k, big, lag) = (2.0_f64, 10.0_f64, 0.01_f64);
    let w = (k * big / lag).sqrt();
    let path = transfer::Path {
        gain: 1.0,
        delay: 0.0,
        zeros: Vec::new(),
        pairs: vec![[w, 1.0 / (2.0 * w * lag)]],
        single: None,
    };
    let around = pid::Loop {
        plant: pid::Plant {
            path,
            closed_with: Some(k),
        },
        rate: 50_000.0,
        filter: None,
    };
    let kp = 4.0;
    let margins = around.margins([kp, 0.0, 0.0]).unwrap();
    // |L| = 1: (ω² (1 + ω²T²)) = (kp K)².
    let gain = kp * big;
    let square = (-1.0 + (1.0 + 4.0 * lag * lag * gain * gain).sqrt()) / (2.0 * lag * lag);
    let crossover = square.sqrt();
    let phase =
        90.0 - (crossover * lag).atan().to_degrees() - (crossover * 0.5 / 50_000.0).to_degrees();
    assert!(
        (margins.phase_degrees - phase).abs() < 0.2,
        "{margins:?} {phase}"
    );
    assert!((margins.crossover_hz.unwrap() - crossover / (2.0 * PI)).abs() < 0.1);
}

/// A filter beyond half the servo's rate is an error of its own, and no fault of the plant.
#[test]
fn a_filter_that_cannot_be_is_refused_by_name() {
    let path = transfer::Path {
        gain: 1.0,
        delay: 0.0,
        zeros: Vec::new(),
        pairs: vec![[30.0, 0.7]],
        single: None,
    };
    let with = |filter: f64| pid::Loop {
        plant: pid::Plant {
            path: path.clone(),
            closed_with: None,
        },
        rate: 1000.0,
        filter: Some(filter),
    };
    assert!(with(400.0).step([1.0, 0.0, 0.0], 0.1).is_ok());
    let error = pid::tune(&with(600.0), &pid::Targets::default()).unwrap_err();
    let said = error.to_string();
    assert!(said.contains("filter") && said.contains("500 Hz"), "{said}");
    assert!(with(600.0).margins([1.0, 0.0, 0.0]).is_err());
}

#[test]
fn gains_meet_the_targets_of_the_paper() {
    // The table of the LNEC frame's example: 1018/(s (s + 83.6)), identified while closed with 3.5.
    let k = 3.5;
    let (w2, two) = (k * 1018.0, 83.6);
    let w = f64::sqrt(w2);
    let path = transfer::Path {
        gain: 1.0,
        delay: 0.0,
        zeros: Vec::new(),
        pairs: vec![[w, two / (2.0 * w)]],
        single: None,
    };
    let around = pid::Loop {
        plant: pid::Plant {
            path,
            closed_with: Some(k),
        },
        rate: 5000.0,
        filter: Some(200.0),
    };
    let targets = pid::Targets::default();
    let tuned = pid::tune(&around, &targets).unwrap();
    let figures = tuned.figures.unwrap();
    assert!(tuned.met, "{tuned:?}");
    assert!(figures.overshoot_percent < 5.0 && figures.settling_s < 0.05);
    assert!(tuned.margins.phase_degrees >= 45.0 && tuned.margins.gain_db >= 6.0);
}

#[test]
fn hostile_data_are_refused() {
    let u = command(4.0, 20.0, 1);
    let mut bad = u.clone();
    bad[10] = f64::NAN;
    let zeros = vec![0.0; u.len()];
    let fitted = |u: &[f64], y: &[f64]| fit(&[u], y, RATE, &Options::default()).map(|_| ());
    let cropped = ats::Options {
        crop: 0.1,
        ..Default::default()
    };
    let modes_of = modes::subspace::identify;
    for (refused, why) in [
        (fitted(&u, &bad), "not finite at sample 11"),
        (
            fitted(&u[..100], &u[..100]),
            "at least 256 samples, there are 100",
        ),
        (
            fitted(&u, &u[1..]),
            "different lengths: 4096 and 4097 samples",
        ),
        (
            fitted(&zeros, &zeros),
            "hardly any frequency at which the output follows",
        ),
        (
            fitted(&u, &zeros),
            "hardly any frequency at which the output follows",
        ),
        (
            ats::coefficients(&u, &zeros, None, RATE, &cropped).map(|_| ()),
            "a column is zero throughout",
        ),
        (
            frf::frequency_response(&[], &u, RATE, 256, frf::Estimator::H1).map(|_| ()),
            "there is no input",
        ),
        (
            modes::superposition::superimpose(&zeros, &[&u], RATE, 50.0, 4).map(|_| ()),
            "no impact stands out of the force",
        ),
        (
            modes_of(&[&zeros], RATE, &modes::subspace::Options::default()).map(|_| ()),
            "the covariances are not positive definite",
        ),
    ] {
        let error = refused.unwrap_err().to_string();
        assert!(error.contains(why), "{error} instead of {why}");
    }
}
