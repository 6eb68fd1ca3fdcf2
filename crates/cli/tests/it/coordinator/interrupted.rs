//! A run that is killed at any moment leaves a folder that reports, replays, and misses a tenth of
//! a second at most.

use super::quick_start;
use crate::TANDEM;
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tandem_coordinator::realtime::{Settings, Threads, run_realtime};
use tandem_coordinator::recorder::{EventLog, Header, RunReader, RunWriter};
use tandem_coordinator::{RunControls, run_virtual, tap};
use tandem_test_support::json;

const FOLDER: &str = "TANDEM_TEST_KILLED_FOLDER";
const CLOCK: &str = "TANDEM_TEST_KILLED_CLOCK";
const RATE: f64 = 1024.0;

const CHILD: &str = "coordinator::interrupted::child_runs_until_killed";

/// What the killed process does: a long test at real time, while another thread notes in a file how
/// far it is.
#[test]
#[ignore = "no test, but the process that the next one starts and kills"]
fn child_runs_until_killed() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let folder = PathBuf::from(folder);
    let mut hybrid = quick_start(&["limits.missed_deadlines=1000000"]);
    let header = Header {
        tandem_version: "0".into(),
        plan: "killed".into(),
        seed: 1,
        created: String::new(),
        time_scale: 1.0,
        rate_hz: RATE,
    };
    let channels = hybrid.channels();
    let mut writer = RunWriter::create(&folder.join("run.h5"), channels, &header).unwrap();
    let mut events = EventLog::open(&folder.join("events.jsonl")).unwrap();
    let note = OpenOptions::new()
        .create_new(true)
        .write(true)
        .open(folder.join("ticks"))
        .unwrap();
    let (show, mut watch) = tap(channels.len(), 4096);
    let mut run_controls = RunControls {
        tap: Some(show),
        pace: Some(1.0),
        ..RunControls::default()
    };
    std::thread::spawn(move || {
        while !watch.is_over() {
            let mut last = None;
            while let Some(frame) = watch.next_row() {
                last = Some(frame.tick);
            }
            if let Some(tick) = last {
                note.write_all_at(&tick.to_le_bytes(), 0).unwrap();
            }
            std::thread::sleep(Duration::from_micros(500));
        }
    });
    let (hybrid, events, run_controls) = (&mut hybrid, &mut events, &mut run_controls);
    if std::env::var(CLOCK).is_ok() {
        let settings = Settings::default();
        run_realtime(
            hybrid,
            Some(&mut writer),
            events,
            &mut |_| {},
            run_controls,
            settings,
            &Threads::default(),
        )
        .unwrap();
    } else {
        run_virtual(hybrid, Some(&mut writer), events, &mut |_| {}, run_controls).unwrap();
    }
}

fn start(folder: &Path, clock: bool) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "--ignored", CHILD])
        .env(FOLDER, folder)
        .stdout(Stdio::null());
    if clock {
        command.env(CLOCK, "1");
    }
    command.spawn().unwrap()
}

fn ticks(folder: &Path) -> u64 {
    let bytes = std::fs::read(folder.join("ticks")).unwrap_or_default();
    bytes.try_into().map_or(0, u64::from_le_bytes)
}

/// Ten kills; `cargo xtask study kills` asks for more.
#[test]
fn killed_runs_miss_a_tenth_of_a_second_at_most() {
    let trials: u64 = std::env::var("TANDEM_TEST_KILLS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(6);
    let mut seed = 7_u64;
    let mut worst = 0.0_f64;
    let mut missing = Vec::new();
    for trial in 0..trials {
        // A linear congruential generator (Knuth, MMIX): the moment of the kill.
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let after = Duration::from_micros((seed >> 33) % 900_000);
        let folder = tempfile::tempdir().unwrap();
        let mut child = start(folder.path(), trial % 2 == 1);
        let begun = Instant::now();
        while ticks(folder.path()) == 0 {
            assert_eq!(child.try_wait().unwrap(), None, "the child ended by itself");
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "the child did not begin"
            );
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(after);
        child.kill().unwrap();
        child.wait().unwrap();
        let reached = ticks(folder.path());
        let run = RunReader::open(&folder.path().join("run.h5")).unwrap();
        assert!(!run.complete());
        for column in run.columns() {
            assert_eq!(run.read(&column.name).unwrap().len() as u64, run.rows());
        }
        let lost = reached.saturating_sub(run.rows()) as f64 / RATE;
        worst = worst.max(lost);
        missing.push(lost);
    }
    missing.sort_by(f64::total_cmp);
    println!(
        "{trials} runs killed: every file opens; missing {:.0} ms (median), {:.0} ms (worst)",
        missing[missing.len() / 2] * 1e3,
        worst * 1e3
    );
    // Where more tests than processors run at once, the thread that writes may not get its turn in
    // time.
    let bound = if trials > 20 { 0.1 } else { 0.5 };
    assert!(worst <= bound, "{worst} s are missing");
}

#[test]
fn a_killed_run_is_reported_and_says_where_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let words = "run --pace 1 --out run --set integration.duration=20s";
    let mut child = TANDEM
        .command(&words.split(' ').collect::<Vec<_>>())
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let rows = || RunReader::open(&folder.path().join("run/run.h5")).map_or(0, |run| run.rows());
    while rows() < 300 {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "nothing is recorded"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let summary = json(&TANDEM.run(&["report", "run", "--json"], folder.path()));
    assert_eq!(summary["outcome"], "stopped", "{summary}");
    let kept = std::fs::read_to_string(folder.path().join("run/summary.json")).unwrap();
    assert!(kept.contains("the record ends here"), "{kept}");
    let end = (rows() - 1) as f64 / RATE;
    assert!((summary["stopped_at_s"].as_f64().unwrap() - end).abs() < 1e-9);
    assert!(folder.path().join("run/report.html").exists());
    let replay = json(&TANDEM.run(&["replay", "run", "--json"], folder.path()));
    assert_eq!(replay["identical"], true);
}
