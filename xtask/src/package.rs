//! What the libraries are like for those who take them from the registry: `cargo xtask package`,
//! `cargo xtask semver`.

use std::path::{Component, Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::architecture::metadata;
use crate::supply::install;
use crate::{Result, root, run};

/// What the registry shows of a crate, and wants to know.
const SHOWN: [&str; 7] = [
    "description",
    "license",
    "repository",
    "readme",
    "keywords",
    "categories",
    "rust_version",
];

/// Packs every library as the registry would take it, and builds what is in the packages.
pub fn package(words: &[&str]) -> Result<()> {
    let (options, names): (Vec<&str>, Vec<&str>) =
        words.iter().partition(|word| word.starts_with("--"));
    let verify = match options.as_slice() {
        [] => true,
        ["--no-verify"] => false,
        _ => {
            return Err(format!(
                "unknown words `{}`: --no-verify",
                options.join(" ")
            ));
        }
    };
    let libraries = libraries()?;
    for name in &names {
        if !libraries.iter().any(|library| library["name"] == *name) {
            return Err(format!("`{name}` is no library that is published"));
        }
    }
    let findings: Vec<String> = libraries
        .iter()
        .map(faults)
        .collect::<Result<Vec<_>>>()?
        .concat();
    if !findings.is_empty() {
        return Err(findings.join("\n"));
    }
    let mut cargo = Command::new("cargo");
    // What is in the packages is built by itself, all of it into one folder.
    cargo.current_dir(root()).args([
        "package",
        "--allow-dirty",
        "--target-dir",
        "target/packages",
    ]);
    if !verify {
        cargo.arg("--no-verify");
    }
    let chosen = |library: &&Value| names.is_empty() || names.contains(&text(&library["name"]));
    for library in libraries.iter().filter(chosen) {
        cargo.args(["--package", text(&library["name"])]);
    }
    run(&mut cargo)
}

/// Whether what others call of the libraries has changed since a commit, beyond what their version
/// lets expect.
pub fn semver(words: &[&str]) -> Result<()> {
    let ["--baseline", revision] = words else {
        return Err("which commit? cargo xtask semver --baseline REVISION".into());
    };
    install("cargo-semver-checks")?;
    let mut cargo = Command::new("cargo");
    cargo
        .current_dir(root())
        .args(["semver-checks", "--baseline-rev", revision]);
    for library in &libraries()? {
        cargo.args(["--package", text(&library["name"])]);
    }
    run(&mut cargo)
}

/// The packages that may be published.
fn libraries() -> Result<Vec<Value>> {
    let metadata = metadata(&root(), &["--no-deps"])?;
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let published = packages
        .into_iter()
        .filter(|package| package["publish"].is_null());
    Ok(published.collect())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// What a package lacks, and what it takes in from outside of its folder.
fn faults(package: &Value) -> Result<Vec<String>> {
    let name = text(&package["name"]);
    let folder = Path::new(text(&package["manifest_path"])).parent();
    let folder = folder.unwrap_or(Path::new("")).to_path_buf();
    let empty = |key: &&&str| match &package[**key] {
        Value::Array(list) => list.is_empty(),
        value => text(value).is_empty(),
    };
    let lacking = SHOWN.iter().filter(empty);
    let mut faults: Vec<String> = lacking.map(|key| format!("{name}: no {key}")).collect();
    let mut folders = vec![folder.join("src")];
    while let Some(inside) = folders.pop() {
        let entries = std::fs::read_dir(&inside);
        let entries = entries.map_err(|error| format!("{}: {error}", inside.display()))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                let source = std::fs::read_to_string(&path)
                    .map_err(|error| format!("{}: {error}", path.display()))?;
                let outside = included(&source)
                    .into_iter()
                    .filter(|file| !normal(&inside.join(file)).starts_with(&folder));
                faults.extend(outside.map(|file| {
                    format!(
                        "{}: includes {file}, which no package of {name} has",
                        path.display()
                    )
                }));
            }
        }
    }
    Ok(faults)
}

/// The files that a source includes by literal paths.
fn included(source: &str) -> Vec<&str> {
    let calls = ["include_str!(", "include_bytes!(", "include!("];
    calls
        .iter()
        .flat_map(|call| source.split(call).skip(1))
        .filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next())
        .collect()
}

/// A path without `..`; links are not followed, as a package holds what they lead to.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_package_is_described_and_holds_what_it_includes() {
        let folder = std::env::temp_dir().join(format!("tandem-package-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("src/deep")).unwrap();
        let source = "const A: &str = include_str!(\"../../data.csv\");\n\
                      const B: &[u8] = include_bytes!(\n    \"../../../other/data.csv\"\n);\n\
                      const C: &str = include_str!(concat!(env!(\"OUT_DIR\"), \"/made\"));\n";
        std::fs::write(folder.join("src/deep/mod.rs"), source).unwrap();
        let package = |keywords: &[&str]| {
            json!({
                "name": "p", "manifest_path": folder.join("Cargo.toml"), "description": "d",
                "license": "MIT", "repository": "r", "readme": "README.md", "keywords": keywords,
                "categories": ["science"], "rust_version": "1.90",
            })
        };
        let found = faults(&package(&[])).unwrap();
        let whole = faults(&package(&["k"])).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found[0], "p: no keywords");
        assert_eq!(found[1..], whole[..]);
        assert_eq!(whole.len(), 1, "{whole:?}");
        assert!(
            whole[0].contains("includes ../../../other/data.csv"),
            "{whole:?}"
        );
    }
}
