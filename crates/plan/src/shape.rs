//! Finding one's way in the declared tables: which parameters a written table may have.

use std::borrow::Cow;

use tandem_quantity::{Method, Parameter, Registry, Slot, ValueKind};

use super::node::{Item, Table};

/// Defaults nested deeper than this are a mistake of the declaration (a default table that holds
/// itself).
pub(super) const DEEPEST: usize = 12;

/// What is declared for a table.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// A fixed set of keys.
    Keys(&'static [Parameter]),
    /// A selector, and the keys of the selected method.
    Slot(&'static dyn Slot),
    /// A key for each method.
    Open(&'static dyn Slot),
    /// Nothing is declared here.
    Unknown,
}

impl Form {
    /// That of the table, or of the tables in the list, at a key of this kind.
    pub fn of(kind: Option<ValueKind>) -> Self {
        match kind {
            Some(ValueKind::Table(keys) | ValueKind::Tables(keys)) => Self::Keys(keys),
            Some(ValueKind::Slot(slot) | ValueKind::Slots(slot)) => Self::Slot(slot),
            Some(ValueKind::Open(slot)) => Self::Open(slot),
            _ => Self::Unknown,
        }
    }
}

/// What is declared for a table, and the methods that it can name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape<'r> {
    pub form: Form,
    pub registry: &'r Registry,
}

impl<'r> Shape<'r> {
    /// The whole plan.
    pub fn root(root: &'static [Parameter], registry: &'r Registry) -> Self {
        Self {
            form: Form::Keys(root),
            registry,
        }
    }

    /// That of the table, or of the tables in the list, at a key of this kind.
    pub fn at(self, kind: Option<ValueKind>) -> Self {
        Self {
            form: Form::of(kind),
            ..self
        }
    }

    /// The parameters of a table that is written like `table`.
    pub fn parameters(self, table: &Table) -> Cow<'static, [Parameter]> {
        match self.form {
            Form::Keys(keys) => keys.into(),
            Form::Slot(slot) => selected(slot, table)
                .and_then(|name| method(self.registry, slot, name))
                .map_or(&[][..], |m| m.parameters)
                .into(),
            Form::Open(slot) => self.registry.keys(slot).into(),
            Form::Unknown => (&[][..]).into(),
        }
    }

    /// The kind of one key of such a table.
    pub fn kind(self, table: &Table, key: &str) -> Option<ValueKind> {
        self.parameters(table)
            .iter()
            .find(|p| p.key == key)
            .map(|p| p.kind)
    }

    /// Whether `key` chooses the method of this table.
    pub fn is_selector(self, key: &str) -> bool {
        matches!(self.form, Form::Slot(slot) if slot.selector() == key)
    }
}

/// The method that a written table selects, by its own words or by default.
pub(super) fn selected<'a>(slot: &'static dyn Slot, table: &'a Table) -> Option<&'a str> {
    match table.get(slot.selector()).map(|n| &n.item) {
        Some(Item::Text(name)) => Some(name),
        Some(_) => None,
        None => slot.default(),
    }
}

/// The method of this name.
pub(super) fn method(registry: &Registry, slot: &dyn Slot, name: &str) -> Option<&'static Method> {
    let methods = registry.methods(slot);
    methods.into_iter().find(|method| method.name == name)
}

/// Where a key is declared: the sections (with the method, in a slot) that know it, at most `most`.
pub(super) fn declared_in(
    root: &[Parameter],
    registry: &Registry,
    key: &str,
    most: usize,
) -> Vec<String> {
    let mut search = Search {
        registry,
        key,
        found: Vec::new(),
        seen: Seen::default(),
    };
    search.table(root, "", "the top of the plan");
    let mut found = search.found;
    found.dedup();
    found.truncate(most);
    found
}

/// Slots that a walk over the declaration has entered. A slot may stand in several places, and even
/// inside itself (a material made of materials); it is entered once.
#[derive(Debug, Default)]
pub(super) struct Seen(Vec<&'static str>);

impl Seen {
    /// Whether this is the first visit.
    pub fn first(&mut self, slot: &dyn Slot) -> bool {
        let new = !self.0.contains(&slot.name());
        if new {
            self.0.push(slot.name());
        }
        new
    }
}

/// A key that is looked for in the whole declaration.
struct Search<'a> {
    registry: &'a Registry,
    key: &'a str,
    found: Vec<String>,
    seen: Seen,
}

impl Search<'_> {
    /// Looks in the table at `path`, which people call `name`, and in the tables below it.
    fn table(&mut self, keys: &[Parameter], path: &str, name: &str) {
        if self.found.len() > 16 {
            return;
        }
        for parameter in keys {
            if parameter.key == self.key {
                self.found.push(name.to_owned());
            }
            let path = if path.is_empty() {
                parameter.key.to_owned()
            } else {
                format!("{path}.{}", parameter.key)
            };
            match Form::of(Some(parameter.kind)) {
                Form::Keys(keys) => self.table(keys, &path, &format!("[{path}]")),
                Form::Open(slot) => {
                    self.table(&self.registry.keys(slot), &path, &format!("[{path}]"));
                }
                Form::Slot(slot) => {
                    if !self.seen.first(slot) {
                        continue;
                    }
                    for method in self.registry.methods(slot) {
                        let name =
                            format!("[{path}] with {} = \"{}\"", slot.selector(), method.name);
                        self.table(method.parameters, &path, &name);
                    }
                }
                Form::Unknown => {}
            }
        }
    }
}
