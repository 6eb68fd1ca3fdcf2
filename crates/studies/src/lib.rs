#![doc = include_str!("../README.md")]

pub mod analyse;
pub mod bench;
pub mod campaign;
pub mod compare;
pub mod parallel;
