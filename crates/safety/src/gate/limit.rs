//! The detectors of the gate: their names, their keys in the plan, and what each does.

use tandem_quantity::{Dimension, Range, Settings, Values, Verdict, settings};

/// A detector. Its bound is a key of `[limits]`, what it does a key of `[limits.actions]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Limit {
    /// A value is NaN or infinite.
    NotFinite,
    /// Displacement of target, command or piston.
    Stroke,
    /// Velocity of the command.
    Velocity,
    /// Acceleration of the command.
    Acceleration,
    /// Measured force.
    Force,
    /// Distance between target and piston.
    TrackingError,
    /// The measured strokes belong to no position of the linkage.
    Linkage,
    /// A valve stays fully open.
    Valve,
    /// A displacement sensor repeats its value while the command moves.
    FrozenDisplacement,
    /// A load cell repeats its value while the piston moves.
    FrozenForce,
    /// The piston stands while the command moves.
    Stuck,
    /// A sensor stands at the end of its range.
    SensorRange,
    /// The measured displacement changes faster than a piston can.
    DisplacementRate,
    /// The measured force changes faster than the specimen can.
    ForceRate,
    /// The specimen resists much less than it did.
    SpecimenFailure,
    /// The target is overdue.
    StaleTarget,
    /// The newest measurement is old.
    StaleFeedback,
    /// The device's clock jumped.
    ClockJump,
    /// Deadlines of the loop were missed.
    MissedDeadlines,
    /// Nobody has been heard at the operator's desk.
    OperatorLost,
    /// The record can no longer be written.
    Recorder,
    /// The hardware's emergency chain is open.
    EmergencyChain,
}

use Limit as L;

impl Limit {
    /// All of them.
    pub const ALL: [Self; 22] = [
        L::NotFinite,
        L::Stroke,
        L::Velocity,
        L::Acceleration,
        L::Force,
        L::TrackingError,
        L::Linkage,
        L::Valve,
        L::FrozenDisplacement,
        L::FrozenForce,
        L::Stuck,
        L::SensorRange,
        L::DisplacementRate,
        L::ForceRate,
        L::SpecimenFailure,
        L::StaleTarget,
        L::StaleFeedback,
        L::ClockJump,
        L::MissedDeadlines,
        L::OperatorLost,
        L::Recorder,
        L::EmergencyChain,
    ];

