//! Signals with a known delay and gain.

use super::support::{figures, monitor, show, show_each, spring, springs, table};
use proptest::prelude::*;
use std::f64::consts::{PI, TAU};
use tandem_monitor::{METHODS, MonitorContext, Verdict};
use tandem_quantity::Entry;

const PERIOD: f64 = 1.0 / 1024.0;

/// Target 1 cm · sin, measured with gain and delay (s).
fn sine(frequency: f64, gain: f64, delay: f64) -> impl Fn(usize) -> (f64, f64) {
    move |tick| {
        let time = tick as f64 * PERIOD;
        (
            0.01 * (TAU * frequency * time).sin(),
            0.01 * gain * (TAU * frequency * (time - delay)).sin(),
        )
    }
}

/// A motion of many frequencies between 0.7 and 7 Hz.
fn broad(gain: f64, delay: f64) -> impl Fn(usize) -> (f64, f64) {
    let at = |time: f64| {
        (0..9)
            .map(|k| {
                let k = f64::from(k);
                0.004 / (1.0 + 0.4 * k) * (TAU * (0.73 + 0.77 * k) * time + 1.9 * k * k).sin()
            })
            .sum::<f64>()
    };
    move |tick| {
        let time = tick as f64 * PERIOD;
        (at(time), gain * at(time - delay))
    }
}

fn close(got: f64, expected: f64, tolerance: f64) {
    assert!(
        (got - expected).abs() <= tolerance,
        "{got} instead of {expected} ± {tolerance}"
    );
}

#[test]
fn the_tracking_indicator_grows_by_pi_sin_phi_per_cycle_of_unit_amplitude() {
    let problem = spring();
    for phase in [0.3, -0.2] {
        let cycle = 1000;
        let mut ti = monitor("tracking_indicator", &[("window", 1.0)], &problem, 1e-3);
        let unit = |tick: usize| {
            let angle = TAU * tick as f64 / f64::from(cycle);
            (angle.sin(), (angle - phase).sin())
        };
        show(ti.as_mut(), 1001, unit);
        let first = figures(ti.as_ref());
        let mut ti = monitor("tracking_indicator", &[("window", 1.0)], &problem, 1e-3);
        show(ti.as_mut(), 4001, unit);
        let fourth = figures(ti.as_ref());
        let expected = PI * phase.sin();
        close(fourth[0] - first[0], 3.0 * expected, 1e-4);
        // The window is one cycle of one second.
        close(fourth[1], expected, 1e-4);
    }
}

#[test]
fn the_subspace_plot_tells_undershoot_and_winding() {
    let problem = spring();
    let read = |gain, delay| {
        let mut ssp = monitor("subspace", &[], &problem, PERIOD);
        show(ssp.as_mut(), 3000, sine(2.0, gain, delay));
        (figures(ssp.as_ref()), ssp.words().unwrap())
    };
    let (perfect, _) = read(1.0, 0.02);
    close(perfect[0], 1.0, 1e-6);
    close(perfect[1], 1.0, 1e-9);
    let (lead, words) = read(1.1, -0.01);
    let phase = TAU * 2.0 * 0.01;
    let slope = (0.5 * (2.2 * phase.cos()).atan2(1.0 - 1.21)).tan();
    close(lead[0], slope, 1e-6);
    close(lead[1], -1.0, 1e-9);
    assert_eq!(
        words,
        format!("overshoot {:.1} %, measured leads", 100.0 * (slope - 1.0))
    );
}

#[test]
fn three_monitors_find_delay_and_gain() {
    let problem = spring();
    let (gain, delay) = (0.93, 0.0073);
    for (name, whole, odd, many) in [
        // Tolerances in ms: whole cycles in the window, odd ones, many frequencies.
        ("phase_amplitude", 1e-6, 0.4, 0.5),
        ("frequency_evaluation", 1e-3, 0.01, 0.12),
        ("delay", 0.01, 0.02, 0.05),
    ] {
        for (signal, tolerance) in [
            (
                &sine(2.0, gain, delay) as &dyn Fn(usize) -> (f64, f64),
                whole,
            ),
            (&sine(2.37, gain, delay), odd),
            (&broad(gain, delay), many),
        ] {
            let mut found = monitor(name, &[], &problem, PERIOD);
            show(found.as_mut(), 6000, signal);
            let values = figures(found.as_ref());
            close(1e3 * values[0], 1e3 * delay, tolerance);
            close(values[1], gain - 1.0, 0.01 * (1.0 + tolerance));
            let words = found.words().unwrap();
            assert!(
                words.contains("undershoot") && words.contains("lag"),
                "{name}: {words}"
            );
        }
    }
}

