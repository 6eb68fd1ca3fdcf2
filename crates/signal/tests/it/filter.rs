//! Filters against scipy 1.17.1. The numbers come from
//!
//! ```python
//! import numpy as np, scipy.signal as s
//! sos = s.butter(order, edges, kind, fs=fs, output="sos")           # DESIGNS
//! n = np.arange(64); x = np.sin(0.3*n) + 0.5*np.cos(1.7*n) + 0.01*n # the signal
//! y = s.sosfilt(sos, x)[[0, 1, 5, 20, 40, 63]]; z = s.sosfiltfilt(sos, x)[[0, 1, 5, 20, 40, 63]]
//! w, h = s.sosfreqz(s.butter(3, 30., fs=200., output="sos"), worN=[1., 10., 30., 60.], fs=200.)
//! w, gd = s.group_delay(s.butter(3, 30., fs=200.), w=[1., 10., 30., 60.], fs=200.)
//! ```

use std::f64::consts::{FRAC_1_SQRT_2, PI};
use tandem_signal::filter::{Butterworth, FilterKind, Sos};

type Design<'a> = (Butterworth, &'a [[f64; 6]]);

#[rustfmt::skip]
const DESIGNS: &[Design<'_>] = &[
(Butterworth { order: 1, kind: FilterKind::Lowpass(20.0), fs: 1000.0 }, &[
    [0.059190703818405445, 0.059190703818405445, 0.0, 1.0, -0.881618592363189, 0.0],
]),
(Butterworth { order: 2, kind: FilterKind::Lowpass(20.0), fs: 1000.0 }, &[
    [0.0036216815149286417, 0.007243363029857283, 0.0036216815149286417, 1.0, -1.822694925196308, 0.8371816512560226],
]),
(Butterworth { order: 4, kind: FilterKind::Lowpass(20.0), fs: 1000.0 }, &[
    [1.32937288987529e-05, 2.65874577975058e-05, 1.32937288987529e-05, 1.0, -1.778313488139435, 0.7924474718329468],
    [1.0, 2.0, 1.0, 1.0, -1.8934156010225003, 0.9084644129492953],
]),
(Butterworth { order: 5, kind: FilterKind::Lowpass(100.0), fs: 1024.0 }, &[
    [0.0011590936043953653, 0.0023181872087907306, 0.0011590936043953653, 1.0, -0.5188352348999757, 0.0],
    [1.0, 2.0, 1.0, 1.0, -1.1155181835969734, 0.3644066837505598],
    [1.0, 1.0, 0.0, 1.0, -1.3881668320202754, 0.6978872524175707],
]),
(Butterworth { order: 3, kind: FilterKind::Highpass(0.5), fs: 200.0 }, &[
    [0.9844146043678856, -0.9844146043678856, 0.0, 1.0, -0.9844141274160969, 0.0],
    [1.0, -2.0, 1.0, 1.0, -1.9841702689557368, 0.9844150813196745],
]),
(Butterworth { order: 4, kind: FilterKind::Highpass(5.0), fs: 1000.0 }, &[
    [0.9597822300872386, -1.9195644601744772, 0.9597822300872386, 1.0, -1.9426382305401135, 0.9435972784703671],
    [1.0, -2.0, 1.0, 1.0, -1.975269634851873, 0.9762447923594398],
]),
(Butterworth { order: 1, kind: FilterKind::Bandpass(1.0, 10.0), fs: 200.0 }, &[
    [0.12458938098061764, 0.0, -0.12458938098061764, 1.0, -1.7421304193880467, 0.7508212380387647],
]),
(Butterworth { order: 2, kind: FilterKind::Bandpass(0.1, 25.0), fs: 200.0 }, &[
    [0.09699348753255072, 0.19398697506510143, 0.09699348753255072, 1.0, -0.9473699001869813, 0.33622365846272495],
    [1.0, -2.0, 1.0, 1.0, -1.9955573065897432, 0.9955672289932838],
]),
(Butterworth { order: 3, kind: FilterKind::Bandpass(5.0, 50.0), fs: 1024.0 }, &[
    [0.0020332890441342386, 0.004066578088268477, 0.0020332890441342386, 1.0, -1.7034629695393029, 0.7807962616979025],
    [1.0, 0.0, -1.0, 1.0, -1.747704919827862, 0.7560154480740056],
    [1.0, -2.0, 1.0, 1.0, -1.972470156615955, 0.97347037050282],
]),
(Butterworth { order: 2, kind: FilterKind::Bandstop(45.0, 55.0), fs: 1000.0 }, &[
    [0.956543225556877, -1.8203515691802417, 0.956543225556877, 1.0, -1.8445876812700683, 0.9536255963957627],
    [1.0, -1.9030520739096508, 1.0, 1.0, -1.8770181640471983, 0.9594707170818337],
]),
(Butterworth { order: 3, kind: FilterKind::Bandstop(5.0, 20.0), fs: 256.0 }, &[
    [0.6905338541306543, -1.339205411073188, 0.6905338541306542, 1.0, -1.6349694651721318, 0.6860770675448628],
    [1.0, -1.9393769082606052, 0.9999999999999998, 1.0, -1.5666657710436604, 0.7535417507312496],
    [1.0, -1.9393769082606052, 0.9999999999999998, 1.0, -1.9061900942219872, 0.922298784429682],
]),
(Butterworth { order: 8, kind: FilterKind::Lowpass(50.0), fs: 5000.0 }, &[
    [8.098259786747707e-13, 1.6196519573495413e-12, 8.098259786747707e-13, 1.0, -1.8802595219238372, 0.8839771204173436],
    [1.0, 2.0, 1.0, 1.0, -1.8970134052508192, 0.9007641290712767],
    [1.0, 2.0, 1.0, 1.0, -1.928769222871887, 0.9325827334397969],
    [1.0, 2.0, 1.0, 1.0, -1.971898055346293, 0.9757968390803613],
]),
];