    /// Its name in `stopped_by`, in the events and in `[limits.actions]`.
    pub fn name(self) -> &'static str {
        match self {
            L::NotFinite => "not-finite",
            L::Stroke => "stroke",
            L::Velocity => "velocity",
            L::Acceleration => "acceleration",
            L::Force => "force",
            L::TrackingError => "tracking_error",
            L::Linkage => "linkage",
            L::Valve => "valve",
            L::FrozenDisplacement => "frozen_displacement",
            L::FrozenForce => "frozen_force",
            L::Stuck => "stuck",
            L::SensorRange => "sensor_range",
            L::DisplacementRate => "displacement_rate",
            L::ForceRate => "force_rate",
            L::SpecimenFailure => "specimen_failure",
            L::StaleTarget => "stale_target",
            L::StaleFeedback => "stale_feedback",
            L::ClockJump => "clock_jump",
            L::MissedDeadlines => "missed_deadlines",
            L::OperatorLost => "operator_lost",
            L::Recorder => "recorder",
            L::EmergencyChain => "emergency_chain",
        }
    }

    /// Unit for people, and its size in SI.
    pub fn unit(self) -> (&'static str, f64) {
        match self {
            L::NotFinite | L::Linkage | L::Recorder | L::EmergencyChain => ("", 1.0),
            L::Stroke | L::TrackingError | L::SensorRange | L::Stuck => ("mm", 1e-3),
            L::Velocity | L::DisplacementRate => ("mm/s", 1e-3),
            L::Acceleration => ("m/s^2", 1.0),
            L::Force => ("kN", 1e3),
            L::ForceRate => ("kN/s", 1e3),
            L::Valve | L::SpecimenFailure => ("%", 1e-2),
            L::FrozenDisplacement | L::FrozenForce | L::StaleTarget | L::OperatorLost => ("s", 1.0),
            L::ClockJump => ("ms", 1e-3),
            L::StaleFeedback | L::MissedDeadlines => ("ticks", 1.0),
        }
    }

    /// What it does where the plan says nothing.
    pub fn default_action(self) -> Verdict {
        match self {
            // A perfectly plastic specimen, or one that slides, gives the same force for long: a
            // model without noise does so exactly.
            L::FrozenForce => Verdict::Warn,
            // The pistons are in order; whoever comes back can go on.
            L::StaleTarget | L::MissedDeadlines | L::OperatorLost => Verdict::Hold,
            _ => Verdict::Trip,
        }
    }

    /// The action that the plan gives it.
    pub(super) fn action(self, actions: &Actions) -> Verdict {
        let chosen = match self {
            L::NotFinite => actions.not_finite,
            L::Stroke => actions.stroke,
            L::Velocity => actions.velocity,
            L::Acceleration => actions.acceleration,
            L::Force => actions.force,
            L::TrackingError => actions.tracking_error,
            L::Linkage => actions.linkage,
            L::Valve => actions.valve,
            L::FrozenDisplacement => actions.frozen_displacement,
            L::FrozenForce => actions.frozen_force,
            L::Stuck => actions.stuck,
            L::SensorRange => actions.sensor_range,
            L::DisplacementRate => actions.displacement_rate,
            L::ForceRate => actions.force_rate,
            L::SpecimenFailure => actions.specimen_failure,
            L::StaleTarget => actions.stale_target,
            L::StaleFeedback => actions.stale_feedback,
            L::ClockJump => actions.clock_jump,
            L::MissedDeadlines => actions.missed_deadlines,
            L::OperatorLost => actions.operator_lost,
            L::Recorder | L::EmergencyChain => None,
        };
        chosen.unwrap_or(self.default_action())
    }
}

impl Limit {
    /// Detectors for which these `[limits]` have no bound, so that they find nothing, each with the
    /// key that would give it one.
    pub fn without_bound(limits: Option<&Values>) -> Vec<(Self, &'static str)> {
        let bounds = [
            (L::Stroke, "stroke"),
            (L::Velocity, "velocity"),
            (L::Acceleration, "acceleration"),
            (L::Force, "force"),
            (L::TrackingError, "tracking_error"),
            (L::SensorRange, "displacement_range"),
            (L::SensorRange, "force_range"),
            (L::DisplacementRate, "displacement_rate"),
            (L::ForceRate, "force_rate"),
            (L::SpecimenFailure, "specimen_failure"),
        ];
        let set = |key: &str| limits.is_some_and(|limits| limits.has(key));
        bounds.into_iter().filter(|(_, key)| !set(key)).collect()
    }
}

