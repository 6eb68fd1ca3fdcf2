//! OpenSees and OpenFresco: binary records over TCP and UDP.
//!
//! Two kinds of records without header, length or checksum: *IDs* of 32-bit integers, and *vectors*
//! of doubles whose length is fixed for a session. A peer opens with its [`Sizes`]; then every
//! vector holds an [`Action`] and the trial motion.
//!
//! | role | who listens | who connects |
//! |---|---|---|
//! | element server | [`Server`] | `genericClient` of OpenSees and the other clients of OpenFresco |
//! | site server, generic controller | [`Server`] | elements of OpenFresco created with `-server`; `expControl GenericTCP` |
//! | Simulink controller | [`Server`] with [`Protocol::Simulink`] | `expControl SimSimulink` |
//! | actor site | [`Server`] with [`Protocol::Actor`] | `expSite ShadowSite` |
//! | the other direction | OpenSees `adapter`, an actor site | [`client`] |

mod action;
pub mod client;
mod conversation;
mod peer;
mod record;
mod reply;
mod server;

pub use action::Action;
pub use conversation::{Conversation, Event, Protocol, VERSION};
pub use record::{ByteOrder, Counts, MOST, ProtocolError, Sizes};
pub use reply::{feedback, matrix, read_feedback, simulink};
pub use server::{Endpoint, Server};
