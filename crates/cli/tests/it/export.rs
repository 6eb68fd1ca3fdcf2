//! All formats hold the same bits, for our own readers and for those of others.

use std::path::Path;
use std::process::Command;

use tandem::export::{ExportError, FORMATS, Format, export};
use tandem_coordinator::recorder::{
    CHUNK_ROWS, Channel, Header, RUN_FILE, Role, RowBlock, RunReader, RunWriter,
};
use tandem_test_support::{python, skip_part};

/// Values that are easily lost on the way through a text.
const AWKWARD: [f64; 12] = [
    0.1,
    -0.0,
    1.0 / 3.0,
    f64::MIN_POSITIVE,
    5e-324,
    f64::MAX,
    -f64::EPSILON,
    123_456_789.123_456_79,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    9_007_199_254_740_993.0,
];

fn value(column: usize, row: u64) -> f64 {
    let i = usize::try_from(row).unwrap() + column;
    match i % 17 {
        small @ 0..12 => AWKWARD[small],
        _ => (row as f64 * 1e-3 + column as f64).sin(),
    }
}

fn record(folder: &Path, rows: u64) {
    let channels = [
        Channel::new("target/1", "m", Role::Target, "Soll, \"1\""),
        Channel::new("measured_force/1", "N", Role::Measured, "≥ 0"),
        Channel::new("end", "1", Role::Other, ""),
        Channel::new("2nd/mode", "m/s^2", Role::Response, ""),
    ];
    let header = Header {
        tandem_version: "0.1.0".into(),
        plan: "Rahmen".into(),
        seed: 7,
        created: "2031-02-03".into(),
        time_scale: 1.0,
        rate_hz: 1000.0,
    };
    let mut writer = RunWriter::create(&folder.join(RUN_FILE), &channels, &header).unwrap();
    let mut block = RowBlock::new(channels.len(), CHUNK_ROWS);
    for row in 0..rows {
        let values: [f64; 4] = std::array::from_fn(|i| value(i + 1, row));
        if block.push(value(0, row), &values) {
            writer.append(&mut block).unwrap();
        }
    }
    writer.append(&mut block).unwrap();
    writer.finish().unwrap();
}

/// Bits of a value, all NaN alike.
fn bits(value: f64) -> u64 {
    if value.is_nan() {
        u64::MAX
    } else {
        value.to_bits()
    }
}

#[test]
fn csv_reads_back_bit_by_bit() {
    let folder = tempfile::tempdir().unwrap();
    let rows = 70_000; // more than one window
    let csv = Format::named("csv").unwrap();
    record(folder.path(), rows);
    let path = export(folder.path(), csv, None).unwrap();
    assert_eq!(path, folder.path().join("run.csv"));
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines = text.lines();
    assert_eq!(
        lines.next(),
        Some("time [s],target/1 [m],measured_force/1 [N],end [1],2nd/mode [m/s^2]")
    );
    let mut row = 0;
    for line in lines {
        let numbers: Vec<u64> = line.split(',').map(|n| bits(n.parse().unwrap())).collect();
        let expected: Vec<u64> = (0..5).map(|column| bits(value(column, row))).collect();
        assert_eq!(numbers, expected, "row {row}: {line}");
        row += 1;
    }
    assert_eq!(row, rows);
}

#[test]
fn failures_leave_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let csv = Format::named("csv").unwrap();
    let missing = export(folder.path(), csv, None);
    assert!(matches!(missing, Err(ExportError::Run(_))));
    record(folder.path(), 10);
    let nowhere = folder.path().join("no/such/folder/run.csv");
    for format in FORMATS {
        let result = export(folder.path(), format, Some(&nowhere));
        assert!(result.is_err());
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// What the script says where MATLAB's format is read by h5py alone.
const WITHOUT_MAT73: &str = "mat73 is not installed";

/// h5py on the run file is the judge; numpy, mat73 and pyarrow read the exports.
const SCRIPT: &str = r#"
import sys, os, csv, h5py, numpy as np, pyarrow.parquet as pq
folder = sys.argv[1]
names = ["time", "target/1", "measured_force/1", "end", "2nd/mode"]
variables = ["time", "target_1", "measured_force_1", "x_end", "x_2nd_mode"]
units = ["s", "m", "N", "1", "m/s^2"]
def bits(a):
    a = np.asarray(a, dtype=np.float64).reshape(-1)
    return np.where(np.isnan(a), np.uint64(2**64 - 1), a.view(np.uint64))
with h5py.File(f"{folder}/run.h5", "r") as f:
    run = [bits((f if n == "time" else f["channels"])[n][:]) for n in names]
rows = len(run[0])
with open(f"{folder}/run.csv", newline="") as f:
    lines = list(csv.reader(f))
assert lines[0] == [f"{n} [{u}]" for n, u in zip(names, units)], lines[0]
assert len(lines) == rows + 1
for i, column in enumerate(run):
    assert (bits([float(l[i]) for l in lines[1:]]) == column).all(), ("csv", names[i])
table = pq.read_table(f"{folder}/run.parquet")
assert table.column_names == names and table.num_rows == rows
meta = table.schema.metadata or pq.read_metadata(f"{folder}/run.parquet").metadata
assert meta[b"unit:measured_force/1"] == b"N" and meta[b"plan"] == b"Rahmen", meta
for name, column in zip(names, run):
    assert (bits(table[name].to_numpy()) == column).all(), ("parquet", name)
with open(f"{folder}/run.mat", "rb") as f:
    assert f.read(19) == b"MATLAB 7.3 MAT-file"
    f.seek(124); assert f.read(4) == b"\x00\x02IM"
with h5py.File(f"{folder}/run.mat", "r") as f:
    for v, column in zip(variables, run):
        assert f[v].attrs["MATLAB_class"] == b"double", v
        if rows:
            assert f[v].shape == (1, rows)  # n x 1 in MATLAB, whose arrays lie the other way round
            assert (bits(f[v][:]) == column).all(), ("mat", v)
try:
    import mat73
except ImportError:
    print("mat73 is not installed")
else:
    mat = mat73.loadmat(f"{folder}/run.mat")
    for v, column in zip(variables, run):
        got = mat[v] if rows else []
        assert (bits(got if got is not None else []) == column).all(), ("mat73", v)
    assert mat["tandem_plan"] == "Rahmen"
    assert mat["tandem_channels"].splitlines()[1] == 'target_1\ttarget/1\tm\tSoll, "1"', mat["tandem_channels"]
print(rows, "rows: all formats hold the same bits")
"#;

#[test]
fn other_programs_read_the_same_bits() {
    let Some(python) = python(&["h5py", "numpy", "pyarrow"]) else {
        return;
    };
    let mut with_mat73 = true;
    for rows in [0, 1, 5000, 140_000] {
        let folder = tempfile::tempdir().unwrap();
        record(folder.path(), rows);
        for format in FORMATS {
            export(folder.path(), format, None).unwrap();
        }
        let output = Command::new(&python)
            .args(["-c", SCRIPT])
            .arg(folder.path())
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{rows} rows: {words}");
        let said = String::from_utf8_lossy(&output.stdout);
        print!("{said}");
        with_mat73 &= !said.contains(WITHOUT_MAT73);
        let run = RunReader::open(&folder.path().join(RUN_FILE)).unwrap();
        assert_eq!(run.rows(), rows);
    }
    if !with_mat73 {
        skip_part("a reader of MATLAB's format", WITHOUT_MAT73);
    }
}
