//! FMUs: hostile ones are refused or contained, exported ones are what FMPy says they should be,
//! and each place of a plan takes one.

mod arrays;
mod bent;
mod claims;
mod common;
mod contained;
mod cosimulation;
mod excitation;
mod exported;
mod hostile;
pub mod mass;
mod reference;
mod rig;
mod self_stepping;
mod simulate;
mod structure;
mod systems;
mod test;
mod tools;
