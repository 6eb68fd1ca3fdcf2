//! By the wall clock: the same loop, the same record, and the clock is reported.

use super::driver::Late;
use super::quick_start;
use crate::TANDEM;
use std::fs::File;
use std::io;
use std::time::{Duration, Instant};
use tandem_coordinator::realtime::{Settings, Threads, measure_latency, run_realtime, spread};
use tandem_coordinator::recorder::{EventLog, Header, RunReader, RunWriter, Storage};
use tandem_coordinator::{HybridLoop, RunControls};
use tandem_quantity::snapshot;
use tandem_test_support::plans::QUICK_START;
use tandem_test_support::{done, example, json};
use tandem_transfer::rig::{Released, Rig, forward_rig};

#[test]
fn a_test_by_the_clock_gives_the_bits_of_stepped_time() {
    let folder = tempfile::tempdir().unwrap();
    let plan = example("quick-start/plan.toml");
    let plan = plan.to_str().unwrap();
    // A loaded machine misses deadlines; what is tested here is the record.
    let settings = [
        "--set",
        "integration.duration=2s",
        "--set",
        "limits.missed_deadlines=1000000",
    ];
    let mut arguments = vec!["run", plan, "--json", "--out", "clock", "--realtime"];
    arguments.extend(settings);
    let output = TANDEM.run(&arguments, folder.path());
    let said = done(&output);
    let summary = json(&output);
    let timing = &summary["timing"];
    assert!((timing["period_us"].as_f64().unwrap() - 976.5625).abs() < 1e-6);
    for what in ["compute_us", "latency_us"] {
        for key in ["p50", "p99", "p9999", "max"] {
            assert!(
                timing[what][key].as_f64().unwrap() > 0.0,
                "{what} {key}: {timing}"
            );
        }
    }
    assert!(timing["missed"].is_u64());
    // Where real-time rights are missing, the test says so on standard error.
    assert_eq!(
        timing["real_time"] == true,
        !said.contains("not in real time"),
        "{said}"
    );
    assert!(summary["wall_s"].as_f64().unwrap() >= 1.9);

    let mut arguments = vec!["run", plan, "--json", "--out", "stepped"];
    arguments.extend(settings);
    done(&TANDEM.run(&arguments, folder.path()));
    let open = |name: &str| RunReader::open(&folder.path().join(name).join("run.h5")).unwrap();
    let (clock, stepped) = (open("clock"), open("stepped"));
    assert_eq!(clock.rows(), stepped.rows());
    for channel in stepped.columns() {
        let bits = |run: &RunReader| -> Vec<u64> {
            run.read(&channel.name)
                .unwrap()
                .into_iter()
                .map(f64::to_bits)
                .collect()
        };
        assert_eq!(bits(&clock), bits(&stepped), "{}", channel.name);
    }
}

/// Integration, coordinator and servo each in a thread of its own, at its own rate: the response is
/// that of stepped time but for the timing of the machine, all three clocks are reported, and the
/// replay is the same to the bit.
#[test]
fn integration_and_servo_have_threads_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let plan = example("quick-start/plan.toml");
    let plan = plan.to_str().unwrap();
    let settings = [
        "integration.duration=1s",
        "integration.time_scale=5",
        "integration.dt=4ms",
        "command.method=last-predicted-displacement",
        "command.rate=1000Hz",
        "rig.rate=5kHz",
        // A loaded machine wakes threads late; what is tested here is who does what.
        "limits={ stroke = \"50 mm\", missed_deadlines = 1000000 }",
    ];
    let run = |name: &str, more: &[&str]| {
        let mut arguments = vec!["run", plan, "--json", "--out", name];
        arguments.extend_from_slice(more);
        for setting in &settings {
            arguments.extend(["--set", setting]);
        }
        let output = TANDEM.run(&arguments, folder.path());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let summary = json(&output);
        assert_eq!(output.status.code(), Some(0), "{said}{}", summary["reason"]);
        summary
    };
    let (clock, stepped) = (run("clock", &["--realtime"]), run("stepped", &[]));
    let timing = &clock["timing"];
    // A question a step, and the rig five times as often as the coordinator, whose test lasts five
    // seconds.
    assert_eq!(timing["integration"]["questions"], 250, "{timing}");
    assert!((timing["rig"]["period_us"].as_f64().unwrap() - 200.0).abs() < 1e-9);
    assert!(
        timing["rig"]["ticks"].as_u64().unwrap() > 24_000,
        "{timing}"
    );
    for channel in ["response_displacement/3", "measured_force/1"] {
        let peak =
            |summary: &serde_json::Value| summary["response"][channel]["peak"].as_f64().unwrap();
        let (clock, stepped) = (peak(&clock), peak(&stepped));
        assert!(
            (clock / stepped - 1.0).abs() < 0.05,
            "{channel}: {clock} for {stepped}"
        );
    }
    // The response is compared where it belongs, though it stands in the record some ticks later.
    let error =
        |summary: &serde_json::Value| summary["reference"]["global_percent"].as_f64().unwrap();
    let (by_clock, by_step) = (error(&clock), error(&stepped));
    assert!(
        (by_clock - by_step).abs() < 0.5,
        "{by_clock} % for {by_step} %"
    );
    let output = TANDEM.run(&["replay", "clock", "--json"], folder.path());
    assert_eq!(json(&output)["identical"], true, "{}", json(&output));

    // One thread for all, where the plan says so.
    let mut arguments = vec!["run", plan, "--json", "--out", "one", "--realtime"];
    let last = ["coordinator.threads=false", "integration.duration=0.1s"];
    for setting in settings.iter().chain(&last) {
        arguments.extend(["--set", setting]);
    }
    let summary = json(&TANDEM.run(&arguments, folder.path()));
    assert!(summary["timing"]["rig"].is_null() && summary["timing"]["integration"].is_null());
}

