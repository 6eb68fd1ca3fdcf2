//! The workspace as it is: its crates, what they stand on, and which of their modules knows which.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::source::{self, Source};
use super::tokens;
use crate::Result;

/// Where something is said.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// File, from the root of the workspace.
    pub file: PathBuf,
    /// Line, counted from 1.
    pub line: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

/// Arrows, each with the first place that makes it.
pub type Arrows = BTreeMap<(String, String), Place>;

/// A library or a program: one tree of modules.
pub struct Target {
    /// Name of the crate; a program beside a library says so.
    pub name: String,
    /// Modules below the root.
    pub modules: Vec<String>,
    /// From module to module.
    pub arrows: Arrows,
    /// What it uses of the standard library: the path and where.
    pub standard: Vec<(Vec<String>, Place)>,
    /// Lines outside of tests.
    pub lines: usize,
}

/// A package of the workspace.
pub struct Crate {
    /// Name without the project's.
    pub name: String,
    /// Folder, from the root of the workspace.
    pub folder: PathBuf,
    /// Crates of the workspace that it needs to be built.
    pub stands_on: BTreeSet<String>,
    /// Its library and programs.
    pub targets: Vec<Target>,
}

impl Crate {
    /// Lines outside of tests.
    pub fn lines(&self) -> usize {
        self.targets.iter().map(|target| target.lines).sum()
    }

    /// Modules of all its targets, sorted.
    pub fn modules(&self) -> BTreeSet<&str> {
        self.targets
            .iter()
            .flat_map(|target| target.modules.iter().map(String::as_str))
            .collect()
    }
}

/// The crates of the workspace at `root`, sorted by name.
pub fn crates(root: &Path) -> Result<Vec<Crate>> {
    let metadata = metadata(root, &["--no-deps"])?;
    let mut found = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let manifest = Path::new(text(&package["manifest_path"]));
        let folder = manifest.parent().unwrap_or(root);
        let name = short(text(&package["name"]));
        let mut stands_on = BTreeSet::new();
        for needed in package["dependencies"].as_array().into_iter().flatten() {
            if needed["path"].is_string() && needed["kind"] != "dev" {
                stands_on.insert(short(text(&needed["name"])));
            }
        }
        let mut targets = Vec::new();
        for target in package["targets"].as_array().into_iter().flatten() {
            let kind = text(&target["kind"][0]);
            if !matches!(kind, "bin" | "lib" | "rlib" | "cdylib" | "proc-macro") {
                continue;
            }
            let name = if kind == "bin" && !targets.is_empty() {
                format!("{name} (program)")
            } else {
                name.clone()
            };
            let file = Path::new(text(&target["src_path"]));
            targets.push(self::target(name, file, root)?);
        }
        found.push(Crate {
            name,
            folder: folder.strip_prefix(root).unwrap_or(folder).to_path_buf(),
            stands_on,
            targets,
        });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// What Cargo knows of the workspace at `root`.
pub fn metadata(root: &Path, words: &[&str]) -> Result<Value> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1"])
        .args(words)
        .current_dir(root)
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cargo metadata in {}: {message}", root.display()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Name of a package without the project's; the library `tandem` is in the package
/// `tandem-hybrid`.
fn short(name: &str) -> String {
    match name.strip_prefix("tandem-") {
        Some("hybrid") => "tandem",
        Some(rest) => rest,
        None => name,
    }
    .to_string()
}

/// A file on the way through a target.
struct Visit {
    file: PathBuf,
    module: Vec<String>,
    /// Where the files of its modules are.
    folder: PathBuf,
}

fn target(name: String, file: &Path, root: &Path) -> Result<Target> {
    let mut files = Vec::new();
    let mut lines = 0;
    let mut queue = VecDeque::from([Visit {
        file: file.to_path_buf(),
        module: Vec::new(),
        folder: file.parent().unwrap_or(root).to_path_buf(),
    }]);
    while let Some(visit) = queue.pop_front() {
        let shown = visit.file.strip_prefix(root).unwrap_or(&visit.file);
        let text = std::fs::read_to_string(&visit.file)
            .map_err(|error| format!("{}: {error}", shown.display()))?;
        let tokens =
            tokens::read(&text).map_err(|error| format!("{}: {error}", shown.display()))?;
        let source = source::read(&tokens, &visit.module);
        if source.is_test {
            continue;
        }
        let tests: usize = source
            .tests
            .iter()
            .map(|(first, last)| last - first + 1)
            .sum();
        lines += text.lines().count() - tests;
        for module in &source.modules {
            // Modules within the file add folders of their own.
            let mut folder = visit.folder.clone();
            folder.extend(&module[visit.module.len()..]);
            let beside = folder.with_extension("rs");
            let file = if beside.exists() {
                beside
            } else {
                folder.join("mod.rs")
            };
            queue.push_back(Visit {
                file,
                module: module.clone(),
                folder,
            });
        }
        files.push((shown.to_path_buf(), source));
    }
    Ok(join(name, lines, &files))
}

/// The modules of a target and their arrows, from all its files.
fn join(name: String, lines: usize, files: &[(PathBuf, Source)]) -> Target {
    let declared = files
        .iter()
        .flat_map(|(_, source)| source.modules.iter().chain(&source.inline));
    let modules: BTreeSet<String> = declared
        .filter(|module| module.len() == 1)
        .map(|module| module[0].clone())
        .collect();
    let exports: BTreeMap<&String, &String> = files
        .first()
        .into_iter()
        .flat_map(|(_, root)| &root.exports)
        .filter(|(_, path)| path.first().is_some_and(|first| modules.contains(first)))
        .map(|(name, path)| (name, &path[0]))
        .collect();
    let mut macros = BTreeMap::new();
    for (file, source) in files {
        // A macro belongs to the module of its file.
        for name in &source.macros {
            if let Some(module) = top(file, &modules) {
                macros.insert(name.clone(), module);
            }
        }
    }
    let mut arrows = Arrows::new();
    for (file, source) in files {
        let named = source.references.iter().map(|reference| {
            let first = reference.path.first();
            let to = first.and_then(|first| {
                let module = modules.get(first).or_else(|| exports.get(first).copied());
                module.or_else(|| macros.get(first))
            });
            (reference, to)
        });
        // A word before an exclamation mark may be a variable of the same name as a module.
        let called = source
            .calls
            .iter()
            .map(|call| (call, macros.get(&call.path[0])));
        for (reference, to) in named.chain(called) {
            let (Some(from), Some(to)) = (reference.from.first(), to) else {
                continue;
            };
            if to != from {
                let place = Place {
                    file: file.clone(),
                    line: reference.line,
                };
                arrows.entry((from.clone(), to.clone())).or_insert(place);
            }
        }
    }
    let standard = files.iter().flat_map(|(file, source)| {
        source.standard.iter().map(|(path, line)| {
            let place = Place {
                file: file.clone(),
                line: *line,
            };
            (path.clone(), place)
        })
    });
    Target {
        name,
        lines,
        arrows,
        standard: standard.collect(),
        modules: modules.into_iter().collect(),
    }
}

/// The module below the root that a file belongs to.
fn top(file: &Path, modules: &BTreeSet<String>) -> Option<String> {
    file.iter()
        .skip_while(|part| *part != "src")
        .nth(1)
        .and_then(|part| Path::new(part).file_stem())
        .map(|stem| stem.to_string_lossy().into_owned())
        .filter(|stem| modules.contains(stem))
}
