//! A running test as the screen sees it: the watcher's end of the tap, and the operator's console.

use std::sync::{Arc, Mutex, PoisonError};

use crate::{
    Action, ActionRefused, Happening, Light, LinkStatus, RecorderStatus, Scene, Severity, Source,
    Status, TimingStatus,
};
use tandem_coordinator::machine::{Centering, MachineState, Order};
use tandem_coordinator::recorder::Level;
use tandem_coordinator::{Console, Recording, Watch, What};
use tandem_quantity::{index, whole};
use tandem_transfer::command::LateMode;

/// How a test ended.
#[derive(Clone, Debug)]
struct Ending {
    text: String,
    /// For the list of events, where the text may stand already.
    event: String,
    tone: Severity,
}

/// What the program tells the screen once the test is over: how it ended, and whether well.
#[derive(Clone, Debug, Default)]
pub struct Finished(Arc<Mutex<Option<Ending>>>);

impl Finished {
    /// The test has ended so; `event` is for the list of events.
    pub fn tell(&self, text: impl Into<String>, event: impl Into<String>, tone: Severity) {
        let ending = Ending {
            text: text.into(),
            event: event.into(),
            tone,
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(ending);
    }

    fn get(&self) -> Option<Ending> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// Intervals between ticks that are kept for the figures of jitter.
const INTERVALS: usize = 4096;

/// A running test.
pub struct Live {
    watch: Watch,
    console: Console,
    recording: Arc<Recording>,
    monitors: Vec<&'static str>,
    finished: Finished,
    told_end: bool,
    scene: LiveScene,
    state: MachineState,
    tick: u64,
    time_s: f64,
    wall_s: f64,
    last_wall: Option<f64>,
    intervals: Vec<f64>,
    at: usize,
    /// Deadlines missed, by [`tandem_coordinator::ThreadRole`].
    missed: [u64; 3],
    late_ticks: u64,
    ticks: u64,
    late_target: bool,
    warnings: u64,
}

/// What of the scene and the plan the status needs.
struct LiveScene {
    dt: f64,
    steps: u64,
    end_s: f64,
    channels: usize,
    /// Wall time of a tick, s; none where the test runs as fast as it can.
    period: Option<f64>,
    /// Wall time of a second of structural time.
    speed: Option<f64>,
    realtime: bool,
    outside: Option<String>,
}

impl Live {
    /// From the ends of tap and console. `pace` is that of a virtual test (none: unpaced),
    /// `realtime` says that the real-time executor runs; `outside` names an integration side that
    /// is not this program.
    #[allow(clippy::too_many_arguments)] // once, where the run is put together
    pub fn new(
        watch: Watch,
        console: Console,
        recording: Arc<Recording>,
        monitors: Vec<&'static str>,
        finished: Finished,
        scene: &Scene,
        pace: Option<f64>,
        realtime: bool,
        outside: Option<String>,
    ) -> Self {
        let period = 1.0 / scene.rate_hz;
        let pace = if realtime { Some(1.0) } else { pace };
        let steps = scene.steps.max(1) as f64;
        Self {
            watch,
            console,
            recording,
            monitors,
            finished,
            told_end: false,
            scene: LiveScene {
                dt: scene.end_s / steps,
                steps: scene.steps,
                end_s: scene.end_s,
                channels: scene.channels.len(),
                period: pace.map(|pace| period / pace),
                speed: pace.map(|pace| scene.time_scale / pace),
                realtime,
                outside,
            },
            state: MachineState::Init,
            tick: 0,
            time_s: 0.0,
            wall_s: 0.0,
            last_wall: None,
            intervals: Vec::new(),
            at: 0,
            missed: [0; 3],
            late_ticks: 0,
            ticks: 0,
            late_target: false,
            warnings: 0,
        }
    }

    fn clock(&mut self, wall: f64) {
        let Some(period) = self.scene.period else {
            return;
        };
        if let Some(last) = self.last_wall.replace(wall) {
            let off = (wall - last - period).abs();
            if self.intervals.len() < INTERVALS {
                self.intervals.push(off);
            } else {
                self.intervals[self.at % INTERVALS] = off;
            }
            self.at += 1;
            self.ticks += 1;
            self.late_ticks += u64::from(wall - last > 2.0 * period);
        }
    }

    fn timing(&self) -> Option<TimingStatus> {
        let period = self.scene.period?;
        let mut sorted = self.intervals.clone();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let index = index(share * sorted.len() as f64);
            1e6 * sorted
                .get(index.min(sorted.len().saturating_sub(1)))
                .copied()
                .unwrap_or(0.0)
        };
        Some(TimingStatus {
            period_us: 1e6 * period,
            jitter_us: [at(0.5), at(0.99), at(1.0)],
            // The real-time executor counts its deadlines; a paced test has none, so ticks that
            // came late by a period are told.
            missed: if self.scene.realtime {
                self.missed.iter().sum()
            } else {
                self.late_ticks
            },
            ticks: self.ticks,
        })
    }
}

impl Source for Live {
    fn rows(&mut self, each: &mut dyn FnMut(f64, &[f64])) {
        while let Some(frame) = self.watch.next_row() {
            self.clock(frame.wall_s);
            self.state = frame.state;
            self.tick = frame.tick;
            self.time_s = frame.time_s;
            self.wall_s = frame.wall_s;
            each(frame.time_s, &frame.values);
        }
    }

