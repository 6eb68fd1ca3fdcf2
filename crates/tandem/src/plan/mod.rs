//! The plan file: read, check, explain.
//!
//! A plan is declared once, as a table of [`Parameter`]s. Reading, checking, defaults, the JSON
//! Schema for editors and the reference documentation all come from that table:
//!
//! ```
//! use tandem::plan::{self, Source};
//! use tandem_quantity::{Dimension, Kind, Parameter};
//!
//! static INTEGRATION: &[Parameter] = &[Parameter::number("dt", Dimension::TIME, "time step").positive()];
//! static ROOT: &[Parameter] = &[Parameter::of("integration", ValueKind::Table(INTEGRATION), "time stepping")];
//!
//! let source = Source::Text { name: "demo", text: "[integration]\ndt = \"4 ms\"\n" };
//! let plan = plan::read(ROOT, source, &["integration.dt=2ms".to_owned()])?;
//! assert_eq!(plan.values.table("integration")?.number("dt")?, 0.002);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! How it works: each text (the plan, what it `extends`, each `--set`) is parsed into a tree of
//! values with their places (`node`); the trees are laid on top of each other (`layer`,
//! `overrides`); one walk over declaration and tree (`check`, `scalar`, `list`) collects every
//! finding; the findings become a [`PlanErrors`], or the values a [`Resolved`] plan.

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

use tandem_quantity::{Parameter, Registry};

use crate::registry::standard;

use node::Table;

pub use audit::audit;
pub use reference::reference;
pub use refusal::{PlanErrors, Problem, Report};
pub use resolved::{Place, Resolved};
pub use schema::json_schema;
pub use source::Source;

/// Reads a plan of the program and everything it extends: a test, or a co-simulation where there is
/// a section `[cosimulation]`.
///
/// # Errors
/// As [`read`].
pub fn open(source: Source<'_>, overrides: &[String]) -> Result<Resolved, PlanErrors> {
    open_with(standard(), source, overrides)
}

/// The same with methods that were added to those of the program.
///
/// # Errors
/// As [`read`].
pub fn open_with(
    registry: &Registry,
    source: Source<'_>,
    overrides: &[String],
) -> Result<Resolved, PlanErrors> {
    let coupled = |layers: &[Table]| {
        layers
            .iter()
            .any(|layer| layer.get(sections::Section::Cosimulation.word()).is_some())
    };
    let root = |layers: &[Table]| match coupled(layers) {
        true => crate::cosimulation::sections::ROOT,
        false => sections::ROOT,
    };
    read_as(&root, registry, source, overrides)
}

/// Reads a plan and everything it extends, lays the overrides (`section.key=value`) on top, and
/// checks it against `root`. All problems are reported at once.
///
/// A range bounds numbers, and each number of a list; of lists of texts and tables it bounds the
/// length.
///
/// # Errors
/// [`PlanErrors`] with everything that does not fit.
pub fn read(
    root: &'static [Parameter],
    source: Source<'_>,
    overrides: &[String],
) -> Result<Resolved, PlanErrors> {
    read_with(standard(), root, source, overrides)
}

/// The same with methods that were added to those of the program.
///
/// # Errors
/// As [`read`].
pub fn read_with(
    registry: &Registry,
    root: &'static [Parameter],
    source: Source<'_>,
    overrides: &[String],
) -> Result<Resolved, PlanErrors> {
    read_as(&|_| root, registry, source, overrides)
}

/// The same, for the declaration that the written layers choose.
fn read_as(
    root: &dyn Fn(&[Table]) -> &'static [Parameter],
    registry: &Registry,
    source: Source<'_>,
    overrides: &[String],
) -> Result<Resolved, PlanErrors> {
    let mut texts = source::Texts::default();
    let mut findings = refusal::Findings::default();
    let tree = layer::load(root, registry, source, &mut texts, &mut findings);
    let (root, mut tree) = match tree {
        Some(tree) => tree,
        None => return Err(findings.refuse(&texts)),
    };
    implied::imply_defaults(&mut tree);
    let shape = shape::Shape::root(root, registry);
    overrides::apply(shape, &mut tree, overrides, &mut texts, &mut findings);
    implied::imply_defaults(&mut tree);
    implied::imply_instant(&mut tree, registry);
    let values = check::Checker::new(root, registry, &texts, &mut findings).plan(&tree);
    if findings.is_empty() {
        Ok(Resolved::new(root, registry.clone(), values, tree, texts))
    } else {
        Err(findings.refuse(&texts))
    }
}
