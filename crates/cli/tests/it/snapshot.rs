//! A loop that was saved and restored goes on bit for bit, and a plan with the same seed gives the
//! same bits.

use tandem_coordinator::drill::with_faults;
use tandem_coordinator::fault::{Fault, FaultKind};
use tandem_coordinator::recorder::RowBlock;
use tandem_coordinator::{HybridLoop, Progress};
use tandem_monitor::{Figure, Monitor, Observation, Verdict};
use tandem_quantity::{Entry, Snapshot, StateReader, snapshot};
use tandem_test_support::plans::{self, QUICK_START};
use tandem_test_support::{example, splitmix64};

/// A tick, as often as the clock has to wait in it: how it ended, and its row.
fn tick(hybrid: &mut HybridLoop, block: &mut RowBlock) -> (Progress, Vec<u64>) {
    let rehearsal = hybrid.rehearsal().unwrap();
    loop {
        block.clear();
        let progress = hybrid.tick(&rehearsal.permit(), block);
        if progress != Progress::Awaiting {
            let row = hybrid.row().iter().map(|value| value.to_bits());
            return (progress, row.collect());
        }
    }
}

fn go(hybrid: &mut HybridLoop, ticks: usize) {
    let mut block = RowBlock::new(hybrid.channels().len(), 1);
    for _ in 0..ticks {
        tick(hybrid, &mut block);
    }
}

fn saved(hybrid: &HybridLoop) -> Vec<f64> {
    let mut words = Vec::new();
    hybrid.save(&mut words);
    words
}

fn bits(words: &[f64]) -> Vec<u64> {
    words.iter().map(|word| word.to_bits()).collect()
}

/// Saves a loop where it stands, and lets another one that was restored from there go on beside it:
/// every channel of every tick is the same, and so is the state in the end.
pub fn goes_on(straight: &mut HybridLoop, mut other: HybridLoop, ticks: usize, what: &str) {
    let words = saved(straight);
    // It has been elsewhere: nothing of that may stay.
    go(&mut other, 123);
    let mut reader = StateReader::new(&words);
    other.restore(&mut reader).unwrap();
    assert_eq!(reader.remaining(), 0, "{what}: words left over");
    assert_eq!(bits(&saved(&other)), bits(&words), "{what}: another state");
    assert_eq!(other.lateness(), straight.lateness(), "{what}");

    let from = straight.ticks();
    let names: Vec<String> = straight.channels().iter().map(|c| c.name.clone()).collect();
    let mut block = RowBlock::new(names.len(), 1);
    for _ in 0..ticks {
        let (progress, row) = tick(straight, &mut block);
        let (went, found) = tick(&mut other, &mut block);
        let apart = names
            .iter()
            .enumerate()
            .filter(|(i, _)| row[*i] != found[*i]);
        let apart: Vec<&String> = apart.map(|(_, name)| name).collect();
        let at = straight.ticks() - 1;
        // As text: a value that is no number equals nothing.
        let (went, wanted) = (format!("{went:?}"), format!("{progress:?}"));
        assert_eq!(went, wanted, "{what}: saved at {from}, tick {at}");
        assert!(
            apart.is_empty(),
            "{what}: saved at {from}, apart at {at}: {apart:?}"
        );
        if progress == Progress::Complete {
            break;
        }
    }
    let same = bits(&saved(straight)) == bits(&saved(&other));
    assert!(same, "{what}: saved at {from}, another state in the end");
}

/// Saves a loop at its beginning, and at two ticks that follow from its name: anywhere in a step.
fn is_saved(build: impl Fn() -> HybridLoop, ticks: usize, what: &str) {
    let mut straight = build();
    goes_on(&mut straight, build(), ticks / 4, what);
    let mut seed = what
        .bytes()
        .fold(0, |hash, byte| 31 * (hash % (1 << 50)) + u64::from(byte));
    for rest in [ticks / 4, ticks] {
        let ahead = splitmix64(&mut seed) % 700;
        go(&mut straight, usize::try_from(ahead).unwrap());
        goes_on(&mut straight, build(), rest, what);
    }
}

/// One tick a step, and 27.148.
const REAL_TIME: &[&str] = &[];
const SLOW: &[&str] = &[
    "integration.time_scale=27.8",
    "command.method=last-predicted-displacement",
    "command.rate=1kHz",
];

fn quick_start(pace: &[&str], overrides: &[&str]) {
    let set = [pace, overrides].concat();
    let build = || plans::hybrid(QUICK_START, &set);
    is_saved(build, 2000, &format!("{set:?}"));
}

