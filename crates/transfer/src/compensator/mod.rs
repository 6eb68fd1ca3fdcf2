//! Compensators: what must be commanded so that the specimen is where the target wants it, in time.
//!
//! Ports: wanted motion of the next tick (m, m/s, m/s²) and the last measurement → command motion,
//! per actuator.
//!
//! Delays are times of the laboratory: methods that need derivatives take them from the
//! displacements of the ticks, so that they are right for every time scale. Adaptive methods
//! compare what they sent with what came of it: the command that leaves now is measured at the next
//! tick at the earliest.

mod adaptive_feedforward;
mod adaptive_inverse;
mod ats;
mod derivatives;
mod inverse;
mod inverse_first_order;
mod lqg;
mod model;
mod model_based;
mod none;
mod per_actuator;
mod pi_phase_lead;
mod polynomial;
mod recursive_least_squares;
mod sliding_mode;
mod switched_on;
mod window;

pub use switched_on::SwitchOn;

use tandem_quantity::{
    BuildError, Builder, Context, Entry, ExternalModel, Motion, Range, SlotOf, Snapshot, Values,
    settings,
};

/// A compensator for all actuators of a rig.
pub trait Compensator: Snapshot + Send {
    /// Makes the command from the wanted motion. `measured` is what the sensors said at this tick.
    fn compensate(&mut self, wanted: &Motion, measured: &Motion, command: &mut Motion) {
        self.propose(wanted, measured, command);
        self.sent(command);
    }

    /// The command that the method would send; [`Compensator::sent`] follows with the one that
    /// leaves.
    fn propose(&mut self, wanted: &Motion, measured: &Motion, command: &mut Motion);

    /// The command that leaves: adaptive methods and observers hold it against what comes of it.
    fn sent(&mut self, command: &Motion) {
        let _ = command;
    }

    /// Whether it corrects by the measured error. Until it is switched on such a method is shown no
    /// error, which it could not mend.
    fn closes_a_loop(&self) -> bool {
        false
    }

    /// Where the actuators really are at this tick, as far as the method knows better than the
    /// sensors, m; what the sensors say where it does not. Called before
    /// [`Compensator::compensate`] of the same tick.
    fn estimate(&self, measured: &[f64], estimate: &mut [f64]) {
        estimate.copy_from_slice(measured);
    }

    /// The coefficients of an adaptive method as they are now, for the record; empty for methods
    /// without.
    fn coefficients(&self, actuator: usize) -> &[f64] {
        let _ = actuator;
        &[]
    }

    /// The bounds within which the coefficients adapt, in the same order; empty where there are
    /// none.
    fn bounds(&self, actuator: usize) -> &[(f64, f64)] {
        let _ = actuator;
        &[]
    }

    /// Who computes it, where that is somebody else.
    fn external(&self) -> Option<&dyn ExternalModel> {
        None
    }
}

settings! {
    /// When the measurement answers a command, for adaptive methods.
    struct Ahead {
        /// 1: a command is wanted for the next tick (methods that look ahead); 0: for its own tick
        /// (the default with integration.method = "rk4", which gives the motion of the instant)
        ahead: usize = integer().or("1").within(Range::between(0.0, 1.0)),
    }
}

/// How a compensator is made.
pub type Build = Builder<Box<dyn Compensator>>;

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
    per_actuator::ENTRY,
    adaptive_inverse::ENTRY,
];

/// The slot in the plan.
pub static SLOT: SlotOf<Build> = SlotOf::new("compensator", "method", Some("none"), || METHODS);

/// The compensator of a table, switched on when the table says.
pub fn build(values: &Values, context: &Context<'_>) -> Result<Box<dyn Compensator>, BuildError> {
    made(context.registry.find(&SLOT, values)?, values, context)
}

/// The same by a method that is known.
pub(crate) fn made(
    entry: &Entry<Build>,
    values: &Values,
    context: &Context<'_>,
) -> Result<Box<dyn Compensator>, BuildError> {
    let compensator = (entry.build)(values, context)?;
    switched_on::wrap(compensator, values, context)
}
