//! Command generators: a trajectory between the targets of the integration steps, at the
//! coordinator's rate.
//!
//! Ports: targets (m, m/s, m/s²), one per question of the integrator → wanted motion at the
//! fraction x of the way from the previous target (x = 0) to the current one (x = 1). Velocity and
//! acceleration are those of structural time.
//!
//! The predictor–corrector methods know the polynomial that they follow; its derivatives are the
//! wanted velocity and acceleration. Where several ways of different length make up a step, the
//! targets stand where their times put them.

mod direct;
mod displacement;
mod given_velocity;
mod hold;
mod last_predicted_displacement;
mod path;
mod predictor_corrector;
mod ramp;
mod velocity;

use tandem_quantity::{Builder, Conditional, Dimension, Entry, Motion, SlotOf, Snapshot, settings};

settings! {
    /// When targets and commands come, for all generators.
    pub struct Timing {
        /// rate of the coordinator in wall time; default: one tick per integration step
        pub rate: Option<f64> = number(Dimension::FREQUENCY).positive(),
        /// How late targets come in a rehearsal.
        pub answer: Conditional<Answer>,
    }
}

settings! {
    /// How long the integration side takes for a target, in a rehearsal.
    pub struct Answer {
        /// wall time that the integration side takes for a target, to rehearse a slow model or
        /// network; default: none
        pub answer_time: Option<f64> = number(Dimension::TIME).not_negative(),
        /// what chance adds to it: size of a normal number
        pub answer_jitter: Conditional<Option<f64>> = number(Dimension::TIME).not_negative(),
    }
}

/// What a generator does while a target is late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LateMode {
    /// It predicts as usual.
    Predicting,
    /// It has reached its limit and slows down.
    Slowing,
    /// It holds. An executor records this as an event.
    Holding,
}

/// A command generator for all actuators of a rig.
pub trait CommandGenerator: Snapshot + Send {
    /// A new target is there: the way to it begins, or goes on if [`CommandGenerator::waiting`] has
    /// begun it.
    fn target(&mut self, target: &Motion);

    /// Wanted motion at fraction `x` of the way, 0 < x ≤ 1. `duration` is the structural time of
    /// the whole way, s.
    fn wanted(&mut self, x: f64, duration: f64, wanted: &mut Motion);

    /// Wanted motion of a way whose target is not there yet. `x` is what the clock of the way says:
    /// it stands still before it passes [`CommandGenerator::late_limit`], and from there it goes on
    /// when the target has come, so that the rest of the way is walked at its own pace. `late` is
    /// for how long it has stood, as a fraction of the way. Methods that do not predict leave
    /// `wanted` as it is: they hold.
    fn waiting(&mut self, x: f64, late: f64, duration: f64, wanted: &mut Motion) -> LateMode {
        let _ = (x, late, duration, wanted);
        LateMode::Holding
    }

    /// Fraction of the way that the clock of a late way does not pass.
    fn late_limit(&self) -> f64 {
        0.0
    }

    /// Whether a way has begun whose target is not there yet.
    fn is_waiting(&self) -> bool {
        false
    }
}

/// How a generator is made.
pub type Build = Builder<Box<dyn CommandGenerator>>;

/// All command generators. A new one is one file and one line here.
pub static METHODS: &[Entry<Build>] = &[
    direct::ENTRY,
    ramp::ENTRY,
    hold::ENTRY,
    displacement::ENTRY,
    last_predicted_displacement::ENTRY,
    velocity::ENTRY,
    given_velocity::ENTRY,
];

/// The slot in the plan.
pub static SLOT: SlotOf<Build> = SlotOf::new("command", "method", Some("direct"), || METHODS);
