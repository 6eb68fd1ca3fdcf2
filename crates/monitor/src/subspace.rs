//! Synchronisation subspace plot SSP in figures: inclination and winding.

use crate::ellipse::Subspace;
use crate::synchronisation::{Amplitude, pairs};
use crate::verdict::{Alarm, AlarmSettings};
use crate::window::{Window, window_ticks, worst};
use crate::words::tracking_words;
use crate::{Build, Figure, Monitor, MonitorContext, Observation, Verdict};
use tandem_quantity::{BuildError, Dimension, Entry, Method, Settings, Values, settings, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "subspace",
        summary: "SSP: slope of measured against target displacement (1 is perfect) and sense of \
            winding (positive: lag)",
        reference: "Wallace, Wagg and Neild 2005",
        parameters: SubspaceSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct SubspaceSettings {
        /// length of the window
        window: f64 = number(Dimension::TIME).or("\"1 s\"").positive(),
        least: Amplitude,
        /// distance of the slope from 1 above which the action is taken; default: none, it is only
        /// recorded
        bound: Option<f64> = number(Dimension::NONE).positive(),
        alarm: AlarmSettings,
    }
}

fn build(values: &Values, context: &MonitorContext<'_>) -> Result<Box<dyn Monitor>, BuildError> {
    let settings = SubspaceSettings::read(values)?;
    let length = window_ticks("window", 4, settings.window, context)?;
    let actuator = || Actuator {
        subspace: Subspace::new(length),
        last: [0.0; 2],
        area: Window::new(length),
        slope: 1.0,
        winding: 0.0,
    };
    let actuators = context.problem.interface.iter().map(|_| actuator());
    Ok(Box::new(SubspacePlot {
        alarm: Alarm::new(settings.bound, &settings.alarm, context)?,
        amplitude: settings.least.amplitude,
        period: context.period,
        actuators: actuators.collect(),
    }))
}

/// Slope of the main axis of the plot (measured over target), which for equal amplitudes is 1
/// whatever the phase; winding = net area over the sum of all areas, +1 for a steady lag
/// (counter-clockwise), −1 for a steady lead.
///
/// Of several actuators the one whose slope is farthest from 1 is shown.
struct SubspacePlot {
    alarm: Alarm,
    amplitude: f64,
    period: f64,
    actuators: Vec<Actuator>,
}

struct Actuator {
    subspace: Subspace,
    last: [f64; 2],
    /// Area and magnitude of the area, per tick.
    area: Window<2>,
    slope: f64,
    winding: f64,
}

snapshot!(Actuator {
    subspace,
    last,
    area,
    slope,
    winding
});
snapshot!(SubspacePlot { alarm, actuators });

impl SubspacePlot {
    #[inline]
    fn shown(&self) -> (f64, f64) {
        self.actuators.iter().fold((1.0, 0.0), |shown, a| {
            if shown.0.is_nan() || (a.slope - 1.0).abs() < (shown.0 - 1.0).abs() {
                shown
            } else {
                (a.slope, a.winding)
            }
        })
    }
}

impl Monitor for SubspacePlot {
    #[inline]
    fn observe(&mut self, frame: &Observation<'_>) -> Verdict {
        for (a, (c, m)) in self.actuators.iter_mut().zip(pairs(frame)) {
            let [last_c, last_m] = std::mem::replace(&mut a.last, [c, m]);
            let area = 0.5 * (last_c * m - last_m * c);
            a.area.push([area, area.abs()]);
            a.subspace.push(c, m);
            if let Some(ellipse) = a.subspace.ellipse(self.amplitude, self.period) {
                a.slope = ellipse.slope();
                let [net, all] = a.area.sums();
                a.winding = if *all > 0.0 {
                    (net / all).clamp(-1.0, 1.0)
                } else {
                    0.0
                };
            }
        }
        let error = worst(self.actuators.iter().map(|a| a.slope - 1.0));
        self.alarm.judge(error.abs())
    }

    fn figures(&self) -> &'static [Figure] {
        &[
            (
                "subspace_slope",
                "1",
                "Slope of measured against target displacement over the window; below 1: \
                undershoot.",
            ),
            (
                "subspace_winding",
                "1",
                "Sense of winding over the window; +1: lag (counter-clockwise), -1: lead.",
            ),
        ]
    }

    fn values(&self, into: &mut [f64]) {
        (into[0], into[1]) = self.shown();
    }

    fn words(&self) -> Option<String> {
        let (slope, winding) = self.shown();
        let sense = match winding {
            w if w > 0.5 => "lags",
            w if w < -0.5 => "leads",
            _ => "neither lags nor leads steadily",
        };
        let amplitude = tracking_words(slope - 1.0, 0.0);
        let amplitude = amplitude.split(',').next().unwrap_or_default().to_owned();
        Some(format!("{amplitude}, measured {sense}"))
    }
}
