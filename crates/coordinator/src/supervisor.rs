//! The loop under the state machine: what every executor calls once a tick.
//!
//! ```text
//!   orders ─▶ ┌───────────────────────────┐ ─▶ notices ─▶ events.jsonl
//!             │ machine: may it move?      │
//!   clock  ─▶ │ loop: tick, centre or idle │ ─▶ tap ─▶ operator's screen
//!             └───────────────────────────┘ ─▶ block ─▶ run.h5
//! ```

use crate::controls::Now;
use crate::hybrid_loop::{Cause, HybridLoop, Progress};
use crate::live_feed::LiveFeed;
use crate::notice::{Notice, What};
use crate::operator::Orders;
use crate::recorder::RowBlock;
use crate::stop::Stop;
use tandem_integrator::Readiness;
use tandem_monitor::Verdict;
use tandem_safety::gate::{Limit, Violation};
use tandem_safety::machine::{
    self, Action, Centering, Event, Machine, MachineState, Movement, Order,
};
use tandem_transfer::command::LateMode;
use tandem_transfer::rig::Hydraulics;

/// Words of a trouble that fit into the queue to whoever writes them down.
const WORDS: usize = 4096;

/// What the loop tells, for whoever writes it down.
pub(crate) struct Inbox {
    pub notices: rtrb::Consumer<Notice>,
    words: rtrb::Consumer<u8>,
    monitors: Vec<&'static str>,
}

impl Inbox {
    /// The next notice, in words.
    pub fn next_event(&mut self) -> Option<crate::recorder::Event> {
        let notice = self.notices.pop().ok()?;
        let mut event = notice.event(&self.monitors);
        if let What::ExternalFault(bytes) = notice.what {
            let said: Vec<u8> = (0..bytes).map_while(|_| self.words.pop().ok()).collect();
            let said = String::from_utf8_lossy(&said);
            if !said.is_empty() {
                event.text = said.into_owned();
            }
        }
        Some(event)
    }
}

/// What a cycle did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CycleResult {
    /// A tick of the test; its row is in the block.
    Tick,
    /// A step on the way to the start position.
    Centering,
    /// Nothing moved: time passes by the wall clock.
    Idle,
    /// In stepped time: the driver has no target yet.
    Awaiting,
    /// The test is over.
    Over,
}

/// How long pre-run waits for the integration side, s (Tekeste, Correia and Costa 2025, section
/// 2.3).
const DRIVER_TIMEOUT: f64 = 3.0;

/// The loop, the machine, and the loop's ends of the controls.
pub(crate) struct Supervisor<'a> {
    pub hybrid: &'a mut HybridLoop,
    machine: Machine,
    orders: &'a mut Orders,
    tap: Option<&'a mut LiveFeed>,
    notices: rtrb::Producer<Notice>,
    /// The rig's own words of its troubles.
    words: rtrb::Producer<u8>,
    /// Somebody decides: start, next and what follows an error are not given automatically.
    attended: bool,
    driver_timeout: f64,
    cycles: u64,
    wall: f64,
    /// The tick of this cycle is done: what is told now belongs to it, not to the next.
    after_tick: bool,
    /// The test has been ended by this, if not by its last step.
    stop: Option<Stop>,
    ended: bool,
    monitors: Vec<&'static str>,
    /// Limits that have warned already, by their bits.
    warned: u32,
    /// What was told of late targets, and what the tick before said.
    lateness: LateMode,
    lately: LateMode,
    troubled: bool,
    now: &'a Now,
    pre_run_since: Option<f64>,
    start_up_since: Option<f64>,
    heard: u64,
    /// Wall time at which the operator was last heard, s.
    heard_at: f64,
}