#[test]
fn a_lead_is_negative_and_a_small_motion_leaves_the_figures_at_rest() {
    let problem = spring();
    for name in ["phase_amplitude", "frequency_evaluation", "delay"] {
        let mut found = monitor(name, &[], &problem, PERIOD);
        show(found.as_mut(), 6000, sine(2.0, 1.0, -0.004));
        close(1e3 * figures(found.as_ref())[0], -4.0, 0.02);
        let mut found = monitor(name, &[], &problem, PERIOD);
        let signal = sine(2.0, 1.0, 0.02);
        show(found.as_mut(), 6000, |tick| {
            let (t, m) = signal(tick);
            (1e-3 * t, 1e-3 * m)
        });
        close(figures(found.as_ref())[0], 0.0, 0.0);
    }
}

#[test]
fn the_delay_monitor_equals_a_direct_correlation_of_its_window() {
    let problem = spring();
    let signal = broad(0.8, 0.0119);
    let noise = |tick: usize| 1e-3 * ((tick * 7919 % 1013) as f64 / 1013.0 - 0.5);
    let signal = |tick: usize| {
        let (t, m) = signal(tick);
        (t + noise(tick), m + noise(tick + 500))
    };
    let mut found = monitor("delay", &[("window", 2.0)], &problem, PERIOD);
    let last = 7000;
    show(found.as_mut(), last + 1, signal);
    // Lag k compares the last 2048 measured values with the targets k ticks before.
    let window = |back: usize| last + 1 - 2048 - back..last + 1 - back;
    let coefficient = |lag: usize| {
        let pairs: Vec<(f64, f64)> = window(lag)
            .zip(window(0))
            .map(|(i, j)| (signal(i).0, signal(j).1))
            .collect();
        let n = pairs.len() as f64;
        let (a, b) = pairs
            .iter()
            .fold((0.0, 0.0), |s, p| (s.0 + p.0 / n, s.1 + p.1 / n));
        let sum = |f: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(f).sum::<f64>();
        sum(&|p| (p.0 - a) * (p.1 - b))
            / (sum(&|p| (p.0 - a).powi(2)) * sum(&|p| (p.1 - b).powi(2))).sqrt()
    };
    let best = (1..50)
        .max_by(|i, j| coefficient(*i).total_cmp(&coefficient(*j)))
        .unwrap();
    let [left, top, right] = [best - 1, best, best + 1].map(coefficient);
    let lag = best as f64 + 0.5 * (left - right) / (left - 2.0 * top + right);
    let values = figures(found.as_ref());
    close(values[0], lag * PERIOD, 1e-9);
    close(values[2], top, 1e-10);
}

#[test]
fn the_window_error_is_that_of_two_sinusoids() {
    let problem = spring();
    let mut error = monitor("window_error", &[("bound", 0.1)], &problem, PERIOD);
    let verdict = show(error.as_mut(), 4096, sine(2.0, 0.9, 0.01));
    let phase = TAU * 2.0 * 0.01;
    let expected = (1.0 + 0.81 - 1.8 * f64::cos(phase)).sqrt();
    close(figures(error.as_ref())[0], expected, 1e-9);
    assert_eq!(verdict, Verdict::Warn);
}

#[test]
fn a_measurement_that_is_not_a_number_raises_the_alarm() {
    let problem = spring();
    for (name, bound) in [
        ("tracking_error", ("bound", 1.0)),
        ("window_error", ("bound", 1e3)),
        ("tracking_indicator", ("bound", 1.0)),
    ] {
        let mut found = monitor(name, &[bound], &problem, PERIOD);
        let verdict = show(found.as_mut(), 10, |_| (0.0, f64::NAN));
        assert_eq!(verdict, Verdict::Warn, "{name}");
    }
}

