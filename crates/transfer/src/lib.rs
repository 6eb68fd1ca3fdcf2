#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! ```text
//! target ─▶ kinematics ─▶ command generator ─▶ compensator ─▶ (safety gate) ─▶ rig: servo ─▶ actuator ─▶ specimen ─▶ sensors
//! force  ◀─ kinematics ◀─ conditioning ◀───────────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Every slot is a small trait with one file per method. A method declares its parameters in its
//! own file (`ENTRY`) and is made known by one line in the list of its slot: [`command::METHODS`],
//! [`compensator::METHODS`], [`kinematics::METHODS`], [`conditioning::METHODS`],
//! [`actuator::METHODS`], [`plant::METHODS`],
//! [`servo::METHODS`], [`specimen::METHODS`], [`rig::METHODS`].

pub mod actuator;
pub mod command;
pub mod compensator;
pub mod conditioning;
pub mod conformance;
mod history;
pub mod kinematics;
mod linear_system;
mod low_pass;
pub mod plant;
mod riccati;
pub mod rig;
pub mod sensor;
pub mod servo;
pub mod specimen;
mod state_space;

pub use history::History;
pub use linear_system::{LinearSystem, SampledLinear};
pub use low_pass::LowPass;
pub use state_space::{SampledSystem, StateSpace, StateSpaceError};
