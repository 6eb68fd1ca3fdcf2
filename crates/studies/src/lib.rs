//! Studies of many runs: benchmark problems, campaigns, comparisons of methods, and their pages.

pub mod analyse;
pub mod bench;
pub mod campaign;
pub mod compare;
pub mod parallel;
