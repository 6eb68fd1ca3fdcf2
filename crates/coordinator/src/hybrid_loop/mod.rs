//! The loop of a hybrid test, once. Virtual, real-time and replayed tests all call [`HybridLoop::tick`].
//!
//! ```text
//!  excitation ─▶ INTEGRATION ──target──▶ kinematics ─▶ COMMAND ─▶ compensator ─▶ safety gate ─▶ RIG
//!                     ▲                  node → actuator                                         │
//!                     └────── restoring force ◀── kinematics ◀── conditioning ◀── measured ◀─────┘
//! ```
//!
//! A tick is one period of the coordinator. λΔt of wall time belongs to an integration step of Δt, so a step has
//! λΔt·rate ticks: one in real time, many in a pseudo-dynamic test, and not always a whole number. A way from target to target
//! always takes whole ticks: where λΔt·rate is 111.2, four ways of five take 111 and one 112, so that no tick has to make up for a
//! part of another.

mod alarms;
mod interface;
mod parts;
mod record;
mod snapshot;
mod standing;
mod way;

pub use parts::{Parts, Timing};
pub(crate) use record::{DRIVER_STEPS, DRIVER_TARGET, DRIVER_TIMES, STATUS};
pub use record::{DRIVER_TIME, Pending, TARGET_PENDING};

use crate::fault::Fault;
use crate::recorder::Block;
use alarms::Alarms;
use interface::Node;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tandem_integrator::Readiness;
use tandem_monitor::{Frame, Verdict};
use tandem_quantity::{BuildError, Motion};
use tandem_safety::gate::{Finding, Limit, Trip, stricter};
use tandem_safety::{Permit, Rehearsal};
use tandem_transfer::command::Lateness;
use tandem_transfer::conditioning::Conditioner;
use tandem_transfer::rig::{Hydraulics, Measured, Status};
use way::Way;

/// Who wants something to happen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cause {
    /// A detector of the safety gate.
    Limit(Trip),
    /// A monitor; index into the monitors.
    Monitor(usize),
}

/// Where the test stands after a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Progress {
    /// Go on.
    Running,
    /// Only in stepped time: the driver has no target yet and the clock stands. The tick is finished by the next call.
    Awaiting,
    /// All steps are done.
    Complete,
    /// The driver is gone; the command is held.
    DriverLost,
    /// Something stronger than a warning; the command is held.
    Act(Verdict, Cause),
}

/// The loop with its state. `new` allocates; `tick` never does.
pub struct HybridLoop {
    parts: Parts,
    timing: Timing,
    tick: u64,
    way: Way,
    /// Where the specimen should be at this tick, and at the next.
    target: Motion,
    wanted: Motion,
    /// The integrator's target in wall time, of the actuators.
    asked: Motion,
    /// What kinematics make of motions at the interface; unused without.
    node: Node,
    command: Motion,
    /// What the sensors said, and what is read from it (`Chain::read`): everybody but the watch on the sensors goes by that.
    raw: Measured,
    measured: Measured,
    /// Answer to a question within the tick, or what goes back of the measurement (`Chain::feed_back`).
    answer: Measured,
    /// Restoring force as it goes back at the end of the way, and within the tick.
    force: Vec<f64>,
    inner_force: Vec<f64>,
    /// External load on the numerical substructure at the last completed step.
    load: Vec<f64>,
    /// Whether the integrator estimates the specimen's stiffness, and whether the rig knows the true one; scratch for it.
    estimates: bool,
    knows: bool,
    true_stiffness: Vec<f64>,
    /// Whether the rig measures acceleration, so that it is recorded.
    accelerometers: bool,
    /// What the method assumed of the forces beyond what it asked, where it assumes.
    assumes: bool,
    unbalanced: Vec<f64>,
    alarms: Alarms,
    /// A limit that warned in this tick.
    limit_warning: Option<Trip>,
    /// In stepped time the clock waits for the driver: between these two halves of a tick, the first of which found this.
    clock_waits: bool,
    half_done: Option<bool>,
    status: Status,
    /// Steps of the integrator that the loop knows to be complete.
    steps_seen: u64,
    /// What the integration side said when its target was last looked for.
    readiness: Readiness,
    /// Where the test starts, in strokes, m, and how far the way there goes in a tick.
    start: Vec<f64>,
    centering_step: f64,
    /// Scripted faults of the machine and of the desk.
    room: Vec<Fault>,
    /// The ticks of the test, for faults that go by them.
    clock: Arc<AtomicU64>,
    row: Vec<f64>,
}

