#![doc = include_str!("../README.md")]
//!
//! # Inside
//!
//! Each text (the plan, what it `extends`, each `--set`) is parsed into a tree of
//! values with their places (`node`); the trees are laid on top of each other (`layer`,
//! `overrides`); one walk over declaration and tree (`check`, `scalar`, `list`) collects every
//! finding; the findings become a [`PlanErrors`], or the values a [`Resolved`] plan.

mod audit;
mod check;
pub mod data_folder;
mod draft;
mod emit;
mod file;
mod layer;
mod list;
mod node;
mod overrides;
mod reference;
mod refusal;
mod resolved;
mod scalar;
mod schema;
mod shape;
mod source;
mod words;

use tandem_quantity::{Parameter, Registry};

use node::Table;

pub use audit::audit;
pub use draft::Draft;
pub use reference::reference;
pub use refusal::{PlanErrors, Problem, Report};
pub use resolved::{Place, Resolved};
pub use schema::json_schema;
pub use source::Source;

/// What a plan may say, and what follows from what it says.
pub trait Grammar {
    /// The declaration of all keys, by the sections that the texts write.
    fn root(&self, written: &dyn Fn(&str) -> bool) -> &'static [Parameter];

    /// Fills in what need not be written, before the overrides and behind them.
    fn imply(&self, _: &mut Draft<'_>) {}

    /// The same when all is said.
    fn conclude(&self, _: &mut Draft<'_>, _: &Registry) {}
}

/// A declaration, where nothing follows from anything.
impl Grammar for &'static [Parameter] {
    fn root(&self, _: &dyn Fn(&str) -> bool) -> &'static [Parameter] {
        self
    }
}

/// Reads a plan and everything it extends, lays the overrides (`section.key=value`) on top, and
/// checks it against its declaration. All problems are reported at once.
///
/// A range bounds numbers, and each number of a list; of lists of texts and tables it bounds the
/// length.
///
/// # Errors
/// [`PlanErrors`] with everything that does not fit.
pub fn read(
    grammar: &dyn Grammar,
    registry: &Registry,
    source: Source<'_>,
    overrides: &[String],
) -> Result<Resolved, PlanErrors> {
    let mut texts = source::Texts::default();
    let mut findings = refusal::Findings::default();
    let root = |layers: &[Table]| {
        grammar.root(&|section| layers.iter().any(|layer| layer.contains_key(section)))
    };
    let tree = layer::load(&root, registry, source, &mut texts, &mut findings);
    let (root, mut tree) = match tree {
        Some(tree) => tree,
        None => return Err(findings.refuse(&texts)),
    };
    grammar.imply(&mut Draft(&mut tree));
    let shape = shape::Shape::root(root, registry);
    overrides::apply(shape, &mut tree, overrides, &mut texts, &mut findings);
    grammar.imply(&mut Draft(&mut tree));
    grammar.conclude(&mut Draft(&mut tree), registry);
    let values = check::Checker::new(root, registry, &texts, &mut findings).plan(&tree);
    if findings.is_empty() {
        Ok(Resolved::new(root, registry.clone(), values, tree, texts))
    } else {
        Err(findings.refuse(&texts))
    }
}
