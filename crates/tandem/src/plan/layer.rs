//! One plan on top of another: `extends`, and how a later layer wins key by key.

use std::path::Path;

use tandem_quantity::Parameter;

use super::node::{Item, Node, Table, parse_document};
use super::refusal::Findings;
use super::shape::{Shape, method, selected};
use super::source::{Source, Span, Texts, fits};

/// The key that names the plan to build on.
pub(super) const EXTENDS: &str = "extends";
/// Longer chains are a mistake.
const LONGEST_CHAIN: usize = 16;

/// Reads a plan and everything it extends, and merges them. None when a text could not be parsed.
pub(super) fn load(
    root: &'static [Parameter],
    source: Source<'_>,
    texts: &mut Texts,
    findings: &mut Findings,
) -> Option<Table> {
    let mut current = match source {
        Source::File(path) => texts.load(path, None, findings)?,
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
    let mut layers: Vec<Table> = Vec::new();
    let mut whole = true;
    loop {
        let text = texts.get(current)?.text.clone();
        let Some(mut table) = parse_document(&text, current, findings) else {
            // Without its own keys known to be right, what this plan extends is anybody's guess.
            whole = false;
            break;
        };
        let base = table.remove(EXTENDS);
        layers.push(table);
        let Some(base) = base else { break };
        match follow(&base, current, layers.len(), texts, findings) {
            Some(next) => current = next,
            None => {
                whole = false;
                break;
            }
        }
    }
    let mut merged = layers.pop()?;
    while let Some(layer) = layers.pop() {
        merge(&mut merged, layer, Shape::Keys(root));
    }
    // A plan whose base is missing would be refused for keys that the base may hold.
    whole.then_some(merged)
}

/// Opens the plan that `base` names.
fn follow(
    base: &Node,
    from: usize,
    length: usize,
    texts: &mut Texts,
    findings: &mut Findings,
) -> Option<usize> {
    let Item::Text(written) = &base.item else {
        findings.add(
            base.span,
            EXTENDS,
            format!("`extends` is {}", base.item.describe()),
            "the path of a plan",
            "write extends = \"base.toml\"; the path holds from the directory of this file",
        );
        return None;
    };
    let path = texts.get(from)?.directory.join(Path::new(written));
    if length >= LONGEST_CHAIN {
        findings.add(
            base.span,
            EXTENDS,
            format!("the chain of plans is longer than {LONGEST_CHAIN}"),
            "a short chain",
            "copy the common keys into one base plan and extend that",
        );
        return None;
    }
    let canonical = path.canonicalize().ok();
    if canonical.is_some() && texts.iter().any(|t| t.canonical == canonical) {
        let chain: Vec<&str> = texts.iter().map(|t| t.name.as_str()).collect();
        findings.add(
            base.span,
            EXTENDS,
            format!(
                "the plans extend each other in a circle: {} → {}",
                chain.join(" → "),
                path.display()
            ),
            "a plan that does not lead back here",
            "remove one of the `extends` lines",
        );
        return None;
    }
    texts.load(&path, Some(base.span), findings)
}

/// Puts `over` on top of `base`: tables are merged, everything else is replaced. When the method of a slot
/// changes, inherited keys that the new method does not know are dropped: they belonged to the old one.
pub(super) fn merge(base: &mut Table, over: Table, shape: Shape) {
    if let Shape::Slot(slot) = shape
        && let Some(Item::Text(new)) = over.get(slot.selector).map(|n| &n.item)
        && selected(slot, base) != Some(new)
        && let Some(method) = method(slot, new)
    {
        base.retain(|key, _| {
            key == slot.selector || method.parameters.iter().any(|p| p.key == key)
        });
    }
    // The selector first: it decides what the other keys mean.
    let (selector, rest): (Vec<_>, Vec<_>) = over
        .into_iter()
        .partition(|(key, _)| shape.is_selector(key));
    for (key, node) in selector.into_iter().chain(rest) {
        let below = Shape::of(shape.kind(base, &key));
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
