//! The declaration as documentation: one Markdown table per section and method.

use std::fmt::Write as _;

use tandem_quantity::{Default, Dimension, Parameter, Registry, Slot, ValueKind};

use super::words;

/// Reference documentation of a plan in Markdown, under a title: every section, key, default, range
/// and method.
pub fn reference(title: &str, root: &[Parameter], registry: &Registry) -> String {
    let mut out = format!("# {title}\n\n");
    out.push_str(
        "`extends = \"base.toml\"` at the top builds on another plan; its path is relative to the \
        file. A list, \
         `extends = [\"base.toml\", \"identified.toml\"]`, builds on several, of which a later one \
         wins. \
         `--set section.key=value` overrides any key; a table, `--set 'section={key=value}'`, \
         replaces the \
         one in the plan as a whole, where `extends` adds to it key by key.\n\n",
    );
    let mut writer = Writer {
        registry,
        out,
        described: Vec::new(),
    };
    writer.keys(root, "", 0);
    wrapped(&writer.out)
}

/// The same with its sentences in lines of 100 columns; tables and headings stay.
fn wrapped(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut column = 0;
        for (index, word) in line.split(' ').enumerate() {
            let width = word.chars().count();
            if index > 0 {
                let full = column + 1 + width > 100 && !line.starts_with(['|', '#']);
                out.push(if full { '\n' } else { ' ' });
                column = if full { 0 } else { column + 1 };
            }
            out.push_str(word);
            column += width;
        }
        out.push('\n');
    }
    out
}

struct Writer<'a> {
    registry: &'a Registry,
    out: String,
    /// Slots that are described already, and where.
    described: Vec<(&'static str, String)>,
}

impl Writer<'_> {
    fn keys(&mut self, declared: &[Parameter], path: &str, depth: usize) {
        if declared.is_empty() {
            self.out.push_str("No further keys.\n\n");
        } else {
            self.out
                .push_str("| key | value | default | allowed | meaning |\n|---|---|---|---|---|\n");
        }
        for parameter in declared {
            let default = match parameter.default {
                Default::Required => "required".to_owned(),
                Default::Absent => "–".to_owned(),
                Default::Is(text) => format!("`{}`", cell(text)),
            };
            // Writing into a String cannot fail.
            let _ = writeln!(
                self.out,
                "| `{}` | {} | {default} | {} | {} |",
                parameter.key,
                cell(&words::expected(parameter.kind)),
                cell(&allowed(parameter)),
                cell(parameter.doc)
            );
        }
        self.out.push('\n');
        for parameter in declared {
            let path = if path.is_empty() {
                parameter.key.to_owned()
            } else {
                format!("{path}.{}", parameter.key)
            };
            match parameter.kind {
                ValueKind::Table(below) => {
                    self.heading(&format!("[{path}]"), parameter.doc, depth);
                    self.keys(below, &path, depth + 1);
                }
                ValueKind::Tables(below) => {
                    self.heading(&format!("[[{path}]]"), parameter.doc, depth);
                    self.keys(below, &path, depth + 1);
                }
                ValueKind::Open(slot) => {
                    self.heading(&format!("[{path}]"), parameter.doc, depth);
                    self.keys(&self.registry.keys(slot), &path, depth + 1);
                }
                ValueKind::Slot(slot) => {
                    self.heading(&format!("[{path}]"), parameter.doc, depth);
                    self.methods(slot, &path, depth + 1);
                }
                ValueKind::Slots(slot) => {
                    self.heading(&format!("[[{path}]]"), parameter.doc, depth);
                    self.methods(slot, &path, depth + 1);
                }
                _ => {}
            }
        }
    }

    fn methods(&mut self, slot: &dyn Slot, path: &str, depth: usize) {
        let known = self
            .described
            .iter()
            .find(|(known, _)| *known == slot.name());
        if let Some((_, first)) = known {
            let _ = writeln!(self.out, "As in `{first}`.\n");
            return;
        }
        self.described.push((slot.name(), path.to_owned()));
        let default = slot
            .default()
            .map_or_else(String::new, |d| format!(" Without it, `{d}` is taken."));
        let _ = writeln!(
            self.out,
            "The key `{}` chooses.{default}\n",
            slot.selector()
        );
        for method in self.registry.methods(slot) {
            let level = "#".repeat((depth + 2).min(6));
            let _ = writeln!(
                self.out,
                "{level} `{} = \"{}\"`\n\n{}\n",
                slot.selector(),
                method.name,
                method.summary
            );
            if !method.reference.is_empty() {
                let _ = writeln!(self.out, "Source: {}\n", method.reference);
            }
            self.keys(method.parameters, path, depth + 1);
        }
    }

    fn heading(&mut self, brackets: &str, doc: &str, depth: usize) {
        let level = "#".repeat((depth + 2).min(6));
        let _ = writeln!(self.out, "{level} `{brackets}`\n\n{doc}\n");
    }
}

fn allowed(parameter: &Parameter) -> String {
    let (dimension, what) = match parameter.kind {
        ValueKind::Number(d) => (d, ""),
        ValueKind::Numbers(d) | ValueKind::Matrix(d) => (d, "each "),
        ValueKind::Integers | ValueKind::Names => (Dimension::NONE, "each "),
        ValueKind::Texts | ValueKind::Mixed | ValueKind::Tables(_) | ValueKind::Slots(_) => {
            (Dimension::NONE, "number of entries ")
        }
        _ => (Dimension::NONE, ""),
    };
    words::range(parameter.range, dimension).map_or_else(String::new, |r| format!("{what}{r}"))
}

/// A text inside a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
