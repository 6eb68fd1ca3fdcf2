//! The loop of a hybrid test, once. Virtual, real-time and replayed tests all call
//! [`HybridLoop::tick`].
//!
//! ```text
//!  excitation ─▶ INTEGRATION ──target──▶ kinematics ─▶ COMMAND ─▶ compensator ─▶ safety gate ─▶ RIG
//!                     ▲                  node → actuator                                         │
//!                     └────── restoring force ◀── kinematics ◀── conditioning ◀── measured ◀─────┘
//! ```
//!
//! A tick is one period of the coordinator. λΔt of wall time belongs to an integration step of Δt,
//! so a step has λΔt·rate ticks: one in real time, many in a pseudo-dynamic test, and not always a
//! whole number. A segment from target to target always takes whole ticks: where λΔt·rate is 111.2,
//! four segments of five take 111 and one 112, so that no tick has to make up for a part of
//! another.

mod alarms;
mod cycle;
mod idle;
mod interface;
mod parts;
mod row;
mod segment;
mod snapshot;
mod status;
#[cfg(test)]
mod tests;

pub use cycle::{Cause, Progress};
pub use parts::{Parts, Timing};
pub use status::TargetStatus;

use crate::fault::Fault;
use crate::recorder::{Channel, RowBlock};
use alarms::Alarms;
use cycle::Cycle;
use interface::Node;
use row::{Has, Row, Values};
use segment::Segment;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tandem_integrator::{IntegratorProperties, Readiness};
use tandem_monitor::{Observation, Verdict};
use tandem_quantity::{BuildError, Motion};
use tandem_safety::gate::Trip;
use tandem_safety::{Permit, Rehearsal};
use tandem_transfer::command::LateMode;
use tandem_transfer::conditioning::Conditioner;
use tandem_transfer::rig::{Hydraulics, Measured, Status};

/// The loop with its state. `new` allocates; `tick` never does.
pub struct HybridLoop {
    parts: Parts,
    timing: Timing,
    tick: u64,
    segment: Segment,
    path: Path,
    sensors: Sensors,
    /// What kinematics make of motions at the interface; unused without.
    node: Node,
    forces: Forces,
    alarms: Alarms,
    /// This tick so far, or the last one.
    cycle: Cycle,
    /// In stepped time the clock waits for the driver.
    waits_for_targets: bool,
    /// What never changes of the integrator.
    method: IntegratorProperties,
    /// Steps of the integrator that the loop knows to be complete.
    steps_seen: u64,
    /// The integrator estimates the specimen's stiffness.
    estimates: bool,
    start: Start,
    /// Scripted faults of the machine and of the operator.
    host_faults: Vec<Fault>,
    /// The ticks of the test, for faults that go by them.
    clock: Arc<AtomicU64>,
    row: Row,
}

/// Where the specimen should be, in the strokes of the actuators and in wall time.
struct Path {
    /// At this tick, and at the next.
    reference: Motion,
    next_reference: Motion,
    /// The integrator's target.
    actuator_target: Motion,
    /// What is sent to the rig.
    command: Motion,
}

/// What the rig says.
struct Sensors {
    /// What the sensors said, and what is read from it (`Pipeline::read`): everybody but the watch
    /// on the sensors goes by that.
    raw: Measured,
    measured: Measured,
    /// Answer to a question within the tick, or what goes back of the measurement
    /// (`Pipeline::feedback_from`).
    feedback: Measured,
    status: Status,
}

/// Forces at the interface, and what is known of them.
struct Forces {
    /// Restoring force as it goes back at the end of the segment, and within the tick.
    restoring: Vec<f64>,
    within_tick: Vec<f64>,
    /// Scratch for the restoring force before it is corrected.
    uncorrected: Vec<f64>,
    /// External load on the numerical substructure at the last completed step.
    load: Vec<f64>,
    /// What the method assumed of the forces beyond what it asked.
    unbalanced: Vec<f64>,
    assumes: bool,
    /// Scratch for the rig's true stiffness.
    true_stiffness: Vec<f64>,
}

