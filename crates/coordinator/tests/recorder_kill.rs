//! A process killed at any moment leaves a run file with everything it had appended.

// The helpers below are part of the tests.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tandem_coordinator::recorder::{
    Block, CHUNK_ROWS, Channel, Header, Role, RunReader, RunWriter,
};

const CHANNELS: usize = 16;
const FOLDER: &str = "TANDEM_TEST_KILLED_RUN_FOLDER";

/// Splitmix64 (Steele, Lea and Flood 2014).
fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[allow(clippy::cast_precision_loss)]
fn value(column: usize, row: u64) -> f64 {
    row as f64 + column as f64 / 32.0
}

/// What the killed process does. As a test of its own it has nothing to do.
#[test]
fn child_appends_until_killed() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let folder = PathBuf::from(folder);
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
    let header = Header {
        tandem_version: "0.1.0".into(),
        plan: "killed".into(),
        seed: 1,
        created: String::new(),
        time_scale: 1.0,
        rate_hz: 1000.0,
    };
    let mut writer = RunWriter::create(&folder.join("run.h5"), &channels, &header).unwrap();
    // The rows appended so far stand in a second file, rewritten after each append.
    let mut counter = OpenOptions::new()
        .create_new(true)
        .write(true)
        .open(folder.join("rows"))
        .unwrap();
    let mut block = Block::new(CHANNELS, CHUNK_ROWS);
    let mut seed = 5;
    let mut early = 0;
    // Far more rows than the parent lets happen; an end in case there is no parent left.
    for row in 0..40_000_000 {
        let values: [f64; CHANNELS] = std::array::from_fn(|i| value(i + 1, row));
        let full = block.push(value(0, row), &values);
        if full || block.len() == early {
            writer.append(&mut block).unwrap();
            early = usize::try_from(next(&mut seed) % 4000).unwrap();
            counter.seek(SeekFrom::Start(0)).unwrap();
            counter.write_all(&writer.rows().to_le_bytes()).unwrap();
        }
    }
}

fn start(folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_appends_until_killed"])
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
        let moment = next(&mut seed) % 300_000;
        let spins = next(&mut seed) % 100_000;
        let mut child = start(folder.path());
        while appended(folder.path()) <= moment {
            assert_eq!(child.try_wait().unwrap(), None, "the child ended by itself");
        }
        for spin in 0..spins {
            std::hint::black_box(spin);
        }
        child.kill().unwrap();
        child.wait().unwrap();

        let promised = appended(folder.path());
        let reader = RunReader::open(&folder.path().join("run.h5")).unwrap();
        let rows = reader.rows();
        println!("trial {trial}: {promised} rows appended, {rows} in the file");
        assert!(!reader.complete());
        assert!((promised..=promised + CHUNK_ROWS as u64).contains(&rows));
        for (column, info) in reader.columns().enumerate() {
            let values = reader.read(&info.name).unwrap();
            let wrong = (0..)
                .zip(&values)
                .find(|&(row, got)| got.to_bits() != value(column, row).to_bits());
            assert_eq!(wrong, None, "{}", info.name);
        }
    }
}
