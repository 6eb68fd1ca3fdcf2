#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! ```text
//!  loop ──rows──▶ ring ──▶ Source ──▶ Hub: history, spectrum ──▶ binary frames, 25 a second ──▶ browsers, `tandem watch`
//!  state machine ◀── queue ◀── Source ◀── Access: token, number, origin; Controls: one holder ◀── buttons, keys
//! ```
//!
//! What is shown is plain data: a [`Scene`] that does not change during a test, a [`Status`]
//! several times a second, rows of channels, and [`Happening`]s in words. Where they come from (a
//! loop in real time, a virtual one, a record) is behind the [`Source`] trait. Everything here runs
//! on one thread of its own; the loop is never waited for and never waits.
//!
//! The files: `scene` and `status` what is shown; `source` where it comes from; `history` fewer
//! points, same peaks; `spectrum` of the tracking error; `message` and `wire` what is said, in JSON
//! and in binary frames; `access` who may do what; `controls` who holds them; `hub` the state
//! behind all sockets; `server` the sockets; `assets` the page; `client` the same protocol from the
//! other end.

mod access;
mod assets;
pub mod client;
mod controls;
pub mod feed;
mod history;
mod hub;
mod message;
mod scene;
mod server;
mod source;
mod spectrum;
mod status;
pub mod watch;
pub mod wire;

pub use access::{Token, TokenError};
pub use controls::{ControlRequest, Controls, View};
pub use history::{Bin, History};
pub use message::{Hello, Said, Told};
pub use scene::{
    ActuatorScene, ChannelScene, Coefficient, Drawing, DrawingLine, DrawingNode, Indicator,
    LimitBar, Scene, Support,
};
pub use server::{Options, Screen, ScreenError};
pub use source::{ActionRefused, Happening, Source};
pub use status::{Action, Light, LinkStatus, RecorderStatus, Severity, Status, TimingStatus};
