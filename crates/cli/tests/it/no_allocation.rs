//! The loop never allocates.

use assert_no_alloc::assert_no_alloc;
use tandem_coordinator::realtime::{Settings, run_realtime, spread};
use tandem_coordinator::recorder::{CHUNK_ROWS, EventLog, Header, RowBlock, RunWriter};
use tandem_coordinator::{HybridLoop, Progress, RunControls};
use tandem_test_support::plans::{self, AS_WRITTEN, QUICK_START};

/// Many ticks of a loop whose test goes on after them.
fn ticks(hybrid: &mut HybridLoop, what: &str) {
    let mut block = RowBlock::new(hybrid.channels().len(), CHUNK_ROWS);
    let rehearsal = hybrid.rehearsal().unwrap();
    let progress = assert_no_alloc(|| {
        let mut progress = Progress::Running;
        for _ in 0..CHUNK_ROWS {
            progress = hybrid.tick(&rehearsal.permit(), &mut block);
        }
        progress
    });
    assert_eq!(progress, Progress::Running, "{what}");
}

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
            let mut hybrid = plans::hybrid(QUICK_START, &overrides);
            ticks(&mut hybrid, &format!("{method}, {compensator}"));
        }
    }
}

/// A structure of another tool, loaded into this process: the way to it and back needs no memory.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn ticks_with_a_foreign_structure_do_not_allocate() {
    let fmu = tandem_test_support::example("fmi-foreign/oscillator.fmu");
    for method in ["newmark-explicit", "osm", "newmark-iterated"] {
        let text = format!(
            "[excitation]\nrecord = \"el-centro-1940\"\n[structure]\nkind = \"fmu\"\n\
            fmu = {fmu:?}\nin_process = true\ndisplacement = [\"x\"]\n\
             velocity = [\"s\"]\nforce = [\"f\"]\nground = \"g\"\n[interface]\ndof = [1]\n\
             [integration]\nmethod = \"{method}\"\ndt = \"10 ms\"\n\
             [rig.specimen]\nstiffness = [\"4 kN/m\"]\n"
        );
        let mut hybrid = plans::hybrid(&text, AS_WRITTEN);
        ticks(&mut hybrid, method);
        assert!(hybrid.parts().external_models().next().is_some());
    }
}

/// Signals that are known beforehand: the actuators of a characterisation.
#[test]
fn a_characterisation_does_not_allocate() {
    let text = include_str!("../../../../examples/characterise/pair.toml");
    ticks(&mut plans::hybrid(text, AS_WRITTEN), "pair");
}

/// The whole real-time thread, from its first deadline to its last: loop, machine, gate, monitors,
/// rings to the recorder.
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
    let hybrid = plans::hybrid(QUICK_START, &overrides);
    // Integration and servo have threads of their own here: a step of 21 ticks, a servo at five
    // times the rate.
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
    let mut writer = RunWriter::create(&path, hybrid.channels(), &header).unwrap();
    let mut events = EventLog::open(&folder.path().join("events.jsonl")).unwrap();
    let mut run_controls = RunControls {
        guard: |run| assert_no_alloc(run),
        ..RunControls::default()
    };
    let (outcome, report) = run_realtime(
        &mut hybrid,
        Some(&mut writer),
        &mut events,
        &mut |_| {},
        &mut run_controls,
        settings,
        &threads,
    )
    .unwrap();
    assert_eq!(outcome.stop, None);
    assert!(report.compute.count() >= 512);
    let clocks = threads.stop();
    assert!(clocks.integration.unwrap().compute.count() >= 51);
    assert!(clocks.rig.unwrap().compute.count() >= 2560);
}
