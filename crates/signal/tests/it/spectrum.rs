//! Spectra against scipy 1.17.1 and the published response spectrum of El Centro. The numbers come
//! from
//!
//! ```python
//! import numpy as np, scipy.signal as s
//! n = np.arange(700); x = np.sin(0.3*n) + 0.5*np.cos(1.7*n) + 0.01*n
//! y = np.roll(np.sin(0.3*n), 3) + 0.2*np.cos(0.9*n*np.sin(0.01*n))
//! f, p = s.welch(x, fs=100., nperseg=128)                                   # and nperseg=101; nperseg=128, nfft=256
//! f, p = s.welch(x, fs=100., nperseg=128, noverlap=96, detrend=False)
//! f, c = s.csd(x, y, fs=100., nperseg=128); f, g = s.coherence(x, y, fs=100., nperseg=128)
//! # acc: the shipped record in m/s², t its times, fine: np.interp of it on 400 points a step
//! sys = s.StateSpace([[0, 1], [-w*w, -2*z*w]], [[0], [-1]], [[1, 0]], [[0]])
//! _, u, _ = s.lsim(sys, acc, t, interp=True)    # u[[1, 50, 200, 800, 1559]], max|u| on the fine grid
//! ```
//!
//! u\[200\] was computed a second time with `solve_ivp` (DOP853, rtol 1e-13, one piece a step):
//! 4e-15 m apart at most.

use tandem_signal::record::{Record, el_centro_1940};
use tandem_signal::spectrum::{
    Detrend, Welch, arias_intensity, coherence, cross_spectral_density, oscillator_response,
    peak_ground_displacement, peak_ground_velocity, response_spectrum, significant_duration, welch,
};

fn x() -> Vec<f64> {
    (0..700)
        .map(f64::from)
        .map(|n| (0.3 * n).sin() + 0.5 * (1.7 * n).cos() + 0.01 * n)
        .collect()
}

fn y() -> Vec<f64> {
    let rolled = |n: i32| (0.3 * f64::from((n + 697) % 700)).sin();
    (0..700)
        .map(|n| rolled(n) + 0.2 * (0.9 * f64::from(n) * (0.01 * f64::from(n)).sin()).cos())
        .collect()
}

fn assert_bins(values: &[f64], bins: [usize; 5], expected: [f64; 5]) {
    for (bin, wanted) in bins.into_iter().zip(expected) {
        let tolerance = 1e-10 * wanted.abs() + 1e-14;
        assert!(
            (values[bin] - wanted).abs() < tolerance,
            "bin {bin}: {} {wanted}",
            values[bin]
        );
    }
}

const BINS: [usize; 5] = [0, 1, 6, 35, 64];

#[test]
#[rustfmt::skip]
fn power_density_is_that_of_scipy() {
    let (frequency, density) = welch(&x(), 100.0, 128).unwrap();
    assert_eq!(frequency.len(), 65);
    for (bin, wanted) in [(1, 0.78125), (6, 4.6875), (64, 50.0)] {
        assert!((frequency[bin] - wanted).abs() < 1e-12);
    }
    assert_bins(&density, BINS, [7.515940598851409e-05, 0.03985475607702005, 0.41968128813745953,
        0.08944321628363731, 1.2790851005421967e-11]);
    let (_, odd) = welch(&x(), 100.0, 101).unwrap();
    assert_bins(&odd, [0, 1, 6, 35, 50], [0.0005475644842437732, 0.019766521525619817,
        0.04608780521183409, 3.174751872668152e-08, 8.178213562778804e-11]);
    let raw = Welch { segment: 128, overlap: 96, detrend: Detrend::None, padding: 1 };
    assert_bins(&raw.psd(&x(), 100.0).unwrap().1, BINS,
        [11.985765310418763, 6.032800715332553, 0.4199583579149073, 0.08944327729301163,
        1.3803106277751228e-11]);
    let padded = Welch { padding: 2, ..Welch::new(128) };
    let (frequency, density) = padded.psd(&x(), 100.0).unwrap();
    assert_eq!((frequency.len(), frequency[13]), (129, 5.078125));
    assert_bins(&density, [0, 1, 6, 35, 128],
        [7.515940598851409e-05, 0.02271499323927802, 0.0001364493628682179, 1.7547053191104637e-08,
        1.2790851005421967e-11]);
    let (short, density) = welch(&x()[..90], 100.0, 128).unwrap();
    assert_eq!(short.len(), 46);
    assert_bins(&density, [0, 1, 6, 35, 45],
        [0.0012871475265254344, 0.014703693556628502, 0.0019128603136276505, 3.5497853325091846e-09,
        4.338359279583438e-11]);
}

