//! An actuator that is always where it should be.

use super::{Actuator, Axis, Build};
use tandem_quantity::{Entry, Method, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "ideal",
        summary: "no transfer system: the specimen stands at the command at the next tick",
        reference: "definition",
        parameters: &[],
    },
    build: &|_, _| Ok(Box::new(Ideal)),
};

/// Imposes the commanded motion without delay or error.
#[derive(Clone, Copy, Debug)]
pub struct Ideal;

snapshot!(Ideal {});

impl Actuator for Ideal {
    #[inline]
    fn advance(&mut self, command: Axis) -> Axis {
        command
    }

    fn is_instantaneous(&self) -> bool {
        true
    }

    fn takes_a_servo(&self) -> bool {
        false
    }
}
