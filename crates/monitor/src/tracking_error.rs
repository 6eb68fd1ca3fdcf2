//! Tracking error: how far the specimen is from where it should be.

use crate::synchronisation::pairs;
use crate::verdict::{Alarm, AlarmSettings};
use crate::window::worst;
use crate::{Build, Figure, Monitor, MonitorContext, Observation, Verdict};
use tandem_quantity::{BuildError, Dimension, Entry, Method, Settings, Values, settings, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "tracking_error",
        summary: "largest distance between target and measured displacement over all actuators",
        reference: "Silva et al. 2020, J3",
        parameters: TrackingErrorSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct TrackingErrorSettings {
        /// error above which the action is taken
        bound: f64 = number(Dimension::LENGTH).positive(),
        alarm: AlarmSettings,
    }
}

fn build(values: &Values, context: &MonitorContext<'_>) -> Result<Box<dyn Monitor>, BuildError> {
    let settings = TrackingErrorSettings::read(values)?;
    Ok(Box::new(TrackingError {
        alarm: Alarm::new(Some(settings.bound), &settings.alarm, context)?,
        error: 0.0,
    }))
}

/// max |target − measured|, m.
struct TrackingError {
    alarm: Alarm,
    error: f64,
}

snapshot!(TrackingError { alarm, error });

impl Monitor for TrackingError {
    #[inline]
    fn observe(&mut self, frame: &Observation<'_>) -> Verdict {
        let errors = pairs(frame).map(|(target, measured)| target - measured);
        self.error = worst(errors).abs();
        self.alarm.judge(self.error)
    }

    fn figures(&self) -> &'static [Figure] {
        &[(
            "tracking_error",
            "m",
            "Largest distance between target and measured displacement.",
        )]
    }

    fn values(&self, into: &mut [f64]) {
        into[0] = self.error;
    }
}
