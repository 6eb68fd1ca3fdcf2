//! FMUs of other tools as parts of a test: each file is one place in the plan.
//!
//! ```text
//! [excitation] kind = "fmu"      sampled before the test
//! [structure] kind = "fmu"       derivatives of a Model Exchange, for any time-stepping method;
//!                                with [integration] method = "fmu" a Co-Simulation, stepped once a step
//! [compensator] method = "fmu"   stepped once a tick
//! [rig] kind = "fmu"             stepped once a tick
//! [rig.servo], [rig.actuator], [rig.specimen]   stepped at the rate of the rig
//! ```
//!
//! An FMU that fails is lost: what it gives is no number from then on, so that the gate ends the
//! test, and `FmuStatus` says why. It never stops the loop itself.

pub mod axis;
pub mod co_simulation;
pub mod compensator;
pub mod excitation;
pub mod rig;
pub mod second_order;
mod settings;
pub mod specimen;
pub mod structure;

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::binding::{InstanceOptions, instantiate};
use crate::{
    Causality, Description, Fmu, FmuError, Instance, Interface, Item, Launcher, Ports, Stepping,
    WorkerInstance, item,
};
use settings::{FmuFile, FmuHost, FmuStart};
use tandem_quantity::{BuildError, ExternalModel};

/// How an FMU's process is started: this program, told to serve.
pub fn launcher(patience: Duration) -> std::io::Result<Launcher> {
    Ok(Launcher {
        program: std::env::current_exe()?,
        arguments: ["fmu", "worker"].map(OsString::from).to_vec(),
        patience,
    })
}

fn refuse(error: &FmuError) -> BuildError {
    BuildError::new(
        "fmu",
        error.to_string(),
        "look at it with `tandem fmu info`",
    )
}

/// How long an FMU in a process of its own may take for an answer.
fn patience(start: &FmuStart) -> Result<Duration, BuildError> {
    Ok(Duration::from_secs_f64(start.timeout.read()?.min(1e6)))
}

/// The launcher, where the FMU is to have a process of its own.
fn own_process(start: &FmuStart) -> Result<Option<Launcher>, BuildError> {
    if start.in_process {
        return Ok(None);
    }
    let launcher = launcher(patience(start)?).map_err(|error| {
        BuildError::new(
            "in_process",
            format!("this program cannot start itself: {error}"),
            "write in_process = true",
        )
    })?;
    Ok(Some(launcher))
}

/// The FMU of a section.
fn unpack(file: &FmuFile, start: &FmuStart) -> Result<Fmu, BuildError> {
    let mut fmu = Fmu::open(Path::new(&file.fmu)).map_err(|e| refuse(&e))?;
    let configured = fmu.description.configure(&starts(&start.start)?);
    configured.map_err(|e| BuildError::new("start", e.to_string(), "see `tandem fmu info`"))?;
    Ok(fmu)
}

/// An instance before its initialisation, with its start values.
fn launch(
    start: &FmuStart,
    fmu: &Fmu,
    name: &str,
    interface: Interface,
) -> Result<Box<dyn Instance>, BuildError> {
    let wish = InstanceOptions::of(interface);
    let mut instance: Box<dyn Instance> = match own_process(start)? {
        Some(launcher) => {
            Box::new(WorkerInstance::start(&launcher, fmu, name, wish).map_err(|e| refuse(&e))?)
        }
        None => instantiate(fmu, name, wish).map_err(|e| refuse(&e))?,
    };
    crate::simulate::set_starts(instance.as_mut(), &fmu.description, &starts(&start.start)?)
        .map_err(|e| BuildError::new("start", e.to_string(), "see `tandem fmu info`"))?;
    Ok(instance)
}

/// The start values that a section gives, as names and texts.
pub fn starts(written: &[String]) -> Result<Vec<(String, String)>, BuildError> {
    let pairs = written.iter().map(|text| {
        let (name, value) = text.split_once('=').ok_or_else(|| {
            BuildError::new(
                "start",
                format!("`{text}` has no `=`"),
                "write \"name=value\"",
            )
        })?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    });
    pairs.collect()
}

