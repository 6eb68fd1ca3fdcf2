//! The operator's screen over sockets.

#![allow(clippy::unwrap_used, clippy::expect_used)] // in helpers of tests

mod server;