impl<'a> Supervisor<'a> {
    pub fn new(
        hybrid: &'a mut HybridLoop,
        orders: &'a mut Orders,
        tap: Option<&'a mut LiveFeed>,
        attended: bool,
        driver_timeout: Option<f64>,
        now: &'a Now,
    ) -> (Self, Inbox) {
        let (notices, told) = rtrb::RingBuffer::new(1024);
        let (words, said) = rtrb::RingBuffer::new(WORDS);
        let monitors = hybrid.parts().monitors.iter().map(|(name, _)| *name);
        let monitors: Vec<_> = monitors.collect();
        let inbox = Inbox {
            notices: told,
            words: said,
            monitors: monitors.clone(),
        };
        let this = Self {
            machine: Machine::default(),
            orders,
            tap,
            notices,
            words,
            attended,
            driver_timeout: driver_timeout.unwrap_or(DRIVER_TIMEOUT),
            cycles: 0,
            wall: 0.0,
            after_tick: false,
            stop: None,
            ended: false,
            monitors,
            warned: 0,
            lateness: LateMode::Predicting,
            lately: LateMode::Predicting,
            troubled: false,
            now,
            pre_run_since: None,
            start_up_since: None,
            heard: 0,
            heard_at: 0.0,
            hybrid,
        };
        (this, inbox)
    }

    pub fn state(&self) -> MachineState {
        self.machine.state()
    }

    pub fn stop(&self) -> Option<Stop> {
        self.stop
    }

    pub fn monitors(&self) -> &[&'static str] {
        &self.monitors
    }

    /// One period of the coordinator. `wall` is the wall time since the start, s. Never allocates
    /// or waits.
    #[inline]
    pub fn cycle(&mut self, block: &mut RowBlock, wall: f64) -> CycleResult {
        self.wall = wall;
        self.cycles += 1;
        self.after_tick = false;
        self.accept();
        self.settle();
        if self.is_over() {
            self.look_for_trouble();
            return CycleResult::Over;
        }
        let cycle = match self.state().permits() {
            Movement::Test => self.test(block),
            Movement::ToStart => {
                let (finding, at_start) = self.hybrid.move_to_start(&self.machine.permit());
                self.judge(finding);
                if at_start {
                    self.happen(Event::AtStart);
                }
                CycleResult::Centering
            }
            Movement::Nothing => {
                let finding = self.hybrid.idle();
                // A test that is held, or stands, is not made worse by a milder word than trip.
                self.judge(finding.filter(|(verdict, _)| *verdict == Verdict::Trip));
                CycleResult::Idle
            }
        };
        self.settle();
        self.look_for_trouble();
        let (tick, time) = self.instant();
        self.now.set(tick, time);
        if let Some(tap) = &mut self.tap
            && cycle != CycleResult::Awaiting
        {
            let times = [self.hybrid.time(), wall];
            let tick = self.hybrid.ticks();
            tap.show(
                self.cycles,
                tick,
                times,
                self.machine.state(),
                self.hybrid.row(),
            );
        }
        if self.is_over() {
            CycleResult::Over
        } else {
            cycle
        }
    }

    /// A tick of the test.
    #[inline]
    fn test(&mut self, block: &mut RowBlock) -> CycleResult {
        let progress = self.hybrid.tick(&self.machine.permit(), block);
        self.after_tick = progress != Progress::Awaiting;
        // Who was lost comes before what the gate makes of it.
        self.look_for_trouble();
        let (changed, warning) = self.hybrid.changed_warnings();
        if changed != 0 {
            for i in (0..64).filter(|i| changed >> i & 1 == 1) {
                self.tell(match warning >> i & 1 {
                    1 => What::Verdict(Verdict::Warn, Cause::Monitor(i)),
                    _ => What::Quiet(i),
                });
            }
        }
        if let Some(trip) = self.hybrid.limit_warning() {
            self.judge(Some((Verdict::Warn, trip)));
        }
        match progress {
            Progress::Running => {
                let lateness = self.hybrid.lateness();
                // To look for a driver's target costs a tick: a hold of one tick is the rule, and
                // no event.
                let lasts = lateness == self.lately || lateness == LateMode::Predicting;
                self.lately = lateness;
                if lasts && lateness != self.lateness {
                    self.lateness = lateness;
                    self.tell(What::Late(lateness));
                }
            }
            Progress::Awaiting => return CycleResult::Awaiting,
            Progress::Complete => self.happen(Event::Complete),
            Progress::DriverLost => self.end_by(Stop::Driver, Event::DriverLost),
            Progress::Act(verdict, cause) => self.act(verdict, cause),
        }
        CycleResult::Tick
    }

