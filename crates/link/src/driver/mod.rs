//! An outside program as the integration side of Tandem's loop.
//!
//! ```text
//!  OpenSees ──▶ Server ──▶ Desk ══ mailbox ══ OutsideDriver ──▶ loop: command, compensator, gate, rig
//!             (a thread of its own)             (an Integrator)      (in stepped or real time)
//! ```
//!
//! The loop never touches a socket: it looks into the mailbox. In stepped time its clock waits
//! there for the next letter.

mod desk;
mod mailbox;
mod outside;
mod rewinding;

pub use desk::{Desk, Given, Tell};
pub use mailbox::Mailbox;
pub use outside::OutsideDriver;
pub use rewinding::Rewinding;
