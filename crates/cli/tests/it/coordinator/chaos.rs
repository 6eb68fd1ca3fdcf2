//! Whatever sensors, integration side and operator do: no command beyond a limit, and none where
//! nothing may move.

use super::quick_start;
use proptest::prelude::*;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tandem_coordinator::machine::{MachineState, Movement, Order};
use tandem_coordinator::recorder::EventLog;
use tandem_coordinator::{Console, Parts, RunControls, Watch, What, run_virtual, tap};
use tandem_integrator::{Integrator, Readiness, forward_integrator};
use tandem_quantity::{Motion, Snapshot, SnapshotError, StateReader, snapshot};
use tandem_transfer::rig::{Measured, Released, Rig, RigProperties, Status};

/// One tick of chaos: what the sensors say, what the target is, who orders what.
#[derive(Clone, Debug)]
struct Tick {
    displacement: f64,
    force: f64,
    target: f64,
    ready: u8,
    age: u64,
    pressure: bool,
    order: Option<Order>,
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => -1e-3..1e-3,
        2 => -0.1..0.1,
        1 => any::<f64>(),
    ]
}

fn tick() -> impl Strategy<Value = Tick> {
    let order = prop_oneof![
        6 => Just(None),
        10 => prop::sample::select(vec![Order::Start, Order::Next, Order::Resume]).prop_map(Some),
        1 => prop::sample::select(vec![Order::Pause, Order::Centre]).prop_map(Some),
    ];
    let status = (0_u8..40, 0_u64..60, prop::bool::weighted(0.98));
    (number(), number(), number(), status, order).prop_map(|(x, f, t, (ready, age, up), order)| {
        Tick {
            displacement: x,
            force: f * 1e4,
            target: t,
            ready,
            age: age.saturating_sub(52),
            pressure: up,
            order,
        }
    })
}

/// A beat of the coordinator: the state it began in, and what it told the rig. None: to rest.
#[derive(Debug)]
struct Beat {
    state: MachineState,
    told: Vec<Option<f64>>,
}

struct ChaosRig {
    ticks: Vec<Tick>,
    at: usize,
    console: Console,
    /// The machine's own word of its state.
    watch: Watch,
    state: MachineState,
    beats: Arc<Mutex<Vec<Beat>>>,
}

impl ChaosRig {
    fn hear(&mut self, told: Option<f64>) {
        let mut beats = self.beats.lock().unwrap();
        beats.last_mut().unwrap().told.push(told);
    }
}

snapshot!(ChaosRig {});

impl Rig for ChaosRig {
    fn properties(&self) -> RigProperties {
        RigProperties::of(1)
    }
    fn read(&mut self, measured: &mut Measured) {
        while let Some(notice) = self.watch.next_notice() {
            if let What::State(_, state) = notice.what {
                self.state = state;
            }
        }
        let (state, told) = (self.state, Vec::new());
        self.beats.lock().unwrap().push(Beat { state, told });
        self.at += 1;
        let Some(tick) = self.ticks.get(self.at) else {
            self.console.give(Order::EmergencyStop);
            return;
        };
        measured.motion.displacement[0] = tick.displacement;
        measured.force[0] = tick.force;
        if let Some(order) = tick.order {
            self.console.give(order);
        }
    }
    fn write(&mut self, command: Released<'_>) {
        self.hear(Some(command.displacement[0]));
    }
    fn idle(&mut self) {
        self.hear(None);
    }
    fn status(&self) -> Status {
        let tick = self.ticks.get(self.at);
        Status {
            pressure: tick.is_none_or(|tick| tick.pressure),
            age: tick.map_or(0, |tick| tick.age),
            ..Status::READY
        }
    }
}

struct ChaosDriver {
    inner: Box<dyn Integrator>,
    ticks: Vec<Tick>,
    at: usize,
    shown: Motion,
}

impl Snapshot for ChaosDriver {
    fn save(&self, _: &mut Vec<f64>) {}
    fn restore(&mut self, _: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        Ok(())
    }
}

impl Integrator for ChaosDriver {
    forward_integrator!(inner: properties, feed, response, steps, problem, structure_mut);
    forward_integrator!(inner: start_from);

    fn target(&self) -> &Motion {
        &self.shown
    }
    fn poll(&mut self, _at_most: Duration) -> Readiness {
        self.at += 1;
        let tick = &self.ticks[self.at % self.ticks.len()];
        self.shown.displacement[0] = tick.target;
        self.shown.velocity[0] = tick.force;
        match tick.ready {
            0 => Readiness::Lost,
            1..8 => Readiness::Delayed,
            _ => Readiness::Ready,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn nothing_beyond_a_limit_reaches_the_rig(
        ticks in prop::collection::vec(tick(), 20..150),
        action in prop::sample::select(vec!["none", "warn", "hold", "ramp-down", "trip"]),
    ) {
        let stroke = format!("limits.actions.stroke={action}");
        let rate = format!("limits.actions.displacement_rate={action}");
        let error = format!("limits.actions.tracking_error={action}");
        let (mut run_controls, console) = RunControls::with_console();
        run_controls.attended = true;
        run_controls.driver_timeout = Some(0.05);
        run_controls.pace = Some(20.0);
        // Only its notices are looked at.
        let (show, watch) = tap(0, 1);
        run_controls.tap = Some(show);
        let beats = Arc::new(Mutex::new(Vec::new()));
        let shared = Arc::clone(&beats);
        console.give(Order::Start);
        let mut hybrid = quick_start(&[&stroke, &rate, &error]).with_parts(|parts| Parts {
            rig: Box::new(ChaosRig {
                ticks: ticks.clone(),
                at: 0,
                console,
                watch,
                state: MachineState::Init,
                beats: shared,
            }),
            integrator: Box::new(ChaosDriver {
                shown: Motion::at_rest(1),
                inner: parts.integrator,
                ticks: ticks.clone(),
                at: 0,
            }),
            ..parts
        });
        let folder = tempfile::tempdir().unwrap();
        let mut events = EventLog::open(&folder.path().join("events.jsonl")).unwrap();
        run_virtual(&mut hybrid, None, &mut events, &mut |_| {}, &mut run_controls).unwrap();
        let beats = beats.lock().unwrap();
        for beat in beats.iter() {
            let [told] = beat.told[..] else {
                return Err(TestCaseError::fail(format!("not told once: {beat:?}")));
            };
            let right = match beat.state.permits() {
                Movement::Nothing => told.is_none(),
                Movement::Test => told.is_some(),
                // The way to the start is not gone by readings that are beyond a limit.
                Movement::ToStart => true,
            };
            prop_assert!(right, "{beat:?}");
        }
        let told = || beats.iter().flat_map(|beat| &beat.told);
        // Before the operator says `next`, nothing moves.
        prop_assert!(told().any(Option::is_none));
        let mut last = 0.0_f64;
        for x in told().flatten() {
            prop_assert!(x.is_finite() && x.abs() <= 0.05);
            prop_assert!((x - last).abs() <= 0.6 / 1024.0 * (1.0 + 1e-9), "{last} to {x}");
            last = *x;
        }
    }
}
