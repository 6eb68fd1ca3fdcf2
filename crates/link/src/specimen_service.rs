//! Who stands behind a server: a test, or a specimen for a first try.

use crate::short::short;
use tandem_quantity::Motion;
use tandem_transfer::rig::Measured;

/// Why a motion is not imposed. Nothing moves, and the last good measurement stands.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MotionRefused {
    /// A displacement, m, beyond this stroke, m.
    #[error("{} m is beyond the stroke of {stroke} m", short(*displacement))]
    Stroke {
        /// What was asked for; perhaps not a number.
        displacement: f64,
        /// The limit.
        stroke: f64,
    },
    /// A travel, m, that in the time of the way, s, exceeds this velocity, m/s.
    #[error(
        "{} m in {} s is faster than the {velocity} m/s of the limits", short(*travel), short(*time)
    )]
    Velocity {
        /// How far it is.
        travel: f64,
        /// The time that the way takes.
        time: f64,
        /// The limit.
        velocity: f64,
    },
    /// The test is stopped.
    #[error("the test is stopped: the specimen holds, and the last good force is answered")]
    Stopped,
}

/// A matrix that a driver may ask for, at the interface degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matrix {
    /// Stiffness before the test, N/m.
    InitialStiffness,
    /// Stiffness now, N/m.
    TangentStiffness,
    /// Damping, N s/m.
    Damping,
    /// Mass, kg.
    Mass,
}

/// What a server has to say to the people in the laboratory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A peer has connected: which door (from zero), and from where.
    Connected(usize, String),
    /// The peer's way of talking, in words.
    Session(usize, String),
    /// A peer was refused before its session began; it is left waiting, never cut off.
    Refused(usize, String),
    /// Something was asked that cannot be done; the last good answer was given.
    Alarm(usize, String),
    /// A peer has gone.
    Gone(usize, String),
}

/// A specimen as an external integrator sees it.
///
/// Ports: imposed motion at the interface (m, m/s, m/s²) and the driver's time (s) → measured
/// motion and restoring force (N, positive when it resists a positive displacement).
pub trait SpecimenService {
    /// Number of interface degrees of freedom.
    fn dof(&self) -> usize;

    /// Whether this motion may be imposed now.
    fn allows(&self, _motion: &Motion) -> Result<(), MotionRefused> {
        Ok(())
    }

    /// Goes to the motion and measures there. On an error nothing moves, and the last good
    /// measurement stands.
    fn impose(&mut self, motion: &Motion, time: f64) -> Result<(), MotionRefused>;

    /// The driver accepts a step: its motion at the end of it, which may differ from the last one
    /// imposed in velocity and acceleration, and its own time, s (not a number where the protocol
    /// carries none).
    fn commit(&mut self, _accepted: &Motion, _time: f64) {}

    /// The driver has asked for what no specimen can do: nothing moves any more in this session,
    /// and the last good measurement stands.
    fn give_up(&mut self, _why: &str) {}

    /// What was measured last.
    fn measured(&self) -> &Measured;

    /// Writes a matrix by rows. What nobody knows is zero, but a stiffness never is unless the plan
    /// says so.
    fn matrix(&mut self, which: Matrix, out: &mut [f64]);

    /// Tells people.
    fn tell(&mut self, notice: Notice);

    /// Called while nothing arrives, every tenth of a second. False: end the session.
    fn idle(&mut self) -> bool {
        true
    }
}

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The peer said so, or closed after an accepted step.
    ByPeer,
    /// The peer vanished in the middle of a step; the words say how.
    Lost(String),
    /// [`SpecimenService::idle`] wanted it.
    Here,
}
