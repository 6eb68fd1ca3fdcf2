#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! ```text
//!  OpenSees, OpenFresco ──▶ openfresco::server ─┐                        ┌─▶ openfresco::client ──▶ OpenSees adapter, actor site
//!                                               ├─▶ SpecimenService: loop, rig ───┤
//!  OpenFresco, UI-SimCor ─▶ labview::server ────┘                        └─▶ labview::client ─────▶ controller of a laboratory
//! ```
//!
//! Codecs are pure functions over bytes; servers and clients put a socket before them. A server
//! never closes first while a test runs: OpenSees would spin for ever. What cannot be done is
//! answered with the last good force, and told to the operator.

pub mod driver;
#[doc(hidden)]
pub mod fuzzing;
pub mod labview;
pub mod openfresco;
mod remote;
mod short;
mod simple;
pub mod sites;
mod socket;
mod specimen_service;

pub use remote::RemoteSpecimen;
pub use simple::SimpleSpecimen;
pub use specimen_service::{Ended, Matrix, MotionRefused, Notice, SpecimenService};
