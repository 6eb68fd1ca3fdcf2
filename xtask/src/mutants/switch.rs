//! All mutants in one build: a function with mutants holds its body once for each, behind a switch.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;

use serde_json::Value;

use super::list::Mutant;
use super::{Target, tree};
use crate::{Result, root};

/// The crate that knows which mutant is on: written into the tree of the mutants alone. It must not
/// allocate when it is asked, since loops are tested under an allocator that refuses; so it reads
/// its variables before `main`, and tells what was reached by a plain write.
const SWITCH: &str = include_str!("switch_crate.rs.txt");

const MANIFEST: &str = "[package]\nname = \"mutant-switch\"\nversion = \"0.0.0\"\nedition \
                        = \"2024\"\n[dependencies]\nlibc = \"0.2\"\n";

/// Lines of an instrumented file that belong to one mutant.
struct Lines {
    file: String,
    first: usize,
    last: usize,
    mutant: usize,
}

/// Writes the mutants into the tree and leaves out what does not compile; how many those are.
pub fn build_in(targets: &[&Target], mutants: &mut [Mutant]) -> Result<usize> {
    let folder = tree().join("crates/mutant-switch");
    let told = |error: std::io::Error| format!("{}: {error}", folder.display());
    std::fs::create_dir_all(folder.join("src")).map_err(told)?;
    std::fs::write(folder.join("Cargo.toml"), MANIFEST).map_err(told)?;
    std::fs::write(folder.join("src/lib.rs"), SWITCH).map_err(told)?;
    for target in targets {
        let manifest = tree().join("crates").join(target.folder).join("Cargo.toml");
        let text = std::fs::read_to_string(&manifest).map_err(told)?;
        if !text.contains("mutant-switch") {
            let line = "[dependencies]\nmutant-switch = { path = \"../mutant-switch\" }\n";
            let text = text.replacen("[dependencies]\n", line, 1);
            std::fs::write(&manifest, text).map_err(told)?;
        }
    }
    // What the compiler foresees to fail is for the tests to find.
    let manifest = tree().join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).map_err(told)?;
    let line = "[workspace.lints.rust]\n\
                arithmetic_overflow = \"allow\"\nunconditional_panic = \"allow\"\n\
                unused = \"allow\"\n";
    std::fs::write(
        &manifest,
        text.replacen("[workspace.lints.rust]\n", line, 1),
    )
    .map_err(told)?;
    loop {
        let lines = write(mutants)?;
        let wrong = errors(targets, &lines)?;
        if wrong.is_empty() {
            break;
        }
        for mutant in wrong {
            mutants[mutant].viable = false;
        }
    }
    Ok(mutants.iter().filter(|mutant| !mutant.viable).count())
}

/// Writes all files with mutants anew from their originals.
fn write(mutants: &[Mutant]) -> Result<Vec<Lines>> {
    let mut by_file: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, mutant) in mutants.iter().enumerate() {
        by_file.entry(&mutant.file).or_default().push(number);
    }
    let mut lines = Vec::new();
    for (file, numbers) in by_file {
        let told = |error: std::io::Error| format!("{file}: {error}");
        let original = std::fs::read_to_string(root().join(file)).map_err(told)?;
        // Whoever stands in a function that stands in another goes with the outer one.
        let mut functions: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        let spans: Vec<_> = numbers.iter().map(|n| mutants[*n].function).collect();
        for number in numbers.iter().filter(|number| mutants[**number].viable) {
            let own = mutants[*number].function;
            let around = |other: &&(usize, usize)| other.0 <= own.0 && own.1 <= other.1;
            let outer = spans
                .iter()
                .filter(around)
                .max_by_key(|(start, end)| end - start);
            functions
                .entry(*outer.unwrap_or(&own))
                .or_default()
                .push(*number);
        }
        let mut text = String::new();
        let mut at = 0;
        for ((start, end), numbers) in functions {
            let Some(open) = body(&original[start..end]).map(|open| start + open) else {
                return Err(format!("{file}: no body in {}", &original[start..end]));
            };
            text.push_str(&original[at..open]);
            text.push_str("{\n");
            for number in numbers {
                let mutant = &mutants[number];
                let (from, to) = mutant.span;
                let _ = write!(text, "if ::mutant_switch::is({number}) ");
                let first = text.matches('\n').count() + 1;
                text.push_str(&original[open..from]);
                text.push_str(&mutant.replacement);
                text.push_str(&original[to..end]);
                let last = text.matches('\n').count() + 1;
                text.push_str("\nelse ");
                lines.push(Lines {
                    file: file.to_owned(),
                    first,
                    last,
                    mutant: number,
                });
            }
            text.push_str(&original[open..end]);
            text.push_str("\n}");
            at = end;
        }
        text.push_str(&original[at..]);
        // A body of many copies that is put into another of many is built for ever.
        for attribute in ["#[inline]", "#[inline(always)]"] {
            text = text.replace(attribute, "#[inline(never)]");
        }
        let to = tree().join(file);
        if std::fs::read_to_string(&to).is_ok_and(|old| old == text) {
            continue;
        }
        std::fs::write(&to, text).map_err(told)?;
    }
    Ok(lines)
}

