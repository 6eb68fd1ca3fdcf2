//! The promises of the run file, checked write by write.

use super::file_layout::PAGE;
use super::{
    CHUNK_ROWS, Channel, Header, RecorderError, Role, RowBlock, RunReader, RunWriter, Storage,
};
use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::rc::Rc;
use tandem_test_support::splitmix64;

#[derive(Clone, Debug)]
enum Operation {
    Write(u64, Vec<u8>),
    Length(u64),
}

/// Remembers what it is asked to do; refuses once its space is used up.
#[derive(Clone, Default)]
struct Tape {
    operations: Rc<RefCell<Vec<Operation>>>,
    space: Rc<RefCell<Option<u64>>>,
}

impl Storage for Tape {
    fn write_at(&mut self, bytes: &[u8], at: u64) -> io::Result<()> {
        let mut fits = bytes.len();
        if let Some(space) = self.space.borrow_mut().as_mut() {
            fits = fits.min(usize::try_from(*space).unwrap());
            *space -= fits as u64;
        }
        let part = Operation::Write(at, bytes[..fits].to_vec());
        self.operations.borrow_mut().push(part);
        if fits < bytes.len() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(())
    }

    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        self.operations.borrow_mut().push(Operation::Length(bytes));
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

const CHANNELS: [&str; 3] = ["target/1", "measured_force/1", "energy"];

fn channels() -> Vec<Channel> {
    CHANNELS
        .iter()
        .map(|name| Channel::new(*name, "N", Role::Measured, "für den Test — ≤ 1 kN"))
        .collect()
}

fn header() -> Header {
    Header {
        tandem_version: "0.1.0".into(),
        plan: "Zwei-Stockwerk-Rahmen".into(),
        seed: u64::MAX - 3,
        created: "2031-02-03T04:05:06Z".into(),
        time_scale: 50.0,
        rate_hz: 1024.0,
    }
}

/// The value of a column in a row: told apart by column and row.
fn value(column: usize, row: u64) -> f64 {
    (row as f64).mul_add(0.25, -1e7 * column as f64) + 0.125
}

fn push(block: &mut RowBlock, row: u64) -> bool {
    let values: Vec<f64> = (1..=CHANNELS.len()).map(|c| value(c, row)).collect();
    block.push(value(0, row), &values)
}

/// Checks the last `depth` rows of every column, bit by bit.
fn assert_values(reader: &RunReader, depth: u64) {
    let from = reader.rows().saturating_sub(depth);
    let names: Vec<String> = reader.columns().map(|info| info.name.clone()).collect();
    assert_eq!(names, ["time", CHANNELS[0], CHANNELS[1], CHANNELS[2]]);
    for (column, name) in names.iter().enumerate() {
        let values = reader.read_rows(name, from, depth).unwrap();
        assert_eq!(values.len() as u64, reader.rows() - from);
        for (row, got) in (from..).zip(values) {
            let expected = value(column, row);
            assert_eq!(got.to_bits(), expected.to_bits(), "{name}, row {row}");
        }
    }
}

/// Appends blocks of mixed sizes until `rows` are reached; calls `after` with the rows then in the
/// file.
fn record<M: Storage>(
    writer: &mut RunWriter<M>,
    rows: u64,
    seed: &mut u64,
    mut after: impl FnMut(u64),
) {
    let mut block = RowBlock::new(CHANNELS.len(), CHUNK_ROWS);
    let mut row = writer.rows();
    while row < rows {
        // One append in eight comes early, as when 0.1 s have passed before the block is full.
        let early = splitmix64(seed)
            .is_multiple_of(8)
            .then(|| splitmix64(seed) % CHUNK_ROWS as u64 + 1);
        loop {
            let full = push(&mut block, row);
            row += 1;
            if full || row == rows || early.is_some_and(|early| block.len() as u64 >= early) {
                break;
            }
        }
        writer.append(&mut block).unwrap();
        assert_eq!(writer.rows(), row);
        after(row);
    }
}

/// A kill can come after any write, and within a write between two pages. Whatever the instant, the
/// file reads and holds every row appended before.
#[test]
fn readable_after_every_page_of_every_write() {
    let tape = Tape::default();
    let mut writer = RunWriter::with_medium(tape.clone(), &channels(), &header()).unwrap();
    let created = tape.operations.borrow().len();
    // (operations, rows): after so many operations so many rows are promised.
    let mut promises = vec![(created, 0)];
    let rows = 64 * CHUNK_ROWS as u64 + 2500; // into the second segment: the index gets a level
    record(&mut writer, rows, &mut 1, |rows| {
        promises.push((tape.operations.borrow().len(), rows));
    });
    writer.finish().unwrap();

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.h5");
    let file = OpenOptions::new()
        .create_new(true)
        .write(true)
        .open(&path)
        .unwrap();
    let operations = tape.operations.borrow();
    let mut checks = 0;
    for (done, operation) in operations.iter().enumerate() {
        let promised = promises.iter().rfind(|p| p.0 <= done).map(|p| p.1);
        let attempted = promises.iter().find(|p| p.0 > done).map_or(rows, |p| p.1);
        let mut check = || {
            if let Some(promised) = promised {
                assert!(end_of_file(&path) <= file.metadata().unwrap().len());
                let reader = RunReader::open(&path).unwrap();
                assert!((promised..=attempted).contains(&reader.rows()));
                assert_values(&reader, 2 * CHUNK_ROWS as u64);
                checks += 1;
            }
        };
        match operation {
            Operation::Length(length) => {
                file.set_len(*length).unwrap();
                check();
            }
            Operation::Write(at, bytes) => {
                let mut from = 0;
                while from < bytes.len() {
                    let place = at + from as u64;
                    let page = PAGE - usize::try_from(place % PAGE as u64).unwrap();
                    let to = bytes.len().min(from + page);
                    file.write_all_at(&bytes[from..to], place).unwrap();
                    check();
                    from = to;
                }
            }
        }
    }
    assert!(checks > 500, "{checks}");
    let reader = RunReader::open(&path).unwrap();
    assert!(reader.complete());
    assert_eq!(reader.rows(), rows);
    assert_values(&reader, rows);
}

/// The end of the file according to its superblock; HDF5 refuses a file that is shorter.
fn end_of_file(path: &std::path::Path) -> u64 {
    let mut bytes = [0; 8];
    let file = File::open(path).unwrap();
    file.read_exact_at(&mut bytes, 28).unwrap();
    u64::from_le_bytes(bytes)
}

/// A full disk stops an append with a clear error; what is there stays, and once there is space
/// again nothing is missing.
#[test]
fn full_disk_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for trial in 0..40 {
        let tape = Tape::default();
        let mut writer = RunWriter::with_medium(tape.clone(), &channels(), &header()).unwrap();
        let mut seed = 100 + trial;
        let start = 60 * CHUNK_ROWS as u64;
        record(&mut writer, start, &mut seed, |_| ());

        // Anywhere, or, in the last trials, while the rows of the first block are being published.
        let one_block = 4 * (CHUNK_ROWS as u64 + 8) * 8;
        let space = match trial {
            0..36 => splitmix64(&mut seed) % 400_000,
            _ => one_block + splitmix64(&mut seed) % 1000,
        };
        *tape.space.borrow_mut() = Some(space);
        let mut block = RowBlock::new(CHANNELS.len(), CHUNK_ROWS);
        let mut row = start;
        let stopped = loop {
            while !push(&mut block, row) {
                row += 1;
            }
            row += 1;
            if let Err(error) = writer.append(&mut block) {
                break error;
            }
        };
        let RecorderError::Write { recorded, .. } = stopped else {
            panic!("{stopped}");
        };
        assert!(stopped.to_string().contains("free some space"), "{stopped}");
        assert_eq!(recorded, writer.rows());
        let path = folder.path().join("full.h5");
        replay(&tape, &path);
        let reader = RunReader::open(&path).unwrap();
        assert!(!reader.complete());
        assert!((recorded..=row).contains(&reader.rows()));
        assert_values(&reader, reader.rows());

        if trial % 2 == 0 {
            *tape.space.borrow_mut() = None;
            writer.append(&mut block).unwrap();
            assert_eq!(writer.rows(), row);
            record(&mut writer, row + 7000, &mut seed, |_| ());
        } else {
            row = recorded;
            *tape.space.borrow_mut() = None;
        }
        let rows = writer.finish().unwrap();
        replay(&tape, &path);
        let reader = RunReader::open(&path).unwrap();
        assert!(reader.complete() && reader.rows() == rows && rows >= row);
        assert_values(&reader, rows);
    }
}

