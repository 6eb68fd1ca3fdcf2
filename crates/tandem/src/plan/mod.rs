//! The plan file: read, check, explain.
//!
//! A plan is declared once, as a table of [`Parameter`]s. Reading, checking, defaults, the JSON Schema for
//! editors and the reference documentation all come from that table:
//!
//! ```
//! use tandem::plan::{self, Source};
//! use tandem_quantity::{Dimension, Kind, Parameter};
//!
//! static INTEGRATION: &[Parameter] = &[Parameter::number("dt", Dimension::TIME, "time step").positive()];
//! static ROOT: &[Parameter] = &[Parameter::of("integration", Kind::Table(INTEGRATION), "time stepping")];
//!
//! let source = Source::Text { name: "demo", text: "[integration]\ndt = \"4 ms\"\n" };
//! let plan = plan::read(ROOT, source, &["integration.dt=2ms".to_owned()])?;
//! assert_eq!(plan.values.table("integration")?.number("dt")?, 0.002);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! How it works: each text (the plan, what it `extends`, each `--set`) is parsed into a tree of values with
//! their places (`node`); the trees are laid on top of each other (`layer`, `overrides`); one walk over
//! declaration and tree (`check`, `scalar`, `list`) collects every finding; the findings become a
//! [`Refusal`], or the values a [`Resolved`] plan.

mod audit;
mod check;
mod emit;
mod implied;
mod layer;
mod list;
mod node;
mod overrides;
mod reference;
mod refusal;
mod resolved;
mod scalar;
mod schema;
pub mod sections;
mod shape;
mod source;
mod words;

use tandem_quantity::Parameter;

pub use audit::audit;
pub use reference::reference;
pub use refusal::{Problem, Refusal, Report};
pub use resolved::{Place, Resolved};
pub use schema::json_schema;
pub use source::Source;
pub(crate) use words::nearest;

/// Reads a plan and everything it extends, lays the overrides (`section.key=value`) on top, and checks it
/// against `root`. All problems are reported at once.
///
/// A range bounds numbers, and each number of a list; of lists of texts and tables it bounds the length.
pub fn read(
    root: &'static [Parameter],
    source: Source<'_>,
    overrides: &[String],
) -> Result<Resolved, Refusal> {
    let mut texts = source::Texts::default();
    let mut findings = refusal::Findings::default();
    let tree = layer::load(root, source, &mut texts, &mut findings);
    let mut tree = match tree {
        Some(tree) => tree,
        None => return Err(findings.refuse(&texts)),
    };
    implied::imply(&mut tree);
    overrides::apply(root, &mut tree, overrides, &mut texts, &mut findings);
    implied::imply(&mut tree);
    implied::imply_instant(&mut tree);
    let values = check::Checker::new(root, &texts, &mut findings).plan(&tree);
    if findings.is_empty() {
        Ok(Resolved::new(root, values, tree, texts))
    } else {
        Err(findings.refuse(&texts))
    }
}
