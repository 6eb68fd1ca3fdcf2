//! The target itself, at once.

use super::{Build, CommandGenerator, Timing};
use tandem_quantity::{Context, Entry, Method, Motion, Settings, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "direct",
        summary: "the target itself, held until the next: for one tick per step (real time)",
        reference: "definition",
        parameters: Timing::PARAMETERS,
    },
    build: &|_, &Context { actuators, .. }| {
        Ok(Box::new(Direct {
            current: Motion::at_rest(actuators),
        }))
    },
};

/// Holds the newest target.
#[derive(Clone, Debug)]
pub struct Direct {
    current: Motion,
}

snapshot!(Direct { current });

impl CommandGenerator for Direct {
    #[inline]
    fn target(&mut self, target: &Motion) {
        self.current.copy_from(target);
    }

    #[inline]
    fn wanted(&mut self, _x: f64, _duration: f64, wanted: &mut Motion) {
        wanted.copy_from(&self.current);
    }
}
