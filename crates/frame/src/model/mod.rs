//! Frames: nodes, members, supports, constraints, masses, loads; and their static analyses.
//!
//! A [`ModelBuilder`] collects the description and makes a [`Model`], which is a
//! [`tandem_structure::Structure`].

pub mod analysis;
mod assembly;
mod builder;
mod changing_damping;
mod condensed_part;
mod connections;
mod constraints;
mod division;
mod dof;
mod error;
mod frame;
mod load;
mod lookup;
mod mass;
mod member;
mod recorder;
mod stability;

pub use analysis::{AnalysisError, StaticAnalysis, StaticSettings, apply_gravity};
pub use builder::{DampingStiffness, ModelBuilder};
pub use condensed_part::CondensedPart;
pub use connections::Orientation;
pub use division::Division;
pub use dof::{Dof, Space};
pub use error::ModelError;
pub use frame::Model;
pub use load::LoadCase;
pub use mass::MemberMass;
pub use member::Member;
pub use recorder::SectionState;
pub use stability::loose_dof;
