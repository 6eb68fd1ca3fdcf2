//! A steady sine.

use super::{Build, made};
use tandem_quantity::{Dimension, Entry, Method, Settings, settings};
use tandem_signal::excitation::Sampling;
use tandem_signal::synthetic;

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "sine",
        summary: "steady sine",
        reference: "definition",
        parameters: SineSettings::PARAMETERS,
    },
    build: &|values, _| {
        let settings = SineSettings::read(values)?;
        let points = settings.sampling.points()?;
        let samples = synthetic::sine(&points, settings.peak, settings.frequency, 0.0);
        made("sine", settings.sampling.dt, Ok(samples))
    },
};

settings! {
    struct SineSettings {
        sampling: Sampling,
        /// peak ground acceleration
        peak: f64 = number(Dimension::ACCELERATION).positive(),
        /// its frequency
        frequency: f64 = number(Dimension::FREQUENCY).positive(),
    }
}