settings! {
    /// The section `[limits]` in the plan.
    pub struct Limits {
        /// largest displacement of target, command and piston
        pub stroke: Option<f64> = number(Dimension::LENGTH).positive(),
        /// largest change of the command per time
        pub velocity: Option<f64> = number(Dimension::VELOCITY).positive(),
        /// largest change of the command's velocity per time
        pub acceleration: Option<f64> = number(Dimension::ACCELERATION).positive(),
        /// largest measured force
        pub force: Option<f64> = number(Dimension::FORCE).positive(),
        /// largest distance between target and piston
        pub tracking_error: Option<f64> = number(Dimension::LENGTH).positive(),
        /// opening of a valve that counts as saturated, where the rig reports it
        pub valve: f64 = number(Dimension::NONE).or("\"99 %\"").within(Range::between(0.0, 1.0)),
        /// how long (wall time) a valve may stay saturated
        pub valve_time: f64 = number(Dimension::TIME).or("\"50 ms\"").not_negative(),
        /// how long (wall time) a sensor may repeat one value while what it measures moves
        pub frozen: f64 = number(Dimension::TIME).or("\"100 ms\"").positive(),
        /// how far the command (for a load cell: the piston) moves in that time before a sensor
        /// counts as frozen
        pub frozen_travel: f64 = number(Dimension::LENGTH).or("\"1 mm\"").positive(),
        /// end of the range of the displacement sensors
        pub displacement_range: Option<f64> = number(Dimension::LENGTH).positive(),
        /// end of the range of the load cells
        pub force_range: Option<f64> = number(Dimension::FORCE).positive(),
        /// largest change of a measured displacement per time
        pub displacement_rate: Option<f64> = number(Dimension::VELOCITY).positive(),
        /// largest change of a measured force per time
        pub force_rate: Option<f64> = number(Dimension::of(1, 1, -3)).positive(),
        /// part of its largest secant stiffness, seen or planned, below which a specimen counts as
        /// failed; by the reading, so that a late displacement must be brought to the present by a
        /// step of [conditioning]
        pub specimen_failure: Option<f64> = number(Dimension::NONE)
            .within(Range::between(0.0, 1.0)),
        /// how long (wall time) a target may be overdue; the command slows down and holds before
        pub stale_target: f64 = number(Dimension::TIME).or("\"1 s\"").positive(),
        /// age of the newest measurement, in ticks, up to which the test goes on
        pub stale_feedback: usize = integer().or("5").within(Range::between(0.0, 1e6)),
        /// largest step of a device's clock against that of the coordinator
        pub clock_jump: f64 = number(Dimension::TIME).or("\"20 ms\"").positive(),
        /// missed deadlines within a second of real time up to which the test goes on
        pub missed_deadlines: usize = integer().or("50").within(Range::between(0.0, 1e6)),
        /// how long (wall time) the operator's desk may be silent, once it has been heard; default:
        /// 10 s where the test waits for an operator (--screen), which the recorded plan then says,
        /// else for ever
        pub operator_timeout: Option<f64> = number(Dimension::TIME).positive(),
        /// what each detector does: none, warn, hold, ramp-down or trip. A command beyond stroke,
        /// velocity or acceleration never leaves the gate, whatever is chosen here
        pub(super) actions: Option<Actions> = table(Actions::PARAMETERS),
    }
}

settings! {
    /// The section `[limits.actions]`.
    #[derive(Default)]
    pub(super) struct Actions {
        /// a value is NaN or infinite; default: trip
        not_finite "not-finite": Option<Verdict> = choice(Verdict::WORDS),
        /// default: trip
        stroke: Option<Verdict> = choice(Verdict::WORDS),
        /// default: trip
        velocity: Option<Verdict> = choice(Verdict::WORDS),
        /// default: trip
        acceleration: Option<Verdict> = choice(Verdict::WORDS),
        /// default: trip
        force: Option<Verdict> = choice(Verdict::WORDS),
        /// default: trip
        tracking_error: Option<Verdict> = choice(Verdict::WORDS),
        /// the measured strokes belong to no position; default: trip
        linkage: Option<Verdict> = choice(Verdict::WORDS),
        /// default: trip
        valve: Option<Verdict> = choice(Verdict::WORDS),
        /// default: trip
        frozen_displacement: Option<Verdict> = choice(Verdict::WORDS),
        /// default: warn, because a plastic or sliding specimen without noise repeats its force
        frozen_force: Option<Verdict> = choice(Verdict::WORDS),
        /// the piston stands while the command moves by frozen_travel; default: trip
        stuck: Option<Verdict> = choice(Verdict::WORDS),
        /// default: trip
        sensor_range: Option<Verdict> = choice(Verdict::WORDS),
        /// default: trip
        displacement_rate: Option<Verdict> = choice(Verdict::WORDS),
        /// default: trip
        force_rate: Option<Verdict> = choice(Verdict::WORDS),
        /// default: trip
        specimen_failure: Option<Verdict> = choice(Verdict::WORDS),
        /// default: hold
        stale_target: Option<Verdict> = choice(Verdict::WORDS),
        /// default: trip
        stale_feedback: Option<Verdict> = choice(Verdict::WORDS),
        /// default: trip
        clock_jump: Option<Verdict> = choice(Verdict::WORDS),
        /// default: hold
        missed_deadlines: Option<Verdict> = choice(Verdict::WORDS),
        /// default: hold
        operator_lost: Option<Verdict> = choice(Verdict::WORDS),
    }
}
