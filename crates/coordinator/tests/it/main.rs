//! The recorder as others meet it: killed, damaged, and read by the reference library.

#![allow(clippy::unwrap_used, clippy::print_stdout)] // in helpers of tests

mod common;
mod recorder_hostile;
mod recorder_kill;
mod recorder_reference_library;
