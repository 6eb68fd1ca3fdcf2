//! Compensators: what must be commanded so that the specimen is where the target wants it, in time.
//!
//! Ports: wanted motion of the next tick (m, m/s, m/s²) and the last measurement → command motion, per actuator.

mod inverse_first_order;
mod none;
mod polynomial;

use tandem_quantity::{BuildError, Entry, Motion, Slot, Snapshot, Values};

/// A compensator for all actuators of a rig.
pub trait Compensator: Snapshot + Send {
    /// Makes the command from the wanted motion. `measured` is what the sensors said at this tick.
    fn compensate(&mut self, wanted: &Motion, measured: &Motion, command: &mut Motion);
}

/// How a compensator is made: from its table, for a number of actuators, at the coordinator's period in seconds.
pub type Build = fn(&Values, usize, f64) -> Result<Box<dyn Compensator>, BuildError>;

/// All compensators. A new one is one file and one line here.
pub static METHODS: &[Entry<Build>] = &[none::ENTRY, polynomial::ENTRY, inverse_first_order::ENTRY];

/// The slot in the plan.
pub static SLOT: Slot = Slot {
    selector: "method",
    default: Some("none"),
    methods: || METHODS.iter().map(|entry| &entry.method).collect(),
};