#[test]
fn cross_density_and_coherence_are_those_of_scipy() {
    let (_, cross) = cross_spectral_density(&x(), &y(), 100.0, 128).unwrap();
    let expected = [
        (7.680505801491273e-05_f64, 0.0_f64),
        (0.00041713692885417475, -0.0013186479807208292),
        (0.26218822207205544, -0.33229529403641217),
        (-0.0007726679009964816, 0.0001630779629662061),
        (1.0466571926405231e-08, 0.0),
    ];
    for (bin, (re, im)) in BINS.into_iter().zip(expected) {
        let tolerance = 1e-9 * (re.abs() + im.abs());
        assert!(
            (cross[bin].re - re).abs() < tolerance
                && (cross[bin].im - im).abs() < tolerance + 1e-20,
            "bin {bin}"
        );
    }
    let (_, values) = coherence(&x(), &y(), 100.0, 128).unwrap();
    let expected = [
        0.19767995007704656,
        0.09776612213375949,
        0.9996254886305858,
        0.02391305301981646,
    ];
    for (bin, wanted) in BINS.into_iter().zip(expected) {
        assert!(
            (values[bin] - wanted).abs() < 1e-9,
            "bin {bin}: {} {wanted}",
            values[bin]
        );
    }
}

#[test]
fn parseval_holds_and_a_gain_with_delay_is_found() {
    use tandem_signal::noise::WhiteNoise;
    let mut noise = WhiteNoise::new(1.0, 11).unwrap();
    let signal: Vec<f64> = (0..65_536).map(|_| noise.next()).collect();
    let (frequency, density) = welch(&signal, 1000.0, 512).unwrap();
    let power: f64 = density.iter().sum::<f64>() * frequency[1];
    assert!((power - 1.0).abs() < 0.02, "{power}");
    let later: Vec<f64> = (0..65_536)
        .map(|k| if k < 2 { 0.0 } else { 0.8 * signal[k - 2] })
        .collect();
    let (_, transfer) = Welch::new(512)
        .transfer_function(&signal, &later, 1000.0)
        .unwrap();
    // 2 ms at 125 Hz is a lag of π/2: gain 0.8, phase negative.
    assert!((transfer[64].norm() - 0.8).abs() < 0.02);
    assert!((transfer[64].arg() + std::f64::consts::FRAC_PI_2).abs() < 0.03);
}

#[test]
fn impossible_spectra_are_refused() {
    assert!(welch(&x(), 0.0, 128).is_err());
    assert!(welch(&x(), 100.0, 1).is_err());
    assert!(welch(&[1.0], 100.0, 8).is_err());
    assert!(cross_spectral_density(&x(), &x()[1..], 100.0, 8).is_err());
    assert!(
        Welch {
            overlap: 8,
            ..Welch::new(8)
        }
        .psd(&x(), 100.0)
        .is_err()
    );
}

/// Period, damping, u at five points, peak of |u| on 400 points a step.
#[rustfmt::skip]
const OSCILLATORS: [(f64, f64, [f64; 5], f64); 6] = [
    (0.1, 0.05, [-3.6920539631778055e-06, 0.0002332426632309071, -6.0760013533068445e-05, -0.00033770646364879645, -4.665379349584883e-08], 0.00161169933484305),
    (0.5, 0.02, [-4.095516818530157e-06, 0.006433108024897195, 0.024692874301445844, 0.001199528261348854, 0.006431026968171529], 0.068251262155745),
    (1.0, 0.05, [-4.102648616608885e-06, 0.01081982212304682, -0.05460279895406647, -0.006396604011455875, 0.005471576594068635], 0.1130279030300086),
    (3.0, 0.0, [-4.118431674139317e-06, -0.004385669479349914, -0.005142540070807272, 0.2483583345009253, 0.4406831144688212], 0.581945472796861),
    (10.0, 0.05, [-4.117466861210478e-06, -0.010714023664924691, -0.12893910564031255, -0.03726937251461929, -0.06322860382673223], 0.28757811892457247),
    (0.5, 1.5, [-3.4360358959324207e-06, 0.0017244439001595445, 0.002438397925606815, -0.0003963879216323887, 4.689104262804891e-05], 0.0056565116080166305),
];

