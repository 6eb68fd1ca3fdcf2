//! Made motions against closed forms and scipy.

use proptest::prelude::*;
use std::f64::consts::PI;
use tandem_signal::correlate::{mean, peak, rms};
use tandem_signal::spectrum::sine_amplitude;
use tandem_signal::synthetic::{
    Band, ChirpLaw, Sampling, band_limited_noise, chirp, cosine_taper, cyclic_ramps, half_sine,
    linear_sweep, logarithmic_sweep, ricker, sine, square_wave, step, two_band_noise,
};
use tandem_test_support::larger;

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() < tolerance
}

#[test]
fn sampling_counts_its_points() {
    let sampling = Sampling::new(0.02, 31.18).unwrap();
    assert_eq!(sampling.points(), 1560);
    assert!(close(sampling.duration(), 31.18, 1e-12));
    for (dt, duration) in [
        (0.0, 1.0),
        (0.1, 0.05),
        (1e-9, 1.0),
        (f64::NAN, 1.0),
        (0.1, f64::NAN),
        (0.1, f64::INFINITY),
    ] {
        assert!(Sampling::new(dt, duration).is_err(), "{dt} {duration}");
    }
}

#[test]
fn chirps_are_those_of_scipy() {
    // python: t = numpy.arange(201)*0.01; 2.5*scipy.signal.chirp(t, 0.5, 2.0, 20., method=m,
    // phi=30)[[0, 7, 50, 133, 200]]
    let sampling = Sampling::new(0.01, 2.0).unwrap();
    let index = [0, 7, 50, 133, 200];
    let cases = [
        (
            ChirpLaw::Linear,
            [
                2.165063509461097,
                1.5665265308683451,
                -2.3673253237377647,
                -1.730971942703869,
                -2.16506350946113,
            ],
        ),
        (
            ChirpLaw::Quadratic,
            [
                2.165063509461097,
                1.8343052428635018,
                -2.434692448193334,
                -2.252831705665477,
                2.1650635094610973,
            ],
        ),
        (
            ChirpLaw::Logarithmic,
            [
                2.165063509461097,
                1.8149500827532354,
                -2.498218386271481,
                2.434345072963223,
                -1.3967582346119118,
            ],
        ),
    ];
    for (law, expected) in cases {
        let values = chirp(&sampling, 2.5, 0.5, 20.0, law, PI / 6.0);
        for (at, wanted) in index.into_iter().zip(expected) {
            assert!(
                close(values[at], wanted, 1e-11),
                "{law:?} {at}: {} {wanted}",
                values[at]
            );
        }
    }
    for sweep in [
        linear_sweep(&sampling, 1.0, 1.0, 10.0),
        logarithmic_sweep(&sampling, 1.0, 1.0, 10.0),
    ] {
        assert!(close(sweep[0], 0.0, 1e-12) && sweep[1] > 0.0 && peak(&sweep) <= 1.0);
    }
    let constant = logarithmic_sweep(&sampling, 1.0, 3.0, 3.0);
    for (value, wanted) in constant.iter().zip(sine(&sampling, 1.0, 3.0, 0.0)) {
        assert!(close(*value, wanted, 1e-12));
    }
}

#[test]
fn waves_and_pulses_have_their_shapes() {
    let sampling = Sampling::new(0.01, 2.0).unwrap();
    let square = square_wave(&sampling, 3.0, 2.0);
    assert!(
        close(square[0], 3.0, 1e-15)
            && close(square[24], 3.0, 1e-15)
            && close(square[25], -3.0, 1e-15)
    );
    assert!(
        close(square[50], 3.0, 1e-15),
        "the second period starts at 0.5 s"
    );
    let pulse = half_sine(&sampling, 2.0, 0.5, 1.0);
    assert!(
        close(pulse[100], 2.0, 1e-12)
            && close(pulse[49], 0.0, 1e-15)
            && close(pulse[151], 0.0, 1e-15)
    );
    let wavelet = ricker(&sampling, 1.5, 4.0, 1.0);
    assert!(close(wavelet[100], 1.5, 1e-12));
    assert!(
        close(mean(&wavelet), 0.0, 1e-9),
        "a Ricker wavelet has no area"
    );
    // Zero crossings at centre ± 1/(π f √2).
    let crossing = 1.0 / (PI * 4.0 * 2.0_f64.sqrt());
    let fine = ricker(
        &Sampling::new(crossing, 2.0).unwrap(),
        1.0,
        4.0,
        10.0 * crossing,
    );
    assert!(close(fine[9], 0.0, 1e-9) && close(fine[11], 0.0, 1e-9));
    let jump = step(&sampling, 2.0, 0.3, 0.0);
    assert!(close(jump[29], 0.0, 1e-15) && close(jump[30], 2.0, 1e-15));
    let ramp = step(&sampling, 2.0, 0.3, 0.2);
    assert!(
        close(ramp[40], 1.0, 1e-9) && close(ramp[50], 2.0, 1e-15) && close(ramp[30], 0.0, 1e-12)
    );
}

