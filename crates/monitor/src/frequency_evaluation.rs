//! Frequency evaluation index FEI on a sliding window: delay and gain against time.

use crate::synchronisation::{Amplitude, BoundSettings, Bounds, Found, pairs};
use crate::window::window_ticks;
use crate::{Build, Figure, Monitor, MonitorContext, Observation, Verdict};
use std::f64::consts::TAU;
use tandem_quantity::{
    BuildError, Dimension, Entry, Method, Settings, Values, index, settings, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "frequency_evaluation",
        summary: "FEI: delay and amplitude error from spectra of target and measured displacement \
            over a sliding window",
        reference: "Guo, Chen, Xu and Sanchez 2014; moving window: Xu et al. 2019",
        parameters: FrequencyEvaluationSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct FrequencyEvaluationSettings {
        /// length of the window; its reciprocal is the step of frequency
        window: f64 = number(Dimension::TIME).or("\"2 s\"").positive(),
        /// highest frequency that is looked at
        highest: f64 = number(Dimension::FREQUENCY).or("\"20 Hz\"").positive(),
        least: Amplitude,
        bounds: BoundSettings,
    }
}

fn build(values: &Values, context: &MonitorContext<'_>) -> Result<Box<dyn Monitor>, BuildError> {
    let settings = FrequencyEvaluationSettings::read(values)?;
    let length = window_ticks("window", 16, settings.window, context)?;
    let duration = length as f64 * context.period;
    let bins = (settings.highest * duration)
        .floor()
        .min((length / 2 - 2) as f64);
    if !(1.0..=2000.0).contains(&bins) {
        return Err(BuildError::new(
            "highest",
            format!("{bins} lines of the spectrum are looked at, where 1 to 2000 would do"),
            "change the window or the highest frequency",
        ));
    }
    let bins = index(bins);
    let actuator = || Actuator {
        samples: vec![[0.0; 2]; length],
        sums: vec![[0.0; 4]; bins + 2],
        fresh: vec![[0.0; 4]; bins + 2],
        found: Found::default(),
    };
    let turn = |n: usize| TAU * n as f64 / length as f64;
    Ok(Box::new(FrequencyEvaluation {
        bounds: Bounds::new(&settings.bounds, context)?,
        least: settings.least.amplitude,
        duration,
        // An evaluation costs as much as a few ticks of carrying the sums on; a hundred in a window
        // are plenty.
        stride: (length / 100).max(1),
        turns: (0..length)
            .map(|n| [turn(n).cos(), turn(n).sin()])
            .collect(),
        actuators: context
            .problem
            .interface
            .iter()
            .map(|_| actuator())
            .collect(),
        at: 0,
        full: false,
    }))
}

/// FEI = Σ (O/I) |I|² / Σ |I|² over the lines of the spectra I of the target and O of the measured
/// motion (Guo et al. 2014 with power 2): gain = |FEI|, delay = −arg FEI / 2π f with f = Σ f |I|² /
/// Σ |I|².
///
/// Every line is a sum of samples times e^(−2πi k n/N) that is carried on from tick to tick; since
/// the newest and the oldest sample meet the same factor, nothing turns and no error grows. The von
/// Hann window is laid on afterwards, as the mean of neighbouring lines. Of several actuators the
/// largest delay and amplitude error are shown.
struct FrequencyEvaluation {
    bounds: Bounds,
    least: f64,
    duration: f64,
    stride: usize,
    /// cos and sin of 2π n/N.
    turns: Vec<[f64; 2]>,
    actuators: Vec<Actuator>,
    at: usize,
    full: bool,
}

struct Actuator {
    samples: Vec<[f64; 2]>,
    /// Real and imaginary part of I, of O; lines 0 to highest + 1.
    sums: Vec<[f64; 4]>,
    /// The same since the ring began its turn; replaces `sums` at its end, so that rounding does
    /// not stay.
    fresh: Vec<[f64; 4]>,
    found: Found,
}

snapshot!(Actuator {
    samples,
    sums,
    fresh,
    found
});
snapshot!(FrequencyEvaluation {
    bounds,
    actuators,
    at,
    full
});

