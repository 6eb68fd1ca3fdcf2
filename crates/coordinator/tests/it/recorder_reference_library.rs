//! The reference HDF5 library reads run files, finished or not.

use std::cell::RefCell;
use std::io;
use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use tandem_coordinator::recorder::{
    CHUNK_ROWS, Channel, Header, Role, RowBlock, RunWriter, Storage,
};
use tandem_test_support::python;

const SCRIPT: &str = r#"
import sys, h5py, numpy as np
path, rows, complete = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with h5py.File(path, "r") as f:
    a = dict(f.attrs)
    assert a["format"] == "tandem-run-1" and a["tandem_version"] == "9.8.7", a
    assert a["plan"] == "Rahmen, zweistöckig" and a["created"] == "2031-02-03", a
    assert int(a["seed"]) == 2**64 - 1 and a["time_scale"] == 50.0 and a["rate_hz"] == 1024.0, a
    assert int(a["complete"]) == complete, a
    k = np.arange(rows, dtype=np.float64)
    assert f["time"].attrs["unit"] == "s" and f["time"].attrs["role"] == "time"
    columns = {"time": f["time"]}
    f["channels"].visititems(lambda n, o: columns.update({n: o}) if isinstance(o, h5py.Dataset) else None)
    order = sorted(columns, key=lambda n: int(columns[n].attrs["column"]))
    assert order == ["time"] + [f"target/{i}" for i in range(1, 31)] + ["measured_force/1"], order
    for i, name in enumerate(order):
        d = columns[name]
        assert d.dtype == np.dtype("<f8") and d.maxshape == (None,) and d.shape == (rows,), (name, d)
        assert (d[:] == k * 0.5 - 3.0 * i).all(), name
    assert columns["measured_force/1"].attrs["unit"] == "N"
    assert columns["measured_force/1"].attrs["description"] == "Kraft ≥ 0"
print(h5py.version.hdf5_version)
"#;

/// Replays a tape page by page and reads the file after each page, as if the writer were killed
/// there.
const REPLAY: &str = r#"
import sys, os, struct, h5py, numpy as np
tape, path = open(sys.argv[1], "rb").read(), sys.argv[2]
at, operations = 0, []
while at < len(tape):
    kind, place, size = struct.unpack_from("<BQQ", tape, at)
    at += 17
    operations.append((kind, place, tape[at:at + size]))
    at += size
promises = [(i, place) for i, (kind, place, _) in enumerate(operations) if kind == 2]
fd = os.open(path, os.O_CREAT | os.O_RDWR)
checks = 0
def check(i):
    global checks
    before = [rows for j, rows in promises if j < i]
    if not before:
        return
    after = next((rows for j, rows in promises if j >= i), before[-1])
    with h5py.File(path, "r") as f:
        rows = f["time"].shape[0]
        assert before[-1] <= rows <= after, (i, before[-1], rows, after)
        k = np.arange(rows, dtype=np.float64)
        for column, name in enumerate(["time", "channels/target/1", "channels/target/30", "channels/measured_force/1"]):
            number = [0, 1, 30, 31][column]
            d = f[name]
            assert d.shape[0] >= rows and (d[:rows] == k * 0.5 - 3.0 * number).all(), (i, name)
    checks += 1
