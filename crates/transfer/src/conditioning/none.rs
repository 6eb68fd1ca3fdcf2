//! The measurement as it is.

use super::{Build, Conditioner};
use crate::rig::Measured;
use tandem_quantity::{Entry, Method, Motion, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "none",
        summary: "the measurement as it is",
        reference: "definition",
        parameters: &[],
    },
    build: &|_, _| Ok(Box::new(Unchanged)),
};

#[derive(Clone, Copy, Debug)]
struct Unchanged;

snapshot!(Unchanged {});

impl Conditioner for Unchanged {
    #[inline]
    fn condition(&mut self, _wanted: &Motion, _measured: &mut Measured) {}
}