/// Speed of the way to the start position, m/s (Tekeste, Correia and Costa 2025, section 2.3).
const CENTERING_SPEED: f64 = 0.5e-3;

/// Whether a finding is more than a warning.
#[inline]
fn acts(finding: Finding) -> bool {
    finding.is_some_and(|(verdict, _)| verdict > Verdict::Warn)
}

impl HybridLoop {
    /// Puts the loop together.
    pub fn new(parts: Parts, timing: Timing) -> Self {
        let properties = parts.rig.properties();
        let actuators = properties.actuators;
        let interface = parts.integrator.problem().interface.len();
        let dt = parts.integrator.properties().dt;
        let mut this = Self {
            timing,
            tick: 0,
            way: Way::new(timing.time_scale * dt / timing.period),
            target: Motion::at_rest(actuators),
            wanted: Motion::at_rest(actuators),
            asked: Motion::at_rest(actuators),
            node: Node::at_rest(interface),
            command: Motion::at_rest(actuators),
            raw: Measured::at_rest(actuators),
            measured: Measured::at_rest(actuators),
            answer: Measured::at_rest(actuators),
            force: vec![0.0; interface],
            inner_force: vec![0.0; interface],
            load: vec![0.0; parts.integrator.problem().structure.properties().dof()],
            estimates: parts.integrator.observe().tangent().is_some(),
            knows: false,
            true_stiffness: vec![0.0; actuators * actuators],
            accelerometers: properties.measures_acceleration,
            assumes: false,
            unbalanced: vec![0.0; parts.integrator.problem().interface.len()],
            alarms: Alarms::new(&parts.monitors, timing.period),
            limit_warning: None,
            clock_waits: false,
            half_done: None,
            status: Status::READY,
            steps_seen: parts.integrator.steps(),
            readiness: Readiness::Ready,
            start: vec![0.0; actuators],
            centering_step: CENTERING_SPEED * timing.period,
            room: Vec::new(),
            clock: Arc::default(),
            row: Vec::new(),
            parts,
        };
        this.knows = this.estimates && this.parts.rig.observe().tangent(&mut this.true_stiffness);
        this.assumes = (this.parts.integrator.observe()).splitting_residual(&mut this.unbalanced);
        this.unbalanced.fill(0.0);
        this.row = vec![0.0; this.channels().len()];
        this.begin_way(0.0, 0.0);
        this.driver();
        this
    }

    /// The same loop, at its beginning, with other tenants: a fault put around the rig, a driver around the integrator.
    #[must_use]
    pub fn with_parts(self, change: impl FnOnce(Parts) -> Parts) -> Self {
        let mut this = Self::new(change(self.parts), self.timing);
        this.centering_step = self.centering_step;
        this.clock_waits = self.clock_waits;
        this.room = self.room;
        this.clock = self.clock;
        this
    }

    /// The same loop with scripted faults of the machine and of the desk; also its clock, for other faults.
    pub(crate) fn with_room(mut self, faults: Vec<Fault>) -> (Self, Arc<AtomicU64>) {
        self.room = faults;
        let clock = Arc::clone(&self.clock);
        (self, clock)
    }

    /// Scripted faults of the machine and of the desk.
    #[inline]
    pub(crate) fn faults_of_the_room(&self) -> &[Fault] {
        &self.room
    }

    /// The test begins: the way to the start position is over, and nothing of it is left.
    pub(crate) fn stand(&mut self) {
        self.parts.gate.hold(&mut self.command);
    }

    /// The clock waits for an outside driver instead of running on: for stepped time only.
    pub fn let_the_clock_wait(&mut self, waits: bool) {
        self.clock_waits = waits;
    }

    /// Leave to tick a loop whose rig is a model, without a test around it.
    ///
    /// # Errors
    /// [`BuildError`] where the rig is no model.
    pub fn rehearsal(&self) -> Result<Rehearsal, BuildError> {
        Rehearsal::of(self.parts.rig.as_ref())
    }

