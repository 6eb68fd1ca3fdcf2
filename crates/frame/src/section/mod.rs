//! Sections of frame members: fibres, elastic stiffnesses, and laws for shear and torsion beside
//! them.
//!
//! ```
//! use tandem_frame::material::{Material, Steel02};
//! use tandem_frame::section::{Section2d, profile};
//!
//! let steel = Material::from(Steel02::new(355e6, 210e9, 0.01)?);
//! let heb100 = profile("HEB100").ok_or("no such profile")?;
//! let mut section = Section2d::from(heb100.layout(&steel, (4, 1), (16, 1))?.build_2d()?);
//! let answer = section.trial([0.0, 0.01]);
//! assert!(answer.force[1] > 0.0 && answer.force[0].abs() < 1e-6 * answer.force[1]);
//! section.commit();
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aggregator;
mod choice;
mod elastic;
mod error;
mod fibre2d;
mod fibre3d;
mod fibres;
mod layout;
mod profile;
mod profile_table;
mod response;
pub mod shape;

pub use aggregator::{Aggregate, AggregatedSection, Base, Component};
pub use choice::{Section2d, Section3d};
pub use elastic::{ElasticSection, ElasticSection2d, ElasticSection3d};
pub use error::SectionError;
pub use fibre2d::FibreSection2d;
pub use fibre3d::FibreSection3d;
pub use fibres::FibreResponse;
pub use layout::{Fibre, FibreLayout, Place, Ring};
pub use profile::{Profile, profile, profiles};
pub use response::SectionResponse;
