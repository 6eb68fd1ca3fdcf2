//! `[rig] kind = "fmu"`: a specimen, an actuator with it, or a whole rig that another tool has
//! modelled.

use super::settings::{FmuFile, FmuHost, NAME, REFERENCE};
use crate::Ports;
use tandem_quantity::{
    BuildError, Entry, ExternalModel, Method, Settings, Values, settings, snapshot,
};
use tandem_transfer::rig::{Build, Measured, Released, Rig, RigContext, RigProperties, RigView};

use super::{FmuSlot, Way, write};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: NAME,
        summary: "a Functional Mock-up Unit: command in, measured displacement and force out (or \
            force alone: a specimen without actuator)",
        reference: REFERENCE,
        parameters: FmuRigSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct FmuRigSettings {
        file: FmuFile,
        /// inputs that take the commanded displacements, m; default: command
        command: Option<Vec<String>> = texts(),
        /// inputs that take the commanded velocities, m/s; default: command_velocity, if there is
        /// one
        command_velocity: Option<Vec<String>> = texts(),
        /// inputs that take the commanded accelerations, m/s²; default: command_acceleration, if
        /// there is one
        command_acceleration: Option<Vec<String>> = texts(),
        /// outputs with the measured displacements, m; default: displacement, if there is one, else
        /// what was commanded
        displacement: Option<Vec<String>> = texts(),
        /// outputs with the measured forces, N, positive where they resist; default: force
        force: Option<Vec<String>> = texts(),
        host: FmuHost,
    }
}

/// Ports: command (m, m/s) → measured displacement (m) and force (N), one step of the coordinator
/// later.
struct FmuRig {
    running: FmuSlot,
    period: f64,
    command: Ports,
    faster: [Option<Ports>; 2],
    displacement: Option<Ports>,
    force: Ports,
    measured: Measured,
}

fn build(values: &Values, context: &RigContext<'_>) -> Result<Box<dyn Rig>, BuildError> {
    let settings = FmuRigSettings::read(values)?;
    let running = FmuSlot::start(
        (&settings.file, &settings.host),
        "rig",
        context.common.period,
    )?;
    let n = context.common.actuators;
    let ports =
        |names: &Option<Vec<String>>, key, way| running.optional(names.as_deref(), (key, way), n);
    Ok(Box::new(FmuRig {
        command: running.needed(settings.command.as_deref(), ("command", Way::In), n)?,
        faster: [
            ports(&settings.command_velocity, "command_velocity", Way::In)?,
            ports(
                &settings.command_acceleration,
                "command_acceleration",
                Way::In,
            )?,
        ],
        displacement: ports(&settings.displacement, "displacement", Way::Out)?,
        force: running.needed(settings.force.as_deref(), ("force", Way::Out), n)?,
        measured: Measured::at_rest(n),
        period: context.common.period,
        running,
    }))
}

impl Rig for FmuRig {
    fn properties(&self) -> RigProperties {
        RigProperties {
            is_model: true,
            waits: self.running.health.waits(),
            ..RigProperties::of(self.measured.force.len())
        }
    }

    fn read(&mut self, measured: &mut Measured) {
        measured.motion.copy_from(&self.measured.motion);
        measured.force.copy_from_slice(&self.measured.force);
    }

    fn write(&mut self, command: Released<'_>) {
        let (wanted, faster) = (&self.command, &self.faster);
        let (moved, felt, measured) = (&self.displacement, &self.force, &mut self.measured);
        let there = self.running.step(
            self.period,
            |instance| {
                wanted.write(instance, &command.displacement)?;
                write(faster[0].as_ref(), instance, &command.velocity)?;
                write(faster[1].as_ref(), instance, &command.acceleration)
            },
            |instance| {
                match moved {
                    Some(ports) => ports.read(instance, &mut measured.motion.displacement)?,
                    None => measured.motion.copy_from(&command),
                }
                felt.read(instance, &mut measured.force)
            },
        );
        if !there {
            // From now on nothing is known: the gate ends the test.
            self.measured.force.fill(f64::NAN);
        }
    }

    fn observe(&self) -> &dyn RigView {
        self
    }
}

impl RigView for FmuRig {
    fn fault_message(&self) -> Option<&str> {
        self.running.health.fault_message()
    }

    fn slowest_step(&self) -> Option<f64> {
        Some(self.running.health.slowest_step())
    }
}

// The state of an FMU is its own affair.
snapshot!(FmuRig {});
