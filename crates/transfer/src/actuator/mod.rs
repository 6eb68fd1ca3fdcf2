//! Actuator models: what the piston does when it is told to go somewhere.
//!
//! Ports: command motion (displacement in m, with velocity and acceleration where the command
//! generator knows them) held over one period → piston motion (m, m/s, m/s²) at the end of that
//! period. One model per axis. A model that has its own delay line counts from the moment the
//! command is written.

mod delay;
mod first_order;
mod ideal;
mod second_order;
mod servo_hydraulic;
mod shaking_table;
mod third_order;
pub mod transfer_function;

pub(crate) use delay::Delay;
pub(crate) use transfer_function::with_delay;

use tandem_quantity::{Builder, Entry, ExternalModel, SlotOf, Snapshot};

/// Displacement, velocity and acceleration of one axis.
pub type Axis = [f64; 3];

/// What is known of the specimen along one actuator: mass (kg), damping (N s/m), stiffness (N/m).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// Mass, kg.
    pub mass: f64,
    /// Damping, N s/m.
    pub damping: f64,
    /// Stiffness, N/m.
    pub stiffness: f64,
}

impl Load {
    /// Its force at a motion.
    #[inline]
    pub fn force(&self, [x, v, a]: Axis) -> f64 {
        self.stiffness * x + self.damping * v + self.mass * a
    }
}

/// A model of one actuator with its inner loop, sampled with a fixed period.
pub trait Actuator: Snapshot + Send {
    /// Holds `command` for one period; returns the piston's motion at its end.
    fn advance(&mut self, command: Axis) -> Axis;

    /// The same against the force of the specimen at the start of the period, N, positive when it
    /// resists a positive displacement.
    fn advance_against(&mut self, command: Axis, force: f64) -> Axis {
        let _ = force;
        self.advance(command)
    }

    /// Whether the specimen's force changes the motion.
    fn feels_force(&self) -> bool {
        false
    }

    /// Says what is known of the specimen, before the first call: this part of its force is solved
    /// together with the piston.
    fn carry(&mut self, load: Load) {
        let _ = load;
    }

    /// Whether the piston stands at the command in the very instant it is written (no dynamics, no
    /// delay): then the specimen may be asked several times within a step, and algebraic loops are
    /// solved.
    fn is_instantaneous(&self) -> bool {
        false
    }

    /// Whether a servo can close its loop around the model. A model that repeats its command leaves
    /// a servo nothing to do.
    fn takes_a_servo(&self) -> bool {
        true
    }

    /// Who computes it, where that is somebody else.
    fn external(&self) -> Option<&dyn ExternalModel> {
        None
    }
}

/// How the model of one axis is made, at its own sampling period.
pub type Build = Builder<Box<dyn Actuator>>;

/// All actuator models. A new one is one file and one line here.
pub static METHODS: &[Entry<Build>] = &[
    ideal::ENTRY,
    delay::ENTRY,
    first_order::ENTRY,
    second_order::ENTRY,
    third_order::ENTRY,
    servo_hydraulic::ENTRY,
    shaking_table::ENTRY,
    transfer_function::ENTRY,
];

/// The slot in the plan.
pub static SLOT: SlotOf<Build> = SlotOf::new("actuator", "method", Some("ideal"), || METHODS);
