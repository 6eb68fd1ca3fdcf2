//! `cargo xtask architecture`: is the house as `ARCHITECTURE.md` says?

mod columns;
mod drawing;
mod graph;
mod habits;
mod layout;
mod rules;
mod source;
#[cfg(test)]
mod tests;
mod tokens;
mod tree;

use std::path::Path;

use crate::{Result, root};

pub use tree::metadata;

/// Looks, says what is otherwise, and draws.
pub fn run(words: &[&str]) -> Result<()> {
    let mut check = false;
    let mut habits = false;
    for word in words {
        match *word {
            "--check" => check = true,
            "--habits" => habits = true,
            _ => return Err(format!("unknown word `{word}`: --check or --habits")),
        }
    }
    let root = root();
    let crates = tree::crates(&root)?;
    if habits {
        println!(
            "{}",
            habits::table(&root, &crates, &columns::long_lines(&root)?)?
        );
        return Ok(());
    }
    println!("lines outside of tests");
    for one in &crates {
        println!("  {:<14} {:>6}", one.name, one.lines());
    }
    let mut findings = findings(&root, &crates)?;
    let file = root.join("docs/architecture.svg");
    let drawing = drawing::draw(&crates);
    if !check {
        std::fs::write(&file, drawing).map_err(|error| format!("{}: {error}", file.display()))?;
    } else if std::fs::read_to_string(&file).unwrap_or_default() != drawing {
        findings.push("docs/architecture.svg is of yesterday: cargo xtask architecture".into());
    }
    if findings.is_empty() {
        Ok(())
    } else {
        Err(format!(
            "{} findings\n{}",
            findings.len(),
            findings.join("\n")
        ))
    }
}

/// Everything that is otherwise than it is to be, in sentences.
fn findings(root: &Path, crates: &[tree::Crate]) -> Result<Vec<String>> {
    let file = root.join("ARCHITECTURE.md");
    let document =
        std::fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let rules = rules::Rules::read(&document)?;
    let mut findings = rules.compare(crates);
    findings.extend(rules.compare_columns(&columns::long_lines(root)?));
    Ok(findings)
}
