//! The time axis of a made motion.

use crate::error::{SignalError, real};
use crate::record::{Record, RecordError};

/// Equally spaced times from zero, checked once so that the makers of motions need not.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    dt: f64,
    points: usize,
}

impl Sampling {
    /// Times 0, dt, … up to `duration`, both in seconds.
    ///
    /// # Errors
    /// [`SignalError::Parameter`] unless 0 < dt ≤ duration with fewer than 100 million points.
    pub fn new(dt: f64, duration: f64) -> Result<Self, SignalError> {
        SignalError::require_positive("time step", dt)?;
        let steps = duration / dt + 1e-9;
        let in_range = (1.0..1e8).contains(&steps);
        SignalError::require(
            in_range,
            "duration",
            "at least a step and below 100 million steps",
            duration,
        )?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked to be in range"
        )]
        let points = steps as usize + 1;
        Ok(Self { dt, points })
    }

    /// Step, s.
    #[must_use]
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// Number of points.
    #[must_use]
    pub fn points(&self) -> usize {
        self.points
    }

    /// Time of the last point, s.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.dt * real(self.points - 1)
    }

    /// The times, s.
    pub fn times(&self) -> impl Iterator<Item = f64> + use<> {
        let dt = self.dt;
        (0..self.points).map(move |index| dt * real(index))
    }

    /// Values of a function at the times.
    pub fn map(&self, value: impl FnMut(f64) -> f64) -> Vec<f64> {
        self.times().map(value).collect()
    }

    /// A ground-motion record from values in m/s² on this time axis.
    ///
    /// # Errors
    /// [`RecordError`] if a value is not finite.
    pub fn record(&self, name: &str, acceleration: Vec<f64>) -> Result<Record, RecordError> {
        let mut record = Record::new(name, self.dt, acceleration)?;
        record.source = "synthetic".to_owned();
        Ok(record)
    }
}