fn replay(tape: &Tape, path: &std::path::Path) {
    let file = File::create(path).unwrap();
    for operation in tape.operations.borrow().iter() {
        match operation {
            Operation::Length(length) => file.set_len(*length).unwrap(),
            Operation::Write(at, bytes) => file.write_all_at(bytes, *at).unwrap(),
        }
    }
}

/// Long enough for an index of three levels (64 · 64 chunks and more).
#[test]
fn index_of_three_levels() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.h5");
    let channel = Channel::new("x", "m", Role::Response, "");
    let mut writer = RunWriter::create(&path, &[channel], &header()).unwrap();
    let mut block = RowBlock::new(1, CHUNK_ROWS);
    let rows = (64 * 64 + 64 + 3) * CHUNK_ROWS as u64 + 17;
    for row in 0..rows {
        if block.push(value(0, row), &[value(1, row)]) {
            writer.append(&mut block).unwrap();
        }
    }
    writer.append(&mut block).unwrap();
    assert_eq!(writer.finish().unwrap(), rows);
    let reader = RunReader::open(&path).unwrap();
    for (column, name) in ["time", "x"].iter().enumerate() {
        let values = reader.read(name).unwrap();
        assert_eq!(values.len() as u64, rows);
        let wrong = (0..)
            .zip(&values)
            .find(|&(row, got)| got.to_bits() != value(column, row).to_bits());
        assert_eq!(wrong, None);
    }
}

