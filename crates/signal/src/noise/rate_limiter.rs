//! Rate limiter.

use crate::error::SignalError;

/// Follows a signal no faster than a rate.
///
/// Ports: in x, out y in the same unit; the rate is that unit per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateLimiter {
    most: f64,
}

/// The output before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateState {
    output: f64,
}

impl RateLimiter {
    /// A limiter to `rate` per second at step `dt`, s.
    ///
    /// # Errors
    /// [`SignalError::Parameter`] unless both are positive and finite.
    pub fn new(rate: f64, dt: f64) -> Result<Self, SignalError> {
        SignalError::require_positive("rate limit", rate)?;
        SignalError::require_positive("time step of the rate limiter", dt)?;
        Ok(Self { most: rate * dt })
    }

    /// The state of an output that rests at `value`.
    #[must_use]
    pub fn state(&self, value: f64) -> RateState {
        RateState { output: value }
    }

    /// Moves the output towards `value`, by at most rate · dt. A value that is not a number holds
    /// the output.
    pub fn step(&self, state: &mut RateState, value: f64) -> f64 {
        let change = value - state.output;
        if change > self.most {
            state.output += self.most;
        } else if change < -self.most {
            state.output -= self.most;
        } else if !change.is_nan() {
            state.output = value;
        }
        state.output
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_becomes_a_ramp_and_arrives() {
        let limiter = RateLimiter::new(2.0, 0.1).unwrap();
        let mut state = limiter.state(0.0);
        let expected = [0.2, 0.4, 0.5, 0.5, 0.5];
        for wanted in expected {
            assert!((limiter.step(&mut state, 0.5) - wanted).abs() < 1e-15);
        }
        assert!((limiter.step(&mut state, -9.0) - 0.3).abs() < 1e-15);
        assert!((limiter.step(&mut state, f64::NAN) - 0.3).abs() < 1e-15);
        assert!(RateLimiter::new(0.0, 0.1).is_err() && RateLimiter::new(1.0, f64::NAN).is_err());
    }
}
