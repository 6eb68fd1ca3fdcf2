#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! ```text
//! X.fmu ─▶ Archive ─▶ Description     what it is, what it exposes
//!             └─────▶ Fmu ─▶ Instance  running: in this process (`binding`), or in one of its own (`process`)
//!                              └─▶ simulate; Stepping, inside a loop of its own clock
//!                                   └─▶ slots: as structure, rig, compensator, … of a plan
//! ```
//!
//! FMI 2.0 and 3.0, Co-Simulation and Model Exchange, behind one trait ([`Instance`]). The reader
//! takes what real tools write (unknown attributes, byte-order marks, DTDs) and refuses what would
//! harm (paths out of the archive, bombs).

mod archive;
pub mod binding;
mod description;
mod error;
mod exchange;
#[doc(hidden)]
pub mod fuzzing;
mod input;
mod instance;
pub mod models;
mod ports;
mod process;
pub mod simulate;
pub mod slots;
mod solver;
pub mod ssp;
mod stepping;
pub mod zip;

pub use archive::{Archive, Fmu};
pub(crate) use description::number as description_number;
pub use description::{
    Causality, Description, Dimension, Experiment, Interface, Offer, State, Variability, Variable,
    VariableType, Version,
};
pub use error::{FmuError, Result};
pub use input::{Input, Table};
pub use instance::{Completed, Events, Instance, Saved, Stepped};
pub use ports::{Item, Ports, find, item};
pub use process::{Launcher, WorkerInstance, serve};
pub use simulate::{CoSimulate, End, Options, columns, simulate};
pub use solver::Solver;
pub use stepping::{Reached, Stepping, co_step};
