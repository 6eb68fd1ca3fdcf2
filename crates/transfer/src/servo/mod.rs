//! Servo controllers: the innermost loop, at its own rate.
//!
//! Ports: command (m) and measured displacement (m) → drive signal to the actuator (m of command, or
//! whatever the actuator model takes), once per servo period.

mod none;
mod pid;

pub use pid::Pid;

use tandem_quantity::{BuildError, Entry, Slot, Snapshot, Values};

/// A servo controller of one axis.
pub trait Servo: Snapshot + Send {
    /// Drive signal for the next servo period.
    fn drive(&mut self, command: f64, measured: f64) -> f64;
}

/// How a servo is made: from its table in the plan and its period in seconds. `None`: the actuator model
/// already contains its inner loop.
pub type Build = fn(&Values, f64) -> Result<Option<Box<dyn Servo>>, BuildError>;

/// All servo controllers. A new one is one file and one line here.
pub static METHODS: &[Entry<Build>] = &[none::ENTRY, pid::ENTRY];

/// The slot in the plan.
pub static SLOT: Slot = Slot {
    selector: "method",
    default: Some("none"),
    methods: || METHODS.iter().map(|entry| &entry.method).collect(),
};
