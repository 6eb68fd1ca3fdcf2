//! What some plans need not write: an external integrator has the structure, the ground motion and
//! the method; actuators that are characterised have none of them.

use super::node::{Item, Node, Table, parse_default};
use tandem_quantity::Registry;
use tandem_transfer::compensator;

/// Fills in the sections that follow from `[integration] driver` or from `[excitation] kind =
/// "characterise"`, and the controller of a plant that is known. What is written stays.
pub(super) fn imply_defaults(tree: &mut Table) {
    if section(tree, "integration").is_some_and(|table| table.contains_key("driver")) {
        fill(tree, "integration", "method", "\"outside\"");
        missing(tree, "structure", "{ kind = \"outside\" }");
        missing(
            tree,
            "excitation",
            "{ kind = \"none\", duration = \"1 s\", dt = \"10 ms\" }",
        );
    }
    // A plant that was identified: the controller that makes most of it (docs/benchmarks.md).
    if section(tree, "compensator").is_some_and(|table| table.contains_key("plant")) {
        fill(tree, "compensator", "method", "\"adaptive-inverse\"");
    }
    let kind = section(tree, "excitation").and_then(|table| table.get("kind"));
    if kind.is_some_and(|kind| matches!(&kind.item, Item::Text(word) if word == "characterise")) {
        missing(tree, "integration", "{ method = \"prescribed\" }");
        fill(tree, "integration", "method", "\"prescribed\"");
        missing(tree, "structure", "{ kind = \"none\" }");
    }
}

/// The instant for which an adaptive compensator commands, by the method that is left when all is
/// said: an override may have changed it.
pub(super) fn imply_instant(tree: &mut Table, registry: &Registry) {
    if gives_the_instant(tree, registry) {
        fill(tree, "compensator", "ahead", "0");
    }
}

/// Whether the time-stepping method gives the motion of the instant, for which an adaptive
/// compensator must command (`ahead = 0`): Runge–Kutta does, unless a rig without transfer system
/// answers at every stage.
fn gives_the_instant(tree: &Table, registry: &Registry) -> bool {
    let word = |name: &str, key: &str| {
        let node = section(tree, name).and_then(|table| table.get(key))?;
        match &node.item {
            Item::Text(word) => Some(word.as_str()),
            _ => None,
        }
    };
    let method = word("compensator", compensator::SLOT.selector);
    let entry = method.and_then(|name| registry.entry(&compensator::SLOT, name));
    let keys = entry.map_or(&[][..], |entry| entry.method.parameters);
    word("integration", "method") == Some("rk4")
        && word("integration", "force") != Some("stages")
        && keys.iter().any(|parameter| parameter.key == "ahead")
}

fn section<'a>(tree: &'a Table, name: &str) -> Option<&'a Table> {
    match tree.get(name) {
        Some(Node {
            item: Item::Table(table),
            ..
        }) => Some(table),
        _ => None,
    }
}

/// The key of a section, where the section is there and the key is not.
fn fill(tree: &mut Table, name: &str, key: &str, text: &str) {
    if let Some(Item::Table(table)) = tree.get_mut(name).map(|node| &mut node.item) {
        missing(table, key, text);
    }
}

fn missing(table: &mut Table, key: &str, text: &str) {
    if !table.contains_key(key) {
        table.insert(key.to_owned(), parse_default(text));
    }
}
