//! Rigs, and who may move them: the trait [`Rig`], the state machine and the safety gate.

pub mod gate;
pub mod machine;
mod rig;

pub use gate::{Finding, Limit, SafetyGate, Trip};
pub use rig::{Hydraulics, Measured, Rig, Status};
