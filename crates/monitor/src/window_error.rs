//! Window error: normalised RMS of the tracking error over the last moments.

use crate::synchronisation::pairs;
use crate::verdict::{Alarm, AlarmSettings};
use crate::window::{Window, window_ticks, worst};
use crate::{Build, Figure, Monitor, MonitorContext, Observation, Verdict};
use tandem_quantity::{BuildError, Dimension, Entry, Method, Settings, Values, settings, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "window_error",
        summary: "RMS of the tracking error over RMS of the target, both over a sliding window",
        reference: "Silva et al. 2020, J2, over a window",
        parameters: WindowErrorSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct WindowErrorSettings {
        /// length of the window
        window: f64 = number(Dimension::TIME).or("\"1 s\"").positive(),
        /// RMS of the target below which the error is divided by this value instead
        amplitude: f64 = number(Dimension::LENGTH).or("\"0.1 mm\"").positive(),
        /// error above which the action is taken; default: none, the error is only recorded
        bound: Option<f64> = number(Dimension::NONE).positive(),
        alarm: AlarmSettings,
    }
}

fn build(values: &Values, context: &MonitorContext<'_>) -> Result<Box<dyn Monitor>, BuildError> {
    let settings = WindowErrorSettings::read(values)?;
    let length = window_ticks("window", 2, settings.window, context)?;
    let interface = &context.problem.interface;
    Ok(Box::new(WindowError {
        alarm: Alarm::new(settings.bound, &settings.alarm, context)?,
        floor: settings.amplitude,
        actuators: interface.iter().map(|_| Window::new(length)).collect(),
    }))
}

/// NRMSE = √(Σ (m − t)²) / max(√(Σ t²), √n · amplitude) over the window; of several actuators the
/// largest.
struct WindowError {
    alarm: Alarm,
    floor: f64,
    /// Squares of error and target.
    actuators: Vec<Window<2>>,
}

snapshot!(WindowError { alarm, actuators });

impl WindowError {
    #[inline]
    fn error(&self) -> f64 {
        worst(self.actuators.iter().map(|window| {
            let [error, target] = window.sums();
            let floor = window.count() * self.floor * self.floor;
            // Taking off old samples may leave a sum a little below zero; a sum that is not a
            // number must stay so.
            let error = if *error < 0.0 { 0.0 } else { *error };
            (error / target.max(floor)).sqrt()
        }))
    }
}

impl Monitor for WindowError {
    #[inline]
    fn observe(&mut self, frame: &Observation<'_>) -> Verdict {
        for (window, (target, measured)) in self.actuators.iter_mut().zip(pairs(frame)) {
            let error = measured - target;
            window.push([error * error, target * target]);
        }
        let error = self.error();
        self.alarm.judge(error)
    }

    fn figures(&self) -> &'static [Figure] {
        &[(
            "window_error",
            "1",
            "RMS of the tracking error over RMS of the target, over the window.",
        )]
    }

    fn values(&self, into: &mut [f64]) {
        into[0] = self.error();
    }
}
