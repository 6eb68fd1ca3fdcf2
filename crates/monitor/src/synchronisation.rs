//! What the monitors share that find delay and amplitude error of every actuator over a window.

use crate::verdict::Alarm;
use crate::window::worst;
use crate::{Context, Frame, Verdict};
use tandem_quantity::{BuildError, Dimension, Parameter, Values, snapshot};

/// When the figures rest.
pub(crate) const AMPLITUDE: Parameter = Parameter::number(
    "amplitude",
    Dimension::LENGTH,
    "RMS of the target in the window below which the figures rest",
)
.or("\"0.1 mm\"")
.positive();

/// Bound of the delay.
pub(crate) const DELAY: Parameter = Parameter::number(
    "delay",
    Dimension::TIME,
    "delay (either sign) above which the action is taken; default: none",
)
.optional()
.positive();

/// Bound of the amplitude error.
pub(crate) const GAIN: Parameter = Parameter::number(
    "gain",
    Dimension::NONE,
    "amplitude error (either sign) above which the action is taken; default: none",
)
.optional()
.positive();

/// What a window says of one actuator.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Found {
    /// Delay of the measured motion, s; positive: lag.
    pub delay: f64,
    /// Measured over target amplitude, less one; negative: undershoot.
    pub error: f64,
}

snapshot!(Found { delay, error });

impl Found {
    /// The largest delay and the largest amplitude error of all actuators.
    #[inline]
    pub fn worst<'a>(actuators: impl Iterator<Item = &'a Self> + Clone) -> Self {
        Self {
            delay: worst(actuators.clone().map(|found| found.delay)),
            error: worst(actuators.map(|found| found.error)),
        }
    }

    /// In words: `undershoot 3.1 %, lag 2.4 ms`.
    pub fn words(&self) -> Option<String> {
        Some(crate::tracking_words(self.error, self.delay))
    }
}

/// Target and measured displacement of every actuator, m.
#[inline]
pub(crate) fn pairs<'a>(frame: &Frame<'a>) -> impl Iterator<Item = (f64, f64)> + use<'a> {
    let (target, measured) = (&frame.target.displacement, &frame.measured.displacement);
    target.iter().copied().zip(measured.iter().copied())
}

/// The bounds of both figures.
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

    /// The verdict: whichever figure is nearer to its bound.
    #[inline]
    pub fn judge(&mut self, found: Found) -> Verdict {
        let ratios = [found.delay / self.delay, found.error / self.gain];
        self.alarm.judge(worst(ratios.into_iter()).abs())
    }
}
