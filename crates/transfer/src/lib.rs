//! Everything between the computed target and the measured force.
//!
//! ```text
//! target ─▶ command generator ─▶ compensator ─▶ (safety gate) ─▶ rig: servo ─▶ actuator ─▶ specimen ─▶ sensors
//! ```
//!
//! Every slot is a small trait with one file per method. A method declares its parameters in its own file
//! (`ENTRY`) and is made known by one line in the list of its slot: [`command::METHODS`],
//! [`compensator::METHODS`], [`actuator::METHODS`], [`servo::METHODS`], [`specimen::METHODS`], [`rig::METHODS`].

pub mod actuator;
pub mod command;
pub mod compensator;
mod history;
pub mod rig;
pub mod sensor;
pub mod servo;
pub mod specimen;
mod state_space;

pub use history::History;
pub use state_space::{SampledSystem, StateSpace, StateSpaceError};