    fn status(&mut self) -> Status {
        let finished = self.finished.get();
        let (state, meaning, tone) = words(self.state);
        let (state, meaning, tone) = match &finished {
            Some(ending) => ("Ended", ending.text.as_str(), ending.tone),
            None => (state, meaning, tone),
        };
        // at most the steps of the plan
        let step = whole((self.time_s / self.scene.dt + 1e-6).max(0.0));
        let left = (self.scene.end_s - self.time_s).max(0.0);
        let link = self.scene.outside.as_ref().map(|peer| LinkStatus {
            peer: peer.clone(),
            text: match (self.state, self.late_target) {
                (MachineState::PreRun, _) => "waiting for it",
                (_, true) => "target late",
                (MachineState::PreCor { .. }, false) => "in time",
                _ => "idle",
            }
            .to_owned(),
            tone: match (self.state, self.late_target) {
                (_, true) | (MachineState::PreRun, _) => Severity::Caution,
                (MachineState::PreCor { .. }, false) => Severity::Good,
                _ => Severity::Neutral,
            },
        });
        let gate = match (self.state, self.warnings) {
            (MachineState::Error { .. }, _) => ("tripped", Severity::Bad),
            (_, 0) => ("within limits", Severity::Good),
            _ => ("has warned", Severity::Caution),
        };
        Status {
            state: state.to_owned(),
            meaning: meaning.to_owned(),
            tone,
            allowed: if finished.is_some() {
                Vec::new()
            } else {
                self.state.orders().map(action).collect()
            },
            outcome: finished.as_ref().map(|ending| ending.text.clone()),
            step: step.min(self.scene.steps),
            time_s: self.time_s.min(self.scene.end_s),
            wall_s: self.wall_s,
            left_s: self.scene.speed.map(|speed| left * speed),
            timing: self.timing(),
            recorder: Some(RecorderStatus {
                rows: self.recording.rows(),
                bytes: self.recording.rows() * 8 * (self.scene.channels as u64 + 1),
                lost: self.recording.lost(),
            }),
            link,
            lights: vec![Light {
                label: "Safety gate".to_owned(),
                text: gate.0.to_owned(),
                tone: gate.1,
            }],
            lost_rows: self.watch.dropped(),
        }
    }

