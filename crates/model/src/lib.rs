#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! ```text
//! [structure] ─▶ structure ─▶ frame (nodes, members, loads) ─▶ reduction ─▶ interface ─▶ a model,
//!                    └─▶ damping                                                or two
//! [excitation] ─▶ excitation, signal, support_motion ─▶ records
//! ```
//!
//! A section is a table of checked values ([`Values`](tandem_quantity::Values)); which file it was
//! written in, and what runs with the model, others know.

mod damping;
mod dof;
pub mod excitation;
pub mod frame;
pub mod interface;
pub mod reduction;
pub mod signal;
pub mod structure;
pub mod support_motion;
