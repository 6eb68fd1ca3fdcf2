//! An outside program as the integration side of Tandem's loop.
//!
//! ```text
//!  OpenSees ──▶ Server ──▶ DriverSession ══ mailbox ══ ExternalIntegrator ──▶ loop: command, compensator, gate, rig
//!             (a thread of its own)             (an Integrator)      (in stepped or real time)
//! ```
//!
//! The loop never touches a socket: it looks into the mailbox. In stepped time its clock waits
//! there for the next request.

mod external;
mod mailbox;
mod session;
mod trial_restart;

pub use external::ExternalIntegrator;
pub use mailbox::Mailbox;
pub use session::{DriverSession, EventSink, SpecimenInfo};
pub use trial_restart::TrialRestartRig;
