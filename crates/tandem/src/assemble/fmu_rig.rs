//! `[rig] kind = "fmu"`: a specimen, an actuator with it, or a whole rig that another tool has modelled.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use tandem_fmi::binding::{Wish, instantiate};
use tandem_fmi::{Fmu, FmuError, Instance, Interface, Launcher, Ports, Remote, Stepping};
use tandem_quantity::{
    BuildError, Dimension, Entry, Kind, Method, Motion, Parameter, Snapshot, SnapshotError, Values,
    Words,
};
use tandem_transfer::rig::{Build, Context, Measured, Rig};

use crate::cosimulation::{starts, vectors};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "fmu",
        summary: "a Functional Mock-up Unit: command in, measured displacement and force out (or force alone: a specimen without actuator)",
        reference: "FMI 2.0.4 and 3.0.1; docs/fmi.md",
        parameters: &[
            Parameter::of("fmu", Kind::Path, "the FMU: FMI 2.0 or 3.0, Co-Simulation or Model Exchange"),
            Parameter::of(
                "command",
                Kind::Texts,
                "inputs that take the commanded displacements, m; default: command",
            )
            .optional(),
            Parameter::of(
                "command_velocity",
                Kind::Texts,
                "inputs that take the commanded velocities, m/s; default: command_velocity, if there is one",
            )
            .optional(),
            Parameter::of(
                "displacement",
                Kind::Texts,
                "outputs with the measured displacements, m; default: displacement, if there is one, else what was commanded",
            )
            .optional(),
            Parameter::of(
                "force",
                Kind::Texts,
                "outputs with the measured forces, N, positive where they resist; default: force",
            )
            .optional(),
            Parameter::of("start", Kind::Texts, "start values, as \"name=value\"").optional(),
            Parameter::of(
                "in_process",
                Kind::Boolean,
                "load the FMU into this process, as real time needs it: what it breaks is broken for all",
            )
            .or("false"),
            Parameter::number(
                "timeout",
                Dimension::TIME,
                "longest time for one answer of an FMU in a process of its own",
            )
            .or("\"1 s\"")
            .positive(),
            Parameter::number(
                "step_limit",
                Dimension::TIME,
                "longest time that a step may take; a longer one holds the test",
            )
            .optional()
            .positive(),
        ],
    },
    build,
};

/// How an FMU's process is started: this program, told to serve.
pub fn launcher(patience: Duration) -> std::io::Result<Launcher> {
    Ok(Launcher {
        program: std::env::current_exe()?,
        arguments: ["fmu", "worker"].map(OsString::from).to_vec(),
        patience,
    })
}

/// Ports: command (m, m/s) → measured displacement (m) and force (N), one step of the coordinator later.
struct FmuRig {
    // Before the FMU: its folder goes away last.
    running: Stepping,
    _fmu: Fmu,
    contained: bool,
    period: f64,
    step_limit: Option<Duration>,
    slowest: Duration,
    command: Ports,
    velocity: Option<Ports>,
    displacement: Option<Ports>,
    force: Ports,
    measured: Measured,
    lost: Option<String>,
}

