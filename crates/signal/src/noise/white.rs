//! Gaussian white noise, the same numbers on every platform.

use crate::error::SignalError;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Seeded source of independent normal values with mean zero.
///
/// Port: out one value a sample, in the unit of the standard deviation. For a continuous noise of
/// one-sided power S (unit²/Hz), sampled at dt, the standard deviation is √(S/(2 dt)); for
/// Simulink's band-limited white noise of power P it is √(P/dt).
///
/// The values are quotients of uniform numbers (ratio of uniforms, Kinderman & Monahan 1977, with
/// the quick bounds of Leva 1992). Nothing but sums, products and quotients reaches the result and
/// the logarithm of the rare exact test is computed here, so the bits do not depend on the
/// platform's mathematics library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhiteNoise {
    /// Bits of the standard deviation (so that sources compare exactly).
    deviation: u64,
    generator: ChaCha8Rng,
}

impl WhiteNoise {
    /// A source with that standard deviation and seed.
    ///
    /// # Errors
    /// [`SignalError::Parameter`] unless the standard deviation is at least zero and finite.
    pub fn new(standard_deviation: f64, seed: u64) -> Result<Self, SignalError> {
        Self::with_stream(standard_deviation, seed, 0)
    }

    /// A source of the same seed but another stream: streams are independent of each other.
    ///
    /// # Errors
    /// As [`WhiteNoise::new`].
    pub fn with_stream(
        standard_deviation: f64,
        seed: u64,
        stream: u64,
    ) -> Result<Self, SignalError> {
        let holds = standard_deviation >= 0.0 && standard_deviation.is_finite();
        SignalError::require(
            holds,
            "standard deviation of the noise",
            "at least 0 and finite",
            standard_deviation,
        )?;
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(stream);
        Ok(Self {
            deviation: standard_deviation.to_bits(),
            generator,
        })
    }

    /// The next value.
    #[expect(
        clippy::should_implement_trait,
        reason = "an endless source has no Option to give"
    )]
    pub fn next(&mut self) -> f64 {
        f64::from_bits(self.deviation) * normal(&mut self.generator)
    }

    /// Fills a buffer with the next values.
    pub fn fill(&mut self, buffer: &mut [f64]) {
        for value in buffer {
            *value = self.next();
        }
    }
}

/// The state is the place in the generator's stream.
impl tandem_quantity::Snapshot for WhiteNoise {
    fn save(&self, into: &mut Vec<f64>) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the two halves are saved one after the other"
        )]
        let halves = {
            let place = self.generator.get_word_pos();
            [place as u64, (place >> 64) as u64]
        };
        halves.save(into);
    }

    fn restore(
        &mut self,
        from: &mut tandem_quantity::StateReader<'_>,
    ) -> Result<(), tandem_quantity::SnapshotError> {
        let mut halves = [0_u64; 2];
        halves.restore(from)?;
        self.generator
            .set_word_pos(u128::from(halves[0]) | (u128::from(halves[1]) << 64));
        Ok(())
    }
}

/// Uniform in (0, 1], 53 bits.
fn uniform(generator: &mut ChaCha8Rng) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit exactly")]
    let bits = ((generator.next_u64() >> 11) + 1) as f64;
    bits * (1.0 / 9_007_199_254_740_992.0)
}

/// One standard normal value.
fn normal(generator: &mut ChaCha8Rng) -> f64 {
    // Constants of Leva (1992), Fig. 1.
    const S: f64 = 0.449_871;
    const T: f64 = -0.386_595;
    const A: f64 = 0.196;
    const B: f64 = 0.254_72;
    const INNER: f64 = 0.275_97;
    const OUTER: f64 = 0.278_46;
    loop {
        let u = uniform(generator);
        let v = 1.7156 * (uniform(generator) - 0.5);
        let x = u - S;
        let y = v.abs() - T;
        let q = x * x + y * (A * y - B * x);
        if q < INNER || (q <= OUTER && v * v <= -4.0 * u * u * logarithm(u)) {
            return v / u;
        }
    }
}