/// Where the test starts, in strokes, m, and how far the way there goes in a tick.
struct Start {
    position: Vec<f64>,
    step: f64,
}

/// Speed of the way to the start position, m/s (Tekeste, Correia and Costa 2025, section 2.3).
const CENTERING_SPEED: f64 = 0.5e-3;

impl HybridLoop {
    /// Puts the loop together.
    pub fn new(parts: Parts, timing: Timing) -> Self {
        let actuators = parts.rig.properties().actuators;
        let problem = parts.integrator.problem();
        let (interface, dof) = (
            problem.interface.len(),
            problem.structure.properties().dof(),
        );
        let method = *parts.integrator.properties();
        let mut forces = Forces {
            restoring: vec![0.0; interface],
            within_tick: vec![0.0; interface],
            uncorrected: vec![0.0; interface],
            load: vec![0.0; dof],
            unbalanced: vec![0.0; interface],
            assumes: false,
            true_stiffness: vec![0.0; interface * interface],
        };
        let estimate = parts.integrator.observe().tangent().is_some();
        let known = estimate && parts.rig.observe().tangent(&mut forces.true_stiffness);
        let view = parts.integrator.observe();
        forces.assumes = view.splitting_residual(&mut forces.unbalanced);
        forces.unbalanced.fill(0.0);
        let has = Has {
            estimate,
            true_stiffness: known,
            unbalanced: forces.assumes,
        };
        let mut this = Self {
            timing,
            tick: 0,
            segment: Segment::new(timing.time_scale * method.dt / timing.period),
            path: Path {
                reference: Motion::at_rest(actuators),
                next_reference: Motion::at_rest(actuators),
                actuator_target: Motion::at_rest(actuators),
                command: Motion::at_rest(actuators),
            },
            sensors: Sensors {
                raw: Measured::at_rest(actuators),
                measured: Measured::at_rest(actuators),
                feedback: Measured::at_rest(actuators),
                status: Status::READY,
            },
            node: Node::at_rest(interface),
            forces,
            alarms: Alarms::new(&parts.monitors, timing.period),
            cycle: Cycle::new(),
            waits_for_targets: false,
            method,
            start: Start {
                position: vec![0.0; actuators],
                step: CENTERING_SPEED * timing.period,
            },
            host_faults: Vec::new(),
            clock: Arc::default(),
            steps_seen: parts.integrator.steps(),
            estimates: estimate,
            row: Row::new(&parts, has),
            parts,
        };
        this.begin_segment(0.0, 0.0);
        this.driver();
        this
    }

    /// The same loop, at its beginning, with other components: a fault put around the rig, a driver
    /// around the integrator.
    #[must_use]
    pub fn with_parts(self, change: impl FnOnce(Parts) -> Parts) -> Self {
        let mut this = Self::new(change(self.parts), self.timing);
        this.start.step = self.start.step;
        this.waits_for_targets = self.waits_for_targets;
        this.host_faults = self.host_faults;
        this.clock = self.clock;
        this
    }

    /// The same loop with scripted faults of the machine and of the operator; also its clock, for
    /// other faults.
    pub(crate) fn with_host_faults(mut self, faults: Vec<Fault>) -> (Self, Arc<AtomicU64>) {
        self.host_faults = faults;
        let clock = Arc::clone(&self.clock);
        (self, clock)
    }

    /// Scripted faults of the machine and of the operator.
    #[inline]
    pub(crate) fn host_faults(&self) -> &[Fault] {
        &self.host_faults
    }

    /// The test begins: the way to the start position is over, and nothing of it is left.
    pub(crate) fn hold(&mut self) {
        self.parts.gate.hold(&mut self.path.command);
    }

