//! Records, made motions, filters and spectra against closed forms, scipy and published figures.
//! Nothing that a step does may allocate.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests fail the test"
)]

mod filter;
mod no_alloc;
mod record;
mod shared_data;
mod spectrum;
mod synthetic;

use assert_no_alloc::AllocDisabler;

#[global_allocator]
static GUARD: AllocDisabler = AllocDisabler;
