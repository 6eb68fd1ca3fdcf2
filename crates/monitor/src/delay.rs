//! Delay by cross-correlation over a sliding window.

use crate::synchronisation::{Amplitude, BoundSettings, Bounds, Found, pairs};
use crate::window::{ticks, window_ticks};
use crate::{Build, Figure, Monitor, MonitorContext, Observation, Verdict};
use tandem_quantity::{BuildError, Dimension, Entry, Method, Settings, Values, settings, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "delay",
        summary: "delay at which measured and target displacement are most alike over a sliding \
            window",
        reference: "Silva et al. 2020, J1, over a window, both signs, between samples",
        parameters: DelaySettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct DelaySettings {
        /// length of the window
        window: f64 = number(Dimension::TIME).or("\"1 s\"").positive(),
        /// longest delay and longest lead that are looked for
        longest: f64 = number(Dimension::TIME).or("\"50 ms\"").positive(),
        least: Amplitude,
        bounds: BoundSettings,
    }
}

fn build(values: &Values, context: &MonitorContext<'_>) -> Result<Box<dyn Monitor>, BuildError> {
    let settings = DelaySettings::read(values)?;
    let length = window_ticks("window", 16, settings.window, context)?;
    let lags = ticks("longest", settings.longest, context)?.max(1) + 1;
    if lags > length / 2 || lags > 2000 {
        return Err(BuildError::new(
            "longest",
            format!("{lags} ticks in a window of {length}"),
            "take at most half the window and 2000 ticks",
        ));
    }
    let actuator = || Actuator {
        samples: vec![[0.0; 2]; length + lags],
        moments: vec![[0.0; 4]; lags + 1],
        products: vec![0.0; 2 * lags + 1],
        fresh: vec![0.0; 2 * lags + 1],
        sums: [0.0; 4],
        fresh_sums: [0.0; 4],
        found: Found::default(),
        correlation: 1.0,
    };
    let actuators = context.problem.interface.iter().map(|_| actuator());
    Ok(Box::new(Delay {
        bounds: Bounds::new(&settings.bounds, context)?,
        least: settings.least.amplitude,
        period: context.period,
        length,
        lags,
        stride: (length / 100).max(1),
        actuators: actuators.collect(),
        ticks: 0,
    }))
}

/// The lag of the largest correlation coefficient of target and measured displacement, refined by a
/// parabola through it and its neighbours; amplitude error = σ of the measured over σ of the target
/// at that lag, less one.
///
/// The products at every lag are carried on from tick to tick. The moments of a lagged window are
/// those that the window had so many ticks ago, so the coefficients are those of a direct
/// evaluation. Of several actuators the largest delay and amplitude error and the smallest
/// correlation are shown.
struct Delay {
    bounds: Bounds,
    least: f64,
    period: f64,
    length: usize,
    lags: usize,
    stride: usize,
    actuators: Vec<Actuator>,
    ticks: usize,
}

struct Actuator {
    /// The last samples of target and measured displacement: a ring, longer than the window by the
    /// longest lag.
    samples: Vec<[f64; 2]>,
    /// Σ c, Σ m, Σ c², Σ m² of the window, now and at the last ticks: a ring.
    moments: Vec<[f64; 4]>,
    /// Σ of products at lag −lags … lags; positive: the target is the older one.
    products: Vec<f64>,
    fresh: Vec<f64>,
    sums: [f64; 4],
    fresh_sums: [f64; 4],
    found: Found,
    correlation: f64,
}

snapshot!(Actuator {
    samples,
    moments,
    products,
    fresh,
    sums,
    fresh_sums,
    found,
    correlation
});
snapshot!(Delay {
    bounds,
    actuators,
    ticks
});

/// The place `back` ticks before `at` in a ring.
#[inline]
fn before(at: usize, back: usize, ring: usize) -> usize {
    if at >= back {
        at - back
    } else {
        at + ring - back
    }
}

/// Products of the sample at `at` with those up to `lags` ticks before it, added to `into`.
#[inline]
fn correlate(samples: &[[f64; 2]], at: usize, lags: usize, sign: f64, into: &mut [f64]) {
    let [c, m] = samples[at];
    into[lags] += sign * c * m;
    let mut older = at;
    for lag in 1..=lags {
        older = before(older, 1, samples.len());
        let [old_c, old_m] = samples[older];
        into[lags + lag] += sign * old_c * m;
        into[lags - lag] += sign * c * old_m;
    }
}

