//! Damaged files are refused or read, never a crash.

use super::common::header;
use std::fs;
use tandem_coordinator::recorder::{
    Channel, Details, Event, EventLog, Level, Role, RowBlock, RunReader, RunWriter, read_events,
};
use tandem_test_support::splitmix64;

fn next(seed: &mut u64) -> usize {
    usize::try_from(splitmix64(seed) >> 1).unwrap()
}

#[test]
fn damaged_run_files_never_crash_the_reader() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.h5");
    let channels = [
        Channel::new("target/1", "m", Role::Target, "a"),
        Channel::new("target/2", "m", Role::Target, "b"),
        Channel::new("energy", "J", Role::Monitor, "c"),
    ];
    let mut writer = RunWriter::create(&path, &channels, &header("damaged")).unwrap();
    let mut block = RowBlock::new(3, 512);
    for row in 0..600_u32 {
        if block.push(f64::from(row), &[1.0, 2.0, 3.0]) {
            writer.append(&mut block).unwrap();
        }
    }
    writer.append(&mut block).unwrap();
    writer.finish().unwrap();
    let sound = fs::read(&path).unwrap();
    // Superblock, headers, texts, groups and index come first; the values behind them damage
    // nothing.
    let metadata = sound.len() - 4 * 1032 * 8;

    let trials: usize = std::env::var("TANDEM_HOSTILE_TRIALS")
        .ok()
        .and_then(|trials| trials.parse().ok())
        .unwrap_or(200);
    let mut seed = 42;
    println!("seed {seed}, {trials} trials");
    let mut refused = 0;
    for trial in 0..trials {
        let mut bytes = sound.clone();
        if trial % 10 == 0 {
            bytes.truncate(next(&mut seed) % sound.len());
        } else {
            for _ in 0..=next(&mut seed) % 4 {
                let used: Vec<usize> = (0..metadata).filter(|&at| bytes[at] != 0).collect();
                let at = match next(&mut seed) % 2 {
                    0 => used[next(&mut seed) % used.len()],
                    _ => next(&mut seed) % metadata,
                };
                bytes[at] = match next(&mut seed) % 4 {
                    0 => 0xff,
                    1 => 0,
                    2 => bytes[at] ^ (1 << (next(&mut seed) % 8)),
                    _ => next(&mut seed).to_le_bytes()[0],
                };
            }
        }
        fs::write(&path, &bytes).unwrap();
        match RunReader::open(&path) {
            Err(_) => refused += 1,
            Ok(reader) => {
                for info in reader.columns() {
                    if let Ok(values) = reader.read(&info.name) {
                        assert_eq!(values.len() as u64, reader.rows());
                    }
                }
            }
        }
    }
    println!("{refused} refused");
    assert!(refused > trials / 10);
}

#[test]
fn other_files_are_refused_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.h5");
    let reason = |path| RunReader::open(path).unwrap_err().to_string();
    assert!(reason(&path).contains("cannot access"));
    fs::write(&path, b"").unwrap();
    assert!(reason(&path).contains("not a readable run file"));
    fs::write(&path, vec![7; 10_000]).unwrap();
    assert!(reason(&path).contains("not a readable run file"));
    let mut other = hdf5_pure::FileBuilder::new();
    other.create_dataset("time").with_f64_data(&[1.0]);
    other.write(&path).unwrap();
    assert!(reason(&path).contains("format"));
}

/// JSON has no word for what is no number: such a time is told as `null`, and the event is read.
#[test]
fn an_event_without_a_time_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.jsonl");
    let mut log = EventLog::open(&path).unwrap();
    for (time_s, wall_s) in [(f64::NAN, 1.0), (2.0, f64::INFINITY), (3.0, 3.0)] {
        let event = Event::new(0, time_s, wall_s, Level::Error, "limit.force", "x");
        log.log(&event).unwrap();
    }
    let (events, unreadable) = read_events(&path).unwrap();
    assert_eq!((events.len(), unreadable), (3, 0));
    assert!(events[0].time_s.is_nan() && events[1].wall_s.is_nan());
    let known = [
        events[0].wall_s,
        events[1].time_s,
        events[2].time_s,
        events[2].wall_s,
    ];
    assert_eq!(
        known.map(f64::to_bits),
        [1.0, 2.0, 3.0, 3.0].map(f64::to_bits)
    );
}

#[test]
fn event_log_survives_a_torn_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.jsonl");
    assert_eq!(read_events(&path).unwrap(), (vec![], 0));
    let event = |tick: u32| {
        let seconds = f64::from(tick) / 1024.0;
        Event::new(
            tick.into(),
            seconds,
            2.0 * seconds,
            Level::Warn,
            "limit.force",
            "Force above 80 % of the limit:\n\"0.9 kN\"",
        )
        .with(Details {
            value: Some(900.0),
            bound: Some(800.0),
            ..Details::default()
        })
    };
    let mut log = EventLog::open(&path).unwrap();
    for tick in 0..3 {
        log.log(&event(tick)).unwrap();
    }
    let whole = fs::read(&path).unwrap();
    assert_eq!(whole.iter().filter(|&&byte| byte == b'\n').count(), 3);
    let last_line = whole[..whole.len() - 1]
        .iter()
        .rposition(|&b| b == b'\n')
        .unwrap()
        + 1;
    for cut in last_line..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let (events, unreadable) = read_events(&path).unwrap();
        let torn = usize::from(cut > last_line && cut < whole.len() - 1);
        assert_eq!(
            (events.len(), unreadable),
            (if cut == whole.len() - 1 { 3 } else { 2 }, torn)
        );
        EventLog::open(&path).unwrap().log(&event(7)).unwrap();
        let (events, _) = read_events(&path).unwrap();
        assert_eq!(events.first(), Some(&event(0)));
        assert_eq!(events.last(), Some(&event(7)));
    }
    let first: serde_json::Value =
        serde_json::from_slice(whole.split(|&b| b == b'\n').next().unwrap()).unwrap();
    assert_eq!(first["level"], "warn");
    assert_eq!(first["bound"], 800.0);
}
