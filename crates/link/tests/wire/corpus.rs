//! The corpus of the fuzz targets, replayed: `fuzz/corpus/NAME` is what `cargo fuzz run NAME` starts from.

use std::path::Path;
use tandem_link::fuzzing;

fn replay(name: &str, target: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(name);
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        target(&bytes);
        // Cut anywhere, it must do no harm either.
        for cut in [1, 4, 43, 44, 45, 100] {
            target(bytes.get(..cut).unwrap_or_default());
        }
        count += 1;
    }
    assert!(count >= 3, "{name}: only {count} files");
}

#[test]
fn corpus_of_openfresco() {
    replay("openfresco", fuzzing::openfresco);
}

#[test]
fn corpus_of_labview() {
    replay("labview", fuzzing::labview);
}
