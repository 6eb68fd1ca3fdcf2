//! Phase and amplitude errors, apart from each other, from the ellipse of the subspace plot.

use crate::ellipse::Subspace;
use crate::verdict::{Alarm, watched};
use crate::window::{window_ticks, worst};
use crate::words::tracking_words;
use crate::{Build, Context, Figure, Frame, Monitor, Verdict};
use tandem_quantity::{BuildError, Dimension, Entry, Method, Parameter, Values, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "phase_amplitude",
        summary: "PAEI: delay and amplitude error from the ellipse of the subspace plot, by running sums",
        reference: "Hessabi and Mercan 2016; ellipse by its moments and its area instead of least squares",
        parameters: watched!["\"warn\"";
            Parameter::number("window", Dimension::TIME, "length of the window: a cycle or more of the slowest motion")
                .or("\"1 s\"")
                .positive(),
            Parameter::number(
                "amplitude",
                Dimension::LENGTH,
                "RMS of the target in the window below which the figures rest",
            )
            .or("\"0.1 mm\"")
            .positive(),
            Parameter::number(
                "delay",
                Dimension::TIME,
                "delay (either sign) above which the action is taken; default: none",
            )
            .optional()
            .positive(),
            Parameter::number(
                "gain",
                Dimension::NONE,
                "amplitude error (either sign) above which the action is taken; default: none",
            )
            .optional()
            .positive(),
        ],
    },
    build,
};

fn build(values: &Values, context: &Context<'_>) -> Result<Box<dyn Monitor>, BuildError> {
    let length = window_ticks("window", 4, values, context)?;
    let actuator = || Actuator {
        subspace: Subspace::new(length),
        delay: 0.0,
        error: 0.0,
    };
    let actuators = context.problem.interface.iter().map(|_| actuator());
    Ok(Box::new(PhaseAmplitude {
        bounds: Bounds::new(values, context)?,
        amplitude: values.number("amplitude")?,
        period: context.period,
        actuators: actuators.collect(),
    }))
}

/// The bounds of the monitors that give a delay and an amplitude error.
pub(crate) struct Bounds {
    alarm: Alarm,
    delay: f64,
    gain: f64,
}

snapshot!(Bounds { alarm });

impl Bounds {
    pub fn new(values: &Values, context: &Context<'_>) -> Result<Self, BuildError> {
        let of = |key| values.optional_number(key);
        let bound = of("delay").or(of("gain")).map(|_| 1.0);
        Ok(Self {
            alarm: Alarm::new(bound, values, context)?,
            delay: of("delay").unwrap_or(f64::INFINITY),
            gain: of("gain").unwrap_or(f64::INFINITY),
        })
    }

    /// The verdict on a delay (s) and an amplitude error: whichever is nearer to its bound.
    #[inline]
    pub fn judge(&mut self, delay: f64, error: f64) -> Verdict {
        let ratios = [delay / self.delay, error / self.gain];
        self.alarm.judge(worst(ratios.into_iter()).abs())
    }
}

/// Delay = φ/ω and amplitude error = b/a − 1 of target a sin ωt and measured b sin(ωt − φ).
///
/// For a motion of many frequencies and a small delay τ the area grows at τ ∫ċ² per second, so that the delay found is τ
/// itself. Of several actuators the largest delay and the largest amplitude error are shown.
struct PhaseAmplitude {
    bounds: Bounds,
    amplitude: f64,
    period: f64,
    actuators: Vec<Actuator>,
}

struct Actuator {
    subspace: Subspace,
    delay: f64,
    error: f64,
}

snapshot!(Actuator {
    subspace,
    delay,
    error
});
snapshot!(PhaseAmplitude { bounds, actuators });

impl PhaseAmplitude {
    #[inline]
    fn shown(&self) -> (f64, f64) {
        (
            worst(self.actuators.iter().map(|a| a.delay)),
            worst(self.actuators.iter().map(|a| a.error)),
        )
    }
}

impl Monitor for PhaseAmplitude {
    #[inline]
    fn observe(&mut self, frame: &Frame<'_>) -> Verdict {
        let pairs = frame
            .target
            .displacement
            .iter()
            .zip(&frame.measured.displacement);
        for (a, (c, m)) in self.actuators.iter_mut().zip(pairs) {
            a.subspace.push(*c, *m);
            if let Some(ellipse) = a.subspace.ellipse(self.amplitude, self.period) {
                a.delay = ellipse.delay();
                a.error = ellipse.gain() - 1.0;
            }
        }
        let (delay, error) = self.shown();
        self.bounds.judge(delay, error)
    }

    fn figures(&self) -> &'static [Figure] {
        &[
            (
                "phase_amplitude_delay",
                "s",
                "Delay of the measured motion over the window; positive: lag.",
            ),
            (
                "phase_amplitude_error",
                "1",
                "Amplitude error over the window; negative: undershoot.",
            ),
        ]
    }

    fn values(&self, into: &mut [f64]) {
        (into[0], into[1]) = self.shown();
    }

    fn words(&self) -> Option<String> {
        let (delay, error) = self.shown();
        Some(tracking_words(error, delay))
    }
}
