//! Low-pass on displacement and force.

use super::{Build, Conditioner};
use crate::LowPass;
use crate::rig::Measured;
use tandem_quantity::{
    Context, Dimension, Entry, Method, Motion, Range, Settings, settings, snapshot,
};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "low-pass",
        summary: "Butterworth low-pass on force and displacement; adds a delay, which `tandem \
            check` counts",
        reference: "Oppenheim and Schafer 2010, section 7.2",
        parameters: LowPassSettings::PARAMETERS,
    },
    build: &|values,
             &Context {
                 actuators, period, ..
             }| {
        let settings = LowPassSettings::read(values)?;
        let (order, cutoff) = (settings.order, settings.cutoff);
        Ok(Box::new(Filtered {
            filter: LowPass::new(2 * actuators, order, cutoff, period, "cutoff")?,
            displacement: settings.displacement,
        }))
    },
};

settings! {
    struct LowPassSettings {
        /// where the gain is −3 dB
        cutoff: f64 = number(Dimension::FREQUENCY).or("\"100 Hz\"").positive(),
        /// order of the filter
        order: usize = integer().or("2").within(Range::between(1.0, 8.0)),
        /// filter the displacement too, so that it stays in step with the force
        displacement: bool = boolean().or("true"),
    }
}

#[derive(Clone, Debug)]
struct Filtered {
    filter: LowPass,
    displacement: bool,
}

snapshot!(Filtered { filter });

impl Conditioner for Filtered {
    #[inline]
    fn condition(&mut self, _wanted: &Motion, measured: &mut Measured) {
        let n = measured.force.len();
        for i in 0..n {
            measured.force[i] = self.filter.step(i, measured.force[i]);
            if self.displacement {
                let x = &mut measured.motion.displacement[i];
                *x = self.filter.step(n + i, *x);
            }
        }
    }

    fn delay(&self) -> f64 {
        self.filter.delay()
    }
}
