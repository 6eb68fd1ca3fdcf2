//! A plan that is being read, for who fills in what need not be written.

use super::node::{Item, Node, Table, parse_default};

/// What is written so far.
pub struct Draft<'a>(pub(super) &'a mut Table);

impl Draft<'_> {
    fn section(&self, name: &str) -> Option<&Table> {
        match self.0.get(name) {
            Some(Node {
                item: Item::Table(table),
                ..
            }) => Some(table),
            _ => None,
        }
    }

    /// Whether a section has a key.
    #[must_use]
    pub fn has(&self, section: &str, key: &str) -> bool {
        self.section(section)
            .is_some_and(|table| table.contains_key(key))
    }

    /// The text of a key of a section.
    #[must_use]
    pub fn text(&self, section: &str, key: &str) -> Option<&str> {
        match &self.section(section)?.get(key)?.item {
            Item::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Adds a section, as TOML, where there is none.
    pub fn add(&mut self, section: &str, toml: &str) {
        add(self.0, section, toml);
    }

    /// Fills in a key, as TOML, where its section is there and the key is not.
    pub fn fill(&mut self, section: &str, key: &str, toml: &str) {
        if let Some(Item::Table(table)) = self.0.get_mut(section).map(|node| &mut node.item) {
            add(table, key, toml);
        }
    }
}

fn add(table: &mut Table, key: &str, toml: &str) {
    if !table.contains_key(key) {
        table.insert(key.to_owned(), parse_default(toml));
    }
}