fn design(order: usize, kind: FilterKind, fs: f64) -> Sos {
    Butterworth { order, kind, fs }.design().unwrap()
}

fn signal() -> Vec<f64> {
    (0..64)
        .map(|n| {
            (0.3 * f64::from(n)).sin() + 0.5 * (1.7 * f64::from(n)).cos() + 0.01 * f64::from(n)
        })
        .collect()
}

fn assert_picked(values: &[f64], expected: [f64; 6], tolerance: f64) {
    for (index, wanted) in [0, 1, 5, 20, 40, 63].into_iter().zip(expected) {
        assert!(
            (values[index] - wanted).abs() < tolerance,
            "{index}: {} {wanted}",
            values[index]
        );
    }
}

#[test]
fn sections_are_those_of_scipy() {
    for (filter, expected) in DESIGNS {
        let sos = filter.design().unwrap();
        assert_eq!(sos.rows().len(), expected.len(), "{filter:?}");
        for (row, wanted) in sos.rows().iter().zip(*expected) {
            for (coefficient, want) in row.iter().zip(wanted) {
                let tolerance = 1e-12 * want.abs().max(1e-3);
                assert!(
                    (coefficient - want).abs() < tolerance,
                    "{filter:?}: {row:?} {wanted:?}"
                );
            }
        }
    }
}

#[test]
fn filtered_signals_are_those_of_scipy() {
    let lowpass = design(4, FilterKind::Lowpass(20.0), 200.0);
    let bandpass = design(3, FilterKind::Bandpass(2.0, 30.0), 200.0);
    let odd = design(3, FilterKind::Lowpass(30.0), 200.0);
    assert_picked(&lowpass.filter(&signal()), LOWPASS, 1e-12);
    assert_picked(&lowpass.filtfilt(&signal()).unwrap(), LOWPASS_BOTH, 1e-11);
    assert_picked(&bandpass.filter(&signal()), BANDPASS, 1e-12);
    assert_picked(&bandpass.filtfilt(&signal()).unwrap(), BANDPASS_BOTH, 1e-11);
    assert_picked(&odd.filtfilt(&signal()).unwrap(), ODD_BOTH, 1e-11);
}
const LOWPASS: [f64; 6] = [
    0.002412171678858114,
    0.016527498223581155,
    0.3255254956106227,
    -0.8459929316235637,
    -0.6041426280765223,
    -0.34224229773601694,
];
const LOWPASS_BOTH: [f64; 6] = [
    0.5043010157582086,
    0.5985712928636227,
    0.9623205589711432,
    -0.07669098454788217,
    -0.13486374286627126,
    1.1655075835782673,
];
const BANDPASS: [f64; 6] = [
    0.02093841411738587,
    0.0968945775367714,
    0.5589945299879948,
    -0.4734358274863253,
    -0.6387645726179898,
    -0.17933418044316796,
];
const BANDPASS_BOTH: [f64; 6] = [
    0.024684264359597002,
    0.011081224259308867,
    0.6613249043502445,
    -0.29917545989671224,
    -0.6091529176624917,
    -0.047531497841791004,
];
const ODD_BOTH: [f64; 6] = [
    0.5003276741869019,
    0.46488787720059555,
    1.0382636859182308,
    -0.08258571136096628,
    -0.1344493078440191,
    1.1580553354453151,
];

