//! No tick allocates, and a saved state goes on as if nothing had been.

use super::support::{figures, spring, table};
use assert_no_alloc::assert_no_alloc;
use tandem_monitor::{Context, Frame, METHODS, Monitor, Named, Verdict, build};
use tandem_quantity::{Motion, Snapshot, Value, Values, Words};

const PERIOD: f64 = 1.0 / 1024.0;

/// Every monitor there is, with bounds that are crossed now and then.
fn all() -> Vec<Named> {
    let bounds: [(&str, &[(&str, f64)]); 3] = [
        ("tracking_error", &[("bound", 1e-3), ("warning", 0.5)]),
        (
            "delay",
            &[("delay", 5e-3), ("gain", 0.05), ("hold_off", 0.01)],
        ),
        ("energy", &[("bound", 0.1)]),
    ];
    let mut section = Values::new();
    for entry in METHODS {
        let name = entry.method.name;
        let numbers = bounds.iter().find(|b| b.0 == name).map_or(&[][..], |b| b.1);
        section.set(name, Value::Table(table(name, numbers)));
    }
    let problem = spring();
    let context = Context {
        problem: &problem,
        period: PERIOD,
        dt: problem.dt,
        input_work: 0.0,
        holds_force: false,
        energies_recorded: true,
    };
    let monitors = build(&section, &context).unwrap();
    assert_eq!(monitors.len(), METHODS.len());
    monitors
}

struct World {
    target: Motion,
    measured: Motion,
    response: Motion,
}

impl World {
    fn new() -> Self {
        let rest = || Motion::at_rest(1);
        Self {
            target: rest(),
            measured: rest(),
            response: rest(),
        }
    }

    fn show(&mut self, tick: u32, monitors: &mut [Named]) -> Verdict {
        let time = f64::from(tick) * PERIOD;
        let at = |time: f64| 0.01 * (9.0 * time).sin() + 0.002 * (31.0 * time).cos();
        self.target.displacement[0] = at(time);
        self.measured.displacement[0] = 0.97 * at(time - 0.006 - 0.002 * (0.7 * time).sin());
        self.response.displacement[0] = at(time);
        self.response.velocity[0] = 0.09 * (9.0 * time).cos();
        let force = [1e4 * self.measured.displacement[0]];
        let load = [700.0 * (5.0 * time).sin()];
        let mut strictest = Verdict::Continue;
        for (_, monitor) in monitors {
            strictest = strictest.max(monitor.observe(&Frame {
                time,
                step_complete: tick.is_multiple_of(3),
                target: &self.target,
                measured: &self.measured,
                force: &force,
                response: &self.response,
                load: &load,
            }));
        }
        strictest
    }
}

fn words(monitors: &[Named]) -> Vec<u64> {
    let mut words = Vec::new();
    for (_, monitor) in monitors {
        monitor.save(&mut words);
        words.extend(figures(monitor.as_ref()));
    }
    words.into_iter().map(f64::to_bits).collect()
}

#[test]
fn no_tick_allocates() {
    let mut monitors = all();
    let mut world = World::new();
    let mut values = [0.0; 16];
    assert_no_alloc(|| {
        for tick in 0..5000 {
            world.show(tick, &mut monitors);
            for (_, monitor) in &monitors {
                monitor.values(&mut values);
            }
        }
    });
    for (name, monitor) in &monitors {
        assert!(
            figures(monitor.as_ref()).iter().all(|x| x.is_finite()),
            "{name}"
        );
    }
}

#[test]
fn a_restored_monitor_goes_on_bit_for_bit() {
    let mut original = all();
    let mut world = World::new();
    for tick in 0..3333 {
        world.show(tick, &mut original);
    }
    let mut saved = Vec::new();
    for (_, monitor) in &original {
        monitor.save(&mut saved);
    }
    let mut restored = all();
    let mut from = Words::new(&saved);
    for (_, monitor) in &mut restored {
        monitor.restore(&mut from).unwrap();
    }
    assert_eq!(from.remaining(), 0);
    assert_eq!(words(&original), words(&restored));
    let mut seen = Vec::new();
    for tick in 3333..6000 {
        let verdict = world.show(tick, &mut original);
        assert_eq!(verdict, world.show(tick, &mut restored));
        seen.push(verdict);
    }
    assert!(seen.contains(&Verdict::Warn));
    assert_eq!(words(&original), words(&restored));
    let mut short = Words::new(&saved[..saved.len() - 1]);
    assert!(
        restored
            .iter_mut()
            .any(|(_, m)| m.restore(&mut short).is_err())
    );
}

#[test]
fn impossible_tables_are_refused_with_their_key() {
    let problem = spring();
    let context = Context {
        problem: &problem,
        period: PERIOD,
        dt: problem.dt,
        input_work: 0.0,
        holds_force: false,
        energies_recorded: true,
    };
    for (name, numbers, key) in [
        ("subspace", [("window", 1e-4)], "window"),
        ("frequency_evaluation", [("highest", 0.1)], "highest"),
        ("delay", [("longest", 0.9)], "longest"),
        ("window_error", [("window", 1e9)], "window"),
        ("energy", [("hold_off", 1e12)], "hold_off"),
    ] {
        let section = Values::new().with(name, Value::Table(table(name, &numbers)));
        let error = build(&section, &context).err().unwrap();
        assert_eq!(error.key, format!("{name}.{key}"));
    }
}

#[test]
fn monitors_that_can_speak_do() {
    let mut monitors = all();
    let mut world = World::new();
    for tick in 0..4000 {
        world.show(tick, &mut monitors);
    }
    let words = |name: &str| {
        let found = monitors.iter().find(|m| m.0 == name).unwrap();
        Monitor::words(found.1.as_ref())
    };
    assert_eq!(words("energy"), None);
    for name in [
        "delay",
        "phase_amplitude",
        "frequency_evaluation",
        "subspace",
    ] {
        assert!(
            words(name).unwrap().contains("undershoot"),
            "{name}: {:?}",
            words(name)
        );
    }
}

/// What two monitors know is in the record once.
#[test]
fn no_figure_is_recorded_twice() {
    let monitors = all();
    let mut names: Vec<&str> = monitors
        .iter()
        .flat_map(|(_, monitor)| monitor.figures().iter().map(|figure| figure.0))
        .collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    for (name, monitor) in &monitors {
        let mut values = vec![f64::NAN; monitor.figures().len()];
        monitor.values(&mut values);
        assert!(!values.is_empty(), "{name}");
    }
}
