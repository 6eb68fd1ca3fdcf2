//! Inverse of a delay, fixed or led by the tracking indicator.

use super::{Build, Compensator, SwitchOn};
use tandem_quantity::{
    BuildError, Conditional, Context, Dimension, Entry, Method, Motion, Settings, Values, settings,
    snapshot,
};

/// Delay per area of the tracking indicator, s/m².
const PER_AREA: Dimension = Dimension::of(0, -2, 1);
const PER_AREA_SECOND: Dimension = Dimension::of(0, -2, 0);

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "inverse",
        summary: "inverse of a delay α ticks long, u = α x − (α − 1) x₋₁; adaptive with the \
            tracking indicator",
        reference: "Chen and Ricles 2009, 2010",
        parameters: <(InverseSettings, SwitchOn)>::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct InverseSettings {
        /// delay of the transfer system, or its first estimate
        delay: f64 = number(Dimension::TIME).or("\"10 ms\"").positive(),
        /// let the tracking indicator correct the delay
        adaptive: bool = boolean().or("false"),
        /// delay per area of the tracking indicator
        proportional: Conditional<f64> = number(PER_AREA).or("\"200 s/m^2\"").not_negative(),
        /// the same, per second
        integral: Conditional<f64> = number(PER_AREA_SECOND).or("\"0 1/m^2\"").not_negative(),
        /// bound of the corrected delay; default: twice the first estimate
        maximum_delay: Option<f64> = number(Dimension::TIME).positive(),
        /// largest change of the delay, s per second
        delay_rate: f64 = number(Dimension::NONE).or("0.05").positive(),
        /// the indicator stands still while the RMS of the measured displacement over about a
        /// second is below
        threshold: f64 = number(Dimension::LENGTH).or("\"1 mm\"").not_negative(),
    }
}

fn build(
    values: &Values,
    &Context {
        actuators, period, ..
    }: &Context<'_>,
) -> Result<Box<dyn Compensator>, BuildError> {
    let settings = InverseSettings::read(values)?;
    let delay = settings.delay;
    let most = settings.maximum_delay.unwrap_or(2.0 * delay);
    if most < delay {
        return Err(BuildError::new(
            "maximum_delay",
            format!("{most} s is below the delay of {delay} s"),
            "allow at least the first estimate",
        ));
    }
    Ok(Box::new(Inverse {
        period,
        first: delay,
        most,
        gains: if settings.adaptive {
            Some([
                settings.proportional.read()?,
                settings.integral.read()? * period,
            ])
        } else {
            None
        },
        step: settings.delay_rate * period,
        threshold: settings.threshold,
        smoothing: period.min(1.0),
        power: vec![0.0; actuators],
        delays: vec![[delay]; actuators],
        wanted: vec![0.0; actuators],
        before: vec![0.0; actuators],
        measured: vec![0.0; actuators],
        indicator: vec![0.0; actuators],
        sum: vec![0.0; actuators],
    }))
}

/// u = x + τ (x − x₋₁)/δt. With `adaptive`, τ goes at a bounded rate towards τ₀ + kp TI + ki ∫TI
/// within 0 … the bound, TI the enclosed area of wanted over measured displacement (m²; it grows
/// while the measurement lags).
#[derive(Clone, Debug)]
pub struct Inverse {
    period: f64,
    /// First estimate of the delay, and its bound.
    first: f64,
    most: f64,
    gains: Option<[f64; 2]>,
    /// Largest change of a delay a tick.
    step: f64,
    threshold: f64,
    smoothing: f64,
    /// Smoothed square of the measured displacement.
    power: Vec<f64>,
    /// The delays now.
    delays: Vec<[f64; 1]>,
    /// Wanted displacement of this and the tick before, as last seen.
    wanted: Vec<f64>,
    before: Vec<f64>,
    measured: Vec<f64>,
    indicator: Vec<f64>,
    sum: Vec<f64>,
}

snapshot!(Inverse {
    power,
    delays,
    wanted,
    before,
    measured,
    indicator,
    sum
});

impl Compensator for Inverse {
    #[inline]
    fn propose(&mut self, wanted: &Motion, measured: &Motion, command: &mut Motion) {
        for i in 0..wanted.len() {
            let (x, m) = (wanted.displacement[i], measured.displacement[i]);
            self.power[i] += self.smoothing * (m * m - self.power[i]);
            let gate = self.threshold * self.threshold;
            if let Some([proportional, integral]) = self.gains
                && self.power[i] >= gate
            {
                // What was wanted for this tick is the last call's wanted motion. TI = ½ ∮ (w dm −
                // m dw).
                let (w0, w1, m0) = (self.before[i], self.wanted[i], self.measured[i]);
                self.indicator[i] += 0.25 * ((w1 + w0) * (m - m0) - (m + m0) * (w1 - w0));
                let more = integral * self.indicator[i];
                let free = self.first + proportional * self.indicator[i] + self.sum[i] + more;
                let goal = free.clamp(0.0, self.most);
                // The integral stands still where it would push further beyond the bounds.
                if (free - goal) * more <= 0.0 {
                    self.sum[i] += more;
                }
                let change = (goal - self.delays[i][0]).clamp(-self.step, self.step);
                if change.is_finite() {
                    self.delays[i][0] += change;
                }
            }
            let delay = self.delays[i][0];
            let velocity = (x - self.wanted[i]) / self.period;
            command.displacement[i] = x + delay * velocity;
            command.velocity[i] = wanted.velocity[i] + delay * wanted.acceleration[i];
            command.acceleration[i] = wanted.acceleration[i];
            self.before[i] = self.wanted[i];
            self.wanted[i] = x;
            self.measured[i] = m;
        }
    }

    fn coefficients(&self, actuator: usize) -> &[f64] {
        match (self.gains, self.delays.get(actuator)) {
            (Some(_), Some(delay)) => delay.as_slice(),
            _ => &[],
        }
    }
}
