//! The table of CONTRIBUTING.md is true: beside its own file, its tests and its documents, a method
//! that is there is named in the files that the table lists, and nowhere else.

#![allow(clippy::unwrap_used)] // a test fails where a file cannot be read

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is there, by its file and by the words that name it, and in how many lines of which other
/// files it may be named.
struct Kind {
    own: &'static str,
    words: &'static [&'static str],
    elsewhere: &'static [(&'static str, usize)],
}

const KINDS: &[Kind] = &[
    Kind {
        own: "crates/integrator/src/rosenbrock.rs",
        words: &["rosenbrock"],
        elsewhere: &[("crates/integrator/src/lib.rs", 2)],
    },
    Kind {
        own: "crates/transfer/src/kinematics/space_four.rs",
        words: &["space_four", "space-four"],
        elsewhere: &[("crates/transfer/src/kinematics/mod.rs", 2)],
    },
    Kind {
        own: "crates/transfer/src/conditioning/inertia_removal.rs",
        words: &["inertia_removal", "inertia-removal"],
        elsewhere: &[("crates/transfer/src/conditioning/mod.rs", 2)],
    },
    Kind {
        own: "crates/transfer/src/compensator/sliding_mode.rs",
        words: &["sliding_mode", "sliding-mode"],
        elsewhere: &[
            ("crates/studies/src/compare/settings.rs", 2),
            ("crates/transfer/src/compensator/mod.rs", 2),
        ],
    },
    Kind {
        own: "crates/monitor/src/window_error.rs",
        words: &["mod window_error", "window_error::"],
        elsewhere: &[("crates/monitor/src/lib.rs", 2)],
    },
    Kind {
        own: "crates/frame/src/material/bouc_wen_rate.rs",
        words: &["bouc_wen_rate"],
        elsewhere: &[("crates/frame/src/material/mod.rs", 2)],
    },
    Kind {
        own: "crates/model/src/excitation/sine.rs",
        words: &["mod sine", "sine::ENTRY"],
        elsewhere: &[("crates/model/src/excitation/mod.rs", 2)],
    },
    Kind {
        own: "crates/cli/src/cli/new.rs",
        words: &["mod new", "new::New"],
        elsewhere: &[("crates/cli/src/cli/mod.rs", 2)],
    },
    Kind {
        own: "crates/coordinator/src/fault/force_spike.rs",
        words: &["force_spike", "force-spike"],
        elsewhere: &[("crates/coordinator/src/fault/mod.rs", 2)],
    },
    Kind {
        own: "crates/tandem/src/export/parquet.rs",
        words: &["mod parquet", "parquet::FORMAT"],
        elsewhere: &[("crates/tandem/src/export/mod.rs", 2)],
    },
];

/// All sources of the crates, without their tests.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "tests" {
                sources(&path, into);
            }
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") {
            into.push(path);
        }
    }
}

/// Whether a line of code names it, and not something that begins or ends alike.
fn names(line: &str, word: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let behind = line[at + word.len()..].chars().next();
        let closed = word.ends_with(':') || !behind.is_some_and(part);
        closed && !before.is_some_and(part)
    })
}

#[test]
fn a_method_is_named_where_the_table_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for room in std::fs::read_dir(root.join("crates")).unwrap() {
        let room = room.unwrap();
        if room.file_name() != "test-support" {
            sources(&room.path().join("src"), &mut files);
        }
    }
    for kind in KINDS {
        let mut found = BTreeMap::new();
        for path in &files {
            let name = path.strip_prefix(&root).unwrap().to_string_lossy();
            if name == kind.own {
                continue;
            }
            let text = std::fs::read_to_string(path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let lines = code.lines().filter(|line| {
                let code = !line.trim_start().starts_with("//");
                code && kind.words.iter().any(|word| names(line, word))
            });
            let count = lines.count();
            if count > 0 {
                found.insert(name.into_owned(), count);
            }
        }
        let expected = kind.elsewhere.iter();
        let expected: BTreeMap<_, _> = expected.map(|(file, n)| ((*file).to_owned(), *n)).collect();
        assert_eq!(found, expected, "{}", kind.own);
    }
}
