#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Nothing unwinds across the boundary: every function runs its work under `guard`, which turns a
//! panic into "fatal". Pointers come from the importer; null is refused where the standard does not
//! allow it, lengths are believed (there is no way to check them).
#![allow(unsafe_code)] // exported C functions with the standard's pointers
#![allow(non_snake_case)] // the standard's names
#![allow(clippy::missing_safety_doc)] // one rule for all, above
#![allow(missing_docs)] // the standard describes them

mod both;
mod common;
mod three;
mod two;
