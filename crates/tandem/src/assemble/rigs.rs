//! All rigs that a plan can name: models, devices, other sites.

use crate::guest;
use tandem_coordinator::device;
use tandem_quantity::{Entry, Slot};
use tandem_transfer::rig::{Build, METHODS};

/// Rigs that reach out of the program.
static ELSEWHERE: &[Entry<Build>] = &[device::ENTRY, tandem_link::sites::ENTRY, guest::rig::ENTRY];

/// The slot in the plan.
pub static SLOT: Slot = Slot {
    selector: "kind",
    default: Some("virtual"),
    methods: || all().map(|entry| &entry.method).collect(),
};

fn all() -> impl Iterator<Item = &'static Entry<Build>> {
    METHODS.iter().chain(ELSEWHERE)
}

/// The rig of this name.
pub fn find(name: &str) -> Option<&'static Entry<Build>> {
    all().find(|entry| entry.method.name == name)
}
