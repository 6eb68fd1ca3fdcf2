//! Sliding-mode control of a second-order transfer system.

use super::derivatives::Derivatives;
use super::model::SecondOrder;
use super::{Build, Compensator, SwitchOn};
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Motion, Settings, Values, settings, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "sliding-mode",
        summary: "keeps the error of an observed second-order transfer system on a sliding \
            surface; robust to what the model misses",
        reference: "Slotine and Li 1991, section 7.1; Li et al. 2021",
        parameters: <(SlidingModeSettings, SwitchOn)>::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct SlidingModeSettings {
        lag: SecondOrder,
        /// λ/2π of the surface s = e' + λ e: how fast the error decays on it
        surface: f64 = number(Dimension::FREQUENCY).or("\"6 Hz\"").positive(),
        /// how fast the surface is reached, η/2π of s' = −η s
        reach: f64 = number(Dimension::FREQUENCY).or("\"4 Hz\"").not_negative(),
        /// amplitude of the switching term
        switching: f64 = number(Dimension::ACCELERATION).or("\"0.2 m/s^2\"").not_negative(),
        /// thickness of the boundary layer in which the switching is smooth
        layer: f64 = number(Dimension::VELOCITY).or("\"50 mm/s\"").positive(),
        /// bandwidth of the observer that corrects the model by the measurement
        observer: f64 = number(Dimension::FREQUENCY).or("\"5 Hz\"").not_negative(),
    }
}

fn build(
    values: &Values,
    &Context {
        actuators, period, ..
    }: &Context<'_>,
) -> Result<Box<dyn Compensator>, BuildError> {
    let settings = SlidingModeSettings::read(values)?;
    let circle = 2.0 * std::f64::consts::PI;
    let w = circle * settings.lag.frequency;
    let observer = circle * settings.observer;
    for (key, rate) in [("frequency", w), ("observer", observer)] {
        if rate * period > 0.5 {
            return Err(BuildError::new(
                key,
                format!(
                    "{:.1} Hz is too fast for a period of {period} s",
                    rate / circle
                ),
                "raise command.rate, or give a lower frequency",
            ));
        }
    }
    Ok(Box::new(SlidingMode {
        period,
        stiffness: w * w,
        damping: 2.0 * settings.lag.damping * w,
        input: settings.lag.gain * w * w,
        surface: circle * settings.surface,
        reach: circle * settings.reach,
        switching: settings.switching,
        layer: settings.layer,
        correction: [2.0 * observer, observer * observer],
        target: Derivatives::new(actuators, 3, 1, period)?,
        state: vec![[0.0; 2]; actuators],
        sent: vec![0.0; actuators],
    }))
}

/// Model ẍ + 2ζω ẋ + ω² x = g ω² u with observed x̂, v̂; e = x̂ − x_wanted, s = ė + λ e; g ω² u =
/// ẍ_wanted + 2ζω v̂ + ω² x̂ − λ ė − η s − K sat(s/φ), so that s' = −η s − K sat(s/φ) in the model.
///
/// Ports: wanted and measured displacement (m) → command (m).
#[derive(Clone, Debug)]
pub struct SlidingMode {
    period: f64,
    stiffness: f64,
    damping: f64,
    input: f64,
    surface: f64,
    reach: f64,
    switching: f64,
    layer: f64,
    correction: [f64; 2],
    target: Derivatives,
    /// Observed displacement and velocity.
    state: Vec<[f64; 2]>,
    sent: Vec<f64>,
}

snapshot!(SlidingMode {
    target,
    state,
    sent
});

impl SlidingMode {
    /// The model over one period under the held command (Runge–Kutta 4).
    #[inline]
    fn predicted(&self, i: usize) -> [f64; 2] {
        let h = self.period;
        let (k, c, b, u) = (self.stiffness, self.damping, self.input, self.sent[i]);
        let rates = |[x, v]: [f64; 2]| [v, b * u - c * v - k * x];
        let y = self.state[i];
        let at = |r: [f64; 2], f: f64| [y[0] + f * r[0], y[1] + f * r[1]];
        let k1 = rates(y);
        let k2 = rates(at(k1, 0.5 * h));
        let k3 = rates(at(k2, 0.5 * h));
        let k4 = rates(at(k3, h));
        std::array::from_fn(|j| y[j] + h / 6.0 * (k1[j] + 2.0 * (k2[j] + k3[j]) + k4[j]))
    }

    /// The prediction, pulled towards the measurement.
    #[inline]
    fn observe(&mut self, i: usize, measured: f64) {
        let h = self.period;
        let mut next = self.predicted(i);
        let innovation = measured - next[0];
        if innovation.is_finite() {
            next[0] += h * self.correction[0] * innovation;
            next[1] += h * self.correction[1] * innovation;
        }
        self.state[i] = next;
    }
}

impl Compensator for SlidingMode {
    #[inline]
    fn propose(&mut self, wanted: &Motion, measured: &Motion, command: &mut Motion) {
        self.target.push(&wanted.displacement);
        for i in 0..wanted.len() {
            self.observe(i, measured.displacement[i]);
            let [x, v] = self.state[i];
            // Wanted is for the next tick; the state is of this one.
            let [next, velocity, acceleration] = self.target.at(i);
            let now = next - self.period * (velocity - 0.5 * self.period * acceleration);
            let (e, rate) = (x - now, v - (velocity - self.period * acceleration));
            let s = rate + self.surface * e;
            let smooth = (s / self.layer).clamp(-1.0, 1.0);
            // The command is held: what it cancels is that of the middle of the period.
            let half = 0.5 * self.period;
            let middle = [
                x + half * (v + 0.5 * half * acceleration),
                v + half * acceleration,
            ];
            let u = (acceleration + self.damping * middle[1] + self.stiffness * middle[0]
                - self.surface * rate
                - self.reach * s
                - self.switching * smooth)
                / self.input;
            command.displacement[i] = u;
            command.velocity[i] = wanted.velocity[i];
            command.acceleration[i] = wanted.acceleration[i];
        }
    }

    #[inline]
    fn sent(&mut self, command: &Motion) {
        self.sent.copy_from_slice(&command.displacement);
    }

    fn closes_a_loop(&self) -> bool {
        true
    }

    /// What the observer expects of this tick, before it has seen the measurement.
    fn estimate(&self, _measured: &[f64], estimate: &mut [f64]) {
        for (i, x) in estimate.iter_mut().enumerate() {
            *x = self.predicted(i)[0];
        }
    }
}
