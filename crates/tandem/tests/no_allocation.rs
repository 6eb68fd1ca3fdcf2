//! The loop never allocates.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss
)]

use assert_no_alloc::{AllocDisabler, assert_no_alloc};
use tandem::assemble::assemble;
use tandem::plan::{self, Source, sections::ROOT};
use tandem_coordinator::realtime::{Settings, run_realtime, spread};
use tandem_coordinator::recorder::{Block, CHUNK_ROWS, EventLog, Header, RunWriter};
use tandem_coordinator::{Progress, Seams};

#[global_allocator]
static GUARD: AllocDisabler = AllocDisabler;

const QUICK_START: &str = include_str!("../../../examples/quick-start/plan.toml");

#[test]
fn ticks_do_not_allocate() {
    for method in tandem_integrator::METHODS
        .iter()
        .map(|entry| entry.method.name)
    {
        for compensator in tandem_transfer::compensator::METHODS
            .iter()
            .map(|entry| entry.method.name)
        {
            let mut overrides = vec![
                format!("integration.method={method}"),
                format!("compensator.method={compensator}"),
                "monitor.tracking_error.bound=1m".to_owned(),
            ];
            if compensator == "inverse-first-order" {
                overrides.push("compensator.time_constant=12ms".to_owned());
            }
            if compensator == "per-actuator" {
                overrides.push("compensator.actuator=[{method=\"ats\"}]".to_owned());
            }
            let source = Source::Text {
                name: "quick-start",
                text: QUICK_START,
            };
            let plan =
                plan::read(ROOT, source, &overrides).unwrap_or_else(|r| panic!("{}", r.to_text()));
            let mut test = assemble(&plan.values).unwrap();
            let mut hybrid = test.hybrid.take().unwrap();
            let mut block = Block::new(hybrid.channels().len(), CHUNK_ROWS);
            let progress = assert_no_alloc(|| {
                let mut progress = Progress::Running;
                for _ in 0..CHUNK_ROWS {
                    progress = hybrid.tick(&mut block);
                }
                progress
            });
            assert_eq!(progress, Progress::Running, "{method}, {compensator}");
        }
    }
}

/// A structure of another tool, loaded into this process: the way to it and back needs no memory.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn ticks_with_a_foreign_structure_do_not_allocate() {
    let fmu = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/fmi-foreign/oscillator.fmu"
    );
    for method in ["newmark-explicit", "osm", "newmark-iterated"] {
        let text = format!(
            "[excitation]\nrecord = \"el-centro-1940\"\n[structure]\nkind = \"fmu\"\nfmu = \"{fmu}\"\nin_process = true\ndisplacement = [\"x\"]\n\
             velocity = [\"s\"]\nforce = [\"f\"]\nground = \"g\"\n[interface]\ndof = [1]\n[integration]\nmethod = \"{method}\"\ndt = \"10 ms\"\n\
             [rig.specimen]\nstiffness = [\"4 kN/m\"]\n"
        );
        let source = Source::Text {
            name: "foreign",
            text: &text,
        };
        let plan = plan::read(ROOT, source, &[]).unwrap_or_else(|r| panic!("{}", r.to_text()));
        let mut test = assemble(&plan.values).unwrap();
        let mut hybrid = test.hybrid.take().unwrap();
        let mut block = Block::new(hybrid.channels().len(), CHUNK_ROWS);
        let progress = assert_no_alloc(|| {
            let mut progress = Progress::Running;
            for _ in 0..CHUNK_ROWS {
                progress = hybrid.tick(&mut block);
            }
            progress
        });
        assert_eq!(progress, Progress::Running, "{method}");
        assert!(hybrid.parts().guests().next().is_some());
    }
}

/// The whole real-time thread, from its first deadline to its last: loop, machine, gate, monitors, rings to the recorder.
/// Signals that are known beforehand: the actuators of a characterisation.
#[test]
fn a_characterisation_does_not_allocate() {
    let source = Source::Text {
        name: "pair",
        text: include_str!("../../../examples/characterise/pair.toml"),
    };
    let plan = plan::read(ROOT, source, &[]).unwrap_or_else(|r| panic!("{}", r.to_text()));
    let mut hybrid = assemble(&plan.values).unwrap().hybrid.unwrap();
    let mut block = Block::new(hybrid.channels().len(), CHUNK_ROWS);
    let progress = assert_no_alloc(|| {
        let mut progress = Progress::Running;
        for _ in 0..CHUNK_ROWS {
            progress = hybrid.tick(&mut block);
        }
        progress
    });
    assert_eq!(progress, Progress::Running);
}

#[test]
fn the_real_time_thread_does_not_allocate() {
    let overrides = [
        "integration.duration=0.05s",
        "limits.missed_deadlines=1000000",
        "compensator.method=ats",
        "monitor.tracking_error.bound=1m",
        "integration.time_scale=21",
        "command.method=last-predicted-displacement",
        "command.rate=1024Hz",
        "rig.rate=5120Hz",
    ];
    let overrides: Vec<String> = overrides.iter().map(|o| (*o).to_owned()).collect();
    let source = Source::Text {
        name: "quick-start",
        text: QUICK_START,
    };
    let plan = plan::read(ROOT, source, &overrides).unwrap_or_else(|r| panic!("{}", r.to_text()));
    let hybrid = assemble(&plan.values).unwrap().hybrid.take().unwrap();
    // Integration and servo have threads of their own here: a step of 21 ticks, a servo at five times the rate.
    let settings = Settings::default();
    let (mut hybrid, threads) = spread(hybrid, settings, |run| assert_no_alloc(run));
    let folder = tempfile::tempdir().unwrap();
    let header = Header {
        tandem_version: "0".into(),
        plan: "test".into(),
        seed: 1,
        created: String::new(),
        time_scale: 1.0,
        rate_hz: 1024.0,
    };
    let path = folder.path().join("run.h5");
    let mut writer = RunWriter::create(&path, &hybrid.channels(), &header).unwrap();
    let mut events = EventLog::open(&folder.path().join("events.jsonl")).unwrap();
    let mut seams = Seams {
        guard: |run| assert_no_alloc(run),
        ..Seams::default()
    };
    let (outcome, report) = run_realtime(
        &mut hybrid,
        Some(&mut writer),
        &mut events,
        &mut |_| {},
        &mut seams,
        settings,
        &threads,
    )
    .unwrap();
    assert_eq!(outcome.stop, None);
    assert!(report.compute.count() >= 512);
    let clocks = threads.stop(&mut hybrid);
    assert!(clocks.integration.unwrap().compute.count() >= 51);
    assert!(clocks.rig.unwrap().compute.count() >= 2560);
}