/// A rig that naps over every command.
struct Nap(Box<dyn Rig>, Duration);

snapshot!(Nap {});

impl Rig for Nap {
    forward_rig!(0: properties, read, free_run, status, observe);

    fn write(&mut self, command: Released<'_>) {
        std::thread::sleep(self.1);
        self.0.write(command);
    }
}

/// Deadlines are counted, told and acted on as the plan says, whichever thread misses them, be it
/// by its own computation.
#[test]
fn deadlines_of_every_thread_count() {
    // Only one thread beside the loop's in each case: all count together, and a loaded machine lets
    // a rig that ticks every 0.2 ms miss dozens by itself. Two ticks a step leave the integration
    // with the loop, whose own computation then lasts beyond its deadlines.
    let cases = [
        ("rig", "rig.rate=5120Hz", "integration.time_scale=2"),
        (
            "integration",
            "rig.rate=1024Hz",
            "integration.time_scale=21",
        ),
        ("coordinator", "rig.rate=1024Hz", "integration.time_scale=2"),
    ];
    for (whose, rig, time_scale) in cases {
        let overrides = [
            "integration.duration=1s",
            time_scale,
            "command.method=last-predicted-displacement",
            "command.rate=1024Hz",
            rig,
            "limits={ missed_deadlines = 20 }",
            "monitor={}",
        ];
        let hybrid = quick_start(&overrides).with_parts(|mut parts| {
            if whose == "rig" {
                parts.rig = Box::new(Nap(parts.rig, Duration::from_millis(2)));
            } else {
                parts.integrator = Box::new(Late {
                    inner: parts.integrator,
                    delay: |_| 0,
                    polls: 0,
                    // The way to a target lasts 20.5 ms, or 2 ms.
                    nap: Duration::from_millis(25),
                });
            }
            parts
        });
        let settings = Settings::default();
        let (mut hybrid, threads) = spread(hybrid, settings, |run| run());
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("events.jsonl");
        let (outcome, report) = run_realtime::<File>(
            &mut hybrid,
            None,
            &mut EventLog::open(&log).unwrap(),
            &mut |_| {},
            &mut RunControls::default(),
            settings,
            &threads,
        )
        .unwrap();
        let clocks = threads.stop();
        let stop = outcome.stop.map(|stop| stop.name());
        assert_eq!(stop, Some("missed_deadlines"), "{whose}: {outcome:?}");
        if !report.refused.is_empty() {
            // Without the rights for it there is one thread, whose deadlines are the loop's.
            continue;
        }
        let missed = match whose {
            "rig" => clocks.rig.as_ref().unwrap().missed,
            "integration" => clocks.integration.as_ref().unwrap().missed,
            _ => report.missed,
        };
        assert!(missed >= 5, "{report:?} {clocks:?}");
        let events = std::fs::read_to_string(&log).unwrap();
        let told = events.lines().filter(|line| line.contains("timing.missed"));
        let of_it = format!("\"thread\":\"{whose}\"");
        assert!(
            told.filter(|line| line.contains(&of_it)).count() >= 3,
            "{events}"
        );
    }
}

/// Who runs where changes no channel: a screen that was made for the one shows the other.
#[test]
fn threads_leave_the_channels_as_they_are() {
    let hybrid = quick_start(&[
        "integration={ method = \"osm-us\", dt = \"0.9765625 ms\", time_scale = 25, \
         duration = \"40 ms\" }",
        "command.method=last-predicted-displacement",
        "command.rate=1024Hz",
        "rig.rate=5120Hz",
        "limits={}",
        "monitor={}",
    ]);
    let names = |hybrid: &HybridLoop| -> Vec<String> {
        hybrid.channels().iter().map(|c| c.name.clone()).collect()
    };
    let before = names(&hybrid);
    assert!(
        before.contains(&"true_stiffness/1".to_owned()),
        "{before:?}"
    );
    let (hybrid, threads) = spread(hybrid, Settings::default(), |run| run());
    assert_eq!(names(&hybrid), before);
    // What the model in its thread knows of the specimen comes over.
    let mut known = [0.0];
    assert!(hybrid.parts().rig.observe().tangent(&mut known));
    assert!((known[0] - 1.2e6).abs() < 1.0, "{known:?}");
    threads.stop();
}