/// Where the body of a function begins: the brace that its last one closes.
fn body(function: &str) -> Option<usize> {
    let mut open = Vec::new();
    let mut last = None;
    let bytes = function.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &function[at..];
        let skip = match bytes[at] {
            b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            b'"' => string(rest),
            // A character; a lifetime has no closing quote two or more bytes further on.
            b'\'' if rest.starts_with("'\\") => rest[2..].find('\'').map_or(1, |end| end + 3),
            b'\'' => match rest.char_indices().nth(2) {
                Some((end, '\'')) => end + 1,
                _ => 1,
            },
            b'{' => {
                open.push(at);
                1
            }
            b'}' => {
                last = open.pop();
                1
            }
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        at += skip;
    }
    last
}

/// Length of a string with its quotes.
fn string(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Mutants that the compiler refuses.
fn errors(targets: &[&Target], lines: &[Lines]) -> Result<Vec<usize>> {
    let mut cargo = Command::new("cargo");
    cargo
        .current_dir(tree())
        .env_remove("CARGO_TARGET_DIR")
        .args([
            "check",
            "--quiet",
            "--keep-going",
            "--message-format",
            "json",
        ]);
    for target in targets {
        cargo.args(["--package", &target.package()]);
    }
    let output = cargo.output().map_err(|error| format!("cargo: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let mut wrong = Vec::new();
    let mut elsewhere = String::new();
    for line in said.lines() {
        let Ok(row) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let message = &row["message"];
        if message["level"] != "error" {
            continue;
        }
        let spans = message["spans"].as_array().into_iter().flatten();
        let mut known = false;
        for span in spans {
            let file = span["file_name"].as_str().unwrap_or_default();
            let at = span["line_start"]
                .as_u64()
                .and_then(|n| usize::try_from(n).ok());
            let at = at.unwrap_or(0);
            let owner = lines
                .iter()
                .find(|l| l.file == file && l.first <= at && at <= l.last);
            if let Some(owner) = owner {
                known = true;
                wrong.push(owner.mutant);
            }
        }
        // The sentence that closes a failed crate has no place.
        if !known
            && message["spans"]
                .as_array()
                .is_some_and(|spans| !spans.is_empty())
        {
            elsewhere += message["rendered"].as_str().unwrap_or_default();
        }
    }
    if wrong.is_empty() && !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!(
            "the tree of the mutants does not build:\n{elsewhere}\n{said}"
        ));
    }
    Ok(wrong)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_body_of_a_function_is_found() {
        let function = "fn f<'a>(x: [u8; { 2 }]) -> &'a str { let c = '{'; \"}{\" /* } */ }";
        let open = super::body(function).unwrap();
        assert_eq!(&function[open..open + 5], "{ let");
    }
}
