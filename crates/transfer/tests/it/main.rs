//! What stands between target and measured force, part by part and as a rig.

#![allow(clippy::unwrap_used)] // in helpers of tests

mod common;
mod compensators;
mod conditioning;
mod every_method;
mod feedforward_benchmark;
mod kinematics;
mod predictor_corrector;
mod virtual_rig;

use assert_no_alloc::AllocDisabler;

#[global_allocator]
static GUARD: AllocDisabler = AllocDisabler;