/// The ports of a list of names, each of which may be a vector (`name`, or `name[1]`, `name[2]`,
/// …), or one value of an array.
pub fn vectors<S: AsRef<str>>(description: &Description, names: &[S]) -> Result<Ports, FmuError> {
    let mut all: Vec<Item<'_>> = Vec::new();
    for name in names.iter().map(AsRef::as_ref) {
        let head = format!("{name}[");
        let found = description
            .variables
            .iter()
            .filter(|v| v.name == name || v.name.starts_with(&head));
        let before = all.len();
        all.extend(found.map(Item::from));
        if all.len() == before {
            all.push(item(description, name)?);
        }
    }
    Ports::new(description, all)
}

/// Which way a port goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Into the FMU.
    In,
    /// Out of it.
    Out,
}

/// A key that names ports of an FMU: what is written, the ports' way, the names that are usual for
/// them, and how many values they must have.
#[derive(Clone, Copy)]
struct Asked<'a> {
    key: &'a str,
    written: Option<&'a [String]>,
    usual: &'a [&'a str],
    way: Way,
    /// None: any number.
    n: Option<usize>,
    /// Whether they must be there.
    needed: bool,
}

/// The ports that a key names, or the first usual ones. None: it is not given, there are
/// none of a usual name, and none are needed.
fn ports(description: &Description, asked: Asked<'_>) -> Result<Option<Ports>, BuildError> {
    let Asked {
        key,
        written,
        usual,
        way,
        n,
        needed,
    } = asked;
    let given = written.is_some();
    let found = if let Some(names) = written {
        vectors(description, names)
    } else {
        let (first, others) = usual.split_first().unwrap_or((&key, &[]));
        let others = others.iter().map(|name| vectors(description, &[name]));
        others.fold(vectors(description, &[first]), |found, other| {
            found.or_else(|error| other.map_err(|_| error))
        })
    };
    let found = match found {
        Ok(found) => found,
        Err(error) if given || needed => {
            return Err(BuildError::new(
                key,
                error.to_string(),
                "name variables of the FMU, see `tandem fmu info`",
            ));
        }
        Err(_) => return Ok(None),
    };
    if let Some(n) = n.filter(|n| found.len() != *n) {
        return Err(BuildError::new(
            key,
            format!(
                "{} values where {n} are needed: {}",
                found.len(),
                found.names().join(", ")
            ),
            format!("name {n}"),
        ));
    }
    let wrong = found.names().iter().find(|name| {
        let base = name.split('[').next().unwrap_or("");
        let variable = description.find(name).or_else(|| description.find(base));
        variable.is_some_and(|v| (v.causality == Causality::Input) != (way == Way::In))
    });
    match wrong {
        // What is only there by its usual name, and is something else, is not meant.
        Some(_) if !given && !needed => Ok(None),
        Some(name) => Err(BuildError::new(
            key,
            match way {
                Way::In => format!("`{name}` is no input of the FMU"),
                Way::Out => format!("`{name}` is an input of the FMU, which gives nothing"),
            },
            "see `tandem fmu info`",
        )),
        None => Ok(Some(found)),
    }
}

/// How an FMU is doing.
struct FmuStatus {
    /// What it is, in words.
    what: &'static str,
    contained: bool,
    limit: Option<Duration>,
    slowest: Duration,
    lost: Option<String>,
}

impl FmuStatus {
    fn new(host: &FmuHost, what: &'static str) -> Self {
        let limit = |limit: f64| Duration::from_secs_f64(limit.min(1e6));
        Self {
            what,
            contained: !host.start.in_process,
            limit: host.step_limit.map(limit),
            slowest: Duration::ZERO,
            lost: None,
        }
    }

    /// Does a step's work by the clock. False: the FMU is lost, and its values are no longer to be
    /// used.
    #[inline]
    fn step(&mut self, work: impl FnOnce() -> Result<(), FmuError>) -> bool {
        if self.lost.is_some() {
            return false;
        }
        let start = Instant::now();
        let done = work();
        let took = start.elapsed();
        self.slowest = self.slowest.max(took);
        if let Err(error) = done {
            self.lose(&error.to_string());
        } else if self.limit.is_some_and(|limit| took > limit) {
            self.too_slow(took);
        }
        self.lost.is_none()
    }

