//! MATLAB 7.3.

use super::{ExportError, Format, Written};
use hdf5_pure::mat::{Block, DataProducer, MatBuilder, MatError, Options};
use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use tandem_coordinator::recorder::RunReader;

/// Longest name of a variable in MATLAB (`namelengthmax`).
const NAME_BYTES: usize = 63;

/// Variables that the export adds to the channels.
const LEGEND: &str = "tandem_channels";
const PLAN: &str = "tandem_plan";

/// What is chosen.
pub(super) const FORMAT: Format = Format {
    extension: "mat",
    summary: "MATLAB 7.3: one column vector per channel, `target/1` becomes `target_1`",
    write,
};

/// Writes a column vector per channel, and two texts: the name of the plan, and a legend with a
/// line `variable`, channel, unit, description (separated by tabs) per variable.
fn write(run: &Arc<RunReader>, path: &Path) -> Written {
    let rows =
        usize::try_from(run.rows()).map_err(|_| ExportError::TooLong { rows: run.rows() })?;
    let mut mat = MatBuilder::new(Options::default());
    let mut taken = HashSet::from([LEGEND.to_owned(), PLAN.to_owned()]);
    let mut legend = String::new();
    for info in run.columns() {
        let variable = variable(&info.name, &taken);
        let _ = writeln!(
            legend,
            "{variable}\t{}\t{}\t{}",
            info.name, info.unit, info.description
        ); // writing to a String cannot fail
        let column = Column {
            run: Arc::clone(run),
            name: info.name.clone(),
        };
        mat.write_blocks::<f64>(&variable, &[rows, 1], Box::new(column))?;
        taken.insert(variable);
    }
    mat.write_char(PLAN, &run.header().plan)?;
    mat.write_char(LEGEND, &legend)?;
    mat.write(path)?;
    Ok(())
}

/// A column that is read while the file is written.
struct Column {
    run: Arc<RunReader>,
    name: String,
}

impl DataProducer for Column {
    fn block_bytes(&self, block: Block, out: &mut Vec<u8>) -> Result<(), MatError> {
        let values = self
            .run
            .read_rows(&self.name, block.first_element, block.elements)
            .map_err(|error| MatError::Custom(error.to_string()))?;
        for value in values {
            out.extend(value.to_le_bytes());
        }
        Ok(())
    }
}

/// A variable name for a channel: letters, digits and `_`, a letter first, no keyword, not yet
/// taken.
pub(super) fn variable(channel: &str, taken: &HashSet<String>) -> String {
    let mut name: String = channel
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .take(NAME_BYTES)
        .collect();
    let keyword = KEYWORDS.contains(&name.as_str());
    if keyword || !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.insert_str(0, "x_");
        name.truncate(NAME_BYTES); // ASCII only: any position is a character boundary
    }
    let mut candidate = name.clone();
    for number in 2_u64.. {
        if !taken.contains(&candidate) {
            break;
        }
        let suffix = format!("_{number}");
        let stem = name.len().min(NAME_BYTES - suffix.len());
        candidate = format!("{}{suffix}", &name[..stem]);
    }
    candidate
}

/// The words of `iskeyword` in MATLAB, and those that a class file reserves.
const KEYWORDS: [&str; 24] = [
    "break",
    "case",
    "catch",
    "classdef",
    "continue",
    "else",
    "elseif",
    "end",
    "enumeration",
    "events",
    "for",
    "function",
    "global",
    "if",
    "methods",
    "otherwise",
    "parfor",
    "persistent",
    "properties",
    "return",
    "spmd",
    "switch",
    "try",
    "while",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matlab_names_are_legal_and_different() {
        let taken = HashSet::from(["target_1".to_owned()]);
        assert_eq!(variable("target/1", &HashSet::new()), "target_1");
        assert_eq!(variable("target/1", &taken), "target_1_2");
        assert_eq!(variable("end", &taken), "x_end");
        assert_eq!(variable("2nd/mode", &taken), "x_2nd_mode");
        assert_eq!(variable("_a", &taken), "x__a");
        let long = "a/".repeat(50) + "b";
        let first = variable(&long, &taken);
        let second = variable(&long, &HashSet::from([first.clone()]));
        assert!(first.len() == 63 && second.len() == 63 && second.ends_with("_2"));
    }
}
