//! No compensation: the command is what is wanted.

use super::{Build, Compensator};
use tandem_quantity::{Entry, Method, Motion, snapshot};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "none",
        summary: "the command is the wanted motion",
        reference: "definition",
        parameters: &[],
    },
    build: &|_, _| Ok(Box::new(Uncompensated)),
};

/// Passes the wanted motion on.
#[derive(Clone, Copy, Debug)]
pub struct Uncompensated;

snapshot!(Uncompensated {});

impl Compensator for Uncompensated {
    #[inline]
    fn propose(&mut self, wanted: &Motion, _measured: &Motion, command: &mut Motion) {
        command.copy_from(wanted);
    }
}