    /// One tick, always in this order. Returns the row for the record through `block`. Without
    /// leave for the test the command holds.
    #[inline]
    pub fn tick(&mut self, permit: &Permit<'_>, block: &mut Block) -> Progress {
        self.alarms.changed = 0;

        // 1. Sensors. What was wanted for this tick is now the target to compare with.
        let resumed = self.half_done.take();
        if resumed.is_some()
            && let Some((verdict, trip)) = self.look_after_rig()
        {
            // Between two ticks: this one does not come to its end, and leaves no row.
            self.parts.gate.hold(&mut self.command);
            return Progress::Act(verdict, Cause::Limit(trip));
        }
        let (mut finding, mut step_complete) = match resumed {
            None => (self.sense(), false),
            Some(complete) => (None, complete),
        };

        // 2. Integration: the force goes back when the way to the target has been gone.
        let mut progress = Progress::Running;
        #[allow(clippy::cast_precision_loss)]
        let now = self.tick as f64;
        if !acts(finding) {
            (progress, step_complete) =
                self.integrate(permit, now, step_complete, resumed.is_some());
            if progress == Progress::Awaiting {
                self.half_done = Some(step_complete);
                return progress;
            }
        }

        // A method that does not look ahead wants its target now; others wanted it a tick ago.
        let looks_ahead = self.parts.integrator.properties().looks_ahead;
        if progress == Progress::Running && !acts(finding) && !looks_ahead {
            self.want(1.0);
            self.target.copy_from(&self.wanted);
        }

        // 3. Is the specimen where it should be? Monitors look at what came back; the strictest verdict wins.
        if progress == Progress::Running && !acts(finding) {
            let tracking = self.parts.gate.check_tracking(&self.measured, &self.target);
            finding = stricter(finding, tracking);
        }
        let observed = self.observe(step_complete);
        if progress == Progress::Running {
            progress = match (finding, observed) {
                (Some((verdict, trip)), _) if verdict > Verdict::Warn => {
                    Progress::Act(verdict, Cause::Limit(trip))
                }
                (_, Some((verdict, monitor))) => Progress::Act(verdict, Cause::Monitor(monitor)),
                _ if self.parts.integrator.steps() >= self.timing.steps => Progress::Complete,
                _ => Progress::Running,
            };
        }

        // 4. Command for the next tick: trajectory, compensation, gate.
        if progress == Progress::Running && looks_ahead {
            self.go_on_the_way(now);
        }
        let mut command = std::mem::replace(&mut self.command, Motion::at_rest(0));
        let released = if progress == Progress::Running {
            let Parts {
                compensator, gate, ..
            } = &mut self.parts;
            compensator.compensate(&self.wanted, &self.measured.motion, &mut command);
            let (released, passed) = gate.release(permit, &self.wanted, &mut command);
            finding = stricter(finding, passed);
            if let Some((verdict, trip)) = passed
                && verdict > Verdict::Warn
            {
                progress = Progress::Act(verdict, Cause::Limit(trip));
            }
            released
        } else {
            // Held, not given up: when it goes on, it goes on from here.
            self.way.shift();
            self.parts.gate.hold(&mut command)
        };
        self.limit_warning = finding.and_then(|(v, trip)| (v == Verdict::Warn).then_some(trip));

        // 5. Record, then act.
        self.record(&released, block);
        self.parts.rig.write(released);
        self.command = command;
        self.tick += 1;
        self.clock.store(self.tick, Ordering::Relaxed);
        progress
    }

    /// Reads and checks the sensors of this tick.
    #[inline]
    fn sense(&mut self) -> Finding {
        self.parts.rig.read(&mut self.raw);
        self.status = self.parts.rig.status();
        std::mem::swap(&mut self.target, &mut self.wanted);
        // Bounds and the watch on the sensors go by the sensors themselves, whatever the plan makes of them.
        let gate = &mut self.parts.gate;
        let mut finding = gate.check_measured(&self.raw);
        if !finding.is_some_and(|(_, trip)| trip.limit == Limit::NotFinite) {
            let behaviour = gate.check_behaviour(&self.raw, &self.status);
            finding = stricter(finding, behaviour);
        }
        self.measured.copy_from(&self.raw);
        if let Some(conditioning) = &mut self.parts.conditioning {
            conditioning.read(&self.target, &mut self.measured);
            self.answer.copy_from(&self.measured);
            conditioning.feed_back(&self.target, &mut self.answer);
        }
        let weakness = self.parts.gate.check_specimen(&self.measured);
        finding = stricter(finding, weakness);
        if !acts(finding) {
            finding = stricter(finding, self.resolve(false));
        }
        finding
    }

