//! Recorded channels in the units in which they are shown.

use tandem_coordinator::recorder::{RecorderError, RunReader};

/// From m to mm, and likewise.
pub(super) const MM: f64 = 1e3;

/// A recorded channel, times a factor.
pub(super) fn scaled(run: &RunReader, name: &str, factor: f64) -> Result<Vec<f64>, RecorderError> {
    Ok(run.read(name)?.into_iter().map(|x| x * factor).collect())
}
