//! Methods against closed forms, OpenSees, independent programs and published figures. Nothing that
//! a step does may allocate.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    reason = "helpers of tests fail the test and print what they found"
)]

mod closed_form;
mod common;
mod concrete_stick;
mod frames;
mod moving_supports;
mod no_alloc;
mod opensees;
mod partition;
mod spectral;
mod updated_stiffness;
mod yielding_history;

use assert_no_alloc::AllocDisabler;

#[global_allocator]
static GUARD: AllocDisabler = AllocDisabler;
