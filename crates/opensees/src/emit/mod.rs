//! A model as a plan file.
//!
//! Numbers stay as the script has them, with the script's units behind them. What a plan cannot say
//! is remarked on and left out.

mod elements;
mod loads;
pub mod materials;
mod members;
mod motion;
mod nodes;
mod sections;
mod structure;
mod toml;

use std::fmt::Write;
use std::path::Path;

use super::Imported;
use super::model::{Model, Tag};
use super::script::{Place, Remarks, Weight};
use super::units::Units;
use toml::{number, quantity, text};

/// A plan as text, and files that it needs beside it.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// The plan.
    pub plan: String,
    /// Ground motion that stood in the script: name of the file and its content.
    pub motion: Option<(String, String)>,
}

/// What the parts of a plan are written with.
struct Writer<'a> {
    model: &'a Model,
    units: &'a Units,
    remarks: &'a mut Remarks,
}

impl Writer<'_> {
    fn miss(&mut self, place: Place, what: &str, reason: &str) {
        self.remarks.add(Weight::Missing, place, what, reason);
    }

    fn assume(&mut self, place: Place, what: &str, reason: &str) {
        self.remarks.add(Weight::Assumed, place, what, reason);
    }
}

/// One table: keys and their values.
type Pairs = Vec<(String, String)>;

fn pair(key: &str, value: impl Into<String>) -> (String, String) {
    (key.to_owned(), value.into())
}

/// Nodes that have something in common, by what it is, in the order in which they came.
struct Shared<K> {
    groups: Vec<(K, Vec<String>)>,
}

impl<K> Default for Shared<K> {
    fn default() -> Self {
        Self { groups: Vec::new() }
    }
}

impl<K: PartialEq> Shared<K> {
    fn add(&mut self, key: K, node: Tag) {
        match self.groups.iter_mut().find(|(own, _)| *own == key) {
            Some((_, nodes)) => nodes.push(node.to_string()),
            None => self.groups.push((key, vec![node.to_string()])),
        }
    }
}

/// Writes the plan; `at` is where it will stand.
pub fn plan(imported: &mut Imported, at: Option<&Path>) -> Written {
    let mut remarks = std::mem::take(&mut imported.remarks);
    let mut writer = Writer {
        model: &imported.model,
        units: &imported.units,
        remarks: &mut remarks,
    };
    let structure = writer.structure();
    let (excitation, motion) = writer.excitation(imported, at);
    let integration = writer.integration();
    imported.remarks = remarks;
    let stem = Path::new(imported.files.name(0)).file_stem().map_or_else(
        || "model".to_owned(),
        |stem| stem.to_string_lossy().into_owned(),
    );
    let mut plan = header(imported);
    let _ = write!(
        plan,
        "name = {}\n\n[excitation]\n{excitation}\n{structure}\n[integration]\n{integration}",
        text(&stem)
    );
    Written { plan, motion }
}

/// The section `[structure]` alone, of a model as far as it has come.
#[must_use]
pub fn structure(model: &Model, units: &Units) -> String {
    let mut remarks = Remarks::default();
    let mut writer = Writer {
        model,
        units,
        remarks: &mut remarks,
    };
    writer.structure()
}

/// Comments on top: where it comes from and what is missing.
fn header(imported: &Imported) -> String {
    let mut lines = format!(
        "# Imported from {} by `tandem import`; units of the script: {}.\n",
        imported.files.name(0),
        imported.units.text()
    );
    for (weight, title) in [
        (Weight::Missing, "Not understood, and not in this plan"),
        (Weight::Assumed, "Taken over, but not to the letter"),
    ] {
        let remarks: Vec<_> = imported.remarks(weight).collect();
        if remarks.is_empty() {
            continue;
        }
        let _ = writeln!(lines, "#\n# {title} ({}):", remarks.len());
        for remark in remarks {
            let times = if remark.times > 1 {
                format!(" ({} times)", remark.times)
            } else {
                String::new()
            };
            let _ = writeln!(
                lines,
                "#   {}{times}  {}: {}",
                imported.place(remark.place),
                super::script::shorten(&remark.command),
                remark.reason.replace(['\n', '\r'], " ")
            );
        }
    }
    lines.push('\n');
    lines
}
