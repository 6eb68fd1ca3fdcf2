//! What the program is made of and under which licences: `cargo xtask third-party`, `deny`,
//! `machete`.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use crate::architecture::metadata;
use crate::{Result, root, run};

/// The package whose binary people get.
const PROGRAM: &str = "tandem-cli";

/// The platform that it is listed for; others leave out and add crates for their system.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

const HEAD: &str = "\
# What the program is made of

Made with `cargo xtask third-party` from the manifests of the crates that are linked into
`tandem` on Linux; each crate carries the text of its licence. The page of the operator holds
[uPlot](https://github.com/leeoniya/uPlot) 1.6 (MIT, text in `crates/screen/web/vendor/uplot`). The
shipped record is described, with its licence, in `crates/signal/data/README.md`.

| crate | version | licence |
|---|---|---|
";

/// Writes `THIRD_PARTY.md`, or says with `--check` whether it is up to date.
pub fn third_party(words: &[&str]) -> Result<()> {
    let check = match words {
        [] => false,
        ["--check"] => true,
        _ => return Err(format!("unknown words `{}`: --check", words.join(" "))),
    };
    let page = page(&metadata(
        &root(),
        &["--locked", "--filter-platform", PLATFORM],
    )?)?;
    let file = root().join("THIRD_PARTY.md");
    if !check {
        return std::fs::write(&file, page).map_err(|error| format!("{}: {error}", file.display()));
    }
    if std::fs::read_to_string(&file).unwrap_or_default() == page {
        Ok(())
    } else {
        Err("THIRD_PARTY.md is of yesterday: cargo xtask third-party".into())
    }
}

/// The document, from what Cargo knows of the workspace.
fn page(metadata: &Value) -> Result<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let packages: BTreeMap<String, Value> = list(&metadata["packages"])
        .into_iter()
        .map(|package| (text(&package["id"]), package))
        .collect();
    let nodes: BTreeMap<String, Value> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .map(|node| (text(&node["id"]), node))
        .collect();
    let program = packages
        .iter()
        .find(|(_, package)| package["name"] == PROGRAM);
    let (program, _) = program.ok_or_else(|| format!("there is no package {PROGRAM}"))?;
    // Macros work in the compiler: neither they nor what they need is in the program.
    let works_in_compiler = |id: &str| {
        let targets = list(&packages[id]["targets"]);
        targets
            .iter()
            .any(|target| list(&target["kind"]).contains(&"proc-macro".into()))
    };
    let mut linked = BTreeSet::new();
    let mut open = vec![program.clone()];
    while let Some(id) = open.pop() {
        if works_in_compiler(&id) || !linked.insert(id.clone()) {
            continue;
        }
        for needed in list(&nodes[&id]["deps"]) {
            if list(&needed["dep_kinds"])
                .iter()
                .any(|kind| kind["kind"].is_null())
            {
                open.push(text(&needed["pkg"]));
            }
        }
    }
    let mut rows = BTreeSet::new();
    for id in linked {
        let package = &packages[&id];
        if package["source"].is_null() {
            continue; // ours
        }
        let [name, version, licence] =
            ["name", "version", "license"].map(|key| text(&package[key]));
        if licence.is_empty() {
            return Err(format!(
                "{name} {version} names no licence: ask its authors, or drop it"
            ));
        }
        rows.insert(format!(
            "| {name} | {version} | {} |\n",
            licence.replace('/', " OR ")
        ));
    }
    Ok(HEAD.to_string() + &rows.into_iter().collect::<String>())
}

/// Licences, versions that are there twice, and sources, by `deny.toml`; advisories where the
/// database can be had.
pub fn deny() -> Result<()> {
    install("cargo-deny")?;
    let deny = |what: &[&str]| {
        let mut command = Command::new("cargo");
        command
            .current_dir(root())
            .args(["deny", "check"])
            .args(what);
        command
    };
    let fetched = Command::new("cargo")
        .current_dir(root())
        .args(["deny", "fetch", "db"])
        .status();
    if fetched.is_ok_and(|status| status.success()) {
        run(&mut deny(&["advisories"]))?;
    } else {
        println!("skipped: advisories (their database cannot be had from here)");
    }
    run(&mut deny(&["licenses", "bans", "sources"]))
}

/// Dependencies that no source names.
pub fn machete() -> Result<()> {
    install("cargo-machete")?;
    run(Command::new("cargo")
        .current_dir(root())
        .args(["machete", "--skip-target-dir"]))
}

/// A tool of Cargo's, installed by name where it is missing.
pub fn install(tool: &str) -> Result<()> {
    let verb = tool.strip_prefix("cargo-").unwrap_or(tool);
    let there = Command::new("cargo").args([verb, "--version"]).output();
    if there.is_ok_and(|output| output.status.success()) {
        return Ok(());
    }
    println!("installing {tool}");
    run(Command::new("cargo").args(["install", "--locked", "--quiet", tool]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn package(name: &str, licence: Option<&str>, kind: &str) -> Value {
        json!({
            "id": name, "name": name, "version": "1.0.0", "license": licence,
            "source": if name == PROGRAM { Value::Null } else { json!("registry") },
            "targets": [{ "kind": [kind] }],
        })
    }

    fn needs(name: &str, needed: &[(&str, Option<&str>)]) -> Value {
        let dep = |(name, kind): &(&str, Option<&str>)| {
            let kinds = [json!({ "kind": kind })];
            json!({ "pkg": name, "dep_kinds": kinds })
        };
        json!({ "id": name, "deps": needed.iter().map(dep).collect::<Vec<_>>() })
    }

    #[test]
    fn what_is_linked_is_listed_and_what_only_builds_or_tests_is_not() {
        let made = |licence| {
            json!({
                "packages": [
                    package(PROGRAM, None, "bin"),
                    package("linked", Some("MIT/Apache-2.0"), "lib"),
                    package("below", licence, "lib"),
                    package("derive", Some("MIT"), "proc-macro"),
                    package("syntax", Some("MIT"), "lib"),
                    package("tests", Some("MIT"), "lib"),
                ],
                "resolve": { "nodes": [
                    needs(PROGRAM, &[("linked", None), ("derive", None), ("tests", Some("dev"))]),
                    needs("linked", &[("below", None)]),
                    needs("below", &[]),
                    needs("derive", &[("syntax", None)]),
                    needs("syntax", &[]),
                    needs("tests", &[]),
                ] },
            })
        };
        let rows = "| below | 1.0.0 | Zlib |\n| linked | 1.0.0 | MIT OR Apache-2.0 |\n";
        assert_eq!(page(&made(Some("Zlib"))).unwrap(), format!("{HEAD}{rows}"));
        assert!(
            page(&made(None))
                .unwrap_err()
                .contains("below 1.0.0 names no licence")
        );
    }
}
