//! Backward difference.

use crate::error::SignalError;

/// First derivative as (xₖ − xₖ₋₁)/dt.
///
/// Ports: in x; out ẋ in the unit of x per second. Lags by half a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BackwardDifference {
    dt: f64,
}

/// The value before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BackwardState {
    previous: f64,
}

impl BackwardDifference {
    /// A difference at step `dt`, s.
    ///
    /// # Errors
    /// [`SignalError::Parameter`] unless `dt` is positive and finite.
    pub fn new(dt: f64) -> Result<Self, SignalError> {
        SignalError::require_positive("time step of the derivative", dt)?;
        Ok(Self { dt })
    }

    /// The state of a signal that has rested at `value`.
    #[must_use]
    pub fn state(&self, value: f64) -> BackwardState {
        BackwardState { previous: value }
    }

    /// Takes the next sample, gives the derivative there.
    pub fn step(&self, state: &mut BackwardState, value: f64) -> f64 {
        let derivative = (value - state.previous) / self.dt;
        state.previous = value;
        derivative
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ramp_has_its_slope_and_rest_has_none() {
        let law = BackwardDifference::new(0.25).unwrap();
        let mut state = law.state(2.0);
        assert!(law.step(&mut state, 2.0).abs() < 1e-15);
        assert!((law.step(&mut state, 2.5) - 2.0).abs() < 1e-15);
        assert!((law.step(&mut state, 3.0) - 2.0).abs() < 1e-15);
        assert!(BackwardDifference::new(0.0).is_err());
    }
}
