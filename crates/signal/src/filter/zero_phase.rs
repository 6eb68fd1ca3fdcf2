//! Filtering a whole signal forward and backward: no phase, the gain squared.

use super::Sos;
use crate::error::SignalError;

impl Sos {
    /// Filters forward, then backward, as `scipy.signal.sosfiltfilt`: both ends are continued by
    /// odd reflection and the filter starts in its steady state.
    ///
    /// # Errors
    /// [`SignalError::TooShort`] if the signal is not longer than the continuation (three times the
    /// filter's taps).
    pub fn filtfilt(&self, signal: &[f64]) -> Result<Vec<f64>, SignalError> {
        let edge = self.edge();
        SignalError::require_length(
            "signal to filter forward and backward",
            edge + 1,
            signal.len(),
        )?;
        let last = signal.len() - 1;
        let (first_value, last_value) = (signal[0], signal[last]);
        let mut extended = Vec::with_capacity(signal.len() + 2 * edge);
        extended.extend(
            signal[1..=edge]
                .iter()
                .rev()
                .map(|value| 2.0 * first_value - value),
        );
        extended.extend_from_slice(signal);
        extended.extend(
            signal[last - edge..last]
                .iter()
                .rev()
                .map(|value| 2.0 * last_value - value),
        );
        for _ in 0..2 {
            let mut state = self.steady_state(extended.first().copied().unwrap_or(0.0));
            for value in &mut extended {
                *value = self.step(&mut state, *value);
            }
            extended.reverse();
        }
        Ok(extended[edge..edge + signal.len()].to_vec())
    }

    /// Length of the continuation: three times the taps, as scipy counts them.
    fn edge(&self) -> usize {
        let zero = |column: usize| {
            self.rows()
                .iter()
                .filter(|row| row[column].abs() < f64::MIN_POSITIVE)
                .count()
        };
        3 * (2 * self.rows().len() + 1 - zero(2).min(zero(5)))
    }
}