#[test]
fn header_and_channels_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.h5");
    let mut writer = RunWriter::create(&path, &channels(), &header()).unwrap();
    assert_eq!(RunReader::open(&path).unwrap().rows(), 0);
    record(&mut writer, 10, &mut 3, |_| ());
    writer.sync().unwrap();
    record(&mut writer, 15, &mut 3, |_| ());
    let reader = RunReader::open(&path).unwrap();
    assert_eq!((reader.rows(), reader.synced_rows()), (15, 10));
    assert!(!reader.complete());
    drop(writer);
    assert_eq!(reader.header(), &header());
    let first = reader.channels().next().unwrap();
    assert_eq!(first.description, "für den Test — ≤ 1 kN");
    assert_eq!((first.unit.as_str(), first.role), ("N", Role::Measured));
    assert!((first.rate_hz - 1024.0).abs() < f64::EPSILON);
    assert!(matches!(
        reader.read("nothing"),
        Err(RecorderError::NoChannel { .. })
    ));
    assert!(!folder.path().join("run.h5.part").exists());
}

#[test]
fn an_empty_run_is_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.h5");
    let writer = RunWriter::create(&path, &[], &header()).unwrap();
    assert_eq!(writer.finish().unwrap(), 0);
    let reader = RunReader::open(&path).unwrap();
    assert!(reader.complete());
    assert_eq!(reader.read("time").unwrap(), Vec::<f64>::new());
    assert_eq!(reader.channels().len(), 0);
}

/// Blocks of any capacity, larger or smaller than a chunk, give the same file contents.
#[test]
fn any_block_capacity() {
    let folder = tempfile::tempdir().unwrap();
    for capacity in [1, 7, 1000, CHUNK_ROWS, 5000] {
        let path = folder.path().join("run.h5");
        let mut writer = RunWriter::create(&path, &channels(), &header()).unwrap();
        let mut block = RowBlock::new(CHANNELS.len(), capacity);
        for row in 0..6000 {
            if push(&mut block, row) {
                writer.append(&mut block).unwrap();
            }
        }
        writer.append(&mut block).unwrap();
        assert_eq!(writer.finish().unwrap(), 6000);
        assert_values(&RunReader::open(&path).unwrap(), 6000);
    }
}

#[test]
fn refused_rows_are_told() {
    let mut writer = RunWriter::with_medium(Tape::default(), &channels(), &header()).unwrap();
    let mut block = RowBlock::new(CHANNELS.len(), 2);
    assert!(!push(&mut block, 0));
    assert!(push(&mut block, 1));
    assert!(push(&mut block, 2));
    assert!(!RowBlock::new(3, 2).push(0.0, &[1.0]));
    let refused = writer.append(&mut block);
    assert!(matches!(
        refused,
        Err(RecorderError::RowsRefused { rows: 1 })
    ));
    assert_eq!(writer.rows(), 2);
    let narrow = writer.append(&mut RowBlock::new(2, 2));
    assert!(matches!(
        narrow,
        Err(RecorderError::Width {
            expected: 3,
            got: 2
        })
    ));
}

#[test]
fn channel_names_are_checked() {
    let try_names = |names: &[&str]| {
        let channels: Vec<Channel> = names
            .iter()
            .map(|name| Channel::new(*name, "1", Role::Other, ""))
            .collect();
        RunWriter::with_medium(Tape::default(), &channels, &header()).map(|_| ())
    };
    assert!(try_names(&["a", "b/1", "b/2", "b/c/d", "time"]).is_ok());
    for bad in [
        "",
        "a/",
        "/a",
        "a//b",
        "a b",
        "ä",
        "a-b",
        ".",
        "..",
        &"x".repeat(64),
    ] {
        let result = try_names(&[bad]);
        assert!(
            matches!(result, Err(RecorderError::ChannelName { .. })),
            "{bad}"
        );
    }
    for twice in [["a", "a"], ["a", "a/b"], ["a/b/c", "a/b"]] {
        let result = try_names(&twice);
        assert!(matches!(
            result,
            Err(RecorderError::DuplicateChannel { .. })
        ));
    }
}