/// Every method in one place of the plan, at both paces; `more` are the keys that a method cannot
/// do without.
fn every<B>(place: &str, key: &str, methods: &[Entry<B>], more: fn(&str) -> &'static str) {
    for entry in methods {
        let name = entry.method.name;
        let more = more(name);
        let set = format!("{place}={{{key}=\"{name}\"{more}}}");
        quick_start(REAL_TIME, &[&set]);
        quick_start(SLOW, &[&set]);
    }
}

#[test]
fn a_restored_loop_goes_on_bit_for_bit() {
    for entry in tandem_integrator::METHODS {
        let set = format!("integration.method={}", entry.method.name);
        quick_start(REAL_TIME, &[&set]);
        // A method that gives the motion of the instant has one tick a step.
        let hybrid = plans::hybrid(QUICK_START, &[&set]);
        if hybrid.parts().integrator.properties().looks_ahead {
            quick_start(SLOW, &[&set]);
        }
    }
}

#[test]
fn commands_and_what_is_done_about_delay_are_saved() {
    for entry in tandem_transfer::command::METHODS {
        match entry.method.name {
            // It has no way to go: one tick a step.
            "direct" => quick_start(REAL_TIME, &["command.method=direct"]),
            name => quick_start(SLOW, &[&format!("command.method={name}")]),
        }
    }
    let late = ["command.answer_time=40 ms", "command.answer_jitter=10 ms"];
    quick_start(SLOW, &late);
    let methods = tandem_transfer::compensator::METHODS;
    every("compensator", "method", methods, |name| match name {
        "polynomial" => ",delay=\"11.5 ms\"",
        "inverse-first-order" => ",time_constant=\"12 ms\"",
        "per-actuator" => ",actuator=[{method=\"ats\"}]",
        _ => "",
    });
}

#[test]
fn conditioning_and_monitors_are_saved() {
    let methods = tandem_transfer::conditioning::METHODS;
    every("conditioning", "method", methods, |name| match name {
        "force-correction" | "force-prediction" | "specimen-model" | "open-loop" => {
            ",stiffness=[[1200],\"kN/m\"]"
        }
        "inertia-removal" => ",mass=[\"5 kg\"],damping=[\"100 N*s/m\"]",
        "chain" => ",step=[{method=\"unit-delay\"},{method=\"low-pass\"}]",
        _ => "",
    });
    let monitors = tandem_monitor::METHODS.iter().map(|entry| {
        let name = entry.method.name;
        format!("monitor.{name}.action=warn")
    });
    let monitors: Vec<String> = monitors.collect();
    let mut set: Vec<&str> = monitors.iter().map(String::as_str).collect();
    set.push("monitor.tracking_error.bound=1 mm");
    quick_start(REAL_TIME, &set);
    quick_start(SLOW, &set);
    let watched = || {
        plans::hybrid(QUICK_START, SLOW).with_parts(|mut parts| {
            parts.monitors.push(("witness", Box::<Witness>::default()));
            parts
        })
    };
    is_saved(watched, 2000, "force and load between two steps");
}

/// Shows in every tick what monitors are shown.
#[derive(Default)]
struct Witness {
    seen: [f64; 2],
}

snapshot!(Witness { seen });

impl Monitor for Witness {
    fn observe(&mut self, frame: &Observation<'_>) -> Verdict {
        self.seen = [frame.force[0], frame.load[0]];
        Verdict::Continue
    }
    fn figures(&self) -> &'static [Figure] {
        &[("seen_force", "N", "Force."), ("seen_load", "N", "Load.")]
    }
    fn values(&self, into: &mut [f64]) {
        into.copy_from_slice(&self.seen);
    }
}