impl Actuator {
    #[inline]
    fn push(&mut self, tick: usize, length: usize, lags: usize, newest: [f64; 2]) {
        let ring = self.samples.len();
        let at = tick % ring;
        // The sample that leaves the window and the `lags` before it are still in the ring, but for
        // the very oldest, on whose place the newest goes: so take off first.
        let leaving = before(at, length, ring);
        correlate(&self.samples, leaving, lags, -1.0, &mut self.products);
        let old = self.samples[leaving];
        self.samples[at] = newest;
        correlate(&self.samples, at, lags, 1.0, &mut self.products);
        correlate(&self.samples, at, lags, 1.0, &mut self.fresh);
        let moments = |[c, m]: [f64; 2]| [c, m, c * c, m * m];
        for k in 0..4 {
            self.sums[k] += moments(newest)[k] - moments(old)[k];
            self.fresh_sums[k] += moments(newest)[k];
        }
        if (tick + 1).is_multiple_of(length) {
            std::mem::swap(&mut self.products, &mut self.fresh);
            self.fresh.fill(0.0);
            self.sums = std::mem::replace(&mut self.fresh_sums, [0.0; 4]);
        }
        self.moments[tick % (lags + 1)] = self.sums;
    }

    fn evaluate(&mut self, tick: usize, length: usize, lags: usize, least: f64, period: f64) {
        let n = length as f64;
        let moments = |back: usize| self.moments[before(tick % (lags + 1), back, lags + 1)];
        let variance = |sum: f64, square: f64| square - sum * sum / n;
        let [c, m, cc, mm] = moments(0);
        let (target, measured) = (variance(c, cc), variance(m, mm));
        if target < n * least * least || measured <= 0.0 {
            return;
        }
        // Sums and variances of target and measured displacement, the older of the two as it was
        // `lag` ticks ago.
        let lagged = |at: usize| {
            if at >= lags {
                let [old, _, old_square, _] = moments(at - lags);
                ([old, m], [variance(old, old_square), measured])
            } else {
                let [_, old, _, old_square] = moments(lags - at);
                ([c, old], [target, variance(old, old_square)])
            }
        };
        let coefficient = |at: usize| {
            let (sums, variances) = lagged(at);
            let spread = (variances[0] * variances[1]).max(f64::MIN_POSITIVE);
            (self.products[at] - sums[0] * sums[1] / n) / spread.sqrt()
        };
        let (mut best, mut largest) = (lags, coefficient(lags));
        for at in 0..=2 * lags {
            let value = coefficient(at);
            if value > largest {
                (best, largest) = (at, value);
            }
        }
        let mut lag = best as f64 - lags as f64;
        if best > 0 && best < 2 * lags {
            let (left, right) = (coefficient(best - 1), coefficient(best + 1));
            let curvature = left - 2.0 * largest + right;
            if curvature < 0.0 {
                lag += 0.5 * (left - right) / curvature;
            }
        }
        let (_, [target, measured]) = lagged(best);
        self.found.delay = lag * period;
        self.correlation = largest;
        self.found.error = (measured / target.max(f64::MIN_POSITIVE)).sqrt() - 1.0;
    }
}

impl Delay {
    #[inline]
    fn shown(&self) -> Found {
        Found::worst(self.actuators.iter().map(|a| &a.found))
    }
}

impl Monitor for Delay {
    #[inline]
    fn observe(&mut self, frame: &Observation<'_>) -> Verdict {
        let evaluate =
            self.ticks >= self.length + self.lags && self.ticks.is_multiple_of(self.stride);
        for (a, (c, m)) in self.actuators.iter_mut().zip(pairs(frame)) {
            a.push(self.ticks, self.length, self.lags, [c, m]);
            if evaluate {
                a.evaluate(self.ticks, self.length, self.lags, self.least, self.period);
            }
        }
        self.ticks += 1;
        let shown = self.shown();
        self.bounds.judge(shown)
    }

    fn figures(&self) -> &'static [Figure] {
        &[
            (
                "delay",
                "s",
                "Delay of the measured motion by correlation over the window; positive: lag.",
            ),
            (
                "delay_error",
                "1",
                "Amplitude error over the window; negative: undershoot.",
            ),
            (
                "delay_correlation",
                "1",
                "Correlation of measured and target displacement at that delay.",
            ),
        ]
    }

    fn values(&self, into: &mut [f64]) {
        let Found { delay, error } = self.shown();
        (into[0], into[1]) = (delay, error);
        into[2] = self
            .actuators
            .iter()
            .fold(1.0, |least, a| f64::min(least, a.correlation));
    }

    fn words(&self) -> Option<String> {
        self.shown().words()
    }
}
