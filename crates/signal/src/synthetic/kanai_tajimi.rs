//! Earthquake-like motion: filtered noise with an envelope.

use super::{Envelope, Sampling};
use crate::error::SignalError;
use crate::filter::Sos;
use crate::noise::WhiteNoise;
use crate::record::Record;
use std::f64::consts::PI;

/// White noise through the ground layer of Kanai (1957) and Tajimi (1960), with an envelope and a
/// peak.
///
/// The spectral density before the envelope is proportional to
/// (1 + 4ζ²r²)/((1 − r²)² + 4ζ²r²), r = f/f_g; the second filter of Clough & Penzien (1975) takes
/// out the low frequencies, whose displacements no ground has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KanaiTajimi {
    /// Frequency of the ground f_g, Hz: 2.5 for firm soil, less for soft.
    pub ground_frequency: f64,
    /// Damping ratio of the ground ζ: 0.6 for firm soil.
    pub ground_damping: f64,
    /// Frequency (Hz) and damping ratio of the Clough–Penzien filter, or none.
    pub low_cut: Option<(f64, f64)>,
    /// Growth and decay.
    pub envelope: Envelope,
    /// Peak ground acceleration, m/s².
    pub pga: f64,
    /// Seed of the noise.
    pub seed: u64,
}

impl KanaiTajimi {
    /// Firm soil: 2.5 Hz, ζ = 0.6, low cut at a tenth of it, 15 s strong motion shape.
    #[must_use]
    pub fn firm_soil(pga: f64, seed: u64) -> Self {
        Self {
            ground_frequency: 2.5,
            ground_damping: 0.6,
            low_cut: Some((0.25, 0.6)),
            envelope: Envelope::Jennings {
                rise: 3.0,
                hold: 8.0,
                decay: 0.25,
            },
            pga,
            seed,
        }
    }

    /// The motion, scaled so that its largest magnitude is the PGA.
    ///
    /// # Errors
    /// [`SignalError::Parameter`] for a frequency outside 0 to half the sampling rate, a damping
    /// that is not positive, or a PGA that is negative.
    pub fn record(&self, sampling: &Sampling) -> Result<Record, SignalError> {
        SignalError::require(
            self.pga >= 0.0 && self.pga.is_finite(),
            "PGA",
            "at least 0 m/s2",
            self.pga,
        )?;
        let ground = ground_layer(self.ground_frequency, self.ground_damping, sampling.dt())?;
        let low_cut = self
            .low_cut
            .map(|(frequency, damping)| low_cut(frequency, damping, sampling.dt()))
            .transpose()?;
        let mut noise = WhiteNoise::new(1.0, self.seed)?;
        let mut ground_state = ground.state();
        let mut cut_state = low_cut.as_ref().map(Sos::state);
        let mut next = || {
            let value = ground.step(&mut ground_state, noise.next());
            match (&low_cut, &mut cut_state) {
                (Some(filter), Some(state)) => filter.step(state, value),
                _ => value,
            }
        };
        // The filters start at rest; run them until they have forgotten it.
        for _ in 0..self.run_in(sampling) {
            next();
        }
        let mut acceleration = sampling.map(|t| self.envelope.at(t) * next());
        let peak = crate::correlate::peak(&acceleration);
        SignalError::require_positive(
            "peak of the motion before scaling (check the envelope)",
            peak,
        )?;
        acceleration
            .iter_mut()
            .for_each(|value| *value *= self.pga / peak);
        let &Self {
            ground_frequency,
            ground_damping,
            seed,
            ..
        } = self;
        Ok(Record {
            name: format!("kanai-tajimi-{seed}"),
            dt: sampling.dt(),
            acceleration,
            source: format!(
                "Kanai-Tajimi, {ground_frequency} Hz, damping {ground_damping}, seed {seed}"
            ),
            notes: Vec::new(),
        })
    }

    /// Samples after which the slowest filter's start has died away to e⁻¹⁰, at most a million.
    fn run_in(&self, sampling: &Sampling) -> usize {
        let slowest = self
            .low_cut
            .map_or(f64::INFINITY, |(frequency, damping)| frequency * damping)
            .min(self.ground_frequency * self.ground_damping);
        let samples = (10.0 / (2.0 * PI * slowest * sampling.dt())).clamp(0.0, 1e6);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped"
        )]
        let samples = samples as usize;
        samples
    }
}

