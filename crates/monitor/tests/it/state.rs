//! What every monitor keeps to, and what it is given.

use super::support::{spring, table};
use assert_no_alloc::assert_no_alloc;
use tandem_monitor::{
    Build, Figure, METHODS, Monitor, MonitorContext, Named, Observation, Verdict, build,
    conformance,
};
use tandem_quantity::conformance::Violation;
use tandem_quantity::{Entry, Motion, Value, Values, snapshot};

const PERIOD: f64 = 1.0 / 1024.0;

/// The table of a monitor with bounds that are crossed now and then.
fn with_bounds(name: &str) -> Values {
    let bounds: [(&str, &[(&str, f64)]); 3] = [
        ("tracking_error", &[("bound", 1e-3), ("warning", 0.5)]),
        (
            "delay",
            &[("delay", 5e-3), ("gain", 0.05), ("hold_off", 0.01)],
        ),
        ("energy", &[("bound", 0.1)]),
    ];
    let numbers = bounds.iter().find(|b| b.0 == name).map_or(&[][..], |b| b.1);
    table(name, numbers)
}

/// Every monitor there is.
fn all() -> Vec<Named> {
    let mut section = Values::new();
    for entry in METHODS {
        let name = entry.method.name;
        section.set(name, Value::Table(with_bounds(name)));
    }
    let problem = spring();
    let context = MonitorContext {
        energies_recorded: true,
        ..MonitorContext::of(&problem, PERIOD)
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
            strictest = strictest.max(monitor.observe(&Observation {
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

#[test]
fn every_monitor_conforms() {
    let guard = |run: &mut dyn FnMut()| {
        assert_no_alloc(run);
        0
    };
    for entry in METHODS {
        let table = with_bounds(entry.method.name);
        let found = conformance::monitor(entry, &table, &guard);
        assert_eq!(found, Ok(()), "{}", entry.method.name);
    }
}

/// A monitor that stops a test in which nothing moves is found.
#[test]
fn a_monitor_that_does_not_rest_is_found() {
    struct Afraid;
    snapshot!(Afraid {});
    impl Monitor for Afraid {
        fn observe(&mut self, _: &Observation<'_>) -> Verdict {
            Verdict::Trip
        }
        fn figures(&self) -> &'static [Figure] {
            &[]
        }
        fn values(&self, _: &mut [f64]) {}
    }
    let afraid: Entry<Build> = Entry {
        method: METHODS[0].method,
        build: &|_, _| Ok(Box::new(Afraid)),
    };
    let unguarded = |run: &mut dyn FnMut()| {
        run();
        0
    };
    let found = conformance::monitor(&afraid, &Values::new(), &unguarded);
    assert_eq!(found, Err(Violation::LeavesRest { tick: 0 }));
}

#[test]
fn impossible_tables_are_refused_with_their_key() {
    let problem = spring();
    let context = MonitorContext {
        energies_recorded: true,
        ..MonitorContext::of(&problem, PERIOD)
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
