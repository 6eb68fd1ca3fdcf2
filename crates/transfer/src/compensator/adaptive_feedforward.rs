//! Adaptive feed-forward of order 1 to 3 by a gradient law.

use super::{Ahead, Build, Compensator, SwitchOn};
use crate::LowPass;
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Motion, Range, Settings, Values, settings,
    snapshot,
};

/// Highest order, plus one.
const MOST: usize = 4;

/// a0 and a1 at the start.
const START: [f64; MOST] = [1.0, 0.010, 0.0, 0.0];

/// How a derivative counts in the law's denominator: as published in SI, but for the jerk, which at
/// 1/(50 ms) = 20 rad/s is 20 times as large as the acceleration and counts like it. Its square
/// would else be the whole of the denominator, and no coefficient would move any more.
const SIZE: [f64; MOST] = [1.0, 1.0, 1.0, 1.0 / 20.0];

/// G0 and G1 as published for order 1. Each further derivative of such a motion is 20 times as
/// large in SI; in the gradient it counts with its coefficient once more, so that every further
/// gain is 20² times smaller for all coefficients to adapt at the same pace.
const ADAPTATION: [f64; MOST] = [1e5, 1e4, 1e4 / 400.0, 1e4 / 160_000.0];

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "adaptive-feedforward",
        summary: "adaptive model-based (AMB) inverse of order 1 to 3: u = Σ aᵢ x⁽ⁱ⁾, coefficients \
            by a normalised gradient law",
        reference: "Gálmez and Fermandois 2020, Eqs 31–33; 2022 (order 3)",
        parameters: <(AdaptiveFeedforwardSettings, SwitchOn)>::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct AdaptiveFeedforwardSettings {
        /// highest derivative of the inverse model
        order: usize = integer().or("1").within(Range::between(1.0, 3.0)),
        /// a0, a1 (s), a2 (s²), a3 (s³) at the start; default: 1, 10 ms, then zero
        start: Option<Vec<f64>> = numbers(Dimension::NONE),
        /// gains G0, G1, … of the gradient law, in m and s; default: 1e5, 1e4, 25, 0.0625
        adaptation: Option<Vec<f64>> = numbers(Dimension::NONE),
        /// fourth-order Butterworth low-pass on command and measurement
        filter: f64 = number(Dimension::FREQUENCY).or("\"20 Hz\"").positive(),
        /// a0 stays within this share of its start value
        a0_margin: f64 = number(Dimension::NONE).or("0.3").within(Range::between(0.0, 0.9)),
        /// bound of a1/a0; a2 and a3 stay below its square and cube
        maximum_delay: f64 = number(Dimension::TIME).or("\"60 ms\"").positive(),
        /// no adaptation while the RMS of the measured displacement over about a second is below
        threshold: f64 = number(Dimension::LENGTH).or("\"0.1 mm\"").not_negative(),
        /// largest change of a0 per second; the others in proportion to their bounds
        a0_rate: f64 = number(Dimension::FREQUENCY).or("\"1 Hz\"").positive(),
        timing: Ahead,
    }
}

fn build(
    values: &Values,
    &Context {
        actuators, period, ..
    }: &Context<'_>,
) -> Result<Box<dyn Compensator>, BuildError> {
    let settings = AdaptiveFeedforwardSettings::read(values)?;
    let order = settings.order;
    let list = |key: &str, given: Option<&[f64]>, usual: [f64; MOST]| {
        let Some(given) = given else {
            return Ok(usual);
        };
        if given.len() != order + 1 {
            return Err(BuildError::new(
                key,
                format!("{} values for order {order}", given.len()),
                format!("give {} values", order + 1),
            ));
        }
        let mut out = [0.0; MOST];
        out[..=order].copy_from_slice(given);
        Ok(out)
    };
    let start = list("start", settings.start.as_deref(), START)?;
    let gains = list("adaptation", settings.adaptation.as_deref(), ADAPTATION)?.map(|g| g * period);
    let (margin, longest) = (settings.a0_margin, settings.maximum_delay);
    let a0 = start[0];
    let bound = |k: usize, width: f64| {
        let width = width.max(start[k].abs());
        (-width, width)
    };
    let cutoff = settings.filter;
    let step = settings.a0_rate * period;
    Ok(Box::new(AdaptiveFeedforward {
        order,
        gains,
        bounds: [
            (a0 - margin * a0.abs(), a0 + margin * a0.abs()),
            (0.0_f64.min(start[1]), (a0 * longest).max(start[1])),
            bound(2, longest * longest),
            bound(3, longest * longest * longest),
        ],
        steps: [
            step,
            step * longest,
            step * longest * longest,
            step * longest * longest * longest,
        ],
        threshold: settings.threshold,
        smoothing: period.min(1.0),
        power: vec![0.0; actuators],
        rate: 1.0 / period,
        ahead: settings.timing.ahead,
        filter: LowPass::new(2 * actuators, 4, cutoff, period, "filter")?,
        sent: vec![0.0; actuators],
        target: vec![[0.0; MOST]; actuators],
        measured: vec![[0.0; MOST]; actuators],
        coefficients: vec![start; actuators],
    }))
}

