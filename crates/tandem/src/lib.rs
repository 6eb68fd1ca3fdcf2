#![doc = include_str!("../README.md")]
//!
//! # Features
//!
//! All on by default: `fmi` (FMUs in a test, parts of a plan as FMUs, co-simulation),
//! `link` (other programs that drive a test, rigs at other sites), `parquet` (export). Without
//! them a plan that asks for what is missing is refused, as one that names no method there is.

pub mod assemble;
pub mod check;
pub mod conformance;
pub mod criteria;
pub mod drill;
pub mod driven;
pub mod error;
pub mod export;
pub mod figures;
#[cfg(feature = "fmi")]
pub mod fmu;
pub mod plan;
pub mod registry;
pub mod replay;
pub mod run;
pub mod sections;
pub mod summary;

pub use plan::Plan;
#[cfg(feature = "fmi")]
pub use tandem_fmi::slots::launcher;

/// The plan that the program runs when none is given: three storeys, the first in the laboratory.
pub const QUICK_START: &str = include_str!("quick_start.toml");
