//! Command generators: a trajectory between the targets of the integration steps, at the coordinator's rate.
//!
//! Ports: targets (m, m/s, m/s²), one per question of the integrator → wanted motion at the fraction x of the way
//! from the previous target (x = 0) to the current one (x = 1).

/// The parameters of a generator: the coordinator's rate, then its own.
macro_rules! parameters {
    ($($own:expr),* $(,)?) => {
        &[
            Parameter::number(
                "rate",
                Dimension::FREQUENCY,
                "rate of the coordinator in wall time; default: one tick per integration step",
            )
            .optional()
            .positive(),
            $($own),*
        ]
    };
}

mod direct;
mod ramp;

use tandem_quantity::{BuildError, Entry, Motion, Slot, Snapshot, Values};

/// A command generator for all actuators of a rig.
pub trait CommandGenerator: Snapshot + Send {
    /// A new target is there: the way to it begins.
    fn target(&mut self, target: &Motion);

    /// Wanted motion at fraction `x` of the way, 0 < x ≤ 1. `duration` is the structural time of the whole way, s.
    fn wanted(&mut self, x: f64, duration: f64, wanted: &mut Motion);
}

/// How a generator is made: from its table, for a number of actuators.
pub type Build = fn(&Values, usize) -> Result<Box<dyn CommandGenerator>, BuildError>;

/// All command generators. A new one is one file and one line here.
pub static METHODS: &[Entry<Build>] = &[direct::ENTRY, ramp::ENTRY];

/// The slot in the plan.
pub static SLOT: Slot = Slot {
    selector: "method",
    default: Some("direct"),
    methods: || METHODS.iter().map(|entry| &entry.method).collect(),
};
