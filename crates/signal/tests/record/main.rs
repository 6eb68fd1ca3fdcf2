//! Reading ground-motion files: sound ones and damaged ones.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests fail the test"
)]

mod fixtures;
mod hostile_files;
mod readers;
