//! A model as a plan file.

pub mod materials;
pub mod toml;
