//! Displacement and velocity from a displacement transducer and an accelerometer.

use super::{Build, Conditioner};
use crate::History;
use crate::rig::Measured;
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Motion, Range, Settings, settings, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "kalman",
        summary: "displacement and velocity by a Kalman filter from measured displacement (which \
            may come late) and acceleration",
        reference: "Kalata 1984 (steady gains in closed form); Larsen et al. 1998 (delayed \
            measurements)",
        parameters: KalmanSettings::PARAMETERS,
    },
    build: &|values,
             &Context {
                 actuators, period, ..
             }| {
        let settings = KalmanSettings::read(values)?;
        let (sensor, process) = (settings.displacement_noise, settings.acceleration_noise);
        let gains = gains(process * period * period / sensor, period);
        if !gains.iter().all(|g| g.is_finite()) {
            return Err(BuildError::new(
                "displacement_noise",
                "the ratio of the two noises is out of range",
                "give noises of ordinary size",
            ));
        }
        let late = settings.late;
        Ok(Box::new(Kalman::new(actuators, period, gains, late, true)))
    },
};

settings! {
    struct KalmanSettings {
        /// standard deviation of the transducer
        displacement_noise: f64 = number(Dimension::LENGTH).or("\"10 um\"").positive(),
        /// standard deviation of the accelerometer, and of what the motion does between two samples
        acceleration_noise: f64 = number(Dimension::ACCELERATION).or("\"0.05 m/s^2\"").positive(),
        /// ticks by which the displacement comes later than the acceleration
        late: usize = integer().or("0").within(Range::between(0.0, 10_000.0)),
    }
}

/// Steady gains on displacement and velocity for the tracking index Λ = σ_a T²/σ_x (Kalata 1984,
/// Eqs 12–15).
fn gains(index: f64, period: f64) -> [f64; 2] {
    let r = (4.0 + index - (8.0 * index + index * index).sqrt()) / 4.0;
    let alpha = 1.0 - r * r;
    let beta = 2.0 * (2.0 - alpha) - 4.0 * (1.0 - alpha).sqrt();
    [alpha, beta / period]
}

/// x' = v, v' = a, with a measured; corrected by the displacement of `late` ticks ago and brought
/// to the present with the accelerations since. Force and acceleration pass unchanged.
///
/// Ports: measured displacement (m), acceleration (m/s²) → displacement (m), velocity (m/s).
#[derive(Clone, Debug)]
pub(super) struct Kalman {
    period: f64,
    gains: [f64; 2],
    late: usize,
    /// Accelerations.
    past: History,
    /// Displacement and velocity `late` ticks ago.
    state: Vec<[f64; 2]>,
    /// Whether the displacement is replaced by the estimate too.
    displacement: bool,
}

snapshot!(Kalman { past, state });

impl Kalman {
    /// An observer at rest with these gains on displacement (–) and velocity (1/s).
    pub fn new(
        actuators: usize,
        period: f64,
        gains: [f64; 2],
        late: usize,
        displacement: bool,
    ) -> Self {
        Self {
            period,
            gains,
            late,
            past: History::new(actuators, late + 2),
            state: vec![[0.0; 2]; actuators],
            displacement,
        }
    }
}

/// One period under the mean acceleration of its ends.
#[inline]
fn advance([x, v]: [f64; 2], a: f64, h: f64) -> [f64; 2] {
    [x + h * (v + 0.5 * h * a), v + h * a]
}

impl Conditioner for Kalman {
    fn is_reading(&self) -> bool {
        true
    }

    #[inline]
    fn condition(&mut self, _wanted: &Motion, measured: &mut Measured) {
        self.past.push(&measured.motion.acceleration);
        let h = self.period;
        for i in 0..self.state.len() {
            let mean = |age: usize| 0.5 * (self.past.back(age + 1)[i] + self.past.back(age)[i]);
            let mut state = advance(self.state[i], mean(self.late), h);
            let innovation = measured.motion.displacement[i] - state[0];
            if innovation.is_finite() {
                state[0] += self.gains[0] * innovation;
                state[1] += self.gains[1] * innovation;
            }
            self.state[i] = state;
            for age in (0..self.late).rev() {
                state = advance(state, mean(age), h);
            }
            if self.displacement {
                measured.motion.displacement[i] = state[0];
            }
            measured.motion.velocity[i] = state[1];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tandem_test_support::larger;

    /// Expected: scipy.linalg.solve_discrete_are for T = 1/1024 s, σ_a = 0.05 m/s², σ_x = 10 µm.
    #[test]
    fn the_gains_solve_the_riccati_equation() {
        let period = 1.0 / 1024.0;
        let got = gains(0.05 * period * period / 1e-5, period);
        for (got, expected) in got.iter().zip([GAIN_X, GAIN_V]) {
            assert!((got / expected - 1.0).abs() < 1e-9, "{got} for {expected}");
        }
    }

    /// A displacement that comes five ticks late with noise of 10 µm: 2 Hz, 10 mm. Uncorrected it
    /// is 0.6 mm off; a filter with the right gains stays within the noise itself, and the velocity
    /// within 1 mm/s.
    #[test]
    fn late_displacements_are_brought_to_the_present() {
        let (period, late, w) = (1.0 / 1024.0, 5_i32, 4.0 * std::f64::consts::PI);
        let values = tandem_quantity::Values::new()
            .with("displacement_noise", tandem_quantity::Value::Number(1e-5))
            .with("acceleration_noise", tandem_quantity::Value::Number(0.05))
            .with("late", tandem_quantity::Value::Integer(i64::from(late)));
        let mut filter = (ENTRY.build)(&values, &Context::of(1, period)).unwrap();
        let mut noise = tandem_signal::noise::WhiteNoise::new(1e-5, 11).unwrap();
        let mut measured = Measured::at_rest(1);
        let wanted = Motion::at_rest(1);
        let (mut worst, mut worst_rate) = (0.0_f64, 0.0_f64);
        for k in 0..8192_i32 {
            let t = f64::from(k) * period;
            let seen = f64::from(k - late) * period;
            measured.motion.displacement[0] = 0.01 * (w * seen).sin() + noise.next();
            measured.motion.acceleration[0] = -0.01 * w * w * (w * t).sin();
            filter.condition(&wanted, &mut measured);
            if k > 2048 {
                let x = measured.motion.displacement[0] - 0.01 * (w * t).sin();
                let v = measured.motion.velocity[0] - 0.01 * w * (w * t).cos();
                (worst, worst_rate) = (larger(worst, x.abs()), larger(worst_rate, v.abs()));
            }
        }
        assert!(worst < 2e-5 && worst_rate < 1e-3, "{worst} {worst_rate}");
    }

    const GAIN_X: f64 = 0.093_030_585_753;
    const GAIN_V: f64 = 4.650_143_643_3;
}
