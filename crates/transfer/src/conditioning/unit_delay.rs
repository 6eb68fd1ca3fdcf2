//! The force of some ticks ago.

use super::{Build, Conditioner};
use crate::History;
use crate::rig::Measured;
use tandem_quantity::{Context, Entry, Method, Motion, Range, Settings, settings, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "unit-delay",
        summary: "the force comes some samples later, as through a data link or in a block diagram",
        reference: "Silva et al. 2020 (one sample between rig and numerical part)",
        parameters: UnitDelaySettings::PARAMETERS,
    },
    build: &|values,
             &Context {
                 actuators, period, ..
             }| {
        let settings = UnitDelaySettings::read(values)?;
        let samples = settings.samples;
        Ok(Box::new(UnitDelay {
            samples,
            period,
            past: History::new(actuators, samples + 1),
        }))
    },
};

settings! {
    struct UnitDelaySettings {
        /// how many ticks later
        samples: usize = integer().or("1").within(Range::between(0.0, 100_000.0)),
    }
}

#[derive(Clone, Debug)]
struct UnitDelay {
    samples: usize,
    period: f64,
    past: History,
}

snapshot!(UnitDelay { past });

impl Conditioner for UnitDelay {
    #[inline]
    fn condition(&mut self, _wanted: &Motion, measured: &mut Measured) {
        self.past.push(&measured.force);
        measured.force.copy_from_slice(self.past.back(self.samples));
    }

    fn delay(&self) -> f64 {
        let samples = self.samples as f64;
        samples * self.period
    }
}
