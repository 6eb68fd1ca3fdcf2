//! Adaptive time series.

use super::derivatives::{DerivativeSettings, Derivatives};
use super::window::Window;
use super::{Ahead, Build, Compensator, SwitchOn};
use crate::{History, LowPass};
use tandem_quantity::{
    BuildError, Context, Dimension, Entry, Method, Motion, Range, Settings, Values, settings,
    snapshot,
};

const TIME_SQUARED: Dimension = Dimension::of(0, 0, 2);

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "ats",
        summary: "adaptive time series: command = a0 x + a1 x' + a2 x'', coefficients by least \
            squares over a moving window",
        reference: "Chae, Kazemibidokhti and Ricles 2013; Tekeste, Correia and Costa 2025, section \
            2.8",
        parameters: <(AtsSettings, SwitchOn)>::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct AtsSettings {
        derivatives: DerivativeSettings,
        /// start value: one over the amplitude factor
        a0: f64 = number(Dimension::NONE).or("1.0").positive(),
        /// start value: delay times a0
        a1: f64 = number(Dimension::TIME).or("\"10 ms\"").positive(),
        /// start value; default: a1²/(2 a0)
        a2: Option<f64> = number(TIME_SQUARED).not_negative(),
        /// samples of the moving window; adaptation starts when it is full
        window: usize = integer().or("1024").within(Range::between(64.0, 1e6)),
        /// no adaptation while the RMS of the measured displacement in the window is below
        threshold: f64 = number(Dimension::LENGTH).or("\"1 mm\"").not_negative(),
        /// fourth-order Butterworth low-pass on command and measurement before the fit
        filter: f64 = number(Dimension::FREQUENCY).or("\"20 Hz\"").positive(),
        /// a0 stays within this share of its start value
        a0_margin: f64 = number(Dimension::NONE).or("0.3").within(Range::between(0.0, 0.9)),
        /// bounds: a1 up to it (times a0), a2 up to half its square; default: 2 a1/a0
        maximum_delay: Option<f64> = number(Dimension::TIME).positive(),
        /// largest change of a0 per second
        a0_rate: f64 = number(Dimension::FREQUENCY).or("\"1 Hz\"").positive(),
        /// largest change of a1, s per second
        a1_rate: f64 = number(Dimension::NONE).or("0.05").positive(),
        timing: Ahead,
    }
}

fn build(
    values: &Values,
    &Context {
        actuators, period, ..
    }: &Context<'_>,
) -> Result<Box<dyn Compensator>, BuildError> {
    let settings = AtsSettings::read(values)?;
    let (a0, a1) = (settings.a0, settings.a1);
    let longest = settings.maximum_delay.unwrap_or(2.0 * a1 / a0);
    let margin = settings.a0_margin;
    let start = [a0, a1, settings.a2.unwrap_or(a1 * a1 / (2.0 * a0))];
    // The paper bounds a1 by twice its start, which is a0 times the longest delay.
    let highest = [
        a0 * (1.0 + margin),
        a0 * longest,
        (0.5 * longest * longest).max(start[2]),
    ];
    if start[1] > highest[1] {
        return Err(BuildError::new(
            "maximum_delay",
            format!("{longest} s is below the start delay {} s", a1 / a0),
            "allow at least the delay that the start values stand for",
        ));
    }
    let delay_rate = settings.a1_rate;
    let cutoff = settings.filter;
    Ok(Box::new(Ats {
        bounds: [
            (a0 * (1.0 - margin), highest[0]),
            (0.0, highest[1]),
            (0.0, highest[2]),
        ],
        steps: [
            settings.a0_rate * period,
            delay_rate * period,
            longest * delay_rate * period,
        ],
        threshold: settings.threshold,
        ahead: settings.timing.ahead,
        target: Derivatives::build(&settings.derivatives, actuators, period)?,
        measured: Derivatives::build(&settings.derivatives, actuators, period)?,
        filter: LowPass::new(2 * actuators, 4, cutoff, period, "filter")?,
        sent: History::new(actuators, 2),
        windows: vec![Window::new(settings.window); actuators],
        coefficients: vec![start; actuators],
        scratch: vec![0.0; actuators],
    }))
}

