//! Ground-motion records: one component of ground acceleration, equally spaced in time.
//!
//! [`read`] recognises the format by content and extension, one file here per format. It faces
//! files of strangers: any bytes give a record or an error that names the place and the remedy, and
//! memory is bounded by the bytes given.
//!
//! ```
//! use tandem_signal::record::{self, ReadHint};
//!
//! let file = b"time (s),acceleration (g)\n0.00,0.0\n0.01,0.1\n0.02,-0.2\n";
//! let record = record::read(file, "site.csv", &ReadHint::default())?;
//! assert!((record.peak() - 0.2 * 9.80665).abs() < 1e-12);
//! # Ok::<(), record::RecordError>(())
//! ```

use crate::error::real as as_f64;

mod baseline;
mod cosmos;
mod csmip;
mod csv;
mod displacement;
mod draft;
mod error;
mod hint;
mod knet;
mod one_column;
mod opensees_path;
mod peer;
mod plain;
mod read;
mod resample;
mod rspmatch;
mod shipped;
mod text;
mod time_axis;
mod two_column;

pub use baseline::Baseline;
pub use displacement::GroundDisplacement;
pub use error::RecordError;
pub use hint::{AccelerationUnit, ReadHint};
pub use opensees_path::read_with_times;
use read::choose;
pub use read::read;
pub use resample::Resampled;
pub use shipped::{SHIPPED, el_centro_1940, shipped};

/// The largest record an operation may make: 100 million points (11 days at 100 Hz).
const MOST_POINTS: f64 = 1e8;

/// One component of ground acceleration.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Short name, usually the stem of the file.
    pub name: String,
    /// Time step, s.
    pub dt: f64,
    /// Ground acceleration, m/s²; the first value stands at t = 0.
    pub acceleration: Vec<f64>,
    /// Where it came from: file and format, or the recipe of a made motion.
    pub source: String,
    /// What was done to it, in order, and what the file said about itself.
    pub notes: Vec<String>,
}

impl Record {
    /// A record from values in m/s², the first at t = 0.
    ///
    /// # Errors
    /// [`RecordError::Argument`] unless `dt` is positive and finite and all values are finite;
    /// [`RecordError::TooShort`] for fewer than two values.
    pub fn new(
        name: impl Into<String>,
        dt: f64,
        acceleration: Vec<f64>,
    ) -> Result<Self, RecordError> {
        let name = name.into();
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(RecordError::Argument {
                record: name,
                what: "dt",
                expected: "above 0 s and finite",
                found: dt,
            });
        }
        if acceleration.len() < 2 {
            return Err(RecordError::TooShort {
                file: name,
                found: acceleration.len(),
            });
        }
        if let Some(&found) = acceleration.iter().find(|value| !value.is_finite()) {
            let (what, expected) = ("acceleration in m/s2", "finite at every point");
            return Err(RecordError::Argument {
                record: name,
                what,
                expected,
                found,
            });
        }
        Ok(Self {
            name,
            dt,
            acceleration,
            source: String::new(),
            notes: Vec::new(),
        })
    }

    /// Peak ground acceleration: the largest magnitude, m/s².
    #[must_use]
    pub fn peak(&self) -> f64 {
        crate::correlate::peak(&self.acceleration)
    }

    /// Time of the (first) peak, s.
    #[must_use]
    pub fn peak_time(&self) -> f64 {
        let mut best = (0, 0.0);
        for (index, value) in self.acceleration.iter().enumerate() {
            if value.abs() > best.1 {
                best = (index, value.abs());
            }
        }
        self.dt * as_f64(best.0)
    }

    /// Time of the last point, s: (n − 1) dt.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.dt * as_f64(self.acceleration.len().saturating_sub(1))
    }

    /// Acceleration at any time, m/s²: linear between the points, zero before the first and after
    /// the last.
    ///
    /// Constant time, no allocation. A time that misses an end by rounding (one part in 10⁹ of a
    /// step) counts as the end.
    #[must_use]
    pub fn at(&self, time: f64) -> f64 {
        const ROUNDING: f64 = 1e-9;
        let position = time / self.dt;
        let last = self.acceleration.len().saturating_sub(1);
        // A time that is not a number fails both comparisons and gives zero.
        if !(position >= -ROUNDING && position <= as_f64(last) + ROUNDING) {
            return 0.0;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and the last index"
        )]
        let index = position.max(0.0) as usize;
        let Some(&before) = self.acceleration.get(index) else {
            return 0.0;
        };
        let Some(&after) = self.acceleration.get(index + 1) else {
            return before;
        };
        let fraction = (position - as_f64(index)).max(0.0);
        before + (after - before) * fraction
    }

    /// Every value times `factor`.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let mut record = self.clone();
        for value in &mut record.acceleration {
            *value *= factor;
        }
        record.notes.push(format!("scaled by {factor}"));
        record
    }

    /// Scaled so that the largest magnitude is `pga` (m/s²); the shape and its sign stay.
    ///
    /// # Errors
    /// [`RecordError::Argument`] if the record is zero throughout or `pga` is negative or not
    /// finite.
    pub fn scaled_to_peak(&self, pga: f64) -> Result<Self, RecordError> {
        if !(pga >= 0.0 && pga.is_finite()) {
            return Err(self.argument("peak acceleration", "at least 0 m/s2 and finite", pga));
        }
        let factor = pga / self.peak();
        if !factor.is_finite() {
            return Err(self.argument(
                "peak of the record to be scaled",
                "above 0 m/s2",
                self.peak(),
            ));
        }
        Ok(self.scaled(factor))
    }

    /// The part from `start` to `end` (s), moved to start at t = 0. Both ends go to the nearest
    /// point.
    ///
    /// # Errors
    /// [`RecordError::Argument`] unless 0 ≤ start < end ≤ duration, with at least two points
    /// between.
    pub fn trimmed(&self, start: f64, end: f64) -> Result<Self, RecordError> {
        let slack = 1e-9 * self.dt;
        if !(start >= 0.0 && start < self.duration()) {
            return Err(self.argument("start of the part to keep", "inside the record", start));
        }
        if !(end > start && end <= self.duration() + slack) {
            return Err(self.argument(
                "end of the part to keep",
                "after its start, inside the record",
                end,
            ));
        }
        let first = nearest(start / self.dt);
        let last = nearest(end / self.dt).min(self.acceleration.len() - 1);
        if last <= first {
            return Err(self.argument(
                "end of the part to keep",
                "at least a step after its start",
                end,
            ));
        }
        let mut record = self.clone();
        record.acceleration = self.acceleration[first..=last].to_vec();
        record.notes.push(format!("trimmed to {start} s … {end} s"));
        Ok(record)
    }

    /// Zeros for `before` seconds in front and `after` seconds behind, to the nearest point.
    ///
    /// # Errors
    /// [`RecordError::Argument`] for a negative or absurd length.
    pub fn padded(&self, before: f64, after: f64) -> Result<Self, RecordError> {
        let room = MOST_POINTS - as_f64(self.acceleration.len());
        for seconds in [before, after] {
            if !(seconds >= 0.0 && seconds / self.dt <= 0.5 * room) {
                return Err(self.argument(
                    "length of the padding",
                    "at least 0 s and below 100 million points",
                    seconds,
                ));
            }
        }
        let (before_points, after_points) = (nearest(before / self.dt), nearest(after / self.dt));
        let mut acceleration = vec![0.0; before_points];
        acceleration.extend_from_slice(&self.acceleration);
        acceleration.resize(acceleration.len() + after_points, 0.0);
        let mut record = Self {
            acceleration,
            ..self.clone()
        };
        record.notes.push(format!(
            "padded with {before} s of zeros before and {after} s after"
        ));
        Ok(record)
    }

    fn argument(&self, what: &'static str, expected: &'static str, found: f64) -> RecordError {
        RecordError::Argument {
            record: self.name.clone(),
            what,
            expected,
            found,
        }
    }
}

