#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! In: a [`Page`] of plain data (strings, numbers, series in the units in which they shall be
//! shown). Out: the text of one HTML file that refers to nothing outside itself. Every plot is a
//! static SVG, so the page is whole without scripts and crisp on paper; a small script (`document`
//! embeds it) draws the same plots again from embedded data when the reader zooms, pans or points.
//!
//! The files: `page` the data; `escape` text to markup; `number` units and sizes to words; `scale`
//! ranges and their mapping to the paper; `ticks` round numbers; `decimate` fewer points, same
//! picture; `trace` one series as an SVG path; `plot` one figure, `plot_layout`, `plot_axes` and
//! `plot_notes` its parts; `loop_diagram` the block diagram; `heat_map` and `bars` other pictures;
//! `check_page` and `run_comparison` the pages of `tandem check` and `tandem report A B`; `overlay`
//! two runs in one plot; `transfer_function`, `dictionary`, `published`, `drill_table` sections of
//! their names; `embed` the data for the script; `document` the page.

/// Appends formatted text to a string, which cannot fail.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => {{
        use std::fmt::Write as _;
        let _ = write!($out, $($arg)*);
    }};
}

mod again;
mod against_reference;
mod assemble;
mod bars;
mod check_page;
mod cosimulation;
mod criteria;
mod decimate;
mod dictionary;
mod document;
mod drill_table;
mod embed;
mod escape;
mod fourier;
mod heat_map;
mod indicators;
mod loop_diagram;
mod number;
mod overlay;
mod page;
mod plot;
mod plot_axes;
mod plot_layout;
mod plot_notes;
pub mod published;
mod run_comparison;
mod scale;
mod scaled;
mod sections;
mod splitting_section;
mod structure_picture;
mod ticks;
mod trace;
mod transfer_function;

#[cfg(test)]
mod tests;

pub use again::{compare_runs, report_again, write_page};
pub use assemble::{About, of_run};
pub use check_page::of_check;
pub use cosimulation::of_cosimulation;
pub use document::render;
pub use escape::html;
pub use number::file_size;
pub use page::{
    Align, Axis, Cell, Column, EventRow, KeyValue, LineWeight, LoopStage, Page, PageItem, Picture,
    Plot, Scale, Section, Series, Severity, StageKind, Style, Table, Verdict,
};
use run_comparison::other_test;
pub use run_comparison::{Compared, Comparison, of_runs};
pub use structure_picture::{PictureNode, StructurePicture, Support};
