//! Tracking indicator TI: area that target and measured displacement enclose, counted with its
//! sign.

use crate::synchronisation::pairs;
use crate::verdict::{Alarm, AlarmSettings};
use crate::window::{Window, window_ticks, worst};
use crate::{Build, Figure, Monitor, MonitorContext, Observation, Verdict};
use tandem_quantity::{BuildError, Dimension, Entry, Method, Settings, Values, settings, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "tracking_indicator",
        summary: "TI: area between target and measured displacement; rising means lag, that is \
            energy put into the test",
        reference: "Mercan and Ricles 2009",
        parameters: TrackingIndicatorSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct TrackingIndicatorSettings {
        /// window over which the slope of TI is taken
        window: f64 = number(Dimension::TIME).or("\"1 s\"").positive(),
        /// slope of TI (either sign) above which the action is taken; default: none, TI is only
        /// recorded
        bound: Option<f64> = number(Dimension::of(0, 2, -1)).positive(),
        alarm: AlarmSettings,
    }
}

fn build(values: &Values, context: &MonitorContext<'_>) -> Result<Box<dyn Monitor>, BuildError> {
    let settings = TrackingIndicatorSettings::read(values)?;
    let length = window_ticks("window", 2, settings.window, context)?;
    let actuator = || Actuator {
        last: [0.0; 2],
        indicator: 0.0,
        growth: Window::new(length),
    };
    Ok(Box::new(TrackingIndicator {
        alarm: Alarm::new(settings.bound, &settings.alarm, context)?,
        period: context.period,
        actuators: context
            .problem
            .interface
            .iter()
            .map(|_| actuator())
            .collect(),
    }))
}

/// TI = ½ (A − T) with A = Σ ½ (c₊ + c)(m₊ − m) and T = Σ ½ (m₊ + m)(c₊ − c), c target and m
/// measured: a lag makes it grow, by π a b sin φ in every cycle of amplitudes a and b and phase φ.
///
/// Of several actuators the one with the steepest slope is shown.
struct TrackingIndicator {
    alarm: Alarm,
    period: f64,
    actuators: Vec<Actuator>,
}

struct Actuator {
    /// Target and measured displacement of the last tick.
    last: [f64; 2],
    indicator: f64,
    /// Growth of TI per tick, and one.
    growth: Window<2>,
}

snapshot!(Actuator {
    last,
    indicator,
    growth
});
snapshot!(TrackingIndicator { alarm, actuators });

impl Actuator {
    /// Mean growth over the window, m²/s.
    #[inline]
    fn slope(&self, period: f64) -> f64 {
        let [growth, count] = self.growth.sums();
        growth / (count * period).max(period)
    }
}

impl Monitor for TrackingIndicator {
    #[inline]
    fn observe(&mut self, frame: &Observation<'_>) -> Verdict {
        for (actuator, (c, m)) in self.actuators.iter_mut().zip(pairs(frame)) {
            let [last_c, last_m] = std::mem::replace(&mut actuator.last, [c, m]);
            let growth = 0.25 * ((c + last_c) * (m - last_m) - (m + last_m) * (c - last_c));
            actuator.indicator += growth;
            actuator.growth.push([growth, 1.0]);
        }
        let period = self.period;
        let slope = worst(self.actuators.iter().map(|a| a.slope(period)));
        self.alarm.judge(slope.abs())
    }

    fn figures(&self) -> &'static [Figure] {
        &[
            (
                "tracking_indicator",
                "m^2",
                "TI (rising = lag, energy added).",
            ),
            (
                "tracking_indicator_slope",
                "m^2/s",
                "Slope of TI over the window.",
            ),
        ]
    }

    fn values(&self, into: &mut [f64]) {
        let slope = |a: &Actuator| a.slope(self.period);
        into[1] = worst(self.actuators.iter().map(slope));
        into[0] = self
            .actuators
            .iter()
            .fold((0.0_f64, 0.0_f64), |(steepest, shown), a| {
                if slope(a).abs() >= steepest {
                    (slope(a).abs(), a.indicator)
                } else {
                    (steepest, shown)
                }
            })
            .1;
    }
}
