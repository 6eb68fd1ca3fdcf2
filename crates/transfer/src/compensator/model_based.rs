//! Feed-forward by the inverse of a known transfer system, with feedback on the rest.

use super::derivatives::Derivatives;
use super::model::SecondOrder;
use super::{Build, Compensator, SwitchOn};
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Motion, Range, Settings, Values, settings,
    snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "model-based",
        summary: "inverse of a known second- or third-order transfer system, and a \
            proportional-integral correction",
        reference: "Carrion and Spencer 2007; Phillips and Spencer 2012",
        parameters: <(ModelBasedSettings, SwitchOn)>::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct ModelBasedSettings {
        lag: SecondOrder,
        /// real pole of a third-order transfer system; default: second order
        bandwidth: Option<f64> = number(Dimension::FREQUENCY).positive(),
        /// feedback gain on the tracking error
        proportional: f64 = number(Dimension::NONE).or("0.0").within(Range::between(0.0, 10.0)),
        /// feedback gain on its integral
        integral: f64 = number(Dimension::FREQUENCY).or("\"1 Hz\"").not_negative(),
        /// the feedback adds no more than this
        correction: f64 = number(Dimension::LENGTH).or("\"5 mm\"").positive(),
    }
}

fn build(
    values: &Values,
    &Context {
        actuators, period, ..
    }: &Context<'_>,
) -> Result<Box<dyn Compensator>, BuildError> {
    let settings = ModelBasedSettings::read(values)?;
    let circle = 2.0 * std::f64::consts::PI;
    let w = circle * settings.lag.frequency;
    let (zeta, gain) = (settings.lag.damping, settings.lag.gain);
    let lag = settings.bandwidth.map_or(0.0, |f| 1.0 / (circle * f));
    // (1 + lag s)(1 + 2ζ/ω s + s²/ω²)/gain.
    let (c1, c2) = (2.0 * zeta / w, 1.0 / (w * w));
    Ok(Box::new(ModelBased {
        inverse: [1.0, c1 + lag, c2 + lag * c1, lag * c2].map(|c| c / gain),
        rate: 1.0 / period,
        proportional: settings.proportional,
        integral: settings.integral * period,
        correction: settings.correction,
        target: Derivatives::new(actuators, 3, 1, period)?,
        acceleration: vec![0.0; actuators],
        due: vec![0.0; actuators],
        sum: vec![0.0; actuators],
    }))
}

/// u = (x + c₁x' + c₂x'' + c₃x''')/gain + Kp e + Ki ∫e, e = wanted for this tick − measured; the
/// correction is bounded and does not wind up.
///
/// Ports: wanted and measured displacement (m) → command (m).
#[derive(Clone, Debug)]
pub struct ModelBased {
    inverse: [f64; 4],
    rate: f64,
    proportional: f64,
    integral: f64,
    correction: f64,
    target: Derivatives,
    acceleration: Vec<f64>,
    /// Wanted for this tick.
    due: Vec<f64>,
    sum: Vec<f64>,
}

snapshot!(ModelBased {
    target,
    acceleration,
    due,
    sum
});

impl Compensator for ModelBased {
    #[inline]
    fn propose(&mut self, wanted: &Motion, measured: &Motion, command: &mut Motion) {
        self.target.push(&wanted.displacement);
        let c = self.inverse;
        for i in 0..wanted.len() {
            let [x, v, a] = self.target.at(i);
            let jerk = (a - self.acceleration[i]) * self.rate;
            self.acceleration[i] = a;
            let error = self.due[i] - measured.displacement[i];
            self.due[i] = x;
            let step = self.integral * error;
            let free = self.proportional * error + self.sum[i] + step;
            let correction = free.clamp(-self.correction, self.correction);
            if (free - correction) * error <= 0.0 {
                self.sum[i] += step;
            }
            command.displacement[i] = c[0] * x + c[1] * v + c[2] * a + c[3] * jerk + correction;
            command.velocity[i] = c[0] * wanted.velocity[i] + c[1] * wanted.acceleration[i];
            command.acceleration[i] = c[0] * wanted.acceleration[i];
        }
    }

    fn closes_a_loop(&self) -> bool {
        true
    }
}
