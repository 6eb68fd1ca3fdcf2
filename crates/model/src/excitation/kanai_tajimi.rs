//! A synthetic earthquake: noise filtered by the ground, with an envelope.

use super::Build;
use tandem_quantity::{BuildError, Dimension, Entry, Method, Range, Settings, settings};
use tandem_signal::excitation::{Excitation, Sampling};
use tandem_signal::synthetic;

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "kanai-tajimi",
        summary: "synthetic earthquake: noise filtered by the ground, with an envelope",
        reference: "Kanai 1957; Tajimi 1960; Clough and Penzien 1975; Jennings et al. 1968",
        parameters: KanaiTajimiSettings::PARAMETERS,
    },
    build: &|values, _| {
        let settings = KanaiTajimiSettings::read(values)?;
        let mut motion = synthetic::KanaiTajimi::firm_soil(settings.peak, settings.seed);
        motion.ground_frequency = settings.ground_frequency;
        motion.ground_damping = settings.ground_damping;
        motion.envelope = synthetic::Envelope::Jennings {
            rise: settings.rise,
            hold: settings.hold,
            decay: 0.25,
        };
        let record = motion
            .record(&settings.sampling.points()?)
            .map_err(|error| {
                BuildError::new("", error.to_string(), "change the values of this section")
            })?;
        Ok(Excitation {
            record,
            notes: Vec::new(),
        })
    },
};

settings! {
    struct KanaiTajimiSettings {
        sampling: Sampling,
        /// peak ground acceleration
        peak: f64 = number(Dimension::ACCELERATION).positive(),
        /// 2.5 Hz for firm soil
        ground_frequency: f64 = number(Dimension::FREQUENCY).or("\"2.5 Hz\"").positive(),
        /// 0.6 for firm soil
        ground_damping: f64 = number(Dimension::NONE).or("0.6").positive(),
        /// time to full strength
        rise: f64 = number(Dimension::TIME).or("\"3 s\"").positive(),
        /// time at full strength
        hold: f64 = number(Dimension::TIME).or("\"8 s\"").not_negative(),
        /// seed of the random numbers
        seed: u64 = integer().or("1").within(Range::between(0.0, 9e15)),
    }
}
