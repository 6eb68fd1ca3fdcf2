//! Servo controllers: the innermost loop, at its own rate.
//!
//! Ports: command (m) and measured displacement (m) → drive signal to the actuator (m of command,
//! or whatever the actuator model takes), once per servo period.

mod force;
mod mixed;
mod none;
mod pid;
mod switched;

pub use pid::{Gains, Pid};

use tandem_quantity::{Builder, Entry, ExternalModel, SlotOf, Snapshot};

/// A servo controller of one axis.
pub trait Servo: Snapshot + Send {
    /// Drive signal for the next servo period.
    fn drive(&mut self, command: f64, measured: f64) -> f64;

    /// The same for controllers that look at the load cell too (N, positive when the specimen
    /// resists).
    fn drive_with_force(&mut self, command: f64, measured: f64, force: f64) -> f64 {
        let _ = force;
        self.drive(command, measured)
    }

    /// Whether it does look at the load cell.
    fn uses_force(&self) -> bool {
        false
    }

    /// Who computes it, where that is somebody else.
    fn external(&self) -> Option<&dyn ExternalModel> {
        None
    }
}

/// How a servo is made, at its own period. `None`: the actuator model
/// already contains its inner loop.
pub type Build = Builder<Option<Box<dyn Servo>>>;

/// All servo controllers. A new one is one file and one line here.
pub static METHODS: &[Entry<Build>] = &[
    none::ENTRY,
    pid::ENTRY,
    force::ENTRY,
    mixed::ENTRY,
    switched::ENTRY,
];

/// The slot in the plan.
pub static SLOT: SlotOf<Build> = SlotOf::new("servo", "method", Some("none"), || METHODS);
