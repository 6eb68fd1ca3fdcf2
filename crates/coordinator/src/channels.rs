//! The channels of the record, each declared once: its name, its unit, its role, what there is one
//! of it for, and what it means. The declaration lays the row out, names the data sets, and is what
//! others look a channel up by.

use crate::recorder::{Channel, Role};

/// What there is one channel for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Per {
    /// The test.
    Test,
    /// An actuator.
    Actuator,
    /// A degree of freedom of the interface.
    Interface,
    /// A degree of freedom of the numerical substructure.
    Dof,
    /// A coefficient of an actuator's compensator.
    Coefficient,
}

/// A channel, or one for each of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// Its name, before the number where there are several.
    pub name: &'static str,
    /// SI unit of a translation; where it is one of a degree of freedom that turns, the structure
    /// says which belongs to it.
    pub unit: &'static str,
    /// The part it plays.
    pub role: Role,
    /// What there is one for.
    pub per: Per,
    /// One sentence; `{}` is which of several.
    pub meaning: &'static str,
}

impl Quantity {
    /// Name of the channel of the whole test.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Name of the channel of a number, from one.
    #[must_use]
    pub fn of(&self, number: usize) -> String {
        format!("{}/{number}", self.name)
    }

    /// Whether a channel of this name is one of these.
    #[must_use]
    pub fn is(&self, channel: &str) -> bool {
        let rest = channel.strip_prefix(self.name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Which of several a channel of this name is, from one; none where it is none of them.
    #[must_use]
    pub fn number(&self, channel: &str) -> Option<usize> {
        let number = channel.strip_prefix(self.name)?.strip_prefix('/')?;
        number.parse().ok()
    }

    /// The channel of a number, which has this label.
    pub(crate) fn channel(&self, number: usize, unit: &str, label: &str) -> Channel {
        let meaning = self.meaning.replace("{}", label);
        Channel::new(self.of(number), unit, self.role, meaning)
    }
}

/// Structural time, s: the first column of every record.
pub const TIME: &str = "time";

macro_rules! channels {
    ($(
        $(#[$doc:meta])*
        $constant:ident = $name:literal, $unit:literal, $role:ident, $per:ident, $meaning:literal;
    )*) => {
        $(
            $(#[$doc])*
            pub const $constant: Quantity = Quantity {
                name: $name,
                unit: $unit,
                role: Role::$role,
                per: Per::$per,
                meaning: $meaning,
            };
        )*
        /// All of them, in the order of the row; figures of monitors stand between coefficients
        /// and state.
        pub const ALL: &[Quantity] = &[$($constant),*];
    };
}

channels! {
    /// Ground acceleration.
    GROUND_ACCELERATION = "ground_acceleration", "m/s^2", Excitation, Test, "Ground acceleration.";
    /// Target of an actuator.
    TARGET = "target", "m", Target, Actuator, "Where actuator {} should be at this tick.";
    /// Command that was sent.
    COMMAND = "command", "m", Command, Actuator,
        "Command sent to actuator {} at this tick, after compensation and gate.";
    /// Measured displacement.
    MEASURED_DISPLACEMENT = "measured_displacement", "m", Measured, Actuator,
        "Displacement measured at actuator {}.";
    /// Measured force.
    MEASURED_FORCE = "measured_force", "N", Measured, Actuator, "Force measured at actuator {}.";
    /// Measured acceleration, where the rig has accelerometers.
    MEASURED_ACCELERATION = "measured_acceleration", "m/s^2", Measured, Actuator,
        "Acceleration measured at actuator {}, in wall time.";
    /// What the displacement transducer said, where the measured value is made of it.
    RAW_DISPLACEMENT = "raw_displacement", "m", Other, Actuator,
        "What the displacement transducer of actuator {} said, before [conditioning].";
    /// What the load cell said, likewise.
    RAW_FORCE = "raw_force", "N", Other, Actuator,
        "What the load cell of actuator {} said, before [conditioning].";
    /// Velocity, where there is conditioning: any step of it may go by it.
    RAW_VELOCITY = "raw_velocity", "m/s", Other, Actuator,
        "Velocity of actuator {} in wall time, before [conditioning].";
    /// Acceleration, likewise.
    RAW_ACCELERATION = "raw_acceleration", "m/s^2", Other, Actuator,
        "Acceleration of actuator {} in wall time, before [conditioning].";
    /// Target of the interface, behind a linkage.
    INTERFACE_TARGET = "interface_target", "m", Target, Interface,
        "Where {} should be at this tick (rad for a rotation).";
    /// Displacement of the interface, behind a linkage.
    INTERFACE_DISPLACEMENT = "interface_displacement", "m", Measured, Interface,
        "Displacement of {} that belongs to the measured strokes (rad for a rotation).";
    /// Force at the interface, behind a linkage.
    INTERFACE_FORCE = "interface_force", "N", Measured, Interface,
        "Force at {} that belongs to the measured forces (N m for a rotation).";
    /// Computed displacement.
    RESPONSE_DISPLACEMENT = "response_displacement", "m", Response, Dof,
        "Displacement of {} of the numerical substructure, relative to the ground.";
    /// Computed velocity.
    RESPONSE_VELOCITY = "response_velocity", "m/s", Response, Dof,
        "Velocity of {} of the numerical substructure, relative to the ground.";
    /// Computed acceleration.
    RESPONSE_ACCELERATION = "response_acceleration", "m/s^2", Response, Dof,
        "Acceleration of {} of the numerical substructure, relative to the ground.";
    /// What a method by operator splitting assumed of the force.
    UNBALANCED_FORCE = "unbalanced_force", "N", Other, Interface,
        "Force at {} that the method assumed beyond what it asked: the asked forces are \
         out of balance by it.";
    /// How well the estimated stiffness foretells.
    ESTIMATE_CONFIDENCE = "estimate_confidence", "1", Other, Test,
        "Share of the last increments of force that the estimated stiffness foretold.";
    /// Estimated stiffness of the specimen.
    ESTIMATED_STIFFNESS = "estimated_stiffness", "N/m", Other, Actuator,
        "Tangent stiffness of the specimen at interface degree of freedom {}, estimated \
         on the run.";
    /// Its true stiffness, where a model knows it.
    TRUE_STIFFNESS = "true_stiffness", "N/m", Other, Actuator,
        "Tangent stiffness of the specimen at interface degree of freedom {}, of the model.";
    /// A coefficient of a compensator.
    COEFFICIENT = "coefficient", "SI", State, Coefficient,
        "Coefficient {} of the compensator of actuator {}.";
    /// In which ticks the target of the way was not there, and why: a [`crate::TargetStatus`].
    TARGET_PENDING = "target_pending", "1", State, Test,
        "0 where the target of this way is there; 1: the integration works at it in its thread, \
         2: the driver has not sent it yet, 3: the driver is gone, 4: the driver has ended the \
         test.";
    /// What the rig says about itself (`Status::words`); the gate acts on it, so a replay has to
    /// know it.
    RIG_STATUS = "rig_status", "1", State, Test,
        "What the rig reports: 1 pressure, 2 service manifold open, 4 emergency chain \
         open, added up.";
    /// Age of the measurement.
    FEEDBACK_AGE = "feedback_age", "1", State, Test,
        "Ticks since the newest measurement: 0 is one of this tick.";
    /// Largest opening of a valve.
    VALVE = "valve", "1", State, Test,
        "Largest opening of a valve as a share of all it has; 0 where nobody reports it.";
    /// The device's clock.
    DEVICE_TIME = "device_time", "s", State, Test,
        "The device's own clock at the measurement; no number where it has none.";
    /// Displacement that an external integrator asked for.
    DRIVER_DISPLACEMENT = "driver_displacement", "m", State, Interface,
        "What the driver asked for at {}, in structural time.";
    /// Velocity that it asked for.
    DRIVER_VELOCITY = "driver_velocity", "m/s", State, Interface,
        "What the driver asked for at {}, in structural time.";
    /// Acceleration that it asked for.
    DRIVER_ACCELERATION = "driver_acceleration", "m/s^2", State, Interface,
        "What the driver asked for at {}, in structural time.";
    /// Steps of the driver.
    DRIVER_STEPS = "driver_steps", "1", State, Test, "Steps that the driver has accepted.";
    /// The driver's time of its last step.
    DRIVER_TIME = "driver_time", "s", State, Test,
        "The driver's own time of the last step that it has accepted, which is the response.";
    /// The driver's time of its target.
    DRIVER_TARGET_TIME = "driver_target_time", "s", State, Test,
        "The driver's own time of its target. Iterations of one step all have the same.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_known_by_their_names() {
        assert_eq!(TARGET.of(2), "target/2");
        assert!(TARGET.is("target/2") && !TARGET.is("target_pending"));
        assert_eq!(TARGET.number("target/12"), Some(12));
        assert_eq!(TARGET.number("target"), None);
        assert_eq!(MEASURED_DISPLACEMENT.number("measured_force/1"), None);
        let mut names: Vec<&str> = ALL.iter().map(Quantity::name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len(), "each name once");
    }
}
