//! The detectors of the gate: their names, their keys in the plan, and what each does.

use tandem_quantity::{Dimension, Kind, Parameter, Range, Values, Verdict};

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
            // A perfectly plastic specimen, or one that slides, gives the same force for long: a model without noise does so exactly.
            L::FrozenForce => Verdict::Warn,
            // The pistons are in order; whoever comes back can go on.
            L::StaleTarget | L::MissedDeadlines | L::OperatorLost => Verdict::Hold,
            _ => Verdict::Trip,
        }
    }

    /// The action that the plan gives it.
    pub(super) fn action(self, actions: Option<&Values>) -> Verdict {
        let chosen = actions.and_then(|table| table.optional_text(self.name()));
        chosen.map_or(self.default_action(), Verdict::from_choice)
    }
}

impl Limit {
    /// Detectors for which these `[limits]` have no bound, so that they find nothing, each with the key that would give it one.
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

/// A bound that may be left out.
const fn bound(key: &'static str, dimension: Dimension, doc: &'static str) -> Parameter {
    Parameter::number(key, dimension, doc).optional().positive()
}

/// The section `[limits]` in the plan.
pub static PARAMETERS: &[Parameter] = &[
    bound(
        "stroke",
        Dimension::LENGTH,
        "largest displacement of target, command and piston",
    ),
    bound(
        "velocity",
        Dimension::VELOCITY,
        "largest change of the command per time",
    ),
    bound(
        "acceleration",
        Dimension::ACCELERATION,
        "largest change of the command's velocity per time",
    ),
    bound("force", Dimension::FORCE, "largest measured force"),
    bound(
        "tracking_error",
        Dimension::LENGTH,
        "largest distance between target and piston",
    ),
    Parameter::number(
        "valve",
        Dimension::NONE,
        "opening of a valve that counts as saturated, where the rig reports it",
    )
    .or("\"99 %\"")
    .within(Range::between(0.0, 1.0)),
    Parameter::number(
        "valve_time",
        Dimension::TIME,
        "how long (wall time) a valve may stay saturated",
    )
    .or("\"50 ms\"")
    .not_negative(),
    Parameter::number(
        "frozen",
        Dimension::TIME,
        "how long (wall time) a sensor may repeat one value while what it measures moves",
    )
    .or("\"100 ms\"")
    .positive(),
    Parameter::number(
        "frozen_travel",
        Dimension::LENGTH,
        "how far the command (for a load cell: the piston) moves in that time before a sensor counts as frozen",
    )
    .or("\"1 mm\"")
    .positive(),
    bound(
        "displacement_range",
        Dimension::LENGTH,
        "end of the range of the displacement sensors",
    ),
    bound(
        "force_range",
        Dimension::FORCE,
        "end of the range of the load cells",
    ),
    bound(
        "displacement_rate",
        Dimension::VELOCITY,
        "largest change of a measured displacement per time",
    ),
    bound(
        "force_rate",
        Dimension::of(1, 1, -3),
        "largest change of a measured force per time",
    ),
    bound(
        "specimen_failure",
        Dimension::NONE,
        "part of its largest secant stiffness, seen or planned, below which a specimen counts as failed; by the reading, so that a late displacement must be brought to the present by a step of [conditioning]",
    )
    .within(Range::between(0.0, 1.0)),
    Parameter::number(
        "stale_target",
        Dimension::TIME,
        "how long (wall time) a target may be overdue; the command slows down and holds before",
    )
    .or("\"1 s\"")
    .positive(),
    Parameter::integer(
        "stale_feedback",
        "age of the newest measurement, in ticks, up to which the test goes on",
    )
    .or("5")
    .within(Range::between(0.0, 1e6)),
    Parameter::number(
        "clock_jump",
        Dimension::TIME,
        "largest step of a device's clock against that of the coordinator",
    )
    .or("\"20 ms\"")
    .positive(),
    Parameter::integer(
        "missed_deadlines",
        "missed deadlines within a second of real time up to which the test goes on",
    )
    .or("50")
    .within(Range::between(0.0, 1e6)),
    bound(
        "operator_timeout",
        Dimension::TIME,
        "how long (wall time) the operator's desk may be silent, once it has been heard; default: 10 s where the test waits for an operator (--screen), which the recorded plan then says, else for ever",
    ),
    Parameter::of(
        "actions",
        Kind::Table(ACTIONS),
        "what each detector does: none, warn, hold, ramp-down or trip. A command beyond stroke, velocity or acceleration never leaves \
         the gate, whatever is chosen here",
    )
    .optional(),
];

const fn action(key: &'static str, doc: &'static str) -> Parameter {
    Parameter::of(key, Kind::Choice(Verdict::CHOICES), doc).optional()
}

/// The section `[limits.actions]`.
static ACTIONS: &[Parameter] = &[
    action("not-finite", "a value is NaN or infinite; default: trip"),
    action("stroke", "default: trip"),
    action("velocity", "default: trip"),
    action("acceleration", "default: trip"),
    action("force", "default: trip"),
    action("tracking_error", "default: trip"),
    action(
        "linkage",
        "the measured strokes belong to no position; default: trip",
    ),
    action("valve", "default: trip"),
    action("frozen_displacement", "default: trip"),
    action(
        "frozen_force",
        "default: warn, because a plastic or sliding specimen without noise repeats its force",
    ),
    action(
        "stuck",
        "the piston stands while the command moves by frozen_travel; default: trip",
    ),
    action("sensor_range", "default: trip"),
    action("displacement_rate", "default: trip"),
    action("force_rate", "default: trip"),
    action("specimen_failure", "default: trip"),
    action("stale_target", "default: hold"),
    action("stale_feedback", "default: trip"),
    action("clock_jump", "default: trip"),
    action("missed_deadlines", "default: hold"),
    action("operator_lost", "default: hold"),
];
