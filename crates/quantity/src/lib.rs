#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! A method declares its parameters once, as a
//! table of [`Parameter`]; reading, checking, the JSON Schema, the starter plan and `tandem
//! methods` all come from that one table.

mod attachment;
pub mod conformance;
mod dimension;
mod error;
mod external_model;
mod motion;
pub mod number;
mod parameter;
mod registry;
pub mod settings;
mod snapshot;
mod specimen_matrices;
mod unit;
mod values;
mod verdict;

pub use attachment::{AsAttachment, Attachment};
pub use dimension::Dimension;
pub use error::BuildError;
pub use external_model::ExternalModel;
pub use motion::{Motion, copy_few};
pub use number::{format_number, index, whole};
pub use parameter::{Default, Method, Parameter, Range, Slot, ValueKind};
pub use registry::{Builder, Context, Entry, Registry, SlotOf, Taken, suggest};
pub use settings::{Conditional, Setting, Settings};
pub use snapshot::{Snapshot, SnapshotError, StateReader};
pub use specimen_matrices::SpecimenMatrices;
pub use unit::{QuantityError, Unit, parse_quantity, parse_unit, split_quantity, unit_symbols};
pub use values::{Value, Values};
pub use verdict::Verdict;

/// Standard acceleration of free fall, m/s² (CGPM 1901). Records in g are multiplied by it.
pub const STANDARD_GRAVITY: f64 = 9.806_65;