#[test]
fn rigs_are_saved() {
    let methods = tandem_transfer::actuator::METHODS;
    every("rig.actuator", "method", methods, |name| match name {
        "delay" => ",delay=\"8 ms\"",
        "first-order" => ",time_constant=\"12 ms\"",
        "second-order" => ",frequency=\"18 Hz\"",
        "third-order" => ",bandwidth=\"20 Hz\",frequency=\"40 Hz\"",
        "transfer-function" => ",numerator=[1.5e6],denominator=[1,190,2e4,1.5e6]",
        _ => "",
    });
    every(
        "rig.specimen",
        "kind",
        tandem_transfer::specimen::METHODS,
        |name| match name {
            "spring-dashpot-mass" => ",stiffness=[\"1200 kN/m\"],mass=[\"30 kg\"]",
            "materials" => {
                ",material=[{kind=\"steel02\",stiffness=\"1200 kN/m\",\
                 yield_force=\"400 N\",hardening=0.3}]"
            }
            _ => "",
        },
    );
    for (servo, more) in [
        ("pid", ""),
        ("force", ""),
        ("mixed", ""),
        (
            "switched",
            ",force_below=\"100 N\",displacement_above=\"200 N\"",
        ),
    ] {
        let servo = format!("rig.servo={{method=\"{servo}\"{more}}}");
        let set = [
            "rig.actuator={method=\"servo-hydraulic\"}",
            &servo,
            "rig.rate=5120 Hz",
        ];
        quick_start(REAL_TIME, &set);
        quick_start(SLOW, &set);
    }
    for plant in [
        "{kind=\"benchmark-single\"}",
        "{kind=\"control-error\",error=\"0.1 mm\"},specimen={stiffness=[\"1200 kN/m\"]}",
        "{kind=\"transfer-matrix\",element=[{output=1,input=1,numerator=[1.5e6],\
         denominator=[1,190,2e4,1.5e6]}]},specimen={stiffness=[\"1200 kN/m\"]}",
    ] {
        let rig = format!("rig={{plant={plant}}}");
        quick_start(REAL_TIME, &[&rig]);
        quick_start(SLOW, &[&rig]);
    }
    for kinematics in [
        "{method=\"linear\",matrix=[[1]]}",
        "{method=\"one-actuator\",direction=[1]}",
        "{method=\"inverted-v-brace\",half_span=\"2 m\",height=\"1.5 m\"}",
        "{method=\"linkage\",motions=[\"x\"],bases=[[-1.5,0.1,0,\"m\"]],heads=[[0,0,0,\"m\"]]}",
    ] {
        let kinematics = format!("kinematics={kinematics}");
        quick_start(REAL_TIME, &[&kinematics]);
        quick_start(SLOW, &[&kinematics]);
    }
    quick_start(REAL_TIME, &["coordinator.start=[\"2 mm\"]"]);
    quick_start(SLOW, &["coordinator.start=[\"2 mm\"]"]);
}

/// What a fault keeps, as a value that froze or a target that is late: around the rig and the
/// integration.
#[test]
fn faults_are_saved() {
    for &kind in FaultKind::ALL {
        for pace in [REAL_TIME, SLOW] {
            // Little that they are found by: most go on.
            let set = [pace, &["limits={}", "monitor={}"]].concat();
            let fault = Fault {
                kind,
                // Between the two instants at which the loop is saved.
                at: if pace.is_empty() { 0.8 } else { 0.8 / 27.8 },
                duration: f64::INFINITY,
                actuator: 0,
                displacement: 1e-3,
                force: 1e3,
                factor: 0.5,
            };
            let build = || with_faults(plans::hybrid(QUICK_START, &set), &[fault]);
            is_saved(build, 1000, &format!("{kind:?}, {pace:?}"));
        }
    }
}

/// Plans of the examples that need somebody outside.
const PARTNERS: [&str; 5] = [
    "opensees-lnec-frame/ideal.toml",
    "opensees-lnec-frame/plan.toml",
    "opensees-single-column/plan.toml",
    "opensees-two-sites/plan.toml",
    "udp-device/plan.toml",
];

/// Every plan of the examples with a loop that needs nobody outside.
#[test]
fn the_examples_are_saved() {
    let mut count = 0;
    for folder in std::fs::read_dir(example("")).unwrap() {
        let files = std::fs::read_dir(folder.unwrap().path());
        for file in files.into_iter().flatten() {
            let file = file.unwrap().path();
            let name = file.strip_prefix(example("")).unwrap().to_str().unwrap();
            if !name.ends_with(".toml") || PARTNERS.contains(&name) {
                continue;
            }
            // An FMU in a process of its own is this very program, which tests have not.
            let set: &[&str] = match name {
                "fmi-foreign/loop.toml" => &["structure.in_process=true"],
                _ => &[],
            };
            // What is refused is a part of other plans, or a co-simulation.
            let build = || plans::attempt_file(&file, set).ok()?.into_hybrid().ok();
            if build().is_none() {
                continue;
            }
            // Fibres take their time; sixteen models with them are enough.
            let ticks = if name.starts_with("tangent") {
                200
            } else {
                2000
            };
            is_saved(|| build().unwrap(), ticks, name);
            count += 1;
        }
    }
    assert!(count >= 50, "{count}");
}

#[test]
fn the_seed_decides_the_noise() {
    let run = |seed: u32| {
        let mut hybrid = plans::hybrid(QUICK_START, &[format!("seed={seed}")]);
        go(&mut hybrid, 1000);
        bits(&saved(&hybrid))
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}