#[test]
fn response_and_group_delay_are_those_of_scipy() {
    let sos = design(3, FilterKind::Lowpass(30.0), 200.0);
    let expected = [
        (
            1.0,
            0.9980988795798266,
            -0.06163299216007781,
            1.9640296315008063,
        ),
        (
            10.0,
            0.8060211730932475,
            -0.5911248002699746,
            2.125907667686392,
        ),
        (30.0, -0.5, -0.5, 3.0901699437494736),
        (
            60.0,
            -0.0348975084792124,
            0.03673252288082102,
            0.8442756828311784,
        ),
    ];
    for (frequency, re, im, samples) in expected {
        let response = sos.response(frequency);
        assert!((response.re - re).abs() < 1e-12 && (response.im - im).abs() < 1e-12);
        assert!((sos.group_delay(frequency) - samples / 200.0).abs() < 1e-12);
    }
}

#[test]
fn the_gain_follows_the_closed_form_of_butterworth() {
    // |H|² = 1/(1 + (tan(πf/fs)/tan(πf₀/fs))^2n), exact after prewarping.
    for order in 1..=12_usize {
        let sos = design(order, FilterKind::Lowpass(37.0), 512.0);
        assert!((sos.response(37.0).norm() - FRAC_1_SQRT_2).abs() < 1e-12);
        for frequency in [0.0, 3.0, 20.0, 36.0, 50.0, 120.0] {
            let ratio = (PI * frequency / 512.0).tan() / (PI * 37.0 / 512.0).tan();
            let exact = 1.0 / (1.0 + ratio.powi(2 * i32::try_from(order).unwrap())).sqrt();
            assert!(
                (sos.response(frequency).norm() - exact).abs() < 1e-11,
                "order {order}, {frequency} Hz"
            );
        }
    }
}

#[test]
fn a_band_centred_on_a_quarter_of_the_rate_is_still_right() {
    // All radii come in equal pairs here: the pairing may differ, the response may not.
    for kind in [
        FilterKind::Bandpass(20.0, 30.0),
        FilterKind::Bandstop(20.0, 30.0),
    ] {
        let sos = design(3, kind, 100.0);
        assert!((sos.response(20.0).norm() - FRAC_1_SQRT_2).abs() < 1e-11);
        assert!((sos.response(30.0).norm() - FRAC_1_SQRT_2).abs() < 1e-11);
        let passes = matches!(kind, FilterKind::Bandpass(..));
        assert!((sos.response(25.0).norm() - f64::from(u8::from(passes))).abs() < 1e-11);
    }
}

#[test]
fn a_constant_passes_unchanged_from_the_steady_state() {
    for (filter, _) in DESIGNS {
        let sos = filter.design().unwrap();
        let gain = sos.response(0.0).re;
        let mut state = sos.steady_state(2.5);
        for _ in 0..200 {
            assert!(
                (sos.step(&mut state, 2.5) - 2.5 * gain).abs() < 1e-7,
                "{filter:?}"
            );
        }
    }
    let sos = design(4, FilterKind::Lowpass(20.0), 1000.0);
    let flat = sos.filtfilt(&[1.5; 100]).unwrap();
    assert!(flat.iter().all(|value| (value - 1.5).abs() < 1e-10));
}

#[test]
fn zero_phase_leaves_a_passed_sine_where_it_is() {
    let sos = design(4, FilterKind::Lowpass(40.0), 1000.0);
    let sine: Vec<f64> = (0..4000)
        .map(|n| (2.0 * PI * 5.0 * f64::from(n) / 1000.0).sin())
        .collect();
    let gain = sos.response(5.0).norm_sqr();
    let filtered = sos.filtfilt(&sine).unwrap();
    for (value, wanted) in filtered.iter().zip(&sine).skip(500).take(3000) {
        assert!((value - gain * wanted).abs() < 1e-9);
    }
}

#[test]
fn impossible_filters_are_refused() {
    let bad = [
        (0, FilterKind::Lowpass(10.0), 100.0),
        (21, FilterKind::Lowpass(10.0), 100.0),
        (2, FilterKind::Lowpass(0.0), 100.0),
        (2, FilterKind::Lowpass(50.0), 100.0),
        (2, FilterKind::Highpass(f64::NAN), 100.0),
        (2, FilterKind::Bandpass(20.0, 10.0), 100.0),
        (2, FilterKind::Bandstop(10.0, 10.0), 100.0),
        (2, FilterKind::Lowpass(10.0), f64::INFINITY),
    ];
    for (order, kind, fs) in bad {
        assert!(
            Butterworth { order, kind, fs }.design().is_err(),
            "{order} {kind:?} {fs}"
        );
    }
    let sos = design(4, FilterKind::Lowpass(20.0), 1000.0);
    assert!(sos.filtfilt(&[0.0; 15]).is_err());
    assert!(sos.filtfilt(&[0.0; 16]).is_ok());
}
