//! Low-pass on displacement and force.

use super::{Build, Conditioner};
use crate::LowPass;
use crate::rig::Measured;
use tandem_quantity::{Dimension, Entry, Kind, Method, Motion, Parameter, Range, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "low-pass",
        summary: "Butterworth low-pass on force and displacement; adds a delay, which `tandem check` counts",
        reference: "Oppenheim and Schafer 2010, section 7.2",
        parameters: &[
            Parameter::number("cutoff", Dimension::FREQUENCY, "where the gain is −3 dB")
                .or("\"100 Hz\"")
                .positive(),
            Parameter::integer("order", "order of the filter")
                .or("2")
                .within(Range::between(1.0, 8.0)),
            Parameter::of(
                "displacement",
                Kind::Boolean,
                "filter the displacement too, so that it stays in step with the force",
            )
            .or("true"),
        ],
    },
    build: |values, actuators, period| {
        let (order, cutoff) = (values.count("order")?, values.number("cutoff")?);
        Ok(Box::new(Filtered {
            filter: LowPass::new(2 * actuators, order, cutoff, period, "cutoff")?,
            displacement: values.boolean("displacement")?,
        }))
    },
};

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
