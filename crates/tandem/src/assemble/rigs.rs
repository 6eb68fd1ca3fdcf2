//! All rigs of a plan: the virtual one, and those that live elsewhere.

use tandem_quantity::{Entry, Slot};
use tandem_transfer::rig;

/// The entry of this name.
pub fn find(name: &str) -> Option<&'static Entry<rig::Build>> {
    Entry::find(rig::METHODS, name).or_else(|| Entry::find(ELSEWHERE, name))
}

/// Rigs beyond a socket.
static ELSEWHERE: &[Entry<rig::Build>] = &[tandem_link::sites::ENTRY];

/// The slot in the plan.
pub static SLOT: Slot = Slot {
    selector: "kind",
    default: Some("virtual"),
    methods: || {
        let all = rig::METHODS.iter().chain(ELSEWHERE);
        all.map(|entry| &entry.method).collect()
    },
};
