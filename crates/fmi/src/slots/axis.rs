//! `[rig.servo] method = "fmu"` and `[rig.actuator] method = "fmu"`: one axis of a virtual rig.

use crate::Ports;
use tandem_quantity::{
    BuildError, Context, Entry, ExternalModel, Method, Settings, Snapshot, SnapshotError,
    StateReader, Values, settings,
};
use tandem_transfer::actuator::{self, Actuator, Axis};
use tandem_transfer::servo::{self, Servo};

use super::settings::{FmuFile, FmuHost, NAME, REFERENCE};

use super::{FmuSlot, Way, write};

/// A servo controller: one instance for every axis, stepped with the rate of the rig.
pub const SERVO: Entry<servo::Build> = Entry {
    method: Method {
        name: NAME,
        summary: "a Functional Mock-up Unit: command and measured displacement in, drive signal \
            out",
        reference: REFERENCE,
        parameters: FmuServoSettings::PARAMETERS,
    },
    build: &build_servo,
};

settings! {
    /// What the plan writes of a servo.
    struct FmuServoSettings {
        /// The FMU itself.
        file: FmuFile,
        /// input with the commanded displacement, m
        command: String = text().or("\"command\""),
        /// input with the measured displacement, m
        measured: String = text().or("\"measured\""),
        /// input with the measured force, N; default: force, if there is one
        force: Option<String> = text(),
        /// output with the drive signal
        drive: String = text().or("\"drive\""),
        /// How it is run.
        host: FmuHost,
    }
}

/// Ports: command (m), measured displacement (m) and force (N) → drive signal, one servo period
/// later.
struct FmuServo {
    running: FmuSlot,
    period: f64,
    command: Ports,
    measured: Ports,
    force: Option<Ports>,
    drive: Ports,
}

/// The name of the only port, where one is written.
fn one(name: &Option<String>) -> Option<&[String]> {
    name.as_ref().map(std::slice::from_ref)
}

fn build_servo(
    values: &Values,
    &Context { period, .. }: &Context<'_>,
) -> Result<Option<Box<dyn Servo>>, BuildError> {
    let settings = FmuServoSettings::read(values)?;
    let running = FmuSlot::start((&settings.file, &settings.host), "servo", period)?;
    Ok(Some(Box::new(FmuServo {
        command: running.needed(Some(&[settings.command]), ("command", Way::In), 1)?,
        measured: running.needed(Some(&[settings.measured]), ("measured", Way::In), 1)?,
        force: running.optional(one(&settings.force), ("force", Way::In), 1)?,
        drive: running.needed(Some(&[settings.drive]), ("drive", Way::Out), 1)?,
        running,
        period,
    })))
}

impl Servo for FmuServo {
    fn drive(&mut self, command: f64, measured: f64) -> f64 {
        self.drive_with_force(command, measured, 0.0)
    }

    fn drive_with_force(&mut self, command: f64, measured: f64, force: f64) -> f64 {
        let (wanted, seen, felt, given) = (&self.command, &self.measured, &self.force, &self.drive);
        let mut drive = [f64::NAN];
        let there = self.running.step(
            self.period,
            |instance| {
                wanted.write(instance, &[command])?;
                seen.write(instance, &[measured])?;
                write(felt.as_ref(), instance, &[force])
            },
            |instance| given.read(instance, &mut drive),
        );
        if there { drive[0] } else { f64::NAN }
    }

    fn uses_force(&self) -> bool {
        self.force.is_some()
    }

    fn external(&self) -> Option<&dyn ExternalModel> {
        Some(&self.running.health)
    }
}

/// An actuator: one instance for every axis, stepped with the rate of the rig.
pub const ACTUATOR: Entry<actuator::Build> = Entry {
    method: Method {
        name: NAME,
        summary: "a Functional Mock-up Unit: command (or drive signal) in, motion of the piston \
            out",
        reference: REFERENCE,
        parameters: FmuActuatorSettings::PARAMETERS,
    },
    build: &build_actuator,
};

