//! The ASCII protocol of NEESgrid's LabVIEW plug-in, known at LNEC as LNTCP: lines of fields
//! between tabulators.
//!
//! ```text
//!  line ─▶ reader ─▶ Command ─▶ controller: limit check, move, measure ─▶ replier ─▶ line
//! ```
//!
//! Origin: Hubbard, Calderon and Gose, NEESit TR-2004-58; Tekeste, Correia and Costa 2025, section
//! 2.2. One request, then its answer. The paper says that `propose` gets no answer: the client of
//! OpenFresco waits for one for ever, so it gets one here.

mod client;
mod controller;
mod reader;
mod replier;
mod server;

pub use client::LabViewClient;
pub(crate) use client::{axes, read_control_point};
pub use controller::{Controller, Point, PointError};
pub use reader::{Axis, Command, Kind, LONGEST, MOST_PARAMETERS, ReadError, Triple, read};
pub use replier::{control_point, number, ok, refusal};
pub use server::Server;
