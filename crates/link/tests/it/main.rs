//! The protocols on the wire: transcripts of the real programs, both directions over sockets, and
//! hostile input.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::float_cmp)]

mod hostile;
mod sessions;
mod transcripts;