#[test]
fn the_oscillator_is_that_of_scipy_at_every_point() {
    for (period, damping, expected, _) in OSCILLATORS {
        let response = oscillator_response(&el_centro_1940(), period, damping).unwrap();
        for (index, wanted) in [1, 50, 200, 800, 1559].into_iter().zip(expected) {
            let error = (response[index] - wanted).abs();
            assert!(
                error < 1e-11 * wanted.abs().max(1e-3),
                "T {period}, point {index}: {error}"
            );
        }
    }
}

#[test]
fn the_spectrum_has_the_peaks_between_the_points_too() {
    let record = el_centro_1940();
    for (period, damping, _, peak) in OSCILLATORS {
        let spectrum = response_spectrum(&record, &[period], damping).unwrap();
        let omega = 2.0 * std::f64::consts::PI / period;
        assert!(
            (spectrum.sd[0] / peak - 1.0).abs() < 3e-5,
            "T {period}: {} {peak}",
            spectrum.sd[0]
        );
        assert!((spectrum.psv[0] / (omega * spectrum.sd[0]) - 1.0).abs() < 1e-12);
        assert!((spectrum.psa[0] / (omega * omega * spectrum.sd[0]) - 1.0).abs() < 1e-12);
    }
}

#[test]
fn the_published_spectrum_of_el_centro_is_met() {
    // Chopra, Dynamics of Structures, Fig. 6.4.1: peaks of 2.67, 5.97 and 7.47 in for 0.5, 1 and 2
    // s at 2 %.
    let spectrum = response_spectrum(&el_centro_1940(), &[0.5, 1.0, 2.0], 0.02).unwrap();
    for (sd, inches) in spectrum.sd.iter().zip([2.67, 5.97, 7.47]) {
        assert!(
            (sd / (0.0254 * inches) - 1.0).abs() < 0.01,
            "{} in, published {inches}",
            sd / 0.0254
        );
    }
}

#[test]
fn the_ends_of_the_spectrum_are_the_ground_itself() {
    let record = el_centro_1940();
    let spectrum = response_spectrum(&record, &[0.0, 1e-6, 1e-3, 1000.0], 0.05).unwrap();
    assert!((spectrum.psa[0] - record.peak()).abs() < 1e-12 && spectrum.sd[0].abs() < 1e-15);
    assert!((spectrum.psa[1] / record.peak() - 1.0).abs() < 1e-9);
    assert!((spectrum.psa[2] / record.peak() - 1.0).abs() < 0.02);
    // A very soft oscillator stands still: its displacement is that of the ground.
    assert!(
        (spectrum.sd[3] / peak_ground_displacement(&record) - 1.0).abs() < 0.05,
        "{}",
        spectrum.sd[3]
    );
    for (period, damping) in [
        (-1.0, 0.05),
        (f64::NAN, 0.05),
        (f64::INFINITY, 0.05),
        (1.0, -0.1),
        (1.0, f64::NAN),
    ] {
        assert!(response_spectrum(&record, &[period], damping).is_err());
    }
}

#[test]
fn a_step_of_acceleration_doubles_the_static_answer() {
    // Undamped oscillator on a constant acceleration: peak displacement 2a/ω², in closed form.
    let record = Record::new("step", 0.005, vec![3.0; 2001]).unwrap();
    let spectrum = response_spectrum(&record, &[0.37, 1.0, 2.9], 0.0).unwrap();
    for psa in spectrum.psa {
        assert!((psa / 6.0 - 1.0).abs() < 1e-5, "{psa}");
    }
}

#[test]
fn measures_of_el_centro_are_those_of_numpy() {
    // python: scipy.integrate.cumulative_trapezoid(acc, dx=0.02, initial=0), twice; numpy.interp on
    // the build-up of a².
    let record = el_centro_1940();
    assert!((peak_ground_velocity(&record) - 0.3607974408149999).abs() < 1e-12);
    assert!((peak_ground_displacement(&record) - 0.2118210510443999).abs() < 1e-12);
    assert!((arias_intensity(&record) - 1.800979060914892).abs() < 1e-12);
    let duration = significant_duration(&record, 0.05, 0.95).unwrap();
    assert!(
        (duration.start - 1.6687605154383693).abs() < 1e-9
            && (duration.end - 25.512122386634246).abs() < 1e-9
    );
}
