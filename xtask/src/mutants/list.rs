//! The mutants that cargo-mutants finds, and the sample of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::{Settings, Target, tree};
use crate::{Result, root};

/// One change of one function.
#[derive(Clone)]
pub struct Mutant {
    /// As cargo-mutants words it, with file and line.
    pub name: String,
    /// File, change, and which of those that are alike: an edit elsewhere, which moves lines,
    /// leaves it as it is.
    pub key: String,
    pub folder: &'static str,
    /// Path in the tree.
    pub file: String,
    /// What is replaced, in bytes of the file.
    pub span: (usize, usize),
    pub replacement: String,
    /// The function around it.
    pub function: (usize, usize),
    /// Whether it can be built.
    pub viable: bool,
}

/// cargo-mutants, installed where it is missing.
pub fn install() -> Result<()> {
    let there = Command::new("cargo")
        .args(["mutants", "--version"])
        .output();
    if there.is_ok_and(|output| output.status.success()) {
        return Ok(());
    }
    println!("installing cargo-mutants");
    crate::run(Command::new("cargo").args(["install", "--locked", "--quiet", "cargo-mutants"]))
}

/// Brings the tree up to date; what has not changed keeps its time, so that little is built anew.
pub fn copy_tree() -> Result<()> {
    let words = [
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ];
    let output = Command::new("git").current_dir(root()).args(words).output();
    let output = output.map_err(|error| format!("git: {error}"))?;
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut kept = BTreeSet::new();
    for name in names.split('\0').filter(|name| root().join(name).is_file()) {
        let (from, to) = (root().join(name), tree().join(name));
        let told = |error: std::io::Error| format!("{}: {error}", to.display());
        let bytes = std::fs::read(&from).map_err(told)?;
        if !std::fs::read(&to).is_ok_and(|old| old == bytes) {
            std::fs::create_dir_all(to.parent().unwrap_or(Path::new("/"))).map_err(told)?;
            std::fs::write(&to, bytes).map_err(told)?;
        }
        kept.insert(to);
    }
    remove_others(&tree(), &kept).map_err(|error| format!("{}: {error}", tree().display()))
}

/// A file that is gone would still be built.
fn remove_others(folder: &Path, kept: &BTreeSet<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && !path.ends_with("tree/target") {
            remove_others(&path, kept)?;
        } else if path.is_file() && !kept.contains(&path) {
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}

/// The samples of all targets, each in the order of its places.
pub fn mutants(targets: &[&Target], settings: &Settings) -> Result<Vec<Mutant>> {
    let mut all = Vec::new();
    for target in targets {
        let mut found = of(target)?;
        let mut alike = BTreeMap::new();
        for mutant in &mut found {
            let (_, change) = mutant.name.split_once(": ").unwrap_or_default();
            let key = format!("{} {change}", mutant.file);
            let earlier = alike.entry(key.clone()).or_insert(0);
            *earlier += 1;
            mutant.key = format!("{key} {earlier}");
        }
        found.sort_by_cached_key(|mutant| hash(settings.seed, &mutant.key));
        if target.sample > 0 {
            found.truncate(target.sample);
        }
        found.sort_by(|a, b| (&a.file, a.function, a.span).cmp(&(&b.file, b.function, b.span)));
        all.extend(found);
    }
    Ok(all)
}

/// FNV-1a.
fn hash(seed: u64, name: &str) -> u64 {
    let bytes = seed.to_le_bytes().into_iter().chain(name.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn of(target: &Target) -> Result<Vec<Mutant>> {
    let output = Command::new("cargo")
        .current_dir(root())
        .args([
            "mutants",
            "--list",
            "--json",
            "--package",
            &target.package(),
        ])
        .output()
        .map_err(|error| format!("cargo mutants: {error}"))?;
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout)
        .map_err(|_| format!("cargo mutants: {}", String::from_utf8_lossy(&output.stderr)))?;
    let mut mutants = Vec::new();
    let mut text = (String::new(), String::new());
    for row in rows {
        let file = row["file"].as_str().ok_or("a mutant without a file")?;
        let wanted = target.files.is_empty() || target.files.iter().any(|part| file.contains(part));
        // Tests are not what is tried.
        if !wanted || file.ends_with("tests.rs") || file.contains("/tests/") {
            continue;
        }
        if text.0 != file {
            let read = std::fs::read_to_string(root().join(file));
            text = (
                file.to_owned(),
                read.map_err(|error| format!("{file}: {error}"))?,
            );
        }
        let span = |of: &Value| span(&text.1, of).ok_or(format!("{file}: no span in {of}"));
        if row["function"].is_null() {
            continue;
        }
        let function = span(&row["function"]["span"])?;
        let replaced = span(&row["span"])?;
        let replacement = row["replacement"].as_str().unwrap_or_default().to_owned();
        mutants.push(Mutant {
            name: row["name"]
                .as_str()
                .ok_or("a mutant without a name")?
                .to_owned(),
            key: String::new(),
            folder: target.folder,
            file: file.to_owned(),
            span: replaced,
            replacement,
            function,
            viable: true,
        });
    }
    Ok(mutants)
}

/// Lines and columns, both from one, as bytes.
fn span(text: &str, of: &Value) -> Option<(usize, usize)> {
    let at = |place: &Value| {
        let line = usize::try_from(place["line"].as_u64()?).ok()?;
        let column = usize::try_from(place["column"].as_u64()?).ok()?;
        let start = match line {
            1 => 0,
            _ => text.match_indices('\n').nth(line - 2)?.0 + 1,
        };
        let rest = &text[start..];
        let bytes = rest
            .char_indices()
            .nth(column - 1)
            .map_or(rest.len(), |(at, _)| at);
        Some(start + bytes)
    };
    Some((at(&of["start"])?, at(&of["end"])?))
}
