#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! A [`model::Model`] is a [`tandem_structure::Structure`]: an integrator does not know it from a
//! few matrices. Materials and elements also stand alone, as specimens.

mod dispatch;
pub mod element;
pub mod material;
pub mod model;
pub mod section;
mod small;
pub mod transformation;
