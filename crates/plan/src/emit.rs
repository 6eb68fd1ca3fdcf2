//! A resolved plan as TOML: complete, and as it was written wherever it was written.

use std::fmt::Write as _;
use std::path::Path;

use tandem_quantity::{Default, Parameter, Value, ValueKind, Values, split_quantity};

use crate::data_folder::in_data_folder;

use super::node::{Item, Node, Table, parse_default};
use super::shape::{Form, Shape, method};

const HEADER: &str = "# The plan as it was resolved: what it extends, the overrides and all \
    defaults are filled in.\n";

/// The whole plan. With a directory, relative paths are made absolute against it.
pub(super) fn plan(
    root: Shape<'_>,
    values: &Values,
    tree: &Table,
    directory: Option<&Path>,
) -> String {
    let mut writer = Writer {
        out: HEADER.to_owned(),
        directory,
    };
    writer.table(root, values, tree, "");
    writer.out
}

struct Writer<'a> {
    out: String,
    directory: Option<&'a Path>,
}

/// What stands at a key: written in the plan, or the built-in default.
fn origin(parameter: &Parameter, written: &Table) -> Option<(Node, bool)> {
    match (written.get(parameter.key), parameter.default) {
        (Some(node), _) => Some((node.clone(), false)),
        (None, Default::Is(text)) => Some((parse_default(text), true)),
        (None, _) => None,
    }
}

impl Writer<'_> {
    /// The keys of one table. Keys with plain values come first: after a section header they would
    /// belong to it.
    fn table(&mut self, shape: Shape<'_>, values: &Values, written: &Table, path: &str) {
        let mut parameters = shape.parameters(written);
        if let Form::Slot(slot) = shape.form
            && let Ok(name) = values.text(slot.selector())
        {
            let note = if written.contains_key(slot.selector()) {
                ""
            } else {
                "  # default"
            };
            self.line(&format!("{} = {}{note}", key(slot.selector()), text(name)));
            let method = method(shape.registry, slot, name);
            parameters = method.map_or(&[][..], |m| m.parameters).into();
        }
        for parameter in parameters.iter() {
            if let (Some(value), Some((node, default))) =
                (values.get(parameter.key), origin(parameter, written))
                && is_plain(parameter.kind, value)
            {
                let note = if default { "  # default" } else { "" };
                let value = self.value(parameter.kind, value, &node);
                self.line(&format!("{} = {value}{note}", key(parameter.key)));
            }
        }
        for parameter in parameters.iter() {
            if let (Some(value), Some((node, default))) =
                (values.get(parameter.key), origin(parameter, written))
                && !is_plain(parameter.kind, value)
            {
                let name = key(parameter.key);
                let path = if path.is_empty() {
                    name
                } else {
                    format!("{path}.{name}")
                };
                let note = if default { "  # default" } else { "" };
                self.section(shape.at(Some(parameter.kind)), value, &node, &path, note);
            }
        }
    }

    fn section(&mut self, shape: Shape<'_>, value: &Value, node: &Node, path: &str, note: &str) {
        match (value, &node.item) {
            (Value::Table(values), Item::Table(written)) => {
                self.line(&format!("\n[{path}]{note}"));
                self.table(shape, values, written, path);
            }
            (Value::List(entries), Item::List(items)) => {
                for (entry, item) in entries.iter().zip(items) {
                    if let (Value::Table(values), Item::Table(written)) = (entry, &item.item) {
                        self.line(&format!("\n[[{path}]]{note}"));
                        self.table(shape, values, written, path);
                    }
                }
            }
            // A checked value has the form of what it was read from.
            _ => {}
        }
    }

    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn value(&self, kind: ValueKind, value: &Value, node: &Node) -> String {
        match (kind, value) {
            // Quantities keep the unit in which they were written; they read back to the same
            // number.
            (ValueKind::Number(_) | ValueKind::Numbers(_) | ValueKind::Matrix(_), _) => {
                quantity(&node.item)
            }
            (ValueKind::Path, Value::Text(path)) => text(&self.path(path)),
            (_, value) => plain(value),
        }
    }

    fn path(&self, path: &str) -> String {
        // A record of what was run names the file that was read, whatever the variable says later.
        let found = self.directory.and_then(|_| in_data_folder(path)?.path);
        let path = found.as_deref().unwrap_or(path);
        match self.directory {
            Some(directory) if path.contains(['/', '\\', '.']) => {
                directory.join(path).to_string_lossy().into_owned()
            }
            _ => path.to_owned(),
        }
    }
}

/// Whether a value stands on a line of its own, and not in a section.
fn is_plain(kind: ValueKind, value: &Value) -> bool {
    match kind {
        ValueKind::Table(_) | ValueKind::Slot(_) | ValueKind::Open(_) => false,
        ValueKind::Tables(_) | ValueKind::Slots(_) => {
            matches!(value, Value::List(entries) if entries.is_empty())
        }
        _ => true,
    }
}

/// A number as written, alone or in lists.
fn quantity(item: &Item) -> String {
    match item {
        Item::Text(written) => match split_quantity(written) {
            Ok((_, "")) | Err(_) => text(written),
            Ok((_, unit)) => {
                let number = written.trim().trim_end_matches(unit).trim_end();
                text(&format!("{number} {unit}"))
            }
        },
        Item::Integer(value) => value.to_string(),
        Item::Float(value) => float(*value),
        Item::List(items) => {
            let items: Vec<String> = items.iter().map(|n| quantity(&n.item)).collect();
            format!("[{}]", items.join(", "))
        }
        // Nothing else passes the checks of a number.
        Item::Boolean(_) | Item::Date | Item::Table(_) => String::new(),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Number(value) => float(*value),
        Value::Integer(value) => value.to_string(),
        Value::Boolean(value) => value.to_string(),
        Value::Text(value) => text(value),
        Value::List(values) => format!(
            "[{}]",
            values.iter().map(plain).collect::<Vec<_>>().join(", ")
        ),
        Value::Table(values) => {
            let entries: Vec<String> = values
                .iter()
                .map(|(k, v)| format!("{} = {}", key(k), plain(v)))
                .collect();
            format!("{{ {} }}", entries.join(", "))
        }
    }
}

/// The shortest text that reads back to the same number; `{:?}` writes 1e22, which is TOML, too.
fn float(value: f64) -> String {
    format!("{value:?}")
}

fn key(name: &str) -> String {
    let bare = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if bare { name.to_owned() } else { text(name) }
}

/// A basic TOML string.
fn text(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    out.push('"');
    for c in value.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => {
                // Writing into a String cannot fail.
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
