//! Velocity from a displacement transducer and an accelerometer.

use super::Build;
use super::kalman::Kalman;
use tandem_quantity::{BuildError, Context, Dimension, Entry, Method, Settings, settings};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "velocity",
        summary: "velocity from displacement (slow part) and acceleration (fast part), joined at a \
            crossover frequency; the rest passes unchanged",
        reference: "Tekeste, Correia and Costa 2025, section 3.2 (4 Hz); Mahony, Hamel and \
            Pflimlin 2008 (complementary filter)",
        parameters: VelocitySettings::PARAMETERS,
    },
    build: &|values,
             &Context {
                 actuators, period, ..
             }| {
        let settings = VelocitySettings::read(values)?;
        let w = 2.0 * std::f64::consts::PI * settings.crossover;
        let damping = settings.damping;
        if w * period * damping.max(1.0) > 0.5 {
            return Err(BuildError::new(
                "crossover",
                format!("too high for a rate of {:.1} Hz", 1.0 / period),
                format!(
                    "stay below {:.1} Hz",
                    0.5 / (2.0 * std::f64::consts::PI * period * damping.max(1.0))
                ),
            ));
        }
        // Poles of the error at e^{p T}, p the roots of s² + 2ζω s + ω²: the same crossover at
        // every rate.
        let gains = placed(w, damping, period);
        Ok(Box::new(Kalman::new(actuators, period, gains, 0, false)))
    },
};

settings! {
    struct VelocitySettings {
        /// where both count the same
        crossover: f64 = number(Dimension::FREQUENCY).or("\"4 Hz\"").positive(),
        /// damping ratio of the filter
        damping: f64 = number(Dimension::NONE).or("0.7071").positive(),
    }
}

/// x̂' = v̂ + α (x − x̂), v̂' = a + β (x − x̂), so that V = s X (2ζω s + ω²)/(…) + A s/(…): the two
/// parts add up to one at every frequency, and the velocity is neither late nor damped.
///
/// The error after a prediction and a correction by [α, β] obeys z² − (2 − α − βT) z + (1 − α) = 0.
fn placed(w: f64, damping: f64, period: f64) -> [f64; 2] {
    let decay = (-damping * w * period).exp();
    let turn = w * period * (1.0 - damping * damping).abs().sqrt();
    let middle = if damping < 1.0 {
        turn.cos()
    } else {
        turn.cosh()
    };
    let (sum, product) = (2.0 * decay * middle, decay * decay);
    let alpha = 1.0 - product;
    [alpha, (2.0 - alpha - sum) / period]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::Measured;
    use tandem_quantity::{Motion, Value, Values};
    use tandem_signal::noise::WhiteNoise;
    use tandem_test_support::larger;

    fn filter() -> Box<dyn super::super::Conditioner> {
        let values = Values::new()
            .with("crossover", Value::Number(4.0))
            .with("damping", Value::Number(0.7));
        (ENTRY.build)(&values, &Context::of(1, 1e-3)).unwrap()
    }

    /// Below, at and above the crossover the velocity has the right size and is in time.
    #[test]
    fn the_velocity_is_right_at_every_frequency() {
        for frequency in [0.3, 4.0, 25.0] {
            let w = 2.0 * std::f64::consts::PI * frequency;
            let (mut filter, wanted) = (filter(), Motion::at_rest(1));
            let mut measured = Measured::at_rest(1);
            let mut worst = 0.0_f64;
            for k in 0..6000_i32 {
                let t = f64::from(k) * 1e-3;
                measured.motion.displacement[0] = (w * t).sin() / w;
                measured.motion.acceleration[0] = -w * (w * t).sin();
                filter.condition(&wanted, &mut measured);
                if k > 3000 {
                    worst = larger(worst, (measured.motion.velocity[0] - (w * t).cos()).abs());
                }
            }
            // What is left is the trapezoidal rule on the acceleration: (ωT)²/12.
            assert!(
                worst < 3e-4 + (w * 1e-3).powi(2) / 6.0,
                "{frequency} Hz: {worst}"
            );
        }
    }

    /// Noise of 10 µm on the displacement and a constant of 10 mm/s² in the accelerometer:
    /// differences of the displacement are wrong by 14 mm/s, the integral of the acceleration
    /// drifts away by 60 mm/s; together they stay within a millimetre a second.
    #[test]
    fn neither_noise_nor_drift_comes_through() {
        let w = 2.0 * std::f64::consts::PI;
        let (mut filter, wanted) = (filter(), Motion::at_rest(1));
        let mut measured = Measured::at_rest(1);
        let mut noise = WhiteNoise::new(1e-5, 4).unwrap();
        let mut square = 0.0_f64;
        for k in 0..6000_i32 {
            let t = f64::from(k) * 1e-3;
            measured.motion.displacement[0] = 0.01 * (w * t).sin() + noise.next();
            measured.motion.acceleration[0] = -0.01 * w * w * (w * t).sin() + 0.01;
            filter.condition(&wanted, &mut measured);
            if k >= 3000 {
                let error = measured.motion.velocity[0] - 0.01 * w * (w * t).cos();
                square += error * error / 3000.0;
            }
        }
        assert!(square.sqrt() < 1e-3, "{}", square.sqrt());
    }
}