    /// Tells once that something is wrong outside. The words are the rig's, and are fetched by
    /// whoever writes them down.
    #[inline]
    fn look_for_trouble(&mut self) {
        // Before it has come a device is no trouble yet.
        let awaited = matches!(
            self.state(),
            MachineState::Init | MachineState::StartUp { .. }
        );
        let words = self
            .hybrid
            .parts()
            .rig
            .observe()
            .fault_message()
            .filter(|_| !awaited);
        let troubled = words.is_some();
        if let (Some(words), false) = (words, self.troubled) {
            // What does not fit is left out; the end of the test tells it in full.
            let bytes = words.len().min(self.words.slots());
            if let Ok(mut chunk) = self.words.write_chunk(bytes) {
                let (first, second) = chunk.as_mut_slices();
                let places = first.iter_mut().chain(second);
                places
                    .zip(words.bytes())
                    .for_each(|(place, byte)| *place = byte);
                chunk.commit_all();
            }
            self.tell(What::ExternalFault(bytes));
        }
        self.troubled = troubled;
    }

    /// Tells of a finding once, and does what it wants.
    #[inline]
    pub fn judge(&mut self, finding: Violation) {
        let Some((verdict, trip)) = finding else {
            return;
        };
        if verdict > Verdict::Warn {
            self.act(verdict, Cause::Limit(trip));
        } else if self.warned >> trip.limit as u32 & 1 == 0 {
            self.warned |= 1 << trip.limit as u32;
            self.tell(What::Verdict(verdict, Cause::Limit(trip)));
        }
    }

    fn act(&mut self, verdict: Verdict, cause: Cause) {
        let moving =
            self.state().permits() != Movement::Nothing || self.state() == MachineState::PreRun;
        if !moving && !matches!(self.state(), MachineState::PreCor { .. }) {
            return;
        }
        self.tell(What::Verdict(verdict, cause));
        let stop = Stop::of(cause, &self.monitors);
        if matches!(cause, Cause::Limit(trip) if trip.limit == Limit::EmergencyChain) {
            self.end_by(stop, Event::Order(Order::EmergencyStop));
            return;
        }
        if verdict == Verdict::Hold && self.attended {
            self.happen(Event::Verdict(verdict));
            return;
        }
        self.end_by(stop, Event::Verdict(verdict));
        // Nobody is there to resume.
        if matches!(
            self.state(),
            MachineState::PreCor { held: true } | MachineState::Centering(Centering::Held)
        ) {
            self.happen(Event::Order(Order::Stop));
        }
    }

    /// The test ends by this, unless it has ended already.
    fn end_by(&mut self, stop: Stop, event: Event) {
        if !self.ended {
            self.stop = self.stop.or(Some(stop));
        }
        self.happen(event);
    }

    /// Takes the operator's orders, and notices when the operator is no longer there.
    #[inline]
    fn accept(&mut self) {
        for order in self.orders.take() {
            let before = self.state();
            if machine::next(before, Event::Order(order)).0 == before {
                self.tell(What::NotHeard(order, before));
                continue;
            }
            match order {
                Order::EmergencyStop => self.end_by(Stop::Emergency, Event::Order(order)),
                Order::Stop => self.end_by(Stop::Operator, Event::Order(order)),
                Order::Centre if matches!(before, MachineState::PreCor { .. }) => {
                    self.end_by(Stop::Operator, Event::Order(order));
                }
                _ => self.happen(Event::Order(order)),
            }
        }
        let cycles = self.orders.heartbeats();
        if cycles != self.heard {
            self.heard = cycles;
            self.heard_at = self.wall;
        }
        // An operator who has never been heard cannot be lost.
        if self.heard > 0 && self.state().permits() == Movement::Test {
            let silent = self.wall - self.heard_at;
            let gate = &self.hybrid.parts().gate;
            let finding = gate.check_operator(silent, self.attended);
            self.judge(finding);
        }
        self.rehearse();
    }

    /// Faults of the machine and of the desk that the plan scripts, by the clock of the test.
    #[inline]
    fn rehearse(&mut self) {
        for k in 0..self.hybrid.host_faults().len() {
            let timing = self.hybrid.timing();
            let rate = timing.time_scale / timing.period;
            let gate = &self.hybrid.parts().gate;
            let fault = &self.hybrid.host_faults()[k];
            let Some(finding) = fault.at_host(gate, self.hybrid.ticks(), rate, timing.period)
            else {
                continue;
            };
            if self.state().permits() != Movement::Test {
                return;
            }
            self.judge(finding);
        }
    }