/// A scripted fault leaves the rig its thread, and strikes by the clock of the test.
#[test]
fn faults_strike_a_rig_in_its_thread() {
    let folder = tempfile::tempdir().unwrap();
    for (kind, by) in [
        ("emergency-chain", "emergency_chain"),
        ("link-stalls", "stale_feedback"),
        ("force-nan", "not-finite"),
    ] {
        let text =
            QUICK_START.to_owned() + &format!("\n[[faults]]\nkind = \"{kind}\"\nat = \"0.5 s\"\n");
        let more = [
            "--realtime",
            "--set",
            "rig.rate=5120Hz",
            "--set",
            "limits.missed_deadlines=1000000",
            "--set",
            "integration.duration=2s",
        ];
        let summary = json(&TANDEM.run_plan(folder.path(), kind, &text, &more));
        assert_eq!(summary["stopped_by"], by, "{summary}");
        let at = summary["stopped_at_s"].as_f64().unwrap();
        assert!((0.499..0.52).contains(&at), "{kind} at {at} s");
        if summary["timing"]["real_time"] == true {
            assert!(
                summary["timing"]["rig"]["ticks"].as_u64().unwrap() > 2000,
                "{summary}"
            );
        }
        let replay = TANDEM.run(&["replay", kind, "--json"], folder.path());
        assert_eq!(json(&replay)["identical"], true, "{:?}", json(&replay));
    }
}

#[test]
fn the_machine_is_looked_at() {
    let output = TANDEM.says(&["check", "--rt", "--json", "--seconds", "0.5"]);
    done(&output);
    let value = json(&output);
    assert!(value["wakeups"].as_u64().unwrap() > 10);
    let counted: u64 = value["histogram"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["count"].as_u64().unwrap())
        .sum();
    assert_eq!(counted, value["wakeups"].as_u64().unwrap());
    assert!(
        value["latency_us"]["p99"].as_f64().unwrap()
            >= value["latency_us"]["p50"].as_f64().unwrap()
    );
    let latency = measure_latency(
        Duration::from_millis(2),
        Duration::from_millis(100),
        Settings::default(),
    );
    assert!(latency.histogram.count() > 0);
}

/// A disk that stalls once, or is full from some write on.
struct Disk {
    file: File,
    writes: u64,
    stall_at: u64,
    full_at: u64,
}

impl Storage for Disk {
    fn write_at(&mut self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.writes += 1;
        if self.writes == self.stall_at {
            std::thread::sleep(Duration::from_millis(1200));
        }
        if self.writes >= self.full_at {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        Storage::write_at(&mut self.file, bytes, at)
    }
    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        Storage::set_len(&mut self.file, bytes)
    }
    fn sync(&mut self) -> io::Result<()> {
        Storage::sync(&mut self.file)
    }
}

/// Runs three seconds by the clock on such a disk; the result, the rows of the file, those that
/// were lost, and the wall time.
fn run_on(stall_at: u64, full_at: u64) -> (Result<u64, String>, u64, u64, Duration) {
    let folder = tempfile::tempdir().unwrap();
    let mut hybrid = quick_start(&["integration.duration=3s", "limits.missed_deadlines=1000000"]);
    let path = folder.path().join("run.h5");
    let disk = Disk {
        file: File::create(&path).unwrap(),
        writes: 0,
        stall_at,
        full_at,
    };
    let header = Header {
        tandem_version: "0".into(),
        plan: "test".into(),
        seed: 1,
        created: String::new(),
        time_scale: 1.0,
        rate_hz: 1024.0,
    };
    let mut writer = RunWriter::with_medium(disk, hybrid.channels(), &header).unwrap();
    let mut events = EventLog::open(&folder.path().join("events.jsonl")).unwrap();
    let start = Instant::now();
    let mut run_controls = RunControls::default();
    let result = run_realtime(
        &mut hybrid,
        Some(&mut writer),
        &mut events,
        &mut |_| {},
        &mut run_controls,
        Settings::default(),
        &Threads::default(),
    );
    let time = start.elapsed();
    drop(writer);
    let rows = RunReader::open(&path).unwrap().rows();
    // What the screen shows is what is in the file.
    assert_eq!(run_controls.recording.rows(), rows);
    let lost = run_controls.recording.lost();
    let result = result.map(|(outcome, _)| outcome.ticks);
    (result.map_err(|error| error.to_string()), rows, lost, time)
}

#[test]
fn a_disk_that_stalls_for_a_second_loses_nothing() {
    let (ticks, rows, lost, _) = run_on(100, u64::MAX);
    let ticks = ticks.unwrap();
    assert_eq!((rows, lost), (ticks, 0));
    assert!(ticks >= 3072);
}

#[test]
fn a_full_disk_stops_the_test_and_says_so() {
    let (result, rows, lost, time) = run_on(u64::MAX, 300);
    let message = result.unwrap_err();
    assert!(message.contains("free some space"), "{message}");
    // What was recorded before is there, and the test did not go on without a record.
    assert!(rows > 0 && rows < 3000, "{rows}");
    assert!(lost > 0 && lost < 1000, "{lost}");
    assert!(time < Duration::from_millis(2900), "{time:?}");
}
