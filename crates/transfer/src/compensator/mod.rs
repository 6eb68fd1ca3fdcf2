//! Compensators: what must be commanded so that the specimen is where the target wants it, in time.
//!
//! Ports: wanted motion of the next tick (m, m/s, m/s²) and the last measurement → command motion, per actuator.
//!
//! Delays are times of the laboratory: methods that need derivatives take them from the displacements of the ticks, so
//! that they are right for every time scale. Adaptive methods compare what they sent with what came of it: the command
//! that leaves now is measured at the next tick at the earliest.

mod adaptive_feedforward;
mod ats;
mod derivatives;
mod inverse;
mod inverse_first_order;
mod lqg;
mod model_based;
mod none;
mod pi_phase_lead;
mod polynomial;
mod recursive_least_squares;
mod sliding_mode;
mod window;

use tandem_quantity::{BuildError, Entry, Motion, Parameter, Range, Slot, Snapshot, Values};

/// A compensator for all actuators of a rig.
pub trait Compensator: Snapshot + Send {
    /// Makes the command from the wanted motion. `measured` is what the sensors said at this tick.
    fn compensate(&mut self, wanted: &Motion, measured: &Motion, command: &mut Motion);

    /// The coefficients of an adaptive method as they are now, for the record; empty for methods without.
    fn coefficients(&self, actuator: usize) -> &[f64] {
        let _ = actuator;
        &[]
    }
}

/// When the measurement answers a command, for adaptive methods.
const AHEAD: Parameter = Parameter::integer(
    "ahead",
    "1: a command is wanted for the next tick (methods that look ahead); 0: for its own tick",
)
.or("1")
.within(Range::between(0.0, 1.0));

/// How a compensator is made: from its table, for a number of actuators, at the coordinator's period in seconds.
pub type Build = fn(&Values, usize, f64) -> Result<Box<dyn Compensator>, BuildError>;

/// All compensators. A new one is one file and one line here.
pub static METHODS: &[Entry<Build>] = &[
    none::ENTRY,
    polynomial::ENTRY,
    inverse_first_order::ENTRY,
    inverse::ENTRY,
    ats::ENTRY,
    adaptive_feedforward::ENTRY,
    recursive_least_squares::ENTRY,
    model_based::ENTRY,
    pi_phase_lead::ENTRY,
    sliding_mode::ENTRY,
    lqg::ENTRY,
];

/// The slot in the plan.
pub static SLOT: Slot = Slot {
    selector: "method",
    default: Some("none"),
    methods: || METHODS.iter().map(|entry| &entry.method).collect(),
};