/// The command is what the fitted model of the transfer system says it must be.
///
/// Ports: wanted displacement (m) → command (m); measured displacement (m) adapts a0 (–), a1 (s),
/// a2 (s²). Delay is a1/a0, amplitude factor 1/a0. Command and measurement pass the same low-pass
/// and the same derivatives, so the fit sees the relation that the command is made with. Adaptation
/// starts from the given coefficients and moves at bounded rates within bounds: no bump at the
/// start, nothing winds up.
#[derive(Clone, Debug)]
pub struct Ats {
    bounds: [(f64, f64); 3],
    /// Largest change a tick.
    steps: [f64; 3],
    threshold: f64,
    ahead: usize,
    target: Derivatives,
    measured: Derivatives,
    filter: LowPass,
    sent: History,
    windows: Vec<Window>,
    coefficients: Vec<[f64; 3]>,
    scratch: Vec<f64>,
}

snapshot!(Ats {
    target,
    measured,
    filter,
    sent,
    windows,
    coefficients
});

impl Ats {
    #[inline]
    fn adapt(&mut self, i: usize) {
        let window = &self.windows[i];
        if !window.is_full() || window.rms() < self.threshold {
            return;
        }
        let a = &mut self.coefficients[i];
        let (low, high) = self.bounds[2];
        let fit = match window.solve() {
            Some(fit) if fit[2] >= low && fit[2] <= high => Some(fit),
            // At its bound the third coefficient is given, and the other two are the best beside
            // it.
            Some(fit) => {
                let third = fit[2].clamp(low, high);
                window.solve_two(third).map(|[p, q]| [p, q, third])
            }
            None => window.solve_two(a[2]).map(|[p, q]| [p, q, a[2]]),
        };
        let Some(fit) = fit else { return };
        for k in 0..3 {
            let (low, high) = self.bounds[k];
            let goal = fit[k].clamp(low, high);
            if goal.is_finite() {
                a[k] += (goal - a[k]).clamp(-self.steps[k], self.steps[k]);
            }
        }
    }
}

impl Compensator for Ats {
    #[inline]
    fn propose(&mut self, wanted: &Motion, measured: &Motion, command: &mut Motion) {
        let n = wanted.len();
        // The fit: what was sent against what came of it.
        for i in 0..n {
            self.scratch[i] = self.filter.step(i, measured.displacement[i]);
        }
        self.measured.push(&self.scratch);
        if self.ahead == 1 {
            self.fit(n);
        }
        self.target.push(&wanted.displacement);
        for i in 0..n {
            let a = self.coefficients[i];
            let [x, v, acceleration] = self.target.at(i);
            command.displacement[i] = a[0] * x + a[1] * v + a[2] * acceleration;
            command.velocity[i] = a[0] * wanted.velocity[i] + a[1] * wanted.acceleration[i];
            command.acceleration[i] = a[0] * wanted.acceleration[i];
        }
    }

    #[inline]
    fn sent(&mut self, command: &Motion) {
        let n = command.len();
        for i in 0..n {
            self.scratch[i] = self.filter.step(n + i, command.displacement[i]);
        }
        self.sent.push(&self.scratch);
        if self.ahead == 0 {
            self.fit(n);
        }
    }

    fn coefficients(&self, actuator: usize) -> &[f64] {
        self.coefficients.get(actuator).map_or(&[], |c| c)
    }

    fn bounds(&self, _actuator: usize) -> &[(f64, f64)] {
        &self.bounds
    }
}

impl Ats {
    #[inline]
    fn fit(&mut self, actuators: usize) {
        for i in 0..actuators {
            self.windows[i].push(self.measured.at(i), self.sent.back(0)[i]);
            self.adapt(i);
        }
    }
}
