//! Parts of a virtual rig that come from elsewhere: Functional Mock-up Units. What the plan writes of them stands here; they are built by
//! whoever may open files and start processes, which this crate may not.

use crate::{actuator, servo, specimen};
use tandem_quantity::{Conditional, Dimension, Method, Settings, settings};

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

settings! {
    /// The FMU, in front of what a place in the plan has of its own.
    pub struct FmuFile {
        /// the FMU: FMI 2.0 or 3.0, Co-Simulation or Model Exchange
        pub fmu: String = path(),
    }
}

settings! {
    /// How an FMU begins, behind what a place in the plan has of its own.
    pub struct FmuStart {
        /// start values, as "name=value"
        pub start: Vec<String> = texts().optional(),
        /// load the FMU into this process, as real time needs it: what it breaks is broken for all
        pub in_process: bool = boolean().or("false"),
        /// longest time for one answer of an FMU in a process of its own
        pub timeout: Conditional<f64> = number(Dimension::TIME).or("\"1 s\"").positive(),
    }
}

settings! {
    /// How an FMU is run that is stepped with the test.
    pub struct FmuHost {
        /// How it begins.
        pub start: FmuStart,
        /// longest time that a step may take; a longer one ends the test
        pub step_limit: Option<f64> = number(Dimension::TIME).positive(),
    }
}

const REFERENCE: &str = "FMI 2.0.4 and 3.0.1; docs/fmi.md";

/// A servo controller: one instance for every axis, stepped with the rate of the rig.
pub static SERVO: Method = Method {
    name: NAME,
    summary: "a Functional Mock-up Unit: command and measured displacement in, drive signal out",
    reference: REFERENCE,
    parameters: FmuServoSettings::PARAMETERS,
};

settings! {
    /// What the plan writes of a servo.
    pub struct FmuServoSettings {
        /// The FMU itself.
        pub file: FmuFile,
        /// input with the commanded displacement, m
        pub command: String = text().or("\"command\""),
        /// input with the measured displacement, m
        pub measured: String = text().or("\"measured\""),
        /// input with the measured force, N; default: force, if there is one
        pub force: Option<String> = text(),
        /// output with the drive signal
        pub drive: String = text().or("\"drive\""),
        /// How it is run.
        pub host: FmuHost,
    }
}

/// An actuator: one instance for every axis, stepped with the rate of the rig.
pub static ACTUATOR: Method = Method {
    name: NAME,
    summary: "a Functional Mock-up Unit: command (or drive signal) in, motion of the piston out",
    reference: REFERENCE,
    parameters: FmuActuatorSettings::PARAMETERS,
};

settings! {
    /// What the plan writes of an actuator.
    pub struct FmuActuatorSettings {
        /// The FMU itself.
        pub file: FmuFile,
        /// input with the command, m
        pub command: String = text().or("\"command\""),
        /// input with the commanded velocity, m/s; default: command_velocity, if there is one
        pub command_velocity: Option<String> = text(),
        /// input with the force of the specimen, N, positive where it resists; default: force, if
        /// there is one
        pub force: Option<String> = text(),
        /// output with the displacement of the piston, m
        pub displacement: String = text().or("\"displacement\""),
        /// output with its velocity, m/s; default: velocity, if there is one, else from the
        /// displacements
        pub velocity: Option<String> = text(),
        /// output with its acceleration, m/s²; default: acceleration, if there is one, else from
        /// the velocities
        pub acceleration: Option<String> = text(),
        /// How it is run.
        pub host: FmuHost,
    }
}

/// A specimen, moved by the actuators of the rig.
pub static SPECIMEN: Method = Method {
    name: NAME,
    summary: "a Functional Mock-up Unit: imposed motion in, restoring force out; interface.stiffness says what may be assumed of it",
    reference: REFERENCE,
    parameters: FmuSpecimenSettings::PARAMETERS,
};

settings! {
    /// What the plan writes of a specimen.
    pub struct FmuSpecimenSettings {
        /// The FMU itself.
        pub file: FmuFile,
        /// inputs with the imposed displacements, m; default: displacement
        pub displacement: Option<Vec<String>> = texts(),
        /// inputs with the imposed velocities, m/s; default: velocity, if there is one
        pub velocity: Option<Vec<String>> = texts(),
        /// inputs with the imposed accelerations, m/s²; default: acceleration, if there is one
        pub acceleration: Option<Vec<String>> = texts(),
        /// outputs with the forces, N, positive where they resist; default: force
        pub force: Option<Vec<String>> = texts(),
        /// How it is run.
        pub host: FmuHost,
    }
}
