//! Scripts as plans: what is read of them, and the models beside OpenSees itself.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::float_cmp,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_possible_truncation
)]

mod against_opensees;
mod scripts;