    #[cold]
    fn lose(&mut self, text: &str) {
        self.lost = Some(format!("the FMU of the {} is lost: {text}", self.what));
    }

    #[cold]
    fn too_slow(&mut self, took: Duration) {
        let limit = self.limit.unwrap_or_default();
        self.lose(&format!(
            "a step took {:.3} ms, the limit is {:.3} ms",
            1e3 * took.as_secs_f64(),
            1e3 * limit.as_secs_f64()
        ));
    }
}

impl ExternalModel for FmuStatus {
    fn fault_message(&self) -> Option<&str> {
        self.lost.as_deref()
    }

    /// A process of its own is waited for.
    fn waits(&self) -> bool {
        self.contained
    }

    fn slowest_step(&self) -> f64 {
        self.slowest.as_secs_f64()
    }
}

/// An FMU that is led from tick to tick.
struct FmuSlot {
    // Before the FMU: its folder goes away last.
    stepping: Stepping,
    fmu: Fmu,
    health: FmuStatus,
}

impl FmuSlot {
    /// Opens the FMU of a section and initialises it, for steps of `period` seconds.
    fn start(
        (file, host): (&FmuFile, &FmuHost),
        what: &'static str,
        period: f64,
    ) -> Result<Self, BuildError> {
        let fmu = unpack(file, &host.start)?;
        // Who steps itself is asked to.
        let interface = fmu.description.preferred();
        Self::begin(host, fmu, what, interface, period)
    }

    /// The same of an FMU that is open, by one of its interfaces.
    fn begin(
        host: &FmuHost,
        fmu: Fmu,
        what: &'static str,
        interface: Interface,
        period: f64,
    ) -> Result<Self, BuildError> {
        let instance = launch(&host.start, &fmu, what, interface)?;
        let stepping = Stepping::begin(instance, &fmu.description, interface, period)
            .map_err(|e| refuse(&e))?;
        Ok(Self {
            stepping,
            health: FmuStatus::new(host, what),
            fmu,
        })
    }

    /// Ports that must be there.
    fn needed(
        &self,
        written: Option<&[String]>,
        (key, way): (&str, Way),
        n: usize,
    ) -> Result<Ports, BuildError> {
        let found = self.ports(Asked {
            key,
            written,
            usual: &[key],
            way,
            n: Some(n),
            needed: true,
        })?;
        found.ok_or_else(|| BuildError::new(key, "there are none", "name some"))
    }

    /// Ports that need not be there.
    fn optional(
        &self,
        written: Option<&[String]>,
        (key, way): (&str, Way),
        n: usize,
    ) -> Result<Option<Ports>, BuildError> {
        self.ports(Asked {
            key,
            written,
            usual: &[key],
            way,
            n: Some(n),
            needed: false,
        })
    }

    /// The ports of a key.
    fn ports(&self, asked: Asked<'_>) -> Result<Option<Ports>, BuildError> {
        ports(&self.fmu.description, asked)
    }

    /// A step of `period` seconds: `put` sets the inputs, `get` reads the outputs. False: the FMU
    /// is lost.
    #[inline]
    fn step(
        &mut self,
        period: f64,
        put: impl FnOnce(&mut dyn Instance) -> Result<(), FmuError>,
        get: impl FnOnce(&mut dyn Instance) -> Result<(), FmuError>,
    ) -> bool {
        let stepping = &mut self.stepping;
        self.health.step(|| {
            put(stepping.instance()).map_err(|error| stepping.when(error))?;
            stepping
                .step(period)
                .map_err(|error| stepping.when(error))?;
            get(stepping.instance())
        })
    }
}

/// Writes to ports that may not be there.
#[inline]
fn write(
    ports: Option<&Ports>,
    instance: &mut dyn Instance,
    values: &[f64],
) -> Result<(), FmuError> {
    ports.map_or(Ok(()), |ports| ports.write(instance, values))
}
