//! The corpora of the fuzz targets, replayed: `fuzz/corpus/NAME` is what `cargo +nightly fuzz run
//! NAME` starts from.

use std::path::{Path, PathBuf};

use tandem_test_support::root;

fn targets() -> Vec<tandem_fmi::fuzzing::Target> {
    [
        tandem_link::fuzzing::TARGETS,
        tandem_coordinator::device::fuzzing::TARGETS,
        tandem_fmi::fuzzing::TARGETS,
    ]
    .concat()
}

fn folder(name: &str) -> PathBuf {
    root().join("fuzz").join(name)
}

fn names(folder: &Path) -> Vec<String> {
    let list = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = list
        .map(|entry| entry.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

/// Every function has its fuzz target and its corpus, and the other way round.
#[test]
fn every_target_has_a_corpus() {
    let mut known: Vec<String> = targets().iter().map(|(name, _)| (*name).into()).collect();
    known.sort();
    assert_eq!(names(&folder("fuzz_targets")), known);
    assert_eq!(names(&folder("corpus")), known);
    let manifest = std::fs::read_to_string(folder("Cargo.toml")).unwrap();
    for name in known {
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
    }
}

/// Whole, cut anywhere, and with any one byte turned over.
#[test]
fn corpora_do_no_harm() {
    for (name, target) in targets() {
        let mut count = 0;
        for entry in std::fs::read_dir(folder("corpus").join(name)).unwrap() {
            let path = entry.unwrap().path();
            let mut bytes = std::fs::read(&path).unwrap();
            target(&bytes);
            let step = 1 + bytes.len() / 400;
            for at in (0..bytes.len()).step_by(step) {
                target(&bytes[..at]);
                for mask in [0xff, 0x01, 0x80] {
                    bytes[at] ^= mask;
                    target(&bytes);
                    bytes[at] ^= mask;
                }
            }
            count += 1;
        }
        assert!(count >= 3, "{name}: only {count} files");
    }
}