settings! {
    /// What the plan writes of an actuator.
    struct FmuActuatorSettings {
        /// The FMU itself.
        file: FmuFile,
        /// input with the command, m
        command: String = text().or("\"command\""),
        /// input with the commanded velocity, m/s; default: command_velocity, if there is one
        command_velocity: Option<String> = text(),
        /// input with the force of the specimen, N, positive where it resists; default: force, if
        /// there is one
        force: Option<String> = text(),
        /// output with the displacement of the piston, m
        displacement: String = text().or("\"displacement\""),
        /// output with its velocity, m/s; default: velocity, if there is one, else from the
        /// displacements
        velocity: Option<String> = text(),
        /// output with its acceleration, m/s²; default: acceleration, if there is one, else from
        /// the velocities
        acceleration: Option<String> = text(),
        /// How it is run.
        host: FmuHost,
    }
}

/// Ports: command (m, m/s) and the specimen's force (N) → motion of the piston (m, m/s, m/s²), one
/// period of the rig later.
struct FmuActuator {
    running: FmuSlot,
    period: f64,
    command: Ports,
    command_velocity: Option<Ports>,
    force: Option<Ports>,
    displacement: Ports,
    velocity: Option<Ports>,
    acceleration: Option<Ports>,
    last: Axis,
}

fn build_actuator(
    values: &Values,
    &Context { period, .. }: &Context<'_>,
) -> Result<Box<dyn Actuator>, BuildError> {
    let settings = FmuActuatorSettings::read(values)?;
    let running = FmuSlot::start((&settings.file, &settings.host), "actuator", period)?;
    let ports = |name, key, way| running.optional(one(name), (key, way), 1);
    Ok(Box::new(FmuActuator {
        command: running.needed(Some(&[settings.command]), ("command", Way::In), 1)?,
        command_velocity: ports(&settings.command_velocity, "command_velocity", Way::In)?,
        force: ports(&settings.force, "force", Way::In)?,
        displacement: running.needed(
            Some(&[settings.displacement]),
            ("displacement", Way::Out),
            1,
        )?,
        velocity: ports(&settings.velocity, "velocity", Way::Out)?,
        acceleration: ports(&settings.acceleration, "acceleration", Way::Out)?,
        last: [0.0; 3],
        running,
        period,
    }))
}

impl Actuator for FmuActuator {
    fn advance(&mut self, command: Axis) -> Axis {
        self.advance_against(command, 0.0)
    }

    fn advance_against(&mut self, command: Axis, force: f64) -> Axis {
        let (x, v, a) = (&self.displacement, &self.velocity, &self.acceleration);
        let (wanted, faster, felt) = (&self.command, &self.command_velocity, &self.force);
        let (mut now, last, period) = ([0.0; 3], self.last, self.period);
        let there = self.running.step(
            period,
            |instance| {
                wanted.write(instance, &command[..1])?;
                write(faster.as_ref(), instance, &command[1..2])?;
                write(felt.as_ref(), instance, &[force])
            },
            |instance| {
                x.read(instance, &mut now[..1])?;
                match v {
                    Some(ports) => ports.read(instance, &mut now[1..2])?,
                    None => now[1] = (now[0] - last[0]) / period,
                }
                match a {
                    Some(ports) => ports.read(instance, &mut now[2..]),
                    None => {
                        now[2] = (now[1] - last[1]) / period;
                        Ok(())
                    }
                }
            },
        );
        if !there {
            now = [f64::NAN; 3];
        }
        self.last = now;
        now
    }

    fn feels_force(&self) -> bool {
        self.force.is_some()
    }

    fn external(&self) -> Option<&dyn ExternalModel> {
        Some(&self.running.health)
    }
}

/// The state of an FMU is its own affair.
impl Snapshot for FmuServo {
    fn save(&self, _into: &mut Vec<f64>) {}

    fn restore(&mut self, _from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        Ok(())
    }
}

/// Likewise.
impl Snapshot for FmuActuator {
    fn save(&self, into: &mut Vec<f64>) {
        self.last.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.last.restore(from)
    }
}
