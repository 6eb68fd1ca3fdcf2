//! Finding one's way in the declared tables: which parameters a written table may have.

use tandem_quantity::{Kind, Method, Parameter, Slot};

use super::node::{Item, Table};

/// Defaults nested deeper than this are a mistake of the declaration (a default table that holds itself).
pub(super) const DEEPEST: usize = 12;

/// What is declared for a table.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// A fixed set of keys.
    Keys(&'static [Parameter]),
    /// A selector, and the keys of the selected method.
    Slot(&'static Slot),
    /// Nothing is declared here.
    Unknown,
}

impl Shape {
    /// The shape of the table, or of the tables in the list, at a key of this kind.
    pub fn of(kind: Option<Kind>) -> Self {
        match kind {
            Some(Kind::Table(keys) | Kind::Tables(keys)) => Self::Keys(keys),
            Some(Kind::Slot(slot) | Kind::Slots(slot)) => Self::Slot(slot),
            _ => Self::Unknown,
        }
    }

    /// The parameters of a table that is written like `table`.
    pub fn parameters(self, table: &Table) -> &'static [Parameter] {
        match self {
            Self::Keys(keys) => keys,
            Self::Slot(slot) => selected(slot, table)
                .and_then(|name| method(slot, name))
                .map_or(&[], |m| m.parameters),
            Self::Unknown => &[],
        }
    }

    /// The kind of one key of such a table.
    pub fn kind(self, table: &Table, key: &str) -> Option<Kind> {
        self.parameters(table)
            .iter()
            .find(|p| p.key == key)
            .map(|p| p.kind)
    }

    /// Whether `key` chooses the method of this table.
    pub fn is_selector(self, key: &str) -> bool {
        matches!(self, Self::Slot(slot) if slot.selector == key)
    }
}

/// The method that a written table selects, by its own words or by default.
pub(super) fn selected<'a>(slot: &'static Slot, table: &'a Table) -> Option<&'a str> {
    match table.get(slot.selector).map(|n| &n.item) {
        Some(Item::Text(name)) => Some(name),
        Some(_) => None,
        None => slot.default,
    }
}

/// The method of this name.
pub(super) fn method(slot: &'static Slot, name: &str) -> Option<&'static Method> {
    (slot.methods)().into_iter().find(|m| m.name == name)
}

/// Where a key is declared: the sections (with the method, in a slot) that know it, at most `most`.
pub(super) fn whereabouts(root: &'static [Parameter], key: &str, most: usize) -> Vec<String> {
    let mut found = Vec::new();
    search(
        root,
        key,
        "",
        "the top of the plan",
        &mut found,
        &mut Seen::default(),
    );
    found.dedup();
    found.truncate(most);
    found
}

/// Slots that a walk over the declaration has entered. A slot may stand in several places, and even inside itself (a
/// material made of materials); it is entered once.
#[derive(Debug, Default)]
pub(super) struct Seen(Vec<&'static Slot>);

impl Seen {
    /// Whether this is the first visit.
    pub fn first(&mut self, slot: &'static Slot) -> bool {
        let new = !self.0.iter().any(|known| std::ptr::eq(*known, slot));
        if new {
            self.0.push(slot);
        }
        new
    }
}

/// Looks in the table at `path`, which people call `name`, and in the tables below it.
fn search(
    keys: &'static [Parameter],
    key: &str,
    path: &str,
    name: &str,
    found: &mut Vec<String>,
    seen: &mut Seen,
) {
    if found.len() > 16 {
        return;
    }
    for parameter in keys {
        if parameter.key == key {
            found.push(name.to_owned());
        }
        let path = if path.is_empty() {
            parameter.key.to_owned()
        } else {
            format!("{path}.{}", parameter.key)
        };
        match Shape::of(Some(parameter.kind)) {
            Shape::Keys(keys) => search(keys, key, &path, &format!("[{path}]"), found, seen),
            Shape::Slot(slot) => {
                if !seen.first(slot) {
                    continue;
                }
                for method in (slot.methods)() {
                    let name = format!("[{path}] with {} = \"{}\"", slot.selector, method.name);
                    search(method.parameters, key, &path, &name, found, seen);
                }
            }
            Shape::Unknown => {}
        }
    }
}
