//! What a plan with an outside driver need not write: the driver has the structure, the ground motion and the method.

use super::node::{Item, Table, parse_default};

/// Fills in the sections that follow from `[integration] driver`. What is written stays.
pub(super) fn imply(tree: &mut Table) {
    let Some(Item::Table(integration)) = tree.get_mut("integration").map(|node| &mut node.item)
    else {
        return;
    };
    if !integration.contains_key("driver") {
        return;
    }
    let fill = |table: &mut Table, key: &str, text: &str| {
        if !table.contains_key(key) {
            table.insert(key.to_owned(), parse_default(text));
        }
    };
    fill(integration, "method", "\"outside\"");
    fill(tree, "structure", "{ kind = \"outside\" }");
    fill(
        tree,
        "excitation",
        "{ kind = \"none\", duration = \"1 s\", dt = \"10 ms\" }",
    );
}
