//! Matrices, structures, modes and reduction against closed forms, numpy, scipy and published
//! figures. Nothing that a step does may allocate.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests fail the test and print what they found"
)]

mod linalg;
mod linalg_no_alloc;
mod modes;
mod structure;

use assert_no_alloc::AllocDisabler;

#[global_allocator]
static GUARD: AllocDisabler = AllocDisabler;