fn build(values: &Values, context: &Context<'_>) -> Result<Box<dyn Rig>, BuildError> {
    let refuse = |error: FmuError| {
        BuildError::new(
            "fmu",
            error.to_string(),
            "look at it with `tandem fmu info`",
        )
    };
    let fmu = Fmu::open(Path::new(values.text("fmu")?)).map_err(refuse)?;
    let description = &fmu.description;
    let interface = if description.offer(Interface::CoSimulation).is_ok() {
        Interface::CoSimulation
    } else {
        Interface::ModelExchange
    };
    let n = context.actuators;
    let ports = |key: &str, usual: &str, needed: bool| -> Result<Option<Ports>, BuildError> {
        let given = values.has(key);
        let names = if given {
            values.texts(key)?
        } else {
            vec![usual]
        };
        match vectors(description, &names) {
            Ok(ports) if ports.len() == n => Ok(Some(ports)),
            Ok(ports) => Err(BuildError::new(
                key,
                format!(
                    "{} values for {n} actuators: {}",
                    ports.len(),
                    ports.names().join(", ")
                ),
                format!("name {n}"),
            )),
            Err(error) if given || needed => Err(BuildError::new(
                key,
                error.to_string(),
                "name variables of the FMU, see `tandem fmu info`",
            )),
            Err(_) => Ok(None),
        }
    };
    let needed = |key: &str| {
        ports(key, key, true)?.ok_or_else(|| BuildError::new(key, "no ports", "name some"))
    };
    let (command, force) = (needed("command")?, needed("force")?);
    let velocity = ports("command_velocity", "command_velocity", false)?;
    let displacement = ports("displacement", "displacement", false)?;
    let wish = Wish::of(interface);
    let contained = !values.boolean("in_process")?;
    let mut instance: Box<dyn Instance> = if contained {
        let patience = Duration::from_secs_f64(values.number("timeout")?.min(1e6));
        let launcher = launcher(patience).map_err(|error| {
            BuildError::new(
                "in_process",
                format!("this program cannot start itself: {error}"),
                "write in_process = true",
            )
        })?;
        Box::new(Remote::start(&launcher, &fmu, "rig", wish).map_err(refuse)?)
    } else {
        instantiate(&fmu, "rig", wish).map_err(refuse)?
    };
    tandem_fmi::simulate::set_starts(instance.as_mut(), description, &starts(values)?)
        .map_err(refuse)?;
    let running = Stepping::begin(instance, description, interface).map_err(refuse)?;
    Ok(Box::new(FmuRig {
        running,
        _fmu: fmu,
        contained,
        period: context.period,
        step_limit: values
            .optional_number("step_limit")
            .map(|limit| Duration::from_secs_f64(limit.min(1e6))),
        slowest: Duration::ZERO,
        command,
        velocity,
        displacement,
        force,
        measured: Measured::at_rest(n),
        lost: None,
    }))
}

impl FmuRig {
    fn advance(&mut self, command: &Motion) -> Result<(), FmuError> {
        let instance = self.running.instance();
        self.command.write(instance, &command.displacement)?;
        if let Some(ports) = &self.velocity {
            ports.write(instance, &command.velocity)?;
        }
        self.running.step(self.period)?;
        let instance = self.running.instance();
        let motion = &mut self.measured.motion;
        match &self.displacement {
            Some(ports) => ports.read(instance, &mut motion.displacement)?,
            None => motion.copy_from(command),
        }
        self.force.read(instance, &mut self.measured.force)
    }

    /// From now on nothing is known: the gate holds.
    fn lose(&mut self, text: &str) {
        self.measured.force.fill(f64::NAN);
        self.lost = Some(format!("the FMU of the rig is lost: {text}"));
    }
}

impl Rig for FmuRig {
    fn is_model(&self) -> bool {
        true
    }

    fn actuators(&self) -> usize {
        self.measured.force.len()
    }

    fn read(&mut self, measured: &mut Measured) {
        measured.motion.copy_from(&self.measured.motion);
        measured.force.copy_from_slice(&self.measured.force);
    }

    fn write(&mut self, command: &Motion) {
        if self.lost.is_some() {
            return;
        }
        let start = Instant::now();
        let done = self.advance(command);
        let took = start.elapsed();
        self.slowest = self.slowest.max(took);
        if let Err(error) = done {
            self.lose(&error.to_string());
        } else if let Some(limit) = self.step_limit
            && took > limit
        {
            self.lose(&format!(
                "a step took {:.3} ms, the limit is {:.3} ms",
                1e3 * took.as_secs_f64(),
                1e3 * limit.as_secs_f64()
            ));
        }
    }

    /// A process of its own is waited for.
    fn waits(&self) -> bool {
        self.contained
    }

    fn trouble(&self) -> Option<&str> {
        self.lost.as_deref()
    }

    fn slowest_step(&self) -> Option<f64> {
        Some(self.slowest.as_secs_f64())
    }
}

/// The state of an FMU is its own affair.
impl Snapshot for FmuRig {
    fn save(&self, _into: &mut Vec<f64>) {}

    fn restore(&mut self, _from: &mut Words<'_>) -> Result<(), SnapshotError> {
        Ok(())
    }
}
