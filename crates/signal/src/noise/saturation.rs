//! Saturation.

use crate::error::SignalError;

/// Holds a signal within ±limit.
///
/// Ports: in x, out y, both in the unit of the limit. A value that is not a number passes, so that
/// what stands behind can see it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Saturation {
    limit: f64,
}

impl Saturation {
    /// A saturation at ±`limit`.
    ///
    /// # Errors
    /// [`SignalError::Parameter`] unless the limit is positive (it may be infinite).
    pub fn new(limit: f64) -> Result<Self, SignalError> {
        SignalError::require(limit > 0.0, "saturation limit", "above 0", limit)?;
        Ok(Self { limit })
    }

    /// The limit.
    #[must_use]
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// The value within the limits.
    #[must_use]
    pub fn step(&self, value: f64) -> f64 {
        if value > self.limit {
            self.limit
        } else if value < -self.limit {
            -self.limit
        } else {
            value
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_held_within_the_limits() {
        let saturation = Saturation::new(3.8).unwrap();
        for (value, expected) in [
            (5.0, 3.8),
            (-5.0, -3.8),
            (1.0, 1.0),
            (f64::INFINITY, 3.8),
            (-3.8, -3.8),
        ] {
            let once = saturation.step(value);
            assert!((once - expected).abs() < 1e-15);
            assert!((saturation.step(once) - once).abs() < 1e-15);
        }
        assert!(saturation.step(f64::NAN).is_nan());
        assert!(Saturation::new(0.0).is_err() && Saturation::new(f64::NAN).is_err());
    }
}
