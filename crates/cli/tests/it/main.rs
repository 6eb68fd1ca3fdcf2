//! The program and the library as a whole.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::float_cmp,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_possible_truncation
)]

mod benchmarks;
mod browser;
mod campaign;
mod characterise;
mod check;
mod coordinator;
mod corpus;
mod examples;
mod export;
mod fmi;
mod frames;
mod identify;
mod import_program;
mod integration_methods;
mod kinematics;
mod links;
mod mutated_plans;
mod no_allocation;
mod nonlinear_specimen;
mod partition;
mod physics;
mod plan_demo;
mod plan_keys;
mod plan_layers;
mod plan_report;
mod plan_roundtrip;
mod plan_schema;
mod plan_wrong;
mod program;
mod readme;
mod screen;
mod snapshot;
mod summary_schema;
mod transfer;

use assert_no_alloc::AllocDisabler;
use tandem_test_support::Program;

/// The program.
pub const TANDEM: Program = Program(env!("CARGO_BIN_EXE_tandem"));

// What runs within `assert_no_alloc` may not allocate.
#[global_allocator]
static GUARD: AllocDisabler = AllocDisabler;
