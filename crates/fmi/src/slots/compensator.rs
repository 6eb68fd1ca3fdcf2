//! `[compensator] method = "fmu"`: a tracking controller that another tool has made.

use super::settings::{FmuFile, FmuHost, NAME, REFERENCE};
use crate::Ports;
use tandem_quantity::{
    BuildError, Context, Entry, ExternalModel, Method, Motion, Settings, Snapshot, SnapshotError,
    StateReader, Values, settings,
};
use tandem_transfer::compensator::{Build, Compensator, SwitchOn};

use super::{FmuSlot, Way, write};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: NAME,
        summary: "a Functional Mock-up Unit: wanted and measured motion in, command out",
        reference: REFERENCE,
        parameters: <(FmuCompensatorSettings, SwitchOn)>::PARAMETERS,
    },
    build: &build,
};

settings! {
    struct FmuCompensatorSettings {
        file: FmuFile,
        /// inputs with the wanted displacements, m; default: target
        target: Option<Vec<String>> = texts(),
        /// inputs with the wanted velocities, m/s; default: target_velocity, if there is one
        target_velocity: Option<Vec<String>> = texts(),
        /// inputs with the wanted accelerations, m/s²; default: target_acceleration, if there is
        /// one
        target_acceleration: Option<Vec<String>> = texts(),
        /// inputs with the measured displacements, m; default: measured, if there is one
        measured: Option<Vec<String>> = texts(),
        /// outputs with the displacements to command, m; default: command
        command: Option<Vec<String>> = texts(),
        /// outputs with the velocities to command, m/s; default: command_velocity, if there is one,
        /// else those wanted
        command_velocity: Option<Vec<String>> = texts(),
        /// outputs with the accelerations to command, m/s²; default: command_acceleration, if there
        /// is one, else those wanted
        command_acceleration: Option<Vec<String>> = texts(),
        host: FmuHost,
    }
}

/// Ports, one value for each actuator: wanted motion of the next tick and measured displacement of
/// this one → command. The FMU makes one step of the coordinator's period in between.
struct FmuCompensator {
    running: FmuSlot,
    period: f64,
    target: [Option<Ports>; 3],
    measured: Option<Ports>,
    command: Ports,
    faster: [Option<Ports>; 2],
}

fn build(
    values: &Values,
    &Context {
        actuators: n,
        period,
        ..
    }: &Context<'_>,
) -> Result<Box<dyn Compensator>, BuildError> {
    let settings = FmuCompensatorSettings::read(values)?;
    let running = FmuSlot::start((&settings.file, &settings.host), "compensator", period)?;
    let ports =
        |names: &Option<Vec<String>>, key, way| running.optional(names.as_deref(), (key, way), n);
    Ok(Box::new(FmuCompensator {
        target: [
            Some(running.needed(settings.target.as_deref(), ("target", Way::In), n)?),
            ports(&settings.target_velocity, "target_velocity", Way::In)?,
            ports(
                &settings.target_acceleration,
                "target_acceleration",
                Way::In,
            )?,
        ],
        measured: ports(&settings.measured, "measured", Way::In)?,
        command: running.needed(settings.command.as_deref(), ("command", Way::Out), n)?,
        faster: [
            ports(&settings.command_velocity, "command_velocity", Way::Out)?,
            ports(
                &settings.command_acceleration,
                "command_acceleration",
                Way::Out,
            )?,
        ],
        running,
        period,
    }))
}

impl Compensator for FmuCompensator {
    fn propose(&mut self, wanted: &Motion, measured: &Motion, command: &mut Motion) {
        command.copy_from(wanted);
        let (target, seen, given, faster) =
            (&self.target, &self.measured, &self.command, &self.faster);
        let motion = [&wanted.displacement, &wanted.velocity, &wanted.acceleration];
        let there = self.running.step(
            self.period,
            |instance| {
                for (ports, values) in target.iter().zip(motion) {
                    write(ports.as_ref(), instance, values)?;
                }
                write(seen.as_ref(), instance, &measured.displacement)
            },
            |instance| {
                given.read(instance, &mut command.displacement)?;
                let rest = [&mut command.velocity, &mut command.acceleration];
                for (ports, values) in faster.iter().zip(rest) {
                    if let Some(ports) = ports {
                        ports.read(instance, values)?;
                    }
                }
                Ok(())
            },
        );
        if !there {
            command.displacement.fill(f64::NAN);
        }
    }

    fn closes_a_loop(&self) -> bool {
        self.measured.is_some()
    }

    fn external(&self) -> Option<&dyn ExternalModel> {
        Some(&self.running.health)
    }
}

/// The state of an FMU is its own affair.
impl Snapshot for FmuCompensator {
    fn save(&self, _into: &mut Vec<f64>) {}

    fn restore(&mut self, _from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        Ok(())
    }
}
