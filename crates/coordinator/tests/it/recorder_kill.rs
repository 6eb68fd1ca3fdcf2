//! A process killed at any moment leaves a run file with everything it had appended.

use super::common::header;
use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tandem_coordinator::recorder::{CHUNK_ROWS, Channel, Role, RowBlock, RunReader, RunWriter};
use tandem_test_support::splitmix64;

const CHANNELS: usize = 16;
const FOLDER: &str = "TANDEM_TEST_KILLED_RUN_FOLDER";

fn value(column: usize, row: u64) -> f64 {
    row as f64 + column as f64 / 32.0
}

/// What the killed process does: it appends far more rows than the parent lets happen. As a test of
/// its own it appends some, which a writer that is dropped leaves behind as a killed one does.
#[test]
fn child_appends_until_killed() {
    if let Ok(folder) = std::env::var(FOLDER) {
        append(Path::new(&folder), 40_000_000);
        panic!("nobody has killed this process");
    }
    let folder = tempfile::tempdir().unwrap();
    append(folder.path(), 50_000);
    let rows = assert_appended(folder.path());
    assert!(
        (50_000 - CHUNK_ROWS as u64..=50_000).contains(&rows),
        "{rows}"
    );
}

fn append(folder: &Path, rows: u64) {
    let channels: Vec<Channel> = (1..=CHANNELS)
        .map(|i| {
            Channel::new(
                format!("response_displacement/{i}"),
                "m",
                Role::Response,
                "",
            )
        })
        .collect();
    let path = folder.join("run.h5");
    let mut writer = RunWriter::create(&path, &channels, &header("killed")).unwrap();
    // The rows appended so far stand in a second file, rewritten after each append.
    let mut counter = OpenOptions::new()
        .create_new(true)
        .write(true)
        .open(folder.join("rows"))
        .unwrap();
    let mut block = RowBlock::new(CHANNELS, CHUNK_ROWS);
    let mut seed = 5;
    let mut early = 0;
    for row in 0..rows {
        let values: [f64; CHANNELS] = std::array::from_fn(|i| value(i + 1, row));
        let full = block.push(value(0, row), &values);
        if full || block.len() == early {
            writer.append(&mut block).unwrap();
            early = usize::try_from(splitmix64(&mut seed) % 4000).unwrap();
            counter.seek(SeekFrom::Start(0)).unwrap();
            counter.write_all(&writer.rows().to_le_bytes()).unwrap();
        }
    }
}

fn start(folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "recorder_kill::child_appends_until_killed"])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn appended(folder: &Path) -> u64 {
    let bytes = fs::read(folder.join("rows")).unwrap_or_default();
    bytes.try_into().map_or(0, u64::from_le_bytes)
}

#[test]
fn killed_runs_keep_every_appended_row() {
    let mut seed = 20_260_101;
    println!("seed {seed}");
    for trial in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let moment = splitmix64(&mut seed) % 300_000;
        let spins = splitmix64(&mut seed) % 100_000;
        let mut child = start(folder.path());
        while appended(folder.path()) <= moment {
            assert_eq!(child.try_wait().unwrap(), None, "the child ended by itself");
        }
        for spin in 0..spins {
            std::hint::black_box(spin);
        }
        child.kill().unwrap();
        child.wait().unwrap();

        let rows = assert_appended(folder.path());
        println!("trial {trial}: {rows} rows in the file");
    }
}

/// The file holds what was appended, to the bit, and perhaps what was being appended; returns its
/// rows.
fn assert_appended(folder: &Path) -> u64 {
    let promised = appended(folder);
    let reader = RunReader::open(&folder.join("run.h5")).unwrap();
    let rows = reader.rows();
    assert!(!reader.complete());
    assert!((promised..=promised + CHUNK_ROWS as u64).contains(&rows));
    assert_eq!(reader.columns().count(), CHANNELS + 1);
    for (column, info) in reader.columns().enumerate() {
        let values = reader.read(&info.name).unwrap();
        assert_eq!(values.len() as u64, rows, "{}", info.name);
        let wrong = (0..)
            .zip(&values)
            .find(|&(row, got)| got.to_bits() != value(column, row).to_bits());
        assert_eq!(wrong, None, "{}", info.name);
    }
    rows
}