impl Actuator {
    #[inline]
    fn push(&mut self, at: usize, turns: &[[f64; 2]], newest: [f64; 2]) {
        let oldest = std::mem::replace(&mut self.samples[at], newest);
        let change = [newest[0] - oldest[0], newest[1] - oldest[1]];
        let mut turn = 0;
        for (sum, fresh) in self.sums.iter_mut().zip(&mut self.fresh) {
            let [cos, sin] = turns[turn];
            *sum = add(*sum, change, cos, sin);
            *fresh = add(*fresh, newest, cos, sin);
            turn += at;
            if turn >= turns.len() {
                turn -= turns.len();
            }
        }
    }

    /// `start`: cos and sin at the oldest sample of the window.
    fn evaluate(&mut self, start: [f64; 2], least: f64, duration: f64) {
        let hann = |k: usize, part: usize| {
            let (re, im) = (part, part + 1);
            let [before, line, after] = [&self.sums[k - 1], &self.sums[k], &self.sums[k + 1]];
            let [cos, sin] = start;
            // ½ X_k − ¼ (W X_{k−1} + W* X_{k+1}), W = e^(−2πi n₀/N).
            [
                0.5 * line[re]
                    - 0.25 * (cos * (before[re] + after[re]) + sin * (before[im] - after[im])),
                0.5 * line[im]
                    - 0.25 * (cos * (before[im] + after[im]) - sin * (before[re] - after[re])),
            ]
        };
        let (mut real, mut imaginary, mut power, mut moment) = (0.0, 0.0, 0.0, 0.0);
        for k in 1..self.sums.len() - 1 {
            let [a, b] = hann(k, 0);
            let [c, d] = hann(k, 2);
            // O conj(I)
            real += c * a + d * b;
            imaginary += d * a - c * b;
            let weight = a * a + b * b;
            power += weight;
            moment += k as f64 * weight;
        }
        let n = self.samples.len() as f64;
        // Mean square of the target: both halves of the spectrum, mean square of the window 3/8.
        if 2.0 * power / (0.375 * n * n) < least * least {
            return;
        }
        let frequency = moment / power / duration;
        self.found.delay = -imaginary.atan2(real) / (TAU * frequency);
        self.found.error = real.hypot(imaginary) / power - 1.0;
    }
}

#[inline]
fn add(sum: [f64; 4], sample: [f64; 2], cos: f64, sin: f64) -> [f64; 4] {
    [
        sum[0] + sample[0] * cos,
        sum[1] - sample[0] * sin,
        sum[2] + sample[1] * cos,
        sum[3] - sample[1] * sin,
    ]
}

impl FrequencyEvaluation {
    #[inline]
    fn shown(&self) -> Found {
        Found::worst(self.actuators.iter().map(|a| &a.found))
    }
}

impl Monitor for FrequencyEvaluation {
    #[inline]
    fn observe(&mut self, frame: &Observation<'_>) -> Verdict {
        for (a, (c, m)) in self.actuators.iter_mut().zip(pairs(frame)) {
            a.push(self.at, &self.turns, [c, m]);
        }
        self.at += 1;
        if self.at == self.turns.len() {
            self.at = 0;
            self.full = true;
            for a in &mut self.actuators {
                std::mem::swap(&mut a.sums, &mut a.fresh);
                a.fresh.fill([0.0; 4]);
            }
        }
        if self.full && self.at.is_multiple_of(self.stride) {
            for a in &mut self.actuators {
                a.evaluate(self.turns[self.at], self.least, self.duration);
            }
        }
        let shown = self.shown();
        self.bounds.judge(shown)
    }

    fn figures(&self) -> &'static [Figure] {
        &[
            (
                "frequency_evaluation_delay",
                "s",
                "Delay of the measured motion by FEI; positive: lag.",
            ),
            (
                "frequency_evaluation_error",
                "1",
                "Amplitude error by FEI; negative: undershoot.",
            ),
        ]
    }

    fn values(&self, into: &mut [f64]) {
        let Found { delay, error } = self.shown();
        (into[0], into[1]) = (delay, error);
    }

    fn words(&self) -> Option<String> {
        self.shown().words()
    }
}