    /// The clock waits for the driver: whether the rig keeps well meanwhile.
    #[inline]
    fn look_after_rig(&mut self) -> Finding {
        if self.parts.rig.check_connection() {
            return None;
        }
        self.parts.rig.read(&mut self.raw);
        self.parts.gate.check_measured(&self.raw)
    }

    /// Gives the force back when the way has been gone, and begins the way to the next target. `resumed`: the first half of this
    /// tick is done, and `step_complete` is what it found.
    #[inline]
    fn integrate(
        &mut self,
        permit: &Permit<'_>,
        now: f64,
        mut step_complete: bool,
        resumed: bool,
    ) -> (Progress, bool) {
        let mut progress = Progress::Running;
        let arrived = !resumed && self.tick > 0 && self.way.is_gone(now);
        if arrived {
            step_complete = self.feed_back(false);
            self.steps_seen = self.parts.integrator.steps();
            self.hear_method(step_complete);
        }
        let mut asked = arrived;
        while self.needs_instant_answer() && progress == Progress::Running {
            progress = self.ask_at_once(permit);
            asked = true;
        }
        if asked {
            let from = if arrived { self.way.due() } else { now };
            self.begin_way(now, from);
        }
        if self.way.pending && progress == Progress::Running {
            progress = self.look_for_target(now);
            // Steps are completed elsewhere, too, while time goes on.
            let steps = self.parts.integrator.steps();
            if steps != self.steps_seen {
                self.steps_seen = steps;
                step_complete = true;
                self.hear_method(true);
            }
        }
        (progress, step_complete)
    }

    /// Whether the method's question must be answered within the tick.
    #[inline]
    fn needs_instant_answer(&self) -> bool {
        let integrator = &self.parts.integrator;
        integrator.properties().needs_instant_answers && integrator.observe().needs_instant_answer()
    }

    /// What the method says about a question or a step that is done.
    #[inline]
    fn hear_method(&mut self, step_complete: bool) {
        let integrator = &self.parts.integrator;
        if step_complete && self.assumes {
            integrator
                .observe()
                .splitting_residual(&mut self.unbalanced);
        }
        if self.estimates
            && let (Some(conditioning), Some(tangent)) =
                (&mut self.parts.conditioning, integrator.observe().tangent())
        {
            conditioning.tangent(tangent.stiffness);
        }
    }

    /// The way to the next target begins at tick `start`, whether the target is there or not.
    #[inline]
    fn begin_way(&mut self, start: f64, from: f64) {
        self.way.begin(
            start,
            from,
            self.parts.integrator.observe().target_fraction(),
        );
    }

    /// The target of this way is there.
    #[inline]
    fn accept_target(&mut self) {
        self.way
            .arrive(self.parts.integrator.observe().target_fraction());
        self.take_target();
        self.parts.command.target(&self.asked);
    }

    /// Asks for the target of the way that has begun.
    #[inline]
    fn look_for_target(&mut self, now: f64) -> Progress {
        self.readiness = self.parts.integrator.poll(Duration::ZERO);
        match self.readiness {
            Readiness::Ready => {
                self.accept_target();
                Progress::Running
            }
            Readiness::NotYet if self.clock_waits => Progress::Awaiting,
            Readiness::NotYet | Readiness::KeptBack => {
                let overdue = self.way.age(now) * self.timing.period;
                match self.parts.gate.check_target(overdue) {
                    Some((verdict, trip)) if verdict > Verdict::Warn => {
                        Progress::Act(verdict, Cause::Limit(trip))
                    }
                    _ => Progress::Running,
                }
            }
            Readiness::Finished => Progress::Complete,
            Readiness::Lost => Progress::DriverLost,
        }
    }

