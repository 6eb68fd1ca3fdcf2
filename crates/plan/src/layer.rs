//! One plan on top of another: `extends`, and how a later layer wins key by key.

use std::path::Path;

use tandem_quantity::{Parameter, Registry};

use super::file::{fits, load as load_file};
use super::node::{Item, Node, Table, parse_document};
use super::refusal::Findings;
use super::shape::{Form, Shape, method, selected};
use super::source::{Source, Span, Texts};

/// The key that names the plan to build on.
pub(super) const EXTENDS: &str = "extends";
/// The key that says by which rules a plan is written.
pub(super) const FORMAT: &str = "format";
/// The form of plans that this program reads and writes.
pub(super) const FORMAT_VERSION: i64 = 1;
/// Longer chains are a mistake.
const LONGEST_CHAIN: usize = 16;
/// So are this many plans in one.
const MOST_LAYERS: usize = 64;

/// Reads a plan and everything it extends, and merges them as the declaration has it that `root`
/// chooses. None when a text could not be parsed.
pub(super) fn load(
    root: &dyn Fn(&[Table]) -> &'static [Parameter],
    registry: &Registry,
    source: Source<'_>,
    texts: &mut Texts,
    findings: &mut Findings,
) -> Option<(&'static [Parameter], Table)> {
    let current = match source {
        Source::File(path) => load_file(texts, path, None, findings)?,
        Source::Text { name, text } => {
            let source = texts.push_plain(name, if fits(text) { text } else { "" });
            if !fits(text) {
                findings.add(
                    Span::new(source, 0..0),
                    "",
                    "the plan is larger than 16 MB",
                    "a shorter plan",
                    "",
                );
                return None;
            }
            source
        }
    };
    let mut chain = Chain {
        texts,
        findings,
        stack: Vec::new(),
        layers: Vec::new(),
    };
    // A plan whose base is missing would be refused for keys that the base may hold.
    let whole = chain.add(current);
    let root = root(&chain.layers);
    let mut layers = chain.layers.into_iter();
    let mut merged = layers.next()?;
    for layer in layers {
        merge(&mut merged, layer, Shape::root(root, registry));
    }
    whole.then_some((root, merged))
}

/// The plans on the way from what is extended to the plan itself.
struct Chain<'a> {
    texts: &'a mut Texts,
    findings: &'a mut Findings,
    /// The plans that are being read, each named by the one before.
    stack: Vec<usize>,
    /// What was read, lowest first.
    layers: Vec<Table>,
}

impl Chain<'_> {
    /// Adds what a plan extends, then its own keys. False where something could not be read.
    fn add(&mut self, plan: usize) -> bool {
        let Some(text) = self.texts.get(plan).map(|t| t.text.clone()) else {
            return false;
        };
        let Some(mut table) = parse_document(&text, plan, self.findings) else {
            // Without its own keys known to be right, what this plan extends is anybody's guess.
            return false;
        };
        if !self.knows_format(&table) {
            return false;
        }
        self.stack.push(plan);
        let mut whole = true;
        for base in bases(table.remove(EXTENDS)) {
            whole &= match self.follow(&base) {
                Some(next) => self.add(next),
                None => false,
            };
        }
        self.stack.pop();
        self.layers.push(table);
        whole
    }

    /// Whether a plan is of the present format, or says nothing of it. Of another one nothing else
    /// can be said: its keys may mean something else.
    fn knows_format(&mut self, table: &Table) -> bool {
        let Some(Node {
            item: Item::Integer(written),
            span,
            ..
        }) = table.get(FORMAT)
        else {
            return true;
        };
        let known = *written == FORMAT_VERSION;
        if !known {
            self.findings.add(
                *span,
                FORMAT,
                format!(
                    "the plan has format {written}, which this version of Tandem does not know"
                ),
                format!("format = {FORMAT_VERSION}"),
                format!(
                    "read it with the version of Tandem that it was written for, or rewrite it by \
                     `tandem schema --markdown` with format = {FORMAT_VERSION}"
                ),
            );
        }
        known
    }

    /// Opens the plan that `base` names.
    fn follow(&mut self, base: &Node) -> Option<usize> {
        let from = *self.stack.last()?;
        let Item::Text(written) = &base.item else {
            self.findings.add(
                base.span,
                EXTENDS,
                format!("`extends` is {}", base.item.describe()),
                "the path of a plan, or a list of them",
                "write extends = \"base.toml\"; the path holds from the directory of this file",
            );
            return None;
        };
        let path = self.texts.get(from)?.directory.join(Path::new(written));
        if self.stack.len() >= LONGEST_CHAIN || self.layers.len() >= MOST_LAYERS {
            self.findings.add(
                base.span,
                EXTENDS,
                format!(
                    "the chain of plans is longer than {LONGEST_CHAIN}, or has more than \
                    {MOST_LAYERS} plans in all"
                ),
                "a short chain",
                "copy the common keys into one base plan and extend that",
            );
            return None;
        }
        let canonical = path.canonicalize().ok();
        let names = self.stack.iter().filter_map(|plan| self.texts.get(*plan));
        if canonical.is_some() && names.clone().any(|t| t.canonical == canonical) {
            let chain: Vec<&str> = names.map(|t| t.name.as_str()).collect();
            let message = format!(
                "the plans extend each other in a circle: {} → {}",
                chain.join(" → "),
                path.display()
            );
            self.findings.add(
                base.span,
                EXTENDS,
                message,
                "a plan that does not lead back here",
                "remove one of the `extends` lines",
            );
            return None;
        }
        load_file(self.texts, &path, Some(base.span), self.findings)
    }
}

/// The plans that an `extends` line names: one, or several of which a later one wins.
fn bases(written: Option<Node>) -> Vec<Node> {
    match written {
        Some(Node {
            item: Item::List(list),
            ..
        }) => list,
        Some(one) => vec![one],
        None => Vec::new(),
    }
}

/// Puts `over` on top of `base`: tables are merged, everything else is replaced. When the method of
/// a slot changes, inherited keys that the new method does not know are dropped: they belonged to
/// the old one.
pub(super) fn merge(base: &mut Table, over: Table, shape: Shape<'_>) {
    if let Form::Slot(slot) = shape.form
        && let Some(Item::Text(new)) = over.get(slot.selector()).map(|n| &n.item)
        && selected(slot, base) != Some(new)
        && let Some(method) = method(shape.registry, slot, new)
    {
        base.retain(|key, _| {
            key == slot.selector() || method.parameters.iter().any(|p| p.key == key)
        });
    }
    // The selector first: it decides what the other keys mean.
    let (selector, rest): (Vec<_>, Vec<_>) = over
        .into_iter()
        .partition(|(key, _)| shape.is_selector(key));
    for (key, node) in selector.into_iter().chain(rest) {
        let below = shape.at(shape.kind(base, &key));
        match (base.get_mut(&key), node) {
            (
                Some(Node {
                    key: old_key,
                    span: old_span,
                    item: Item::Table(old),
                }),
                Node {
                    key,
                    span,
                    item: Item::Table(new),
                },
            ) => {
                merge(old, new, below);
                (*old_key, *old_span) = (key, span);
            }
            (_, node) => {
                base.insert(key, node);
            }
        }
    }
}
