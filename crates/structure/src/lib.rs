#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! An integrator meets a structure only through [`Structure`]; the matrices behind it are
//! [`linalg::Matrix`].

pub mod composite;
mod condensation;
mod damping;
pub mod linalg;
pub mod matrices;
pub mod modes;
pub mod reduction;
mod shear_building;
mod structure;
mod tangent_damped;

pub use composite::{GroundTerm, LinearAttachment, WithSpecimen, subtract};
pub use damping::Damping;
pub use linalg::{Factor, LinalgError, Matrix};
pub use modes::{Modes, critical_time_step};
pub use shear_building::{shear_building, storey_matrix};
pub use structure::{Linear, Structure, StructureError, StructureProperties};
pub use tangent_damped::TangentDamped;

use tandem_quantity::Builder;

/// How a structure is made; the period is the step of structural time, for laws with a memory of
/// time.
pub type Build = Builder<Box<dyn Structure>>;