for i, (kind, place, data) in enumerate(operations):
    if kind == 1:
        os.ftruncate(fd, place)
        check(i)
    elif kind == 0:
        while data:
            n = 4096 - place % 4096
            assert os.pwrite(fd, data[:n], place) == len(data[:n])
            place, data = place + n, data[n:]
            # Values alone change nothing that counts: reading after every 16th of their pages will do.
            if place < 100_000 or (place // 4096) % 16 == 0 or not data:
                check(i)
with h5py.File(path, "r") as f:
    assert int(f.attrs["complete"]) == 1 and f["time"].shape == (66_000,)
assert checks > 1000, checks
print(checks, "states read by HDF5", h5py.version.hdf5_version)
"#;

/// Operations as bytes: kind (0 write, 1 length, 2 rows promised), place, size, data.
#[derive(Clone, Default)]
struct Tape(Rc<RefCell<Vec<u8>>>);

impl Tape {
    fn add(&self, kind: u8, place: u64, data: &[u8]) {
        let mut tape = self.0.borrow_mut();
        tape.push(kind);
        tape.extend(place.to_le_bytes());
        tape.extend((data.len() as u64).to_le_bytes());
        tape.extend(data);
    }
}

impl Storage for Tape {
    fn write_at(&mut self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.add(0, at, bytes);
        Ok(())
    }

    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        self.add(1, bytes, &[]);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn record(path: &Path, rows: u64) -> RunWriter {
    let (channels, header) = described();
    let mut writer = RunWriter::create(path, &channels, &header).unwrap();
    fill(&mut writer, rows, |_| ());
    writer
}

fn described() -> (Vec<Channel>, Header) {
    let mut channels: Vec<Channel> = (1..=30)
        .map(|i| Channel::new(format!("target/{i}"), "m", Role::Target, "Soll"))
        .collect();
    channels.push(Channel::new(
        "measured_force/1",
        "N",
        Role::Measured,
        "Kraft ≥ 0",
    ));
    let header = Header {
        tandem_version: "9.8.7".into(),
        plan: "Rahmen, zweistöckig".into(),
        seed: u64::MAX,
        created: "2031-02-03".into(),
        time_scale: 50.0,
        rate_hz: 1024.0,
    };
    (channels, header)
}

fn fill<M: Storage>(writer: &mut RunWriter<M>, rows: u64, mut appended: impl FnMut(u64)) {
    let mut block = RowBlock::new(31, CHUNK_ROWS);
    for row in 0..rows {
        let value = |column: usize| row as f64 * 0.5 - 3.0 * column as f64;
        let values: [f64; 31] = std::array::from_fn(|i| value(i + 1));
        // Every now and then a block that is not full.
        if block.push(value(0), &values) || row % 9973 == 77 {
            writer.append(&mut block).unwrap();
            appended(writer.rows());
        }
    }
    writer.append(&mut block).unwrap();
    appended(writer.rows());
}

#[test]
fn h5py_reads_run_files() {
    let Some(python) = python(&["h5py"]) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.h5");
    let read = |rows: u64, complete: &str| {
        let output = Command::new(&python)
            .args(["-c", SCRIPT])
            .arg(&path)
            .args([&rows.to_string(), complete])
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{rows} rows: {words}");
        print!(
            "{rows} rows, complete {complete}: HDF5 {}",
            String::from_utf8_lossy(&output.stdout)
        );
    };
    // None, part of a chunk, whole chunks, a whole segment, an index of two levels.
    for rows in [0, 1000, 3 * 1024, 64 * 1024, 70_000] {
        let writer = record(&path, rows);
        read(rows, "0"); // while the writer has it open
        writer.finish().unwrap();
        read(rows, "1");
        drop(record(&path, rows));
        read(rows, "0"); // as a killed writer leaves it
    }
}

/// The reference library at every instant of a recording: after each page of each write that
/// publishes, grows or finishes the file.
#[test]
fn h5py_reads_after_every_write() {
    let Some(python) = python(&["h5py"]) else {
        return;
    };
    let tape = Tape::default();
    let (channels, header) = described();
    let mut writer = RunWriter::with_medium(tape.clone(), &channels, &header).unwrap();
    tape.add(2, 0, &[]);
    fill(&mut writer, 66_000, |rows| tape.add(2, rows, &[]));
    writer.finish().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let tape_path = folder.path().join("tape");
    std::fs::write(&tape_path, &*tape.0.borrow()).unwrap();
    let output = Command::new(python)
        .args(["-c", REPLAY])
        .arg(&tape_path)
        .arg(folder.path().join("run.h5"))
        .output()
        .unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words}");
    print!("{}", String::from_utf8_lossy(&output.stdout));
}