/// Delays up to the longest that is looked for are found between samples, of either sign; beyond
/// half the window or 2000 ticks none is looked for.
#[test]
fn the_longest_delay_is_found() {
    let problem = spring();
    let ticks = |count: f64| count * PERIOD;
    for delay in [20.3, -20.3] {
        let own = [("longest", ticks(20.0))];
        let mut found = monitor("delay", &own, &problem, PERIOD);
        show(found.as_mut(), 3000, broad(0.9, ticks(delay)));
        close(figures(found.as_ref())[0], ticks(delay), ticks(0.02));
    }
    let context = MonitorContext::of(&problem, PERIOD);
    for (window, longest, fits) in [
        (64.0, 31.0, true),
        (64.0, 32.0, false),
        (8000.0, 1999.0, true),
        (8000.0, 2000.0, false),
    ] {
        let own = [("window", ticks(window)), ("longest", ticks(longest))];
        let build = Entry::find(METHODS, "delay").unwrap().build;
        let built = build(&table("delay", &own), &context);
        assert_eq!(built.is_ok(), fits, "{longest} in {window}");
    }
}

/// Of several actuators the worst is shown and judged, wherever it stands.
#[test]
fn the_worst_actuator_is_shown() {
    let (fine, late) = (broad(1.0, 0.0), broad(0.8, 0.0119));
    let (alone, both) = (spring(), springs(2));
    for (name, bound) in [
        ("tracking_error", ("bound", 1e-3)),
        ("window_error", ("bound", 0.1)),
        ("tracking_indicator", ("bound", 1e-7)),
        ("subspace", ("bound", 0.1)),
        ("phase_amplitude", ("delay", 0.01)),
        ("frequency_evaluation", ("gain", 0.1)),
        ("delay", ("delay", 0.01)),
    ] {
        let mut one = monitor(name, &[bound], &alone, PERIOD);
        assert_eq!(show(one.as_mut(), 3000, &late), Verdict::Warn, "{name}");
        let expected = figures(one.as_ref());
        for signals in [[&fine as &dyn Fn(usize) -> _, &late], [&late, &fine]] {
            let mut two = monitor(name, &[bound], &both, PERIOD);
            let verdict = show_each(two.as_mut(), 3000, &signals);
            assert_eq!(
                (verdict, figures(two.as_ref())),
                (Verdict::Warn, expected.clone()),
                "{name}"
            );
        }
        let mut two = monitor(name, &[bound], &both, PERIOD);
        let verdict = show_each(two.as_mut(), 3000, &[&fine, &fine]);
        assert_eq!(verdict, Verdict::Continue, "{name}");
    }
}

/// Delay and amplitude error have a bound each, for either sign; whoever is beyond its own raises
/// the alarm, and an error of one actuator is shown beside the delay of another.
#[test]
fn delay_and_gain_are_judged_apart() {
    let problem = springs(2);
    let (late, small) = (sine(2.0, 1.0, 0.008), sine(2.0, 0.7, 0.0));
    let (early, large) = (sine(2.0, 1.0, -0.008), sine(2.0, 1.3, 0.0));
    for name in ["phase_amplitude", "frequency_evaluation", "delay"] {
        for (signals, found) in [
            ([&late as &dyn Fn(usize) -> _, &small], [0.008, -0.3]),
            ([&large, &early], [-0.008, 0.3]),
        ] {
            for (bounds, verdict) in [
                ([("delay", 0.007), ("gain", 0.4)], Verdict::Warn),
                ([("delay", 0.009), ("gain", 0.2)], Verdict::Warn),
                ([("delay", 0.009), ("gain", 0.4)], Verdict::Continue),
            ] {
                let mut both = monitor(name, &bounds, &problem, PERIOD);
                assert_eq!(show_each(both.as_mut(), 4000, &signals), verdict, "{name}");
                let values = figures(both.as_ref());
                close(values[0], found[0], 1e-5);
                close(values[1], found[1], 1e-3);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]
    #[test]
    fn the_ellipse_gives_back_phase_and_gain(
        cycles in 1_u8..20, gain in 0.3_f64..2.0, phase in -1.5_f64..1.5, offset in -0.01_f64..0.01
    ) {
        let problem = spring();
        let frequency = f64::from(cycles);
        let delay = phase / (TAU * frequency);
        let mut found = monitor("phase_amplitude", &[], &problem, PERIOD);
        let signal = sine(frequency, gain, delay);
        show(found.as_mut(), 2500, |tick| {
            let (t, m) = signal(tick);
            (t + offset, m - offset)
        });
        let values = figures(found.as_ref());
        prop_assert!((values[0] - delay).abs() < 1e-8 + 1e-6 * delay.abs());
        prop_assert!((values[1] - (gain - 1.0)).abs() < 1e-7);
    }
}
