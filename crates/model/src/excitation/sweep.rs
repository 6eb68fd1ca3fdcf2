//! A sine whose frequency grows.

use super::{Build, made};
use tandem_quantity::{Dimension, Entry, Method, Settings, choice, settings};
use tandem_signal::excitation::Sampling;
use tandem_signal::synthetic;

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "sweep",
        summary: "sine whose frequency grows, linearly or logarithmically",
        reference: "Silva et al. 2020 (chirp, 0.1 to 40 Hz in 90 s)",
        parameters: SweepSettings::PARAMETERS,
    },
    build: &|values, _| {
        let settings = SweepSettings::read(values)?;
        let points = settings.sampling.points()?;
        let sweep = settings.law.function();
        let samples = sweep(&points, settings.peak, settings.start, settings.end);
        made("sine sweep", settings.sampling.dt, Ok(samples))
    },
};

choice! {
    /// How the frequency of a sweep grows.
    pub(crate) enum SweepLaw {
        Linear = "linear",
        Logarithmic = "logarithmic",
    }
}

impl SweepLaw {
    /// The sweep of this law: points, amplitude, first and last frequency.
    pub(crate) fn function(self) -> fn(&synthetic::Sampling, f64, f64, f64) -> Vec<f64> {
        match self {
            Self::Linear => synthetic::linear_sweep,
            Self::Logarithmic => synthetic::logarithmic_sweep,
        }
    }
}

settings! {
    struct SweepSettings {
        sampling: Sampling,
        /// peak ground acceleration
        peak: f64 = number(Dimension::ACCELERATION).positive(),
        /// first frequency
        start: f64 = number(Dimension::FREQUENCY).or("\"0.1 Hz\"").positive(),
        /// last frequency
        end: f64 = number(Dimension::FREQUENCY).or("\"20 Hz\"").positive(),
        /// how the frequency grows
        law: SweepLaw = choice(SweepLaw::WORDS).or("\"linear\""),
    }
}
