//! The command runs ahead of the target on a straight line through its last two values.
//!
//! Ports: wanted displacement of the next tick x (m) → command u (m). With the delay τ that is to
//! be made up for and the period h of the coordinator, u = x + τ/h (x − x₋₁): the first-order
//! extrapolation of Horiuchi et al. 1999, Eq. 9, with n = 1.

use tandem_quantity::{Context, Dimension, Entry, Method, Motion, Settings, settings, snapshot};
use tandem_transfer::compensator::{Build, Compensator, SwitchOn};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "lead",
        summary: "extrapolates the target on a straight line over the delay",
        reference: "Horiuchi et al. 1999, Eq. 9",
        parameters: <(LeadSettings, SwitchOn)>::PARAMETERS,
    },
    build: &|values,
             &Context {
                 actuators, period, ..
             }| {
        let LeadSettings { delay } = LeadSettings::read(values)?;
        Ok(Box::new(Lead {
            ticks: delay / period,
            last: vec![0.0; actuators],
        }))
    },
};

settings! {
    struct LeadSettings {
        /// delay to be made up for
        delay: f64 = number(Dimension::TIME).or("\"10 ms\"").not_negative(),
    }
}

struct Lead {
    ticks: f64,
    /// The displacements that were wanted for the last tick, m.
    last: Vec<f64>,
}

snapshot!(Lead { last });

impl Compensator for Lead {
    fn propose(&mut self, wanted: &Motion, _: &Motion, command: &mut Motion) {
        command.copy_from(wanted);
        let targets = wanted.displacement.iter().zip(&mut self.last);
        for (u, (x, last)) in command.displacement.iter_mut().zip(targets) {
            *u = x + self.ticks * (x - *last);
            *last = *x;
        }
    }
}
