//! A plan that was read and checked, and that still knows where everything was written.

use std::path::Path;

use tandem_quantity::{BuildError, Parameter, Registry, Values};

use super::emit;
use super::node::{Item, Table};
use super::refusal::{Findings, PlanErrors};
use super::shape::Shape;
use super::source::{Span, Texts, line_and_column};

/// A checked plan: every number in SI, every default filled in.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The plan for the builders.
    pub values: Values,
    root: &'static [Parameter],
    registry: Registry,
    tree: Table,
    texts: Texts,
}

/// Where a key is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// File, name of an embedded plan, or `--set`.
    pub file: String,
    /// Line, from one.
    pub line: usize,
    /// Column in characters, from one.
    pub column: usize,
}

impl Resolved {
    pub(super) fn new(
        root: &'static [Parameter],
        registry: Registry,
        values: Values,
        tree: Table,
        texts: Texts,
    ) -> Self {
        Self {
            values,
            root,
            registry,
            tree,
            texts,
        }
    }

    /// Where the value of a dotted key such as `rig.actuators.0.delay` is written. When it is not
    /// written, the innermost table around it; when not even its section is, the end of the plan.
    pub fn locate(&self, key: &str) -> Place {
        let span = self.span(key);
        let Some(text) = self.texts.get(span.source) else {
            return Place {
                file: String::new(),
                line: 1,
                column: 1,
            };
        };
        let (line, column) = line_and_column(&text.text, span.start);
        Place {
            file: text.name.clone(),
            line,
            column,
        }
    }

    /// Whether the value of a dotted key is written in the plan, in what it extends or in an
    /// override; a default is not.
    pub fn is_written(&self, key: &str) -> bool {
        let mut segments = key.split('.');
        let mut node = segments.next().and_then(|s| self.tree.get(s));
        for segment in segments {
            node = match node.map(|found| &found.item) {
                Some(Item::Table(table)) => table.get(segment),
                Some(Item::List(items)) => segment.parse::<usize>().ok().and_then(|i| items.get(i)),
                _ => None,
            };
        }
        node.is_some()
    }

    /// The refusal of a plan that could be read but not built: each error with its place.
    pub fn refuse(&self, errors: Vec<BuildError>) -> PlanErrors {
        let mut findings = Findings::default();
        for error in errors {
            findings.add(
                self.span(&error.key),
                &error.key,
                error.message,
                "",
                error.help,
            );
        }
        findings.refuse(&self.texts)
    }

    /// The plan as resolved: every section and key with its default filled in, in the order of the
    /// declaration. It reads back to the same [`Values`] from the same working directory.
    pub fn to_toml(&self) -> String {
        emit::plan(self.shape(), &self.values, &self.tree, None)
    }

    /// The same for a file in another directory: relative paths are made absolute against
    /// `working_directory`.
    pub fn to_toml_from(&self, working_directory: &Path) -> String {
        emit::plan(
            self.shape(),
            &self.values,
            &self.tree,
            Some(working_directory),
        )
    }

    /// The methods that the plan can name.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    fn shape(&self) -> Shape<'_> {
        Shape::root(self.root, &self.registry)
    }

    fn span(&self, key: &str) -> Span {
        let mut segments = key.split('.').filter(|s| !s.is_empty()).peekable();
        let mut span = match segments.peek() {
            Some(_) => self.texts.end_of_plan(),
            None => Span::new(0, 0..0),
        };
        let mut node = segments.next().and_then(|s| self.tree.get(s));
        while let Some(found) = node {
            if !found.span.is_nowhere() {
                span = found.span;
            }
            node = match (&found.item, segments.next()) {
                (Item::Table(table), Some(segment)) => table.get(segment),
                (Item::List(items), Some(segment)) => {
                    segment.parse::<usize>().ok().and_then(|i| items.get(i))
                }
                _ => None,
            };
        }
        span
    }
}
