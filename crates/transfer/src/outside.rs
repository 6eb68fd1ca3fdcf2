//! Parts of a virtual rig that come from elsewhere: Functional Mock-up Units. What the plan writes of them stands here; they are built by
//! whoever may open files and start processes, which this crate may not.

use crate::{actuator, servo, specimen};
use tandem_quantity::{Dimension, Kind, Method, Parameter};

/// The word in the plan.
pub const NAME: &str = "fmu";

/// Who builds them.
#[derive(Clone, Copy, Debug)]
pub struct Outside {
    /// A servo.
    pub servo: servo::Build,
    /// An actuator.
    pub actuator: actuator::Build,
    /// A specimen.
    pub specimen: specimen::Build,
}

/// The FMU.
pub const FMU: Parameter = Parameter::of(
    "fmu",
    Kind::Path,
    "the FMU: FMI 2.0 or 3.0, Co-Simulation or Model Exchange",
);
/// Its start values.
pub const START: Parameter =
    Parameter::of("start", Kind::Texts, "start values, as \"name=value\"").optional();
/// Where it runs.
pub const IN_PROCESS: Parameter = Parameter::of(
    "in_process",
    Kind::Boolean,
    "load the FMU into this process, as real time needs it: what it breaks is broken for all",
)
.or("false");
/// How long it may be silent.
pub const TIMEOUT: Parameter = Parameter::number(
    "timeout",
    Dimension::TIME,
    "longest time for one answer of an FMU in a process of its own",
)
.or("\"1 s\"")
.positive();
/// How long a step may take.
pub const STEP_LIMIT: Parameter = Parameter::number(
    "step_limit",
    Dimension::TIME,
    "longest time that a step may take; a longer one ends the test",
)
.optional()
.positive();

const REFERENCE: &str = "FMI 2.0.4 and 3.0.1; docs/fmi.md";

/// A servo controller: one instance for every axis, stepped with the rate of the rig.
pub static SERVO: Method = Method {
    name: NAME,
    summary: "a Functional Mock-up Unit: command and measured displacement in, drive signal out",
    reference: REFERENCE,
    parameters: &[
        FMU,
        Parameter::of(
            "command",
            Kind::Text,
            "input with the commanded displacement, m",
        )
        .or("\"command\""),
        Parameter::of(
            "measured",
            Kind::Text,
            "input with the measured displacement, m",
        )
        .or("\"measured\""),
        Parameter::of(
            "force",
            Kind::Text,
            "input with the measured force, N; default: force, if there is one",
        )
        .optional(),
        Parameter::of("drive", Kind::Text, "output with the drive signal").or("\"drive\""),
        START,
        IN_PROCESS,
        TIMEOUT,
        STEP_LIMIT,
    ],
};

/// An actuator: one instance for every axis, stepped with the rate of the rig.
pub static ACTUATOR: Method = Method {
    name: NAME,
    summary: "a Functional Mock-up Unit: command (or drive signal) in, motion of the piston out",
    reference: REFERENCE,
    parameters: &[
        FMU,
        Parameter::of("command", Kind::Text, "input with the command, m").or("\"command\""),
        Parameter::of("command_velocity", Kind::Text, "input with the commanded velocity, m/s; default: command_velocity, if there is one")
            .optional(),
        Parameter::of(
            "force",
            Kind::Text,
            "input with the force of the specimen, N, positive where it resists; default: force, if there is one",
        )
        .optional(),
        Parameter::of("displacement", Kind::Text, "output with the displacement of the piston, m").or("\"displacement\""),
        Parameter::of("velocity", Kind::Text, "output with its velocity, m/s; default: velocity, if there is one, else from the displacements")
            .optional(),
        Parameter::of(
            "acceleration",
            Kind::Text,
            "output with its acceleration, m/s²; default: acceleration, if there is one, else from the velocities",
        )
        .optional(),
        START,
        IN_PROCESS,
        TIMEOUT,
        STEP_LIMIT,
    ],
};

/// A specimen, moved by the actuators of the rig.
pub static SPECIMEN: Method = Method {
    name: NAME,
    summary: "a Functional Mock-up Unit: imposed motion in, restoring force out; interface.stiffness says what may be assumed of it",
    reference: REFERENCE,
    parameters: &[
        FMU,
        Parameter::of(
            "displacement",
            Kind::Texts,
            "inputs with the imposed displacements, m; default: displacement",
        )
        .optional(),
        Parameter::of(
            "velocity",
            Kind::Texts,
            "inputs with the imposed velocities, m/s; default: velocity, if there is one",
        )
        .optional(),
        Parameter::of(
            "acceleration",
            Kind::Texts,
            "inputs with the imposed accelerations, m/s²; default: acceleration, if there is one",
        )
        .optional(),
        Parameter::of(
            "force",
            Kind::Texts,
            "outputs with the forces, N, positive where they resist; default: force",
        )
        .optional(),
        START,
        IN_PROCESS,
        TIMEOUT,
        STEP_LIMIT,
    ],
};
