#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! ```text
//!  events ─▶ Machine ──Permit──▶ SafetyGate ──Released──▶ Rig
//!                     command ──▶
//! ```
//!
//! A rig takes nothing but a [`Released`] command. Only the gate makes one, and only by a
//! [`Permit`], which only the machine gives; without leave the gate releases what holds. Models are
//! no exception: who only rehearses has leave from a [`Rehearsal`].

pub mod gate;
pub mod latest;
pub mod machine;
mod rehearsal;
mod released;
mod rig;

pub use gate::{Limit, SafetyGate, Trip, Violation};
pub use machine::{Machine, Movement, Permit};
pub use rehearsal::Rehearsal;
pub use released::{CommandReceiver, CommandSender, Displaced, Following, Released, hand_over};
pub use rig::{Hydraulics, Measured, Rig, RigProperties, RigView, Status};
