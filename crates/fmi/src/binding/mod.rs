//! The C functions of an FMU: the only module that is not safe Rust.
//!
//! What is relied upon, and cannot be checked: that the library is what its description says (functions of the
//! standard with the standard's arguments), and that it does not write behind the ends of the buffers it is given. Whoever does
//! not trust an FMU that far runs it in a process of its own ([`crate::Remote`]), which is the default of the program.
//! Here it is made sure that every pointer handed out is valid for as long as the standard lets the FMU use it, that lengths
//! are those of the buffers, that strings end in a zero byte, that an instance is freed once, before its library.
#![allow(unsafe_code)] // foreign functions cannot be called otherwise

mod library;
mod log;
mod three;
mod two;

use std::path::Path;

pub use three::Three;
pub use two::Two;

use crate::{Fmu, Instance, Interface, Result, Version};

/// How an instance is to be made.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// Which interface.
    pub interface: Interface,
    /// Event mode in co-simulation where the FMU has it (FMI 3).
    pub event_mode: bool,
    /// The FMU may talk.
    pub logging: bool,
}

impl Wish {
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

/// Loads the FMU's binary into this process and makes an instance.
pub fn instantiate(fmu: &Fmu, name: &str, wish: Wish) -> Result<Box<dyn Instance>> {
    let description = &fmu.description;
    let offer = description.offer(wish.interface)?;
    let library = library::open(fmu.folder(), description.version, &offer.identifier)?;
    let resources = fmu.folder().join("resources");
    Ok(match description.version {
        Version::Two => Box::new(Two::new(library, description, name, &resources, wish)?),
        Version::Three => Box::new(Three::new(
            library,
            description,
            offer,
            name,
            &resources,
            wish,
        )?),
    })
}

/// Whether there is a binary for this machine.
pub fn binary_for_this_machine(folder: &Path, version: Version, identifier: &str) -> bool {
    library::path(folder, version, identifier).is_some()
}

/// What `fmiXStatus` says where it is neither OK nor a warning. The logger's messages explain an error.
fn status(code: i32) -> &'static str {
    match code {
        2 => "discard",
        3 => "error",
        4 => "fatal",
        5 => "pending",
        _ => "a status that the standard does not know",
    }
}