/// Nearest index of a position that the caller has checked to lie between 0 and `MOST_POINTS`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked by the caller; the cast saturates"
)]
fn nearest(position: f64) -> usize {
    position.round() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zigzag() -> Record {
        Record::new("zigzag", 0.1, vec![1.0, 3.0, -5.0, 2.0]).unwrap()
    }

    #[test]
    fn at_is_linear_between_points_and_zero_outside() {
        let record = zigzag();
        for (time, value) in [
            (0.0, 1.0),
            (0.05, 2.0),
            (0.1, 3.0),
            (0.15, -1.0),
            (0.3, 2.0),
            (0.275, 0.25),
        ] {
            assert!((record.at(time) - value).abs() < 1e-12, "{time}");
        }
        for time in [
            -1e-3,
            0.301,
            1e300,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ] {
            assert!(record.at(time).abs() < f64::MIN_POSITIVE, "{time}");
        }
        assert!((record.at(record.duration()) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn every_grid_time_gives_its_sample() {
        let record = el_centro_1940();
        for (index, &value) in record.acceleration.iter().enumerate() {
            let time = as_f64(index) * record.dt;
            assert!((record.at(time) - value).abs() < 1e-12, "{time}");
        }
    }

    #[test]
    fn scaling_keeps_sign_and_says_so() {
        let record = zigzag().scaled_to_peak(2.5).unwrap();
        assert!((record.peak() - 2.5).abs() < 1e-15);
        assert!((record.acceleration[2] + 2.5).abs() < 1e-15);
        assert_eq!(record.notes, ["scaled by 0.5"]);
        assert!(
            Record::new("zero", 0.1, vec![0.0; 3])
                .unwrap()
                .scaled_to_peak(1.0)
                .is_err()
        );
        assert!(zigzag().scaled_to_peak(f64::NAN).is_err());
    }

    #[test]
    fn trimming_undoes_padding() {
        let record = zigzag();
        let padded = record.padded(0.2, 0.3).unwrap();
        assert!((padded.duration() - 0.8).abs() < 1e-12);
        assert!((padded.peak_time() - 0.4).abs() < 1e-12);
        let trimmed = padded.trimmed(0.2, 0.5).unwrap();
        assert_eq!(trimmed.acceleration, record.acceleration);
        for (start, end) in [
            (-0.1, 0.2),
            (0.2, 0.2),
            (0.0, 0.5),
            (f64::NAN, 0.1),
            (0.0, f64::NAN),
            (0.01, 0.02),
        ] {
            assert!(record.trimmed(start, end).is_err(), "{start} {end}");
        }
        assert!(record.padded(1e30, 0.0).is_err());
        assert!(record.padded(0.0, -1.0).is_err());
    }

    #[test]
    fn a_record_is_finite_and_has_a_step() {
        assert!(Record::new("x", 0.0, vec![0.0; 3]).is_err());
        assert!(Record::new("x", f64::NAN, vec![0.0; 3]).is_err());
        assert!(Record::new("x", 0.1, vec![0.0]).is_err());
        assert!(Record::new("x", 0.1, vec![0.0, f64::INFINITY]).is_err());
    }
}