    /// Whatever follows without time passing.
    #[inline]
    fn settle(&mut self) {
        if self.state() == (MachineState::PreCor { held: false }) {
            self.watch_hydraulics();
            return;
        }
        loop {
            let before = self.state();
            self.settle_once();
            if self.state() == before {
                return;
            }
        }
    }

    fn settle_once(&mut self) {
        match self.state() {
            MachineState::Init if !self.attended => self.happen(Event::Order(Order::Start)),
            MachineState::StartUp { .. } => {
                let since = *self.start_up_since.get_or_insert(self.wall);
                if !self.attended && self.wall - since > self.driver_timeout {
                    self.end_by(Stop::Hydraulics, Event::Order(Order::Stop));
                    return;
                }
                self.hybrid.find_position();
                let status = self.hybrid.status();
                self.happen(Event::Pressure(status.pressure));
                self.happen(Event::Manifold(status.manifold));
            }
            MachineState::Centering(Centering::Moving | Centering::RampDown)
                if self.hybrid.is_at_start() =>
            {
                self.happen(Event::AtStart);
            }
            MachineState::Centering(Centering::AtStart) if !self.attended && !self.ended => {
                self.happen(Event::Order(Order::Next));
            }
            MachineState::PreRun => self.wait_for_driver(),
            MachineState::Stopped { off: false } => self.happen(Event::HydraulicsOff),
            _ => {}
        }
        self.watch_hydraulics();
    }

    fn wait_for_driver(&mut self) {
        let since = *self.pre_run_since.get_or_insert(self.wall);
        match self.hybrid.driver() {
            Readiness::Ready => self.happen(Event::DriverReady),
            Readiness::NotYet | Readiness::Delayed if self.wall - since <= self.driver_timeout => {}
            _ => self.end_by(Stop::Driver, Event::DriverLost),
        }
    }

    #[inline]
    fn watch_hydraulics(&mut self) {
        let status = self.hybrid.status();
        let needed = matches!(
            self.state(),
            MachineState::Centering(_) | MachineState::PreRun | MachineState::PreCor { .. }
        );
        if needed && !(status.pressure && status.manifold) {
            self.end_by(Stop::Hydraulics, Event::Pressure(false));
        }
    }

    /// Puts an event through the machine and does what it says.
    fn happen(&mut self, event: Event) {
        let from = self.state();
        let actions = self.machine.happen(event);
        let to = self.state();
        // What start-up has heard so far is no state of its own to people.
        if to.name() != from.name() {
            self.tell(What::State(from, to));
        }
        if from == MachineState::PreRun && to == (MachineState::PreCor { held: false }) {
            self.hybrid.hold();
        }
        if actions.contains(Action::EndTest) {
            self.ended = true;
        }
        let hydraulics = if actions.contains(Action::HydraulicsOff) {
            Hydraulics::Off
        } else if actions.contains(Action::RampPressure) {
            Hydraulics::RampDown
        } else {
            return;
        };
        if self.hybrid.stop_hydraulics(hydraulics) {
            self.happen(Event::HydraulicsOff);
        }
    }

    /// The test has ended, and nothing moves any more that belongs to its end.
    fn is_over(&self) -> bool {
        let over = matches!(self.state(), MachineState::Stopped { .. });
        over || (self.ended && self.state() != MachineState::Centering(Centering::RampDown))
    }

    /// Tick and structural time to which belongs what happens now.
    #[inline]
    pub fn instant(&self) -> (u64, f64) {
        let timing = self.hybrid.timing();
        let (back, time) = if self.after_tick {
            (1, timing.period / timing.time_scale)
        } else {
            (0, 0.0)
        };
        let tick = self.hybrid.ticks().saturating_sub(back);
        (tick, self.hybrid.time() - time)
    }

    /// Sends a notice; one that finds no room is lost, which a thousand in one slice would have to
    /// be for.
    #[inline]
    pub fn tell(&mut self, what: What) {
        let (tick, time_s) = self.instant();
        let notice = Notice {
            tick,
            time_s,
            // A cycle may take its time, where a rig waits for its peers.
            wall_s: self.now.wall().unwrap_or(self.wall),
            what,
        };
        let _ = self.notices.push(notice);
        if let Some(tap) = &mut self.tap {
            tap.tell(notice);
        }
    }
}
