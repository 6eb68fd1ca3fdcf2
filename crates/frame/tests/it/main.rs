//! Materials, sections, elements and models against closed forms, OpenSees and published figures.
//! Nothing that a step does may allocate.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests fail the test and print what they found"
)]

mod common;
mod division;
mod element_fibre_oracle;
mod element_properties;
mod frame_cases;
mod frame_oracle;
mod material_oracle;
mod material_peer;
mod material_properties;
mod material_rate;
mod model_devices;
mod model_frames;
mod model_no_alloc;
mod section_no_alloc;
mod section_oracle;
mod section_properties;

use assert_no_alloc::AllocDisabler;

#[global_allocator]
static GUARD: AllocDisabler = AllocDisabler;
