//! The C functions of an FMU, and two of the system that go with them: the only module that is not
//! safe Rust.
//!
//! What is relied upon, and cannot be checked: that the library is what its description says
//! (functions of the standard with the standard's arguments), and that it does not write behind the
//! ends of the buffers it is given. Whoever does not trust an FMU that far runs it in a process of
//! its own ([`crate::WorkerInstance`]), which is the default of the program. Here it is made sure
//! that every pointer handed out is valid for as long as the standard lets the FMU use it, that
//! lengths are those of the buffers, that strings end in a zero byte, that an instance is freed
//! once, before its library.
#![allow(unsafe_code)] // foreign functions cannot be called otherwise

mod common;
mod guard;
mod kept;
mod library;
mod log;
mod three;
mod two;

use std::path::Path;

pub use guard::leaving;
pub(crate) use kept::{Kept, read_kept};
pub use three::Three;
pub use two::Two;

use guard::Guard;

use crate::simulate::CoSimulate;
use crate::{Fmu, FmuError, Interface, Result, VariableType, Version};

/// Refuses numbers that a variable of this kind could only take changed.
#[inline]
fn taken(kind: VariableType, values: &[f64]) -> Result<()> {
    match values.iter().find(|value| !kind.takes(**value)) {
        Some(value) if kind == VariableType::Boolean => Err(FmuError::Usage(format!(
            "a truth value is 0 or 1, not {value}"
        ))),
        Some(value) => Err(FmuError::Usage(format!(
            "a variable of type {kind:?} takes whole numbers within its range, not {value}"
        ))),
        None => Ok(()),
    }
}

/// How an instance is to be made.
#[derive(Clone, Copy, Debug)]
pub struct InstanceOptions {
    /// Which interface.
    pub interface: Interface,
    /// Event mode in co-simulation where the FMU has it (FMI 3).
    pub event_mode: bool,
    /// The FMU may talk.
    pub logging: bool,
}

impl InstanceOptions {
    /// An instance of this interface, without the rest.
    #[must_use]
    pub fn of(interface: Interface) -> Self {
        Self {
            interface,
            event_mode: false,
            logging: false,
        }
    }
}

/// Loads the FMU's binary into this process and makes an instance. As long as one lives, the
/// program must announce its own end ([`leaving`]).
pub fn instantiate(fmu: &Fmu, name: &str, wish: InstanceOptions) -> Result<Box<dyn CoSimulate>> {
    make(fmu, name, wish, Some(Guard::arm()))
}

/// The same in a process that is the FMU's alone: who has started that tells of its end.
pub(crate) fn instantiate_alone(
    fmu: &Fmu,
    name: &str,
    wish: InstanceOptions,
) -> Result<Box<dyn CoSimulate>> {
    make(fmu, name, wish, None)
}

/// The guard is there before the library: to load that runs code of the FMU.
fn make(
    fmu: &Fmu,
    name: &str,
    wish: InstanceOptions,
    guard: Option<Guard>,
) -> Result<Box<dyn CoSimulate>> {
    let description = &fmu.description;
    let offer = description.offer(wish.interface)?;
    let library = library::open(fmu.folder(), description.version, &offer.identifier)?;
    let resources = fmu.folder().join("resources");
    Ok(match description.version {
        Version::Two => Box::new(Two::new(
            (library, guard),
            description,
            name,
            &resources,
            wish,
        )?),
        Version::Three => Box::new(Three::new(
            (library, guard),
            description,
            offer,
            name,
            &resources,
            wish,
        )?),
    })
}

/// Writes out what FMUs in this process have printed and C still holds back.
pub fn flush_prints() {
    unsafe extern "C" {
        fn fflush(stream: *mut std::ffi::c_void) -> std::ffi::c_int;
    }
    // SAFETY: the standard of C: a null pointer means all streams, and nothing else is handed over.
    unsafe { fflush(std::ptr::null_mut()) };
}

/// Whether there is a binary for this machine.
pub fn binary_for_this_machine(folder: &Path, version: Version, identifier: &str) -> bool {
    library::path(folder, version, identifier).is_some()
}

/// What `fmiXStatus` says where it is neither OK nor a warning. The logger's messages explain an
/// error.
fn status(code: i32) -> &'static str {
    match code {
        2 => "discard",
        3 => "error",
        4 => "fatal",
        5 => "pending",
        _ => "a status that the standard does not know",
    }
}