    fn happenings(&mut self, each: &mut dyn FnMut(Happening)) {
        while let Some(notice) = self.watch.next_notice() {
            match notice.what {
                What::Missed(whose, count, _) => self.missed[whose as usize] = count,
                What::Verdict(..) | What::ExternalFault(_) => self.warnings += 1,
                What::Late(lateness) => {
                    self.late_target = lateness != LateMode::Predicting;
                }
                What::State(..) | What::NotHeard(..) | What::Quiet(_) => {}
            }
            let event = notice.event(&self.monitors);
            each(Happening {
                time_s: event.time_s,
                tone: match event.level {
                    Level::Info => Severity::Neutral,
                    Level::Warn => Severity::Caution,
                    Level::Error => Severity::Bad,
                },
                code: event.code,
                text: event.text,
            });
        }
        if let (Some(ending), false) = (self.finished.get(), self.told_end) {
            self.told_end = true;
            each(Happening {
                time_s: self.time_s,
                tone: ending.tone,
                code: "run.ended".to_owned(),
                text: ending.event,
            });
        }
    }

    fn act(&mut self, action: Action) -> Result<(), ActionRefused> {
        let wanted = order(action);
        if !self.state.orders().any(|order| order == wanted) {
            return Err(ActionRefused::State(words(self.state).0.to_owned()));
        }
        self.console.give(wanted);
        Ok(())
    }

    fn operator_present(&mut self, present: bool) {
        if present {
            self.console.heartbeat();
        }
    }

    fn ended(&mut self) -> bool {
        self.watch.is_over() && self.finished.get().is_some()
    }
}

fn order(action: Action) -> Order {
    match action {
        Action::Start => Order::Start,
        Action::Centering => Order::Centre,
        Action::Next => Order::Next,
        Action::Pause => Order::Pause,
        Action::Resume => Order::Resume,
        Action::Stop => Order::Stop,
        Action::EmergencyStop => Order::EmergencyStop,
    }
}

fn action(order: Order) -> Action {
    match order {
        Order::Start => Action::Start,
        Order::Centre => Action::Centering,
        Order::Next => Action::Next,
        Order::Pause => Action::Pause,
        Order::Resume => Action::Resume,
        Order::Stop => Action::Stop,
        Order::EmergencyStop => Action::EmergencyStop,
    }
}

/// Name, meaning and tone of a state, for a person who is tense.
fn words(state: MachineState) -> (&'static str, &'static str, Severity) {
    use Severity::{Bad, Caution, Good, Neutral};
    match state {
        MachineState::Init => (
            "Init",
            "Nothing is switched on. Start waits for the hydraulics.",
            Neutral,
        ),
        MachineState::StartUp { .. } => (
            "StartUp",
            "Holds position; waiting for pressure and service manifold.",
            Caution,
        ),
        MachineState::Centering(Centering::Moving) => {
            ("Centering", "Moves slowly to the start position.", Caution)
        }
        MachineState::Centering(Centering::Held) => {
            ("Centering held", "Stands on the way to the start.", Caution)
        }
        MachineState::Centering(Centering::AtStart) => (
            "Centering",
            "At the start position. Next begins the test.",
            Neutral,
        ),
        MachineState::Centering(Centering::RampDown) => (
            "Ramp down",
            "Moves back to the start position after a verdict.",
            Bad,
        ),
        MachineState::PreRun => ("PreRun", "Waiting for the integration side.", Caution),
        MachineState::PreCor { held: false } => ("Running", "PreCor: the test runs.", Good),
        MachineState::PreCor { held: true } => (
            "Held",
            "The command stands still, and so does structural time. Resume goes on.",
            Caution,
        ),
        MachineState::Error { .. } => (
            "Error",
            "Held after a trip. Read the events; Centering goes back, Stop ends.",
            Bad,
        ),
        MachineState::Stopped { off: false } => {
            ("Stopping", "The hydraulics are going off.", Caution)
        }
        MachineState::Stopped { off: true } => ("Stopped", "The hydraulics are off.", Neutral),
    }
}