/// e = (u_f − Σ aᵢ x_m,f⁽ⁱ⁾)/(1 + Σ (sᵢ x_m,f⁽ⁱ⁾)²) with the sizes sᵢ above, aᵢ' = Gᵢ e x_m,f⁽ⁱ⁾;
/// derivatives by backward differences, SI. A step undoes the error at most once.
///
/// Ports: wanted and measured displacement (m) → command (m).
#[derive(Clone, Debug)]
pub struct AdaptiveFeedforward {
    order: usize,
    /// Adaptation gain times period.
    gains: [f64; MOST],
    bounds: [(f64, f64); MOST],
    /// Largest change a tick.
    steps: [f64; MOST],
    threshold: f64,
    smoothing: f64,
    /// Smoothed square of the measured displacement.
    power: Vec<f64>,
    rate: f64,
    ahead: usize,
    filter: LowPass,
    sent: Vec<f64>,
    /// Signal and its backward differences, at the last tick.
    target: Vec<[f64; MOST]>,
    measured: Vec<[f64; MOST]>,
    coefficients: Vec<[f64; MOST]>,
}

snapshot!(AdaptiveFeedforward {
    power,
    filter,
    sent,
    target,
    measured,
    coefficients
});

/// The value and its successive backward differences; `last` holds those of the sample before.
#[inline]
fn differences(last: &mut [f64; MOST], value: f64, rate: f64) -> [f64; MOST] {
    let mut now = [value; MOST];
    for k in 1..MOST {
        now[k] = (now[k - 1] - last[k - 1]) * rate;
    }
    *last = now;
    now
}

impl AdaptiveFeedforward {
    #[inline]
    fn adapt(&mut self, i: usize, measured: &[f64; MOST]) {
        if self.threshold > 0.0 {
            self.power[i] += self.smoothing * (measured[0] * measured[0] - self.power[i]);
            if self.power[i] < self.threshold * self.threshold {
                return;
            }
        }
        let a = &mut self.coefficients[i];
        let used = ..=self.order;
        let (mut error, mut power) = (self.sent[i], 1.0);
        for ((a, x), size) in a[used].iter().zip(&measured[used]).zip(SIZE) {
            error -= a * x;
            power += (size * x).powi(2);
        }
        error /= power;
        // A step that would more than undo the error (large amplitudes) is cut to one that undoes
        // it: the law is a projection then, and stable at every amplitude. At ordinary amplitudes
        // it is the published one.
        let undone: f64 = (0..=self.order)
            .map(|k| self.gains[k] * measured[k] * measured[k] / power)
            .sum();
        error /= undone.max(1.0);
        for k in 0..=self.order {
            let (low, high) = self.bounds[k];
            let change = self.gains[k] * error * measured[k];
            if change.is_finite() {
                a[k] = (a[k] + change.clamp(-self.steps[k], self.steps[k])).clamp(low, high);
            }
        }
    }
}

impl Compensator for AdaptiveFeedforward {
    #[inline]
    fn propose(&mut self, wanted: &Motion, measured: &Motion, command: &mut Motion) {
        let n = wanted.len();
        for i in 0..n {
            let filtered = self.filter.step(i, measured.displacement[i]);
            let m = differences(&mut self.measured[i], filtered, self.rate);
            if self.ahead == 1 {
                self.adapt(i, &m);
            }
            let x = differences(&mut self.target[i], wanted.displacement[i], self.rate);
            let a = &self.coefficients[i];
            command.displacement[i] = (0..=self.order).map(|k| a[k] * x[k]).sum();
            command.velocity[i] = a[0] * wanted.velocity[i] + a[1] * wanted.acceleration[i];
            command.acceleration[i] = a[0] * wanted.acceleration[i];
        }
    }

    #[inline]
    fn sent(&mut self, command: &Motion) {
        let n = command.len();
        for i in 0..n {
            self.sent[i] = self.filter.step(n + i, command.displacement[i]);
            if self.ahead == 0 {
                let measured = self.measured[i];
                self.adapt(i, &measured);
            }
        }
    }

    fn coefficients(&self, actuator: usize) -> &[f64] {
        self.coefficients
            .get(actuator)
            .map_or(&[], |c| &c[..=self.order])
    }

    fn bounds(&self, _actuator: usize) -> &[(f64, f64)] {
        &self.bounds[..=self.order]
    }
}
