//! What the monitors share that find delay and amplitude error of every actuator over a window.

use crate::verdict::{Alarm, AlarmSettings};
use crate::window::worst;
use crate::{MonitorContext, Observation, Verdict};
use tandem_quantity::{BuildError, Dimension, settings, snapshot};

settings! {
    /// When the figures rest.
    pub(crate) struct Amplitude {
        /// RMS of the target in the window below which the figures rest
        pub amplitude: f64 = number(Dimension::LENGTH).or("\"0.1 mm\"").positive(),
    }
}

settings! {
    /// Bounds of the delay and of the amplitude error.
    pub(crate) struct BoundSettings {
        /// delay (either sign) above which the action is taken; default: none
        delay: Option<f64> = number(Dimension::TIME).positive(),
        /// amplitude error (either sign) above which the action is taken; default: none
        gain: Option<f64> = number(Dimension::NONE).positive(),
        alarm: AlarmSettings,
    }
}

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
pub(crate) fn pairs<'a>(frame: &Observation<'a>) -> impl Iterator<Item = (f64, f64)> + use<'a> {
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
    pub fn new(settings: &BoundSettings, context: &MonitorContext<'_>) -> Result<Self, BuildError> {
        let bound = settings.delay.or(settings.gain).map(|_| 1.0);
        Ok(Self {
            alarm: Alarm::new(bound, &settings.alarm, context)?,
            delay: settings.delay.unwrap_or(f64::INFINITY),
            gain: settings.gain.unwrap_or(f64::INFINITY),
        })
    }

    /// The verdict: whichever figure is nearer to its bound.
    #[inline]
    pub fn judge(&mut self, found: Found) -> Verdict {
        let ratios = [found.delay / self.delay, found.error / self.gain];
        self.alarm.judge(worst(ratios.into_iter()).abs())
    }
}
