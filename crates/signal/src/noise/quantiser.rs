//! Quantiser.

use crate::error::SignalError;

/// Rounds to the nearest multiple of a step: y = step · round(x/step), halves away from zero, as
/// Simulink's quantizer and an 18-bit converter model do.
///
/// Ports: in x, out y, both in the unit of the step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantiser {
    step: f64,
}

impl Quantiser {
    /// A quantiser with that step.
    ///
    /// # Errors
    /// [`SignalError::Parameter`] unless the step is positive and finite.
    pub fn new(step: f64) -> Result<Self, SignalError> {
        SignalError::require_positive("quantisation step", step)?;
        Ok(Self { step })
    }

    /// The step.
    #[must_use]
    pub fn quantum(&self) -> f64 {
        self.step
    }

    /// The nearest multiple of the step. A value too large to be counted in steps passes unchanged.
    #[must_use]
    pub fn step(&self, value: f64) -> f64 {
        let count = value / self.step;
        if count.is_finite() {
            count.round() * self.step
        } else {
            value
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_go_away_from_zero() {
        let quantiser = Quantiser::new(0.25).unwrap();
        for (value, expected) in [
            (0.125, 0.25),
            (-0.125, -0.25),
            (0.375, 0.5),
            (0.124, 0.0),
            (1.0, 1.0),
            (-0.6, -0.5),
        ] {
            assert!((quantiser.step(value) - expected).abs() < 1e-15, "{value}");
        }
        assert!(quantiser.step(f64::INFINITY).is_infinite());
        assert!(quantiser.step(f64::NAN).is_nan());
        assert!(Quantiser::new(0.0).is_err() && Quantiser::new(f64::NAN).is_err());
    }

    proptest! {
        #[test]
        fn error_is_at_most_half_a_step_and_a_second_pass_changes_nothing(
            value in -10.0..10.0_f64, bits in 4..24_i32) {
            let step = 2.0_f64.powi(-bits);
            let quantiser = Quantiser::new(step).unwrap();
            let once = quantiser.step(value);
            prop_assert!((once - value).abs() <= 0.5 * step);
            prop_assert_eq!(quantiser.step(once).to_bits(), once.to_bits());
        }
    }
}
