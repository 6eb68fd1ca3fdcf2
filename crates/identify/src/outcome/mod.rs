//! `tandem identify`: characterisation data to numbers that a plan can use, with a page that lets
//! an engineer trust them.
//!
//! `data` reads columns from text or from a run; one file for each thing that is identified puts
//! the methods of `tandem_identify` together, and gives JSON, a fragment of a plan and a page.

pub mod ats;
pub mod base_spring;
pub mod data;
pub mod free_vibration;
pub mod known;
pub mod modes;
pub mod pid;
pub mod stiffness;
pub mod transfer;

use tandem_report::{KeyValue, Page, Section, Verdict, render};

/// What an identification leaves.
pub struct Outcome<Figures> {
    /// What was found; its keys are those of `--json`.
    pub figures: Figures,
    /// Lines for people: label and value.
    pub lines: Vec<(String, String)>,
    /// A fragment of a plan, to be extended or copied.
    pub fragment: String,
    /// One HTML page.
    pub page: String,
}

/// Why nothing was identified.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file or its columns.
    #[error("{0}")]
    Data(String),
    /// The data do not tell.
    #[error(transparent)]
    Identify(#[from] crate::IdentifyError),
    /// The plan.
    #[error("{0}")]
    Plan(String),
}

/// A page of sections behind a verdict.
fn page(
    title: &str,
    source: &str,
    verdict: Verdict,
    figures: Vec<KeyValue>,
    sections: Vec<Section>,
) -> String {
    render(&Page {
        title: title.into(),
        subtitle: format!("Identified from {source}"),
        verdict,
        facts: vec![
            KeyValue::new("Data", source),
            KeyValue::new("Tandem", env!("CARGO_PKG_VERSION")),
        ],
        figures,
        loop_diagram: Vec::new(),
        sections,
    })
}

/// The first lines of a fragment.
fn heading(what: &str, source: &str) -> String {
    format!(
        "# {what}, identified from {source} by `tandem identify`.\n\
         # A plan takes it over with `extends = [\"its base\", \"this file\"]`, or copy the lines \
         into it.\n"
    )
}

/// A number as TOML writes it, with enough digits.
fn number(x: f64) -> String {
    if x.is_finite() {
        format!("{x:.9e}")
            .parse::<f64>()
            .map_or_else(|_| format!("{x:e}"), |x| format!("{x:?}"))
    } else {
        "nan".into()
    }
}
