//! Measures of a ground motion.

use crate::STANDARD_GRAVITY;
use crate::correlate::peak;
use crate::error::{SignalError, real};
use crate::integral::cumulative_trapezoid;
use crate::record::Record;
use std::f64::consts::PI;

/// Peak ground velocity, m/s, by the trapezoidal rule from rest. Correct the baseline first: a
/// drift counts.
#[must_use]
pub fn peak_ground_velocity(record: &Record) -> f64 {
    peak(&cumulative_trapezoid(&record.acceleration, record.dt))
}

/// Peak ground displacement, m, by the trapezoidal rule twice, from rest. Correct the baseline
/// first: a drift counts.
#[must_use]
pub fn peak_ground_displacement(record: &Record) -> f64 {
    let velocity = cumulative_trapezoid(&record.acceleration, record.dt);
    peak(&cumulative_trapezoid(&velocity, record.dt))
}

/// Arias intensity π/(2g) ∫a² dt, m/s (Arias 1970).
#[must_use]
pub fn arias_intensity(record: &Record) -> f64 {
    PI / (2.0 * STANDARD_GRAVITY) * husid(record).last().copied().unwrap_or(0.0)
}

/// The time between two shares of the Arias intensity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignificantDuration {
    /// When the lower share is reached, s.
    pub start: f64,
    /// When the upper share is reached, s.
    pub end: f64,
}

impl SignificantDuration {
    /// Length, s.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.end - self.start
    }
}

/// Significant duration between two shares of the Arias intensity, 0.05 and 0.95 usually (Trifunac
/// & Brady 1975).
///
/// # Errors
/// [`SignalError::Parameter`] unless 0 ≤ from < to ≤ 1 and the record is not zero throughout.
pub fn significant_duration(
    record: &Record,
    from: f64,
    to: f64,
) -> Result<SignificantDuration, SignalError> {
    SignalError::require(
        from >= 0.0 && from < to,
        "lower share of the intensity",
        "0 up to the upper share",
        from,
    )?;
    SignalError::require(to <= 1.0, "upper share of the intensity", "at most 1", to)?;
    let build_up = husid(record);
    let total = build_up.last().copied().unwrap_or(0.0);
    SignalError::require_positive("intensity of the record", total)?;
    let reached = |share: f64| {
        let wanted = share * total;
        let index = build_up.partition_point(|value| *value < wanted);
        let Some(&here) = build_up.get(index) else {
            return record.duration();
        };
        let before = index
            .checked_sub(1)
            .and_then(|before| build_up.get(before))
            .copied();
        // A straight line between two points of the build-up.
        let back = before.map_or(0.0, |before| (here - wanted) / (here - before));
        record.dt * (real(index) - back)
    };
    Ok(SignificantDuration {
        start: reached(from),
        end: reached(to),
    })
}

/// ∫a² dt up to each point.
fn husid(record: &Record) -> Vec<f64> {
    let squares: Vec<f64> = record.acceleration.iter().map(|a| a * a).collect();
    cumulative_trapezoid(&squares, record.dt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_of_acceleration_has_closed_form_measures() {
        // 1 m/s² for 2 s: velocity 2 m/s, displacement 2 m, Arias π/(2g)·2, 5–95 % over 1.8 s.
        let record = Record::new("box", 0.01, vec![1.0; 201]).unwrap();
        assert!((peak_ground_velocity(&record) - 2.0).abs() < 1e-12);
        assert!((peak_ground_displacement(&record) - 2.0).abs() < 1e-12);
        assert!((arias_intensity(&record) - PI / STANDARD_GRAVITY).abs() < 1e-12);
        let duration = significant_duration(&record, 0.05, 0.95).unwrap();
        assert!((duration.start - 0.1).abs() < 1e-9 && (duration.end - 1.9).abs() < 1e-9);
        assert!((duration.length() - 1.8).abs() < 1e-9);
    }

    #[test]
    fn impossible_shares_are_refused() {
        let record = Record::new("box", 0.01, vec![1.0; 201]).unwrap();
        for (from, to) in [
            (-0.1, 0.9),
            (0.9, 0.1),
            (0.1, 1.1),
            (f64::NAN, 0.9),
            (0.1, f64::NAN),
        ] {
            assert!(significant_duration(&record, from, to).is_err());
        }
        let zero = Record::new("zero", 0.01, vec![0.0; 10]).unwrap();
        assert!(significant_duration(&zero, 0.05, 0.95).is_err());
    }
}
