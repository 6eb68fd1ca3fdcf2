//! Parts of a plan as Functional Mock-up Units, for other tools.
//!
//! ```text
//! plan ─▶ Content ─▶ X.fmu: modelDescription.xml            written by `describe`
//!                           resources/tandem.json           the content
//!                           binaries/…/tandem.so            the library `tandem-fmu-export`
//! ```
//!
//! The binary is always the same: it reads what it is from its resources ([`Content`]) and builds a
//! [`FmuModel`](tandem_fmi::models::FmuModel). It has the functions of FMI 2.0 and 3.0,
//! Co-Simulation and Model Exchange. Nobody
//! needs a compiler to export.

mod content;
mod describe;
mod export;
mod plans;

pub use content::{Content, ContentError, What};
pub use export::{Kinds, Request, export};
pub use plans::Environment;
pub(crate) use plans::PartPlans;