    /// The motion wanted at the next tick, on the way to the target or to one that is not there yet. The command then goes on by
    /// prediction as far as its method allows, slows down and holds; from where it slows down the clock stands still.
    #[inline]
    fn go_on_the_way(&mut self, now: f64) {
        let next = now + 1.0;
        if !self.way.pending {
            self.way.lateness = Lateness::Predicting;
            self.want(self.way.at(next));
            return;
        }
        let command = &mut self.parts.command;
        if self.way.at(next) > command.late_limit() {
            self.way.stand();
        }
        // A generator that does not predict leaves the motion as it is: what was wanted for this tick, at rest.
        self.wanted.copy_from(&self.target);
        self.wanted.velocity.fill(0.0);
        self.wanted.acceleration.fill(0.0);
        let (x, late) = (self.way.at(next), self.way.late());
        let duration = self.way.share() * self.timing.period;
        self.way.lateness = command.waiting(x, late, duration, &mut self.wanted);
    }

    /// Wanted motion at fraction `x` of the way to the target.
    #[inline]
    fn want(&mut self, x: f64) {
        // The time that the step asks for, not that of the whole ticks: targets stand evenly where steps are even.
        let duration = self.way.share() * self.timing.period;
        self.parts.command.wanted(x, duration, &mut self.wanted);
    }

    /// Shows the monitors what came back. Returns the strictest verdict above a warning, and whose it is.
    #[inline]
    fn observe(&mut self, step_complete: bool) -> Option<(Verdict, usize)> {
        let time = self.time();
        if step_complete && !self.parts.monitors.is_empty() {
            self.parts.loading.force(time, &mut self.load);
        }
        let (target, measured) = match &self.parts.kinematics {
            Some(_) => (&self.node.target, &self.node.measured.motion),
            None => (&self.target, &self.measured.motion),
        };
        let frame = Frame {
            time,
            step_complete,
            target,
            measured,
            force: &self.force,
            load: &self.load,
            response: self.parts.integrator.response(),
        };
        let monitors = &mut self.parts.monitors;
        self.alarms.observe(monitors, &frame, self.tick)
    }

    /// Whether the driver has its first target. May be asked before the test runs.
    #[inline]
    pub fn driver(&mut self) -> Readiness {
        if !self.way.pending {
            return Readiness::Ready;
        }
        self.readiness = self.parts.integrator.poll(Duration::ZERO);
        if self.readiness == Readiness::Ready {
            self.accept_target();
        }
        self.readiness
    }

    /// Sleeps until the driver has its target, at most this long. In stepped time only.
    pub fn wait_for_driver(&mut self, at_most: Duration) -> Readiness {
        self.parts.integrator.poll(at_most)
    }

    /// What the rig said about itself at the last tick.
    #[inline]
    pub fn status(&self) -> Status {
        self.status
    }

    /// What the command does while a target is late.
    #[inline]
    pub fn lateness(&self) -> Lateness {
        self.way.lateness
    }

    /// Stops the hydraulics; whether they are off.
    pub fn stop_hydraulics(&mut self, what: Hydraulics) -> bool {
        self.parts.rig.hydraulics(what)
    }

    /// The values of the last tick, in the order of [`HybridLoop::channels`].
    #[inline]
    pub fn row(&self) -> &[f64] {
        &self.row
    }

    /// Structural time of the present tick, s.
    #[inline]
    pub fn time(&self) -> f64 {
        #[allow(clippy::cast_precision_loss)]
        let tick = self.tick as f64 - self.way.lost();
        tick * (self.timing.period / self.timing.time_scale)
    }

    /// Ticks so far.
    pub fn ticks(&self) -> u64 {
        self.tick
    }

    /// Completed integration steps.
    pub fn steps(&self) -> u64 {
        self.parts.integrator.steps()
    }

    /// The clocks.
    pub fn timing(&self) -> Timing {
        self.timing
    }

    /// The tenants.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Which monitors began or ceased to warn in the last tick, and which of them warn now: bit i for monitor i.
    #[inline]
    pub fn changed_warnings(&self) -> (u64, u64) {
        (self.alarms.changed, self.alarms.warning)
    }

    /// What a limit of the gate warned of in the last tick.
    #[inline]
    pub fn limit_warning(&self) -> Option<Trip> {
        self.limit_warning
    }

    /// What the monitors' figures mean, in words, with the name of the monitor; only those that can say it.
    pub fn words(&self) -> impl Iterator<Item = (&'static str, String)> {
        let monitors = self.parts.monitors.iter();
        monitors.filter_map(|(name, monitor)| Some((*name, monitor.words()?)))
    }
}
