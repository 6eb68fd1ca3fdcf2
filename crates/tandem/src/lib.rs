//! The program's parts: plan file, assembly of a test, run, check, export, report.

pub mod analyse;
pub mod assemble;
pub mod bench;
pub mod campaign;
pub mod check;
pub mod compare;
pub mod cosimulation;
pub mod criteria;
pub mod data_folder;
pub mod drill;
pub mod driven;
pub mod error;
pub mod export;
pub mod figures;
pub mod fmu;
mod guest;
pub mod identify;
pub mod parallel;
pub mod plan;
pub mod replay;
pub mod report;
pub mod run;
pub mod screen;
pub mod summary;
pub mod watch;

pub use guest::launcher;