#[test]
fn cyclic_ramps_reach_every_turning_point_at_the_rate() {
    let history = cyclic_ramps(&[1.0, 2.5], 2, 0.7, 0.1).unwrap();
    assert!(close(history[0], 0.0, 1e-15) && close(*history.last().unwrap(), 0.0, 1e-15));
    assert!(
        history
            .windows(2)
            .all(|pair| (pair[1] - pair[0]).abs() <= 0.07 + 1e-12)
    );
    let hits = |value: f64| history.iter().filter(|&&x| close(x, value, 1e-12)).count();
    assert_eq!(
        (hits(1.0) >= 2, hits(-1.0) >= 2, hits(2.5), hits(-2.5)),
        (true, true, 2, 2)
    );
    assert!(
        cyclic_ramps(&[1.0], 1, 0.0, 0.1).is_err() && cyclic_ramps(&[-1.0], 1, 1.0, 0.1).is_err()
    );
    assert!(cyclic_ramps(&[1e12], 1_000_000, 1e-9, 1e-9).is_err());
}

#[test]
fn noise_stays_in_its_band_with_its_rms() {
    let sampling = Sampling::new(1.0 / 1024.0, 60.0).unwrap();
    let band = Band {
        low: 0.0,
        high: 20.0,
        rms: 1e-3,
    };
    let noise = band_limited_noise(&sampling, band, 0.0, 9).unwrap();
    assert!(close(rms(&noise), 1e-3, 1e-15) && close(mean(&noise), 0.0, 1e-15));
    let spectrum = sine_amplitude(&noise, sampling.dt()).unwrap();
    let outside = spectrum
        .frequency
        .iter()
        .zip(&spectrum.amplitude)
        .filter(|(f, _)| **f > 20.01);
    assert!(outside.map(|(_, a)| *a).fold(0.0, larger) < 1e-15);
    // White: the lower and the upper half of the band carry the same power (1200 bins: 6 % of
    // scatter).
    let power = |from: f64, to: f64| -> f64 {
        let inside = spectrum
            .frequency
            .iter()
            .zip(&spectrum.amplitude)
            .filter(|(f, _)| (from..to).contains(*f));
        inside.map(|(_, a)| a * a).sum()
    };
    assert!(close(power(0.0, 10.0) / power(10.0, 20.0), 1.0, 0.2));
    assert_eq!(noise, band_limited_noise(&sampling, band, 0.0, 9).unwrap());
    assert_ne!(noise, band_limited_noise(&sampling, band, 0.0, 10).unwrap());
}

#[test]
fn two_bands_add_their_powers_and_tapers_start_at_zero() {
    let sampling = Sampling::new(0.001, 40.0).unwrap();
    let low = Band {
        low: 0.1,
        high: 5.0,
        rms: 3.0,
    };
    let high = Band {
        low: 30.0,
        high: 80.0,
        rms: 0.5,
    };
    let noise = two_band_noise(&sampling, [low, high], 2.0, 4).unwrap();
    assert!(close(noise[0], 0.0, 1e-12) && close(*noise.last().unwrap(), 0.0, 1e-12));
    // Bands that do not share a frequency have no cross term but at the cut of the window.
    assert!(close(
        rms(&noise[2000..38_001]),
        (9.0_f64 + 0.25).sqrt(),
        0.01
    ));
    for bad in [
        Band {
            low: 5.0,
            high: 5.0,
            rms: 1.0,
        },
        Band {
            low: -1.0,
            high: 5.0,
            rms: 1.0,
        },
        Band {
            low: 1.0,
            high: 501.0,
            rms: 1.0,
        },
        Band {
            low: 1.0,
            high: 1.0001,
            rms: 1.0,
        },
        Band {
            low: 1.0,
            high: 5.0,
            rms: f64::NAN,
        },
    ] {
        assert!(
            band_limited_noise(&sampling, bad, 1.0, 0).is_err(),
            "{bad:?}"
        );
    }
    assert!(band_limited_noise(&sampling, low, 20.0, 0).is_err());
    assert!(band_limited_noise(&sampling, low, f64::NAN, 0).is_err());
}

proptest! {
    #[test]
    fn a_taper_never_adds(length in 0_usize..300, n in 0_usize..200) {
        let mut values = vec![1.0; n];
        cosine_taper(&mut values, length);
        prop_assert!(values.iter().all(|value| (0.0..=1.0).contains(value)));
        let mirrored: Vec<f64> = values.iter().rev().copied().collect();
        prop_assert_eq!(values, mirrored);
    }

    #[test]
    fn any_seed_and_length_gives_finite_noise_of_that_rms(seed: u64, points in 20_u32..500) {
        let sampling = Sampling::new(0.01, 0.01 * f64::from(points)).unwrap();
        let band = Band { low: 0.0, high: 50.0, rms: 2.0 };
        let noise = band_limited_noise(&sampling, band, 0.0, seed).unwrap();
        prop_assert!((rms(&noise) - 2.0).abs() < 1e-12);
    }
}
