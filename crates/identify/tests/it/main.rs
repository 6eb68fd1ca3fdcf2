//! Known systems come back from their own noisy data.

#![allow(clippy::unwrap_used, clippy::cast_possible_truncation)] // in helpers of tests

mod known_systems;
