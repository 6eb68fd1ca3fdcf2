//! Lines that are too long to be read side by side.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use proc_macro2::{TokenStream, TokenTree};

use super::tree::Place;
use crate::Result;

/// Most columns of a line.
const COLUMNS: usize = 100;

/// Folders that are nobody's text: what was built, what was shipped as it is, data of tests.
const SKIPPED: &[&str] = &["target", "runs", "node_modules", "vendor", "corpus", "data"];

/// Kinds of files that are read by people.
const KINDS: &[&str] = &["rs", "md", "py", "js", "mjs", "toml"];

/// Every line that is too long, in the order of the files.
pub fn long_lines(root: &Path) -> Result<Vec<Place>> {
    let mut found = Vec::new();
    for file in files(root)? {
        let shown = file.strip_prefix(root).unwrap_or(&file).to_path_buf();
        let text = std::fs::read_to_string(&file)
            .map_err(|error| format!("{}: {error}", shown.display()))?;
        for line in long(&shown, &text)? {
            found.push(Place {
                file: shown.clone(),
                line,
            });
        }
    }
    Ok(found)
}

/// Files that are read by people, sorted.
fn files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if path.is_dir() {
                if !name.starts_with('.') && !SKIPPED.contains(&name.as_ref()) {
                    folders.push(path);
                }
            } else if !path.is_symlink() // read where it leads to
                && path
                    .extension()
                    .is_some_and(|kind| KINDS.iter().any(|one| kind == *one))
            {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Numbers of the lines of a file that are too long and could be shorter.
fn long(file: &Path, text: &str) -> Result<Vec<usize>> {
    let mut lines: Vec<usize> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| line.chars().count() > COLUMNS && !line.contains("://"))
        .map(|(index, _)| index + 1)
        .collect();
    if lines.is_empty() {
        return Ok(lines);
    }
    let kind = file.extension().unwrap_or_default();
    let all: Vec<&str> = text.lines().collect();
    if kind == "md" {
        let drawn = fenced(&all);
        lines.retain(|line| !drawn.contains(line) && !is_row(all[line - 1]));
    } else if kind == "toml" {
        // A table within a line cannot go on in the next.
        lines.retain(|line| !all[line - 1].contains('{'));
    } else if kind == "rs" {
        let excused = excused(text).map_err(|error| format!("{}: {error}", file.display()))?;
        let comments: Vec<&str> = all.iter().map(|line| documented(line)).collect();
        let drawn = fenced(&comments);
        lines.retain(|line| {
            let comment = comments[line - 1];
            let told = drawn.contains(line) || is_row(comment) || is_numbers(all[line - 1]);
            !excused.contains(line) && !told
        });
    }
    Ok(lines)
}

/// What a line says to readers of the documentation.
fn documented(line: &str) -> &str {
    let line = line.trim_start();
    let comment = line
        .strip_prefix("//!")
        .or_else(|| line.strip_prefix("///"));
    comment.unwrap_or_default()
}

/// Whether it is a row of a table in a text.
fn is_row(text: &str) -> bool {
    text.trim_start().starts_with('|')
}

/// Whether it is a row of a table of numbers.
fn is_numbers(line: &str) -> bool {
    line.chars()
        .all(|c| c.is_ascii_digit() || " .,+-_e[]()".contains(c))
}

/// Lines between fences: drawings, commands, and what programs print.
fn fenced(texts: &[&str]) -> BTreeSet<usize> {
    let mut inside = false;
    let mut lines = BTreeSet::new();
    for (index, text) in texts.iter().enumerate() {
        let fence = text.trim_start().starts_with("```");
        inside ^= fence;
        if inside && !fence {
            lines.insert(index + 1);
        }
    }
    lines
}

/// Lines of raw strings, which hold what others wrote or shall read as it is.
fn excused(text: &str) -> Result<BTreeSet<usize>> {
    let stream = TokenStream::from_str(text).map_err(|error| error.to_string())?;
    let mut lines = BTreeSet::new();
    let mut streams = vec![stream];
    while let Some(stream) = streams.pop() {
        for tree in stream {
            match tree {
                TokenTree::Group(group) => streams.push(group.stream()),
                TokenTree::Literal(literal) => {
                    // A comment of documentation is a raw string too, but does not look like one.
                    let source = literal.span().source_text().unwrap_or_default();
                    if source.starts_with("r\"") || source.starts_with("r#") {
                        lines.extend(literal.span().start().line..=literal.span().end().line);
                    }
                }
                _ => {}
            }
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, text: &str) -> Vec<usize> {
        long(Path::new(name), text).unwrap()
    }

    const NONE: [usize; 0] = [];

    #[test]
    fn long_lines_are_found_where_they_could_be_shorter() {
        let words = "word ".repeat(21);
        let code = format!("/// {words}\nfn f() {{\n    // {words}\n    g(\"{words}\");\n}}\n");
        assert_eq!(found("a.rs", &code), [1, 3, 4]);
        assert_eq!(
            found("a.rs", &format!("const A: &str = r\"\n{words}\n\";\n")),
            NONE
        );
        assert_eq!(
            found(
                "a.rs",
                &format!("//! | {words} |\n/// {words}\nfn f() {{}}\n")
            ),
            [2]
        );
        assert_eq!(found("a.md", &format!("| {words} |\n{words}\n")), [2]);
        let drawing = format!("```text\n{words}\n```\n{words}\n");
        assert_eq!(found("a.md", &drawing), [4]);
        let comment = drawing
            .replace("word", "//! word")
            .replace("```", "//! ```");
        assert_eq!(found("a.rs", &(comment + "fn f() {}\n")).len(), 1);
        let row = format!("    [{}],\n", "1.5e-3, ".repeat(13));
        let table = format!("const A: [f64; 13] = \n{row};\nfn f() {{ [{words:?}] }}\n");
        assert_eq!(found("a.rs", &table), [4]);
        assert_eq!(
            found(
                "a.py",
                &format!("# https://example.org/{}\n", "a".repeat(99))
            ),
            NONE
        );
        assert_eq!(found("a.toml", &"ü".repeat(100)), NONE);
        assert_eq!(found("a.toml", &"ü".repeat(101)), [1]);
        let table = format!("a = {{ b = \"{words}\" }}\nc = \"{words}\"\n");
        assert_eq!(found("a.toml", &table), [2]);
    }
}
