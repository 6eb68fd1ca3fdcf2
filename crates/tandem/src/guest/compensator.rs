//! `[compensator] method = "fmu"`: a tracking controller that another tool has made.

use tandem_fmi::Ports;
use tandem_quantity::{
    BuildError, Entry, Guest, Kind, Method, Motion, Parameter, Slot, Snapshot, SnapshotError,
    Values, Words,
};
use tandem_transfer::compensator::{self, BLEND, Build, Compensator, METHODS, SWITCH_ON, wrap};
use tandem_transfer::outside;

use super::{Running, Way, write};

/// What the plan writes.
const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: outside::NAME,
        summary: "a Functional Mock-up Unit: wanted and measured motion in, command out",
        reference: "FMI 2.0.4 and 3.0.1; docs/fmi.md",
        parameters: &[
            outside::FMU,
            Parameter::of("target", Kind::Texts, "inputs with the wanted displacements, m; default: target").optional(),
            Parameter::of(
                "target_velocity",
                Kind::Texts,
                "inputs with the wanted velocities, m/s; default: target_velocity, if there is one",
            )
            .optional(),
            Parameter::of(
                "target_acceleration",
                Kind::Texts,
                "inputs with the wanted accelerations, m/s²; default: target_acceleration, if there is one",
            )
            .optional(),
            Parameter::of("measured", Kind::Texts, "inputs with the measured displacements, m; default: measured, if there is one")
                .optional(),
            Parameter::of("command", Kind::Texts, "outputs with the displacements to command, m; default: command").optional(),
            Parameter::of(
                "command_velocity",
                Kind::Texts,
                "outputs with the velocities to command, m/s; default: command_velocity, if there is one, else those wanted",
            )
            .optional(),
            Parameter::of(
                "command_acceleration",
                Kind::Texts,
                "outputs with the accelerations to command, m/s²; default: command_acceleration, if there is one, else those wanted",
            )
            .optional(),
            outside::START,
            outside::IN_PROCESS,
            outside::TIMEOUT,
            outside::STEP_LIMIT,
            SWITCH_ON,
            BLEND,
        ],
    },
    build: make,
};

/// The slot in the plan: our own methods, and this one.
pub static SLOT: Slot = Slot {
    selector: compensator::SLOT.selector,
    default: compensator::SLOT.default,
    methods: || {
        let own = METHODS.iter().map(|entry| &entry.method);
        own.chain([&ENTRY.method]).collect()
    },
};

/// The compensator of a plan, for a number of actuators, at the coordinator's period in seconds.
pub fn build(
    values: &Values,
    actuators: usize,
    period: f64,
) -> Result<Box<dyn Compensator>, BuildError> {
    if values.optional_text(SLOT.selector) != Some(outside::NAME) {
        return compensator::build(values, actuators, period);
    }
    wrap(make(values, actuators, period)?, values, actuators, period)
}

/// Ports, one value for each actuator: wanted motion of the next tick and measured displacement of this one → command. The FMU makes one step
/// of the coordinator's period in between.
struct FmuCompensator {
    running: Running,
    period: f64,
    target: [Option<Ports>; 3],
    measured: Option<Ports>,
    command: Ports,
    faster: [Option<Ports>; 2],
}

fn make(values: &Values, n: usize, period: f64) -> Result<Box<dyn Compensator>, BuildError> {
    let running = Running::start(values, "compensator", period)?;
    let taken = |key| running.optional(values, (key, Way::In), n);
    let given = |key| running.optional(values, (key, Way::Out), n);
    Ok(Box::new(FmuCompensator {
        target: [
            Some(running.needed(values, ("target", Way::In), n)?),
            taken("target_velocity")?,
            taken("target_acceleration")?,
        ],
        measured: taken("measured")?,
        command: running.needed(values, ("command", Way::Out), n)?,
        faster: [given("command_velocity")?, given("command_acceleration")?],
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

    fn guest(&self) -> Option<&dyn Guest> {
        Some(&self.running.health)
    }
}

/// The state of an FMU is its own affair.
impl Snapshot for FmuCompensator {
    fn save(&self, _into: &mut Vec<f64>) {}

    fn restore(&mut self, _from: &mut Words<'_>) -> Result<(), SnapshotError> {
        Ok(())
    }
}
