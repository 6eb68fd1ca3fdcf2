//! All monitors together, against closed forms and published figures. Nothing that a monitor does
//! on a tick may allocate.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation)] // in helpers of tests

mod criteria;
mod energy;
mod stability;
mod state;
mod support;
mod synthetic;

use assert_no_alloc::AllocDisabler;

#[global_allocator]
static GUARD: AllocDisabler = AllocDisabler;
