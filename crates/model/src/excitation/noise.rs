//! Band-limited white noise.

use super::{Build, made};
use tandem_quantity::{Dimension, Entry, Method, Range, Settings, settings};
use tandem_signal::excitation::Sampling;
use tandem_signal::synthetic;

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "noise",
        summary: "band-limited white noise with a cosine taper",
        reference: "Tekeste, Correia and Costa 2025, section 3.2",
        parameters: NoiseSettings::PARAMETERS,
    },
    build: &|values, _| {
        let settings = NoiseSettings::read(values)?;
        let band = synthetic::Band {
            low: settings.low,
            high: settings.high,
            rms: settings.rms,
        };
        let points = settings.sampling.points()?;
        let samples = synthetic::band_limited_noise(&points, band, settings.taper, settings.seed);
        made("band-limited white noise", settings.sampling.dt, samples)
    },
};

settings! {
    struct NoiseSettings {
        sampling: Sampling,
        /// lower edge of the band
        low: f64 = number(Dimension::FREQUENCY).or("\"0 Hz\"").not_negative(),
        /// upper edge of the band
        high: f64 = number(Dimension::FREQUENCY).or("\"20 Hz\"").positive(),
        /// root mean square between the tapers
        rms: f64 = number(Dimension::ACCELERATION).positive(),
        /// length of the taper at both ends
        taper: f64 = number(Dimension::TIME).or("\"1 s\"").not_negative(),
        /// seed of the random numbers
        seed: u64 = integer().or("1").within(Range::between(0.0, 9e15)),
    }
}