/// Natural logarithm of a value in (0, 1] by sums and products only, so that it is the same
/// everywhere.
fn logarithm(value: f64) -> f64 {
    let (mut mantissa, mut halvings) = (value, 0.0);
    while mantissa < 0.75 {
        mantissa *= 2.0;
        halvings += 1.0;
    }
    // ln m = 2 artanh((m − 1)/(m + 1)), |argument| ≤ 1/7: twelve terms reach the last bit.
    let z = (mantissa - 1.0) / (mantissa + 1.0);
    let square = z * z;
    let mut sum = 0.0;
    for term in (0..12).rev() {
        sum = sum * square + 1.0 / f64::from(2 * term + 1);
    }
    2.0 * z * sum - halvings * std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::correlate::{mean, rms};

    #[test]
    fn the_logarithm_is_the_logarithm() {
        for k in 1..=2000 {
            let x = f64::from(k) / 2000.0;
            assert!(
                (logarithm(x) - x.ln()).abs() < 4e-16 * (1.0 + x.ln().abs()),
                "{x}"
            );
        }
    }

    #[test]
    fn moments_and_tails_are_those_of_the_normal_distribution() {
        let mut noise = WhiteNoise::new(2.0, 42).unwrap();
        let mut values = vec![0.0; 200_000];
        noise.fill(&mut values);
        // Standard errors: mean 0.0045, deviation 0.0032, fourth moment 0.022 of its value 3.
        assert!(mean(&values).abs() < 0.02);
        assert!((rms(&values) - 2.0).abs() < 0.015);
        let fourth = values.iter().map(|v| (v / 2.0).powi(4)).sum::<f64>() / 200_000.0;
        assert!((fourth - 3.0).abs() < 0.1, "{fourth}");
        let beyond = |limit: f64| values.iter().filter(|v| v.abs() > 2.0 * limit).count();
        // P(|z| > 1) = 0.31731, P(|z| > 2) = 0.04550, P(|z| > 3) = 0.0027.
        for (limit, share) in [(1.0, 0.31731), (2.0, 0.0455), (3.0, 0.0027)] {
            let expected: f64 = 200_000.0 * share;
            assert!(
                (crate::error::real(beyond(limit)) - expected).abs() < 5.0 * expected.sqrt(),
                "{limit}"
            );
        }
        let neighbours: f64 =
            values.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / (4.0 * 200_000.0);
        assert!(neighbours.abs() < 0.01, "white: {neighbours}");
    }

    #[test]
    fn a_seed_gives_the_same_bits_and_a_clone_goes_on_alike() {
        let draw = |mut noise: WhiteNoise| -> Vec<u64> {
            (0..100).map(|_| noise.next().to_bits()).collect()
        };
        let source = WhiteNoise::new(1.0, 5).unwrap();
        assert_eq!(draw(source.clone()), draw(source.clone()));
        assert_ne!(draw(source.clone()), draw(WhiteNoise::new(1.0, 6).unwrap()));
        assert_ne!(
            draw(source.clone()),
            draw(WhiteNoise::with_stream(1.0, 5, 1).unwrap())
        );
        let mut moved = source;
        for _ in 0..37 {
            moved.next();
        }
        assert_eq!(draw(moved.clone()), draw(moved));
        assert!(WhiteNoise::new(-1.0, 0).is_err() && WhiteNoise::new(f64::NAN, 0).is_err());
    }

    /// Written once and kept: another platform or another generator version must not change a
    /// seeded run.
    #[test]
    fn the_first_bits_of_seed_one_are_these() {
        let mut noise = WhiteNoise::new(1.0, 1).unwrap();
        let bits: [u64; 4] = std::array::from_fn(|_| noise.next().to_bits());
        assert_eq!(
            bits,
            [
                0xbffc_9e2f_7cbb_9845,
                0xbfe9_d45a_a398_f356,
                0x3ff4_60e0_3855_8268,
                0xbff4_ada8_9e45_ebe6
            ],
            "{bits:#x?}"
        );
        let mut late = 0.0;
        for _ in 0..10_000 {
            late = noise.next();
        }
        assert_eq!(
            late.to_bits(),
            0x3fe2_0ea2_db35_56ed,
            "{:#x}",
            late.to_bits()
        );
    }
}