    /// The clock waits for an external integrator instead of running on: for stepped time only.
    pub fn wait_for_targets(&mut self, waits: bool) {
        self.waits_for_targets = waits;
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
    pub fn tick(&mut self, permit: &Permit<'_>, block: &mut RowBlock) -> Progress {
        let now = self.tick as f64;

        if self.cycle.progress == Progress::Awaiting {
            // The same tick again, now that its target may be there.
            if let Some(end) = self.look_after_rig() {
                self.cycle.progress = end;
                return end;
            }
            self.cycle.progress = Progress::Running;
        } else {
            // 1. Sensors and their checks.
            self.sense();
            // 2. The force goes back when the segment to the target has been gone.
            self.feedback_from(permit, now);
        }

        // 3. The next target.
        self.look_for_target(now);
        if self.cycle.progress == Progress::Awaiting {
            return Progress::Awaiting;
        }
        // A method that does not look ahead wants its target now; others wanted it a tick ago.
        let looks_ahead = self.method.looks_ahead;
        if self.cycle.goes_on() && !looks_ahead {
            self.refer(1.0);
            self.path.reference.copy_from(&self.path.next_reference);
        }

        // 4. Is the specimen where it should be? Monitors look at what came back; the strictest
        // verdict wins.
        if self.cycle.goes_on() {
            let (gate, reference) = (&self.parts.gate, &self.path.reference);
            self.cycle
                .found(gate.check_tracking(&self.sensors.measured, reference));
        }
        let observed = self.observe();
        let all_done = self.parts.integrator.steps() >= self.timing.steps;
        self.cycle.decide(observed, all_done);

        // 5. Command for the next tick: trajectory, compensation, gate.
        if self.cycle.progress == Progress::Running {
            if looks_ahead {
                self.extrapolate(now);
            }
        } else {
            // Held, not given up: when it goes on, it goes on from here.
            self.segment.shift();
        }
        let status = self.target_status();
        let time = self.time();
        let (parts, path) = (&mut self.parts, &mut self.path);
        let released = if self.cycle.progress == Progress::Running {
            let (next, measured) = (&path.next_reference, &self.sensors.measured.motion);
            parts
                .compensator
                .compensate(next, measured, &mut path.command);
            let (released, finding) = parts.gate.release(permit, next, &mut path.command);
            self.cycle.passed(finding);
            released
        } else {
            parts.gate.hold(&mut path.command)
        };

        // 6. Record, then act.
        let values = Values {
            time,
            parts,
            reference: &path.reference,
            command: &released,
            sensors: &self.sensors,
            node: &self.node,
            unbalanced: &self.forces.unbalanced,
            status,
        };
        self.row.fill(&values, &mut self.forces.true_stiffness);
        block.push(time, self.row.values());
        parts.rig.write(released);
        self.tick += 1;
        self.clock.store(self.tick, Ordering::Relaxed);
        self.cycle.progress
    }

    /// Reads and checks the sensors of this tick. What was wanted for it is now the reference to
    /// compare with.
    #[inline]
    fn sense(&mut self) {
        self.cycle = Cycle::new();
        self.alarms.changed = 0;
        let (path, gate) = (&mut self.path, &mut self.parts.gate);
        path.reference.copy_from(&path.next_reference);
        let sensors = &mut self.sensors;
        self.parts.rig.read(&mut sensors.raw);
        sensors.status = self.parts.rig.status();
        // Bounds and the watch on the sensors go by the sensors themselves, whatever the plan makes
        // of them.
        self.cycle.found(gate.check_measured(&sensors.raw));
        if self.cycle.has_numbers() {
            self.cycle
                .found(gate.check_behaviour(&sensors.raw, &sensors.status));
        }
        sensors.measured.copy_from(&sensors.raw);
        if let Some(conditioning) = &mut self.parts.conditioning {
            conditioning.read(&path.reference, &mut sensors.measured);
            sensors.feedback.copy_from(&sensors.measured);
            conditioning.feedback_from(&path.reference, &mut sensors.feedback);
        }
        self.cycle.found(gate.check_specimen(&sensors.measured));
        if self.cycle.goes_on() {
            let lost = self.resolve(false);
            self.cycle.found(lost);
        }
    }

    /// The clock waits for the driver: whether the rig keeps well meanwhile. Between two ticks: a
    /// finding ends this one without a row.
    #[inline]
    fn look_after_rig(&mut self) -> Option<Progress> {
        if self.parts.rig.check_connection() {
            return None;
        }
        self.parts.rig.read(&mut self.sensors.raw);
        let (verdict, trip) = self.parts.gate.check_measured(&self.sensors.raw)?;
        self.parts.gate.hold(&mut self.path.command);
        Some(Progress::Act(verdict, Cause::Limit(trip)))
    }

    /// Gives the force back when the segment has been gone, and begins the one to the next target.
    #[inline]
    fn feedback_from(&mut self, permit: &Permit<'_>, now: f64) {
        if !self.cycle.goes_on() {
            return;
        }
        let arrived = self.tick > 0 && self.segment.is_gone(now);
        if arrived {
            self.cycle.step_complete = self.feedback(false);
            self.steps_seen = self.parts.integrator.steps();
            self.hear_method();
        }
        let mut asked = arrived;
        while self.needs_instant_answer() && self.cycle.progress == Progress::Running {
            self.cycle.progress = self.ask_at_once(permit);
            asked = true;
        }
        if asked {
            let from = if arrived { self.segment.due() } else { now };
            self.begin_segment(now, from);
        }
    }

    /// Whether the method's question must be answered within the tick.
    #[inline]
    fn needs_instant_answer(&self) -> bool {
        let integrator = &self.parts.integrator;
        self.method.needs_instant_answers && integrator.observe().needs_instant_answer()
    }

    /// What the method says about a question or a step that is done.
    #[inline]
    fn hear_method(&mut self) {
        let integrator = &self.parts.integrator;
        if self.cycle.step_complete && self.forces.assumes {
            let view = integrator.observe();
            view.splitting_residual(&mut self.forces.unbalanced);
        }
        if self.estimates
            && let (Some(conditioning), Some(tangent)) =
                (&mut self.parts.conditioning, integrator.observe().tangent())
        {
            conditioning.tangent(tangent.stiffness);
        }
    }

    /// The segment to the next target begins at tick `start`, whether the target is there or not.
    #[inline]
    fn begin_segment(&mut self, start: f64, from: f64) {
        let fraction = self.parts.integrator.observe().target_fraction();
        self.segment.begin(start, from, fraction);
    }

    /// The target of this segment is there.
    #[inline]
    fn accept_target(&mut self) {
        let fraction = self.parts.integrator.observe().target_fraction();
        self.segment.arrive(fraction);
        self.take_target();
        self.parts.command.target(&self.path.actuator_target);
    }

    /// Asks for the target of a segment that has begun without it.
    #[inline]
    fn look_for_target(&mut self, now: f64) {
        if !(self.cycle.goes_on() && self.segment.pending) {
            return;
        }
        self.cycle.progress = self.poll(now);
        // Steps are completed elsewhere, too, while time goes on.
        let steps = self.parts.integrator.steps();
        if steps != self.steps_seen {
            self.steps_seen = steps;
            self.cycle.step_complete = true;
            self.hear_method();
        }
    }

    #[inline]
    fn poll(&mut self, now: f64) -> Progress {
        match self.driver() {
            Readiness::Ready => Progress::Running,
            Readiness::NotYet if self.waits_for_targets => Progress::Awaiting,
            Readiness::NotYet | Readiness::Delayed => {
                let overdue = self.segment.age(now) * self.timing.period;
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

    /// The motion wanted at the next tick, on the way to the target or to one that is not there
    /// yet. The command then goes on by prediction as far as its method allows, slows down and
    /// holds; from where it slows down the clock stands still.
    #[inline]
    fn extrapolate(&mut self, now: f64) {
        let next = now + 1.0;
        if !self.segment.pending {
            self.segment.lateness = LateMode::Predicting;
            self.refer(self.segment.at(next));
            return;
        }
        let (command, path) = (&mut self.parts.command, &mut self.path);
        if self.segment.at(next) > command.late_limit() {
            self.segment.hold();
        }
        // A generator that does not predict leaves the motion as it is: what was wanted for this
        // tick, at rest.
        path.next_reference.copy_from(&path.reference);
        path.next_reference.velocity.fill(0.0);
        path.next_reference.acceleration.fill(0.0);
        let (x, late) = (self.segment.at(next), self.segment.late());
        let duration = self.segment.share() * self.timing.period;
        self.segment.lateness = command.waiting(x, late, duration, &mut path.next_reference);
    }

    /// The motion wanted at the next tick: that at fraction `x` of the segment.
    #[inline]
    fn refer(&mut self, x: f64) {
        // The time that the step asks for, not that of the whole ticks: targets stand evenly where
        // steps are even.
        let duration = self.segment.share() * self.timing.period;
        let next = &mut self.path.next_reference;
        self.parts.command.wanted(x, duration, next);
    }

    /// Shows the monitors what came back. Returns the strictest verdict above a warning, and whose
    /// it is.
    #[inline]
    fn observe(&mut self) -> Option<(Verdict, usize)> {
        let (time, step_complete) = (self.time(), self.cycle.step_complete);
        if step_complete && !self.parts.monitors.is_empty() {
            self.parts.loading.force(time, &mut self.forces.load);
        }
        let (target, measured) = match &self.parts.kinematics {
            Some(_) => (&self.node.target, &self.node.measured.motion),
            None => (&self.path.reference, &self.sensors.measured.motion),
        };
        let frame = Observation {
            time,
            step_complete,
            target,
            measured,
            force: &self.forces.restoring,
            load: &self.forces.load,
            response: self.parts.integrator.response(),
        };
        let monitors = &mut self.parts.monitors;
        self.alarms.observe(monitors, &frame, self.tick)
    }

    /// Whether the driver has its first target. May be asked before the test runs.
    #[inline]
    pub fn driver(&mut self) -> Readiness {
        if !self.segment.pending {
            return Readiness::Ready;
        }
        self.segment.readiness = self.parts.integrator.poll(Duration::ZERO);
        if self.segment.readiness == Readiness::Ready {
            self.accept_target();
        }
        self.segment.readiness
    }

    /// Sleeps until the driver has its target, at most this long. In stepped time only.
    pub fn wait_for_driver(&mut self, at_most: Duration) -> Readiness {
        self.parts.integrator.poll(at_most)
    }

    /// What the rig said about itself at the last tick.
    #[inline]
    pub fn status(&self) -> Status {
        self.sensors.status
    }

    /// What the command does while a target is late.
    #[inline]
    pub fn lateness(&self) -> LateMode {
        self.segment.lateness
    }

    /// Stops the hydraulics; whether they are off.
    pub fn stop_hydraulics(&mut self, what: Hydraulics) -> bool {
        self.parts.rig.hydraulics(what)
    }

    /// The channels of the record, in the order of the row.
    pub fn channels(&self) -> &[Channel] {
        self.row.channels()
    }

    /// The values of the last tick, in the order of [`HybridLoop::channels`].
    #[inline]
    pub fn row(&self) -> &[f64] {
        self.row.values()
    }

    /// Structural time of the present tick, s.
    #[inline]
    pub fn time(&self) -> f64 {
        let tick = self.tick as f64 - self.segment.lost();
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

    /// The components.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Which monitors began or ceased to warn in the last tick, and which of them warn now: bit i
    /// for monitor i.
    #[inline]
    pub fn changed_warnings(&self) -> (u64, u64) {
        (self.alarms.changed, self.alarms.warning)
    }

    /// What a limit of the gate warned of in the last tick.
    #[inline]
    pub fn limit_warning(&self) -> Option<Trip> {
        self.cycle.limit_warning()
    }

    /// What the monitors' figures mean, in words, with the name of the monitor; only those that can
    /// say it.
    pub fn words(&self) -> impl Iterator<Item = (&'static str, String)> {
        let monitors = self.parts.monitors.iter();
        monitors.filter_map(|(name, monitor)| Some((*name, monitor.words()?)))
    }
}
