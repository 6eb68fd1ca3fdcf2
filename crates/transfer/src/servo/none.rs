//! No servo of our own: the actuator model describes the closed inner loop.

use super::Build;
use tandem_quantity::{Entry, Method};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "none",
        summary: "the actuator model already contains its inner loop",
        reference: "definition",
        parameters: &[],
    },
    build: &|_, _| Ok(None),
};
