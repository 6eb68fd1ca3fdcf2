//! Cyclic ramps, the loading history of a quasi-static test.

use crate::error::{SignalError, real};

/// Cycles 0 → +a → −a → 0 at constant speed, `cycles` of them for each amplitude in turn, ending at
/// zero.
///
/// `rate` is the speed in the unit of the amplitudes per second, `dt` the step in seconds. Each
/// turning point is hit exactly: a leg takes a whole number of steps, so its speed is at most
/// `rate`.
///
/// # Errors
/// [`SignalError::Parameter`] for an amplitude, rate or step that is not positive, or more than 100
/// million points.
pub fn cyclic_ramps(
    amplitudes: &[f64],
    cycles: usize,
    rate: f64,
    dt: f64,
) -> Result<Vec<f64>, SignalError> {
    SignalError::require_positive("rate of the ramps", rate)?;
    SignalError::require_positive("time step", dt)?;
    let mut points = 1.0;
    for &amplitude in amplitudes {
        SignalError::require_positive("amplitude of the ramps", amplitude)?;
        points += real(cycles) * (4.0 * amplitude / (rate * dt) + 3.0);
        SignalError::require(
            points < 1e8,
            "number of points of the ramps",
            "below 100 million",
            points,
        )?;
    }
    let mut values = vec![0.0];
    for &amplitude in amplitudes {
        for _ in 0..cycles {
            for (from, to) in [(0.0, amplitude), (amplitude, -amplitude), (-amplitude, 0.0)] {
                let steps = ((to - from).abs() / (rate * dt) - 1e-9).ceil().max(1.0);
                let mut index = 1.0;
                while index < steps {
                    values.push(from + (to - from) * index / steps);
                    index += 1.0;
                }
                values.push(to);
            }
        }
    }
    Ok(values)
}
