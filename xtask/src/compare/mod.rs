//! `cargo xtask compare OLD NEW`: do two programs give the same bits, and are they equally fast?

mod benches;
mod examples;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value, json};

use crate::{Result, root};

/// A program and, where there is one beside it, the program of the benches.
struct Build {
    tandem: PathBuf,
    bench: Option<PathBuf>,
}

/// What the words of the command ask for.
struct Wanted {
    old: Build,
    new: Build,
    /// New names of channels and figures by their old ones.
    renamed: Map<String, Value>,
    /// Part of the name of what is compared; all where it is empty.
    only: String,
    /// How often each bench runs.
    turns: usize,
    json: bool,
}

/// Compares; an error where an example differs. Speed is printed and not judged.
pub fn run(words: &[&str]) -> Result<()> {
    let mut words = words.to_vec();
    let mut flag = |name: &str| {
        let at = words.iter().position(|word| *word == name);
        at.map(|at| words.remove(at)).is_some()
    };
    let (json, no_benches, no_examples) = (flag("--json"), flag("--examples"), flag("--benches"));
    let mut value = |name: &str| -> Result<Option<String>> {
        let Some(at) = words.iter().position(|word| *word == name) else {
            return Ok(None);
        };
        if at + 1 == words.len() {
            return Err(format!("{name} wants a value"));
        }
        words.remove(at);
        Ok(Some(words.remove(at).to_owned()))
    };
    let renamed = value("--map")?.map_or(Ok(Map::new()), |file| read_map(&file))?;
    let only = value("--only")?.unwrap_or_default();
    let turns = value("--turns")?.map_or(Ok(9), |text| text.parse());
    let turns = turns.map_err(|_| "--turns wants a whole number")?;
    if turns == 0 {
        return Err("--turns 0: nothing would be measured".into());
    }
    let [old, new] = words.as_slice() else {
        return Err("say which two programs: paths, or commits that are then built".into());
    };
    let wanted = Wanted {
        old: build(old)?,
        new: build(new)?,
        renamed,
        only,
        turns,
        json,
    };
    let mut result = json!({});
    let mut same = true;
    if !no_examples {
        let found = examples::compare(&wanted)?;
        same = found["differ"] == 0;
        result["examples"] = found;
    }
    if !no_benches {
        result["benches"] = benches::compare(&wanted)?;
    }
    if json {
        println!("{result}");
    }
    if same {
        Ok(())
    } else {
        Err("the two programs differ (see above)".into())
    }
}

/// Lines `old = new`; what follows a # is a reason.
fn read_map(file: &str) -> Result<Map<String, Value>> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let mut map = Map::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let Some((old, new)) = line.split_once('=') else {
            return Err(format!("{file}:{}: expected `old = new`", number + 1));
        };
        map.insert(old.trim().to_owned(), new.trim().into());
    }
    Ok(map)
}

/// A program by its path, or of a commit, which is built in `target/compare`.
fn build(word: &str) -> Result<Build> {
    let path = Path::new(word);
    if path.is_file() {
        let bench = path.with_file_name("tandem-bench");
        return Ok(Build {
            tandem: path
                .canonicalize()
                .map_err(|error| format!("{word}: {error}"))?,
            bench: bench.is_file().then_some(bench),
        });
    }
    let commit = Command::new("git")
        .current_dir(root())
        .args([
            "rev-parse",
            "--verify",
            "--quiet",
            &format!("{word}^{{commit}}"),
        ])
        .output()
        .map_err(|error| format!("git: {error}"))?;
    if !commit.status.success() {
        return Err(format!("`{word}` is neither a program nor a commit"));
    }
    let commit = String::from_utf8_lossy(&commit.stdout).trim().to_owned();
    let tree = root().join("target/compare").join(&commit);
    if !tree.exists() {
        let mut clone = Command::new("git");
        crate::run(
            clone
                .args(["clone", "--quiet", "--shared"])
                .arg(root())
                .arg(&tree),
        )?;
    }
    let git = |words: &[&str]| crate::run(Command::new("git").current_dir(&tree).args(words));
    git(&["checkout", "--quiet", "--detach", &commit])?;
    // A folder of its own for what is built: the other commit's must stay.
    crate::run(
        Command::new("cargo")
            .current_dir(&tree)
            .env_remove("CARGO_TARGET_DIR")
            .args(["build", "--release", "--workspace", "--bins"]),
    )?;
    let program = |name: &str| tree.join("target/release").join(name);
    Ok(Build {
        tandem: program("tandem"),
        bench: Some(program("tandem-bench")),
    })
}
