//! The declaration as documentation: one Markdown table per section and method.

use std::fmt::Write as _;

use tandem_quantity::{Default, Dimension, Kind, Parameter, Slot};

use super::words;

/// Reference documentation of a plan in Markdown, under a title: every section, key, default, range and method.
pub fn reference(title: &str, root: &'static [Parameter]) -> String {
    let mut out = format!("# {title}\n\n");
    out.push_str(
        "`extends = \"base.toml\"` at the top builds on another plan; its path is relative to the file. A list, \
         `extends = [\"base.toml\", \"identified.toml\"]`, builds on several, of which a later one wins. \
         `--set section.key=value` overrides any key; a table, `--set 'section={key=value}'`, replaces the \
         one in the plan as a whole, where `extends` adds to it key by key.\n\n",
    );
    keys(root, "", &mut out, 0, &mut Vec::new());
    out
}

/// Slots that are described already, and where.
type Described = Vec<(&'static Slot, String)>;

fn keys(
    declared: &'static [Parameter],
    path: &str,
    out: &mut String,
    depth: usize,
    described: &mut Described,
) {
    if declared.is_empty() {
        out.push_str("No further keys.\n\n");
    } else {
        out.push_str("| key | value | default | allowed | meaning |\n|---|---|---|---|---|\n");
    }
    for parameter in declared {
        let default = match parameter.default {
            Default::Required => "required".to_owned(),
            Default::Absent => "–".to_owned(),
            Default::Is(text) => format!("`{}`", cell(text)),
        };
        // Writing into a String cannot fail.
        let _ = writeln!(
            out,
            "| `{}` | {} | {default} | {} | {} |",
            parameter.key,
            cell(&words::expected(parameter.kind)),
            cell(&allowed(parameter)),
            cell(parameter.doc)
        );
    }
    out.push('\n');
    for parameter in declared {
        let path = if path.is_empty() {
            parameter.key.to_owned()
        } else {
            format!("{path}.{}", parameter.key)
        };
        let mut heading = |brackets: &str| {
            let level = "#".repeat((depth + 2).min(6));
            let _ = writeln!(out, "{level} `{brackets}`\n\n{}\n", parameter.doc);
        };
        match parameter.kind {
            Kind::Table(below) => {
                heading(&format!("[{path}]"));
                keys(below, &path, out, depth + 1, described);
            }
            Kind::Tables(below) => {
                heading(&format!("[[{path}]]"));
                keys(below, &path, out, depth + 1, described);
            }
            Kind::Slot(slot) => {
                heading(&format!("[{path}]"));
                methods(slot, &path, out, depth + 1, described);
            }
            Kind::Slots(slot) => {
                heading(&format!("[[{path}]]"));
                methods(slot, &path, out, depth + 1, described);
            }
            _ => {}
        }
    }
}

fn methods(
    slot: &'static Slot,
    path: &str,
    out: &mut String,
    depth: usize,
    described: &mut Described,
) {
    if let Some((_, first)) = described
        .iter()
        .find(|(known, _)| std::ptr::eq(*known, slot))
    {
        let _ = writeln!(out, "As in `{first}`.\n");
        return;
    }
    described.push((slot, path.to_owned()));
    let default = slot
        .default
        .map_or_else(String::new, |d| format!(" Without it, `{d}` is taken."));
    let _ = writeln!(out, "The key `{}` chooses.{default}\n", slot.selector);
    for method in (slot.methods)() {
        let level = "#".repeat((depth + 2).min(6));
        let _ = writeln!(
            out,
            "{level} `{} = \"{}\"`\n\n{}\n",
            slot.selector, method.name, method.summary
        );
        if !method.reference.is_empty() {
            let _ = writeln!(out, "Source: {}\n", method.reference);
        }
        keys(method.parameters, path, out, depth + 1, described);
    }
}

fn allowed(parameter: &Parameter) -> String {
    let (dimension, what) = match parameter.kind {
        Kind::Number(d) => (d, ""),
        Kind::Numbers(d) | Kind::Matrix(d) => (d, "each "),
        Kind::Integers | Kind::Names => (Dimension::NONE, "each "),
        Kind::Texts | Kind::Mixed | Kind::Tables(_) | Kind::Slots(_) => {
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
