//! Frames: nodes, members, supports, constraints, masses, loads; and their static analyses.
//!
//! A [`ModelBuilder`] collects the description and makes a [`Model`], which is a [`crate::Structure`].

pub mod analysis;
mod assembly;
mod builder;
mod changing_damping;
mod connections;
mod constraints;
mod dof;
mod error;
mod frame;
mod load;
mod lookup;
mod mass;
mod member;
mod recorder;

pub use analysis::{AnalysisError, StaticAnalysis, StaticSettings, apply_gravity};
pub use builder::{DampingStiffness, ModelBuilder};
pub use connections::Orientation;
pub use dof::{Dof, Space};
pub use error::ModelError;
pub use frame::Model;
pub use load::LoadCase;
pub use mass::MemberMass;
pub use member::Member;
pub use recorder::SectionState;