/// Bilinear transform of (b₂s² + b₁s + b₀)/(s² + 2ζωs + ω²), prewarped at ω.
fn resonant(
    frequency: f64,
    damping: f64,
    dt: f64,
    numerator: impl Fn(f64, f64) -> [f64; 3],
) -> Result<Sos, SignalError> {
    let half_angle = PI * frequency * dt;
    let inside = half_angle > 0.0 && half_angle < 0.5 * PI;
    let expected = "above 0 and below half the sampling rate";
    SignalError::require(
        inside,
        "frequency of the ground filter in Hz",
        expected,
        frequency,
    )?;
    SignalError::require_positive("damping of the ground filter", damping)?;
    let omega = 2.0 * PI * frequency;
    let c = omega / half_angle.tan();
    let digital = |[s2, s1, s0]: [f64; 3]| {
        let (square, line) = (s2 * c * c, s1 * c);
        [square + line + s0, 2.0 * (s0 - square), square - line + s0]
    };
    let friction = 2.0 * damping * omega;
    let [b0, b1, b2] = digital(numerator(omega, friction));
    let [a0, a1, a2] = digital([1.0, friction, omega * omega]);
    Sos::new(&[[b0, b1, b2, a0, a1, a2]], 1.0 / dt)
}

fn ground_layer(frequency: f64, damping: f64, dt: f64) -> Result<Sos, SignalError> {
    resonant(frequency, damping, dt, |omega, friction| {
        [0.0, friction, omega * omega]
    })
}

fn low_cut(frequency: f64, damping: f64, dt: f64) -> Result<Sos, SignalError> {
    resonant(frequency, damping, dt, |_, _| [1.0, 0.0, 0.0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::real;
    use crate::spectrum::welch;

    #[test]
    fn the_density_is_that_of_kanai_and_tajimi() {
        let sampling = Sampling::new(0.005, 2000.0).unwrap();
        let motion = KanaiTajimi {
            low_cut: None,
            envelope: Envelope::Stationary,
            ..KanaiTajimi::firm_soil(1.0, 3)
        };
        let record = motion.record(&sampling).unwrap();
        let (frequency, density) = welch(&record.acceleration, 200.0, 1024).unwrap();
        let shape = |f: f64| {
            let r = f / 2.5;
            let damping = 4.0 * 0.36 * r * r;
            (1.0 + damping) / ((1.0 - r * r).powi(2) + damping)
        };
        // About 780 segments: 5 % of scatter a bin; averages of bins scatter less.
        let level = |from: f64, to: f64| {
            let bins: Vec<usize> = (0..frequency.len())
                .filter(|&b| (from..to).contains(&frequency[b]))
                .collect();
            bins.iter()
                .map(|&b| density[b] / shape(frequency[b]))
                .sum::<f64>()
                / real(bins.len())
        };
        let reference = level(2.0, 4.0);
        for (from, to) in [(0.3, 1.5), (1.5, 3.0), (4.0, 8.0), (8.0, 16.0)] {
            assert!(
                (level(from, to) / reference - 1.0).abs() < 0.08,
                "{from}: {}",
                level(from, to) / reference
            );
        }
    }

    #[test]
    fn the_peak_is_as_asked_and_the_seed_decides() {
        let sampling = Sampling::new(0.01, 30.0).unwrap();
        let make = |seed| KanaiTajimi::firm_soil(3.0, seed).record(&sampling).unwrap();
        let record = make(1);
        assert!((record.peak() - 3.0).abs() < 1e-12);
        assert_eq!(record.acceleration.len(), 3001);
        assert!(
            record.acceleration[0].abs() < 1e-12,
            "the envelope starts at zero"
        );
        assert_eq!(record, make(1));
        assert_ne!(record.acceleration, make(2).acceleration);
        // The low cut keeps the ground from walking away: velocity at the end is small beside its
        // peak.
        let velocity = crate::integral::cumulative_trapezoid(&record.acceleration, 0.01);
        assert!(velocity[3000].abs() < 0.5 * crate::correlate::peak(&velocity));
    }

    #[test]
    fn impossible_grounds_are_refused() {
        let sampling = Sampling::new(0.01, 30.0).unwrap();
        let firm = KanaiTajimi::firm_soil(1.0, 0);
        for bad in [
            KanaiTajimi {
                ground_frequency: 50.0,
                ..firm
            },
            KanaiTajimi {
                ground_frequency: 0.0,
                ..firm
            },
            KanaiTajimi {
                ground_damping: 0.0,
                ..firm
            },
            KanaiTajimi {
                pga: f64::NAN,
                ..firm
            },
            KanaiTajimi {
                low_cut: Some((f64::NAN, 0.5)),
                ..firm
            },
        ] {
            assert!(bad.record(&sampling).is_err(), "{bad:?}");
        }
    }
}
