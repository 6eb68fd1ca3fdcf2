//! A single pulse.

use super::{Build, made};
use tandem_quantity::{Dimension, Entry, Method, Settings, choice, settings};
use tandem_signal::excitation::Sampling;
use tandem_signal::synthetic;

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "pulse",
        summary: "single pulse: Ricker wavelet, half sine or step",
        reference: "Ricker 1953",
        parameters: PulseSettings::PARAMETERS,
    },
    build: &|values, _| {
        let settings = PulseSettings::read(values)?;
        let points = settings.sampling.points()?;
        let (peak, start, length) = (settings.peak, settings.start, settings.length);
        let samples = match settings.shape {
            Shape::Ricker => synthetic::ricker(&points, peak, 1.0 / length, start),
            Shape::HalfSine => synthetic::half_sine(&points, peak, start, length),
            Shape::Step => synthetic::step(&points, peak, start, length),
        };
        made("pulse", settings.sampling.dt, Ok(samples))
    },
};

choice! {
    /// The shape of a pulse.
    enum Shape {
        Ricker = "ricker",
        HalfSine = "half-sine",
        Step = "step",
    }
}

settings! {
    struct PulseSettings {
        sampling: Sampling,
        /// peak ground acceleration
        peak: f64 = number(Dimension::ACCELERATION).positive(),
        /// shape of the pulse
        shape: Shape = choice(Shape::WORDS).or("\"ricker\""),
        /// beginning; centre of a Ricker wavelet
        start: f64 = number(Dimension::TIME).or("\"1 s\"").not_negative(),
        /// length of a half sine, rise of a step, period of a Ricker wavelet
        length: f64 = number(Dimension::TIME).or("\"0.5 s\"").positive(),
    }
}
