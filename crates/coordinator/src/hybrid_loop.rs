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

use crate::gate::{Finding, Limit, SafetyGate, Trip, stricter};
use crate::recorder::{Block, Channel, Role};
use std::time::Duration;
use tandem_integrator::{Answer, Integrator, Loading, Readiness};
use tandem_monitor::{Frame, Named, Verdict};
use tandem_quantity::{Impedance, Motion, Snapshot, SnapshotError, Words, copy_few};
use tandem_signal::noise::WhiteNoise;
use tandem_transfer::command::{CommandGenerator, Lateness};
use tandem_transfer::compensator::Compensator;
use tandem_transfer::conditioning::{Chain, Conditioner};
use tandem_transfer::kinematics::Kinematics;
use tandem_transfer::rig::{Hydraulics, Measured, Rig, Status};

/// The tenants of the loop, in the order of the signal.
pub struct Parts {
    /// Ground acceleration (m/s²) as a function of structural time (s), for the record.
    pub ground: Box<dyn Fn(f64) -> f64 + Send>,
    /// External load on the numerical substructure.
    pub loading: Box<dyn Loading>,
    /// Time-stepping method with the numerical substructure.
    pub integrator: Box<dyn Integrator>,
    /// From the interface to the actuators and back; none: one actuator for each interface degree of freedom.
    pub kinematics: Option<Box<dyn Kinematics>>,
    /// Trajectory between targets.
    pub command: Box<dyn CommandGenerator>,
    /// Delay and amplitude compensation.
    pub compensator: Box<dyn Compensator>,
    /// What makes the measured values of the sensors', and of those what goes back; none: nothing.
    pub conditioning: Option<Chain>,
    /// The last word.
    pub gate: SafetyGate,
    /// Actuators, specimen, sensors.
    pub rig: Box<dyn Rig>,
    /// Observers with their names.
    pub monitors: Vec<Named>,
}

/// The two clocks of the loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Period of the coordinator in wall time, s.
    pub period: f64,
    /// λ: wall time over structural time.
    pub time_scale: f64,
    /// Number of integration steps of the test.
    pub steps: u64,
}

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

/// What the loop knows of targets that come late.
#[derive(Clone, Debug, Default)]
struct Late {
    /// Ticks that the integration side takes for a target, and what chance adds to them.
    answer: f64,
    jitter: Option<WhiteNoise>,
    /// The way has begun, its target comes at this tick.
    awaited: Option<f64>,
    /// Ticks by which the present way stands still, and all ways so far.
    waited: f64,
    lost: f64,
    /// Whether the command is held for the target that is awaited; whether it began to be held in the last tick.
    holding: bool,
    new_hold: bool,
}

/// The interface side of the kinematics.
struct Node {
    /// The integrator's target in wall time.
    asked: Motion,
    /// Where the specimen should be at this tick.
    target: Motion,
    /// Where the measured strokes say it is, and the force there.
    measured: Measured,
    /// The same of what goes back.
    answer: Measured,
}

/// The loop with its state. `new` allocates; `tick` never does.
pub struct HybridLoop {
    parts: Parts,
    timing: Timing,
    /// Ticks per integration step.
    ticks_per_step: f64,
    tick: u64,
    /// Tick at which the way to the current target began, and its length; both whole.
    way_start: f64,
    way_length: f64,
    /// Length of the way as the time scale asks for it, and where it should end, in ticks; not always whole.
    share: f64,
    due: f64,
    late: Late,
    /// Where the previous target of this step stood (0 … 1).
    reached: f64,
    /// Where the specimen should be at this tick, and at the next.
    target: Motion,
    wanted: Motion,
    /// The integrator's target in wall time, of the actuators.
    asked: Motion,
    /// What kinematics make of motions at the interface; unused without.
    node: Node,
    command: Motion,
    /// What the sensors said, and what is read from it ([`Chain::read`]): everybody but the watch on the sensors goes by that.
    raw: Measured,
    measured: Measured,
    /// Answer to a question within the tick, or what goes back of the measurement ([`Chain::feed_back`]).
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
    /// Monitors that warn, by their bits, and those that began or ceased to in this tick; a limit that warned in it.
    warning: u64,
    changed: u64,
    /// Tick at which each monitor warned last.
    warned_at: Vec<u64>,
    limit_warning: Option<Trip>,
    /// The way to the next target has begun, and the target is not there yet; what the command does meanwhile.
    pending: bool,
    lateness: Lateness,
    /// In stepped time the clock waits for the driver: between these two halves of a tick, the first of which found this.
    clock_waits: bool,
    never_waits: bool,
    half_done: Option<bool>,
    status: Status,
    /// Where the test starts, in strokes, m, and how far the way there goes in a tick.
    start: Vec<f64>,
    centering_step: f64,
    row: Vec<f64>,
}

/// Channels at the interface, where a linkage stands between it and the actuators. Rotations are in rad, moments in N m.
const AT_INTERFACE: [(&str, &str, Role, &str); 3] = [
    (
        "interface_target",
        "m",
        Role::Target,
        "Where {} should be at this tick (rad for a rotation).",
    ),
    (
        "interface_displacement",
        "m",
        Role::Measured,
        "Displacement of {} that belongs to the measured strokes (rad for a rotation).",
    ),
    (
        "interface_force",
        "N",
        Role::Measured,
        "Force at {} that belongs to the measured forces (N m for a rotation).",
    ),
];

/// Speed of the way to the start position, m/s (Tekeste, Correia and Costa 2025, section 2.3).
const CENTERING_SPEED: f64 = 0.5e-3;

/// An alarm is over when its monitor has not warned for this long, s of wall time.
const QUIET: f64 = 1.0;

/// Whether a finding is more than a warning.
#[inline]
fn acts(finding: Finding) -> bool {
    finding.is_some_and(|(verdict, _)| verdict > Verdict::Warn)
}

impl HybridLoop {
    /// Puts the loop together.
    pub fn new(parts: Parts, timing: Timing) -> Self {
        let actuators = parts.rig.actuators();
        let interface = parts.integrator.problem().interface.len();
        let dt = parts.integrator.dt();
        let mut this = Self {
            timing,
            ticks_per_step: timing.time_scale * dt / timing.period,
            tick: 0,
            way_start: 0.0,
            way_length: 1.0,
            share: 1.0,
            due: 0.0,
            late: Late::default(),
            reached: 0.0,
            target: Motion::at_rest(actuators),
            wanted: Motion::at_rest(actuators),
            asked: Motion::at_rest(actuators),
            node: Node {
                asked: Motion::at_rest(interface),
                target: Motion::at_rest(interface),
                measured: Measured::at_rest(interface),
                answer: Measured::at_rest(interface),
            },
            command: Motion::at_rest(actuators),
            raw: Measured::at_rest(actuators),
            measured: Measured::at_rest(actuators),
            answer: Measured::at_rest(actuators),
            force: vec![0.0; interface],
            inner_force: vec![0.0; interface],
            load: vec![0.0; parts.integrator.problem().structure.dof()],
            estimates: parts.integrator.tangent().is_some(),
            knows: false,
            true_stiffness: vec![0.0; actuators * actuators],
            accelerometers: parts.rig.measures_acceleration(),
            assumes: false,
            unbalanced: vec![0.0; parts.integrator.problem().interface.len()],
            warning: 0,
            changed: 0,
            warned_at: vec![0; parts.monitors.len()],
            limit_warning: None,
            pending: false,
            lateness: Lateness::Predicting,
            clock_waits: false,
            never_waits: false,
            half_done: None,
            status: Status::READY,
            start: vec![0.0; actuators],
            centering_step: CENTERING_SPEED * timing.period,
            row: Vec::new(),
            parts,
        };
        this.knows = this.estimates && this.parts.rig.tangent(&mut this.true_stiffness);
        this.assumes = this.parts.integrator.unbalanced(&mut this.unbalanced);
        this.unbalanced.fill(0.0);
        this.row = vec![0.0; this.channels().len()];
        match this.parts.integrator.poll() {
            Readiness::Ready => this.new_way(0.0, 0.0),
            _ => this.wait_on_the_way(0.0),
        }
        this
    }

    /// The same loop with an integration side that takes `seconds` of wall time for every target, and up to about three times
    /// `jitter` more by chance. The first target is there at the start.
    #[must_use]
    pub fn with_answer_time(mut self, seconds: f64, jitter: f64, seed: u64) -> Self {
        self.late.answer = seconds / self.timing.period;
        self.late.jitter = WhiteNoise::with_stream(jitter / self.timing.period, seed, 1000).ok();
        self
    }

    /// The clock waits for an outside driver instead of running on: for stepped time only.
    pub fn let_the_clock_wait(&mut self, waits: bool) {
        self.clock_waits = waits && !self.never_waits;
    }

    /// The clock runs on even in stepped time: a scripted driver is late by the clock of the test.
    pub fn never_wait(&mut self) {
        self.never_waits = true;
        self.clock_waits = false;
    }

    /// One tick, always in this order. Returns the row for the record through `block`.
    #[inline]
    pub fn tick(&mut self, block: &mut Block) -> Progress {
        self.changed = 0;

        // 1. Sensors. What was wanted for this tick is now the target to compare with.
        let mut finding = None;
        let mut step_complete = false;
        let resumed = self.half_done.take();
        match resumed {
            None => finding = self.sense(),
            Some(complete) => step_complete = complete,
        }

        // 2. Integration: the force goes back when the way to the target has been gone.
        let mut progress = Progress::Running;
        #[allow(clippy::cast_precision_loss)]
        let now = self.tick as f64;
        if !acts(finding) {
            (progress, step_complete) = self.integrate(now, step_complete, resumed.is_some());
            if progress == Progress::Awaiting {
                self.half_done = Some(step_complete);
                return progress;
            }
        }

        // A method that does not look ahead wants its target now; others wanted it a tick ago.
        let looks_ahead = self.parts.integrator.reach() > 0.0;
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
        if progress == Progress::Running {
            if looks_ahead && !self.wait_for_target(now) {
                self.go_on_the_way(now);
            }
            self.parts.compensator.compensate(
                &self.wanted,
                &self.measured.motion,
                &mut self.command,
            );
            let passed = self.parts.gate.pass(&self.wanted, &mut self.command);
            finding = stricter(finding, passed);
            if let Some((verdict, trip)) = passed
                && verdict > Verdict::Warn
            {
                progress = Progress::Act(verdict, Cause::Limit(trip));
            }
        } else {
            self.parts.gate.hold(&mut self.command);
            // Held, not given up: when it goes on, it goes on from here.
            self.way_start += 1.0;
            self.due += 1.0;
        }
        self.limit_warning = finding.and_then(|(v, trip)| (v == Verdict::Warn).then_some(trip));

        // 5. Record, then act.
        self.record(block);
        self.parts.rig.write(&self.command);
        self.tick += 1;
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
        if !acts(finding) {
            finding = stricter(finding, self.resolve(false));
        }
        finding
    }

    /// Gives the force back when the way has been gone, and begins the way to the next target. `resumed`: the first half of this
    /// tick is done, and `step_complete` is what it found.
    #[inline]
    fn integrate(&mut self, now: f64, mut step_complete: bool, resumed: bool) -> (Progress, bool) {
        let mut progress = Progress::Running;
        let arrived = !resumed
            && !self.pending
            && self.late.awaited.is_none()
            && self.tick > 0
            && now >= self.way_start + self.way_length;
        if arrived {
            step_complete = self.feed_back(false);
            if step_complete && self.assumes {
                self.parts.integrator.unbalanced(&mut self.unbalanced);
            }
            if let (Some(conditioning), Some(tangent)) = (
                &mut self.parts.conditioning,
                self.parts.integrator.tangent(),
            ) {
                conditioning.tangent(tangent.stiffness);
            }
        }
        let mut asked = arrived;
        while self.parts.integrator.needs_instant_answer() && progress == Progress::Running {
            progress = self.ask_at_once();
            asked = true;
        }
        if asked {
            let due = if arrived { self.due } else { now };
            match self.parts.integrator.poll() {
                Readiness::Ready => self.new_way(now, due),
                _ => self.wait_on_the_way(now),
            }
        }
        if self.pending && progress == Progress::Running {
            progress = self.look_for_target(now);
        }
        (progress, step_complete)
    }

    /// Asks a driver whose target is overdue.
    #[inline]
    fn look_for_target(&mut self, now: f64) -> Progress {
        match self.parts.integrator.poll() {
            Readiness::Ready => {
                // The rest of a late way is walked at its own pace.
                let latest = self.parts.command.late_limit() * self.way_length;
                let start = self.way_start.max(now - latest);
                self.new_way(start, start);
                Progress::Running
            }
            Readiness::NotYet if self.clock_waits => Progress::Awaiting,
            Readiness::NotYet => {
                let overdue = (now - self.way_start) * self.timing.period;
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

    /// The motion wanted at the next tick, on the way to the target or to one that is not there yet.
    #[inline]
    fn go_on_the_way(&mut self, now: f64) {
        let x = (now + 1.0 - self.way_start) / self.way_length;
        if self.pending {
            let duration = self.share * self.timing.period;
            let command = &mut self.parts.command;
            // A generator that does not predict leaves the motion as it is: what was wanted for this tick, at rest.
            self.wanted.copy_from(&self.target);
            self.wanted.velocity.fill(0.0);
            self.wanted.acceleration.fill(0.0);
            self.lateness = command.waiting(x, duration, &mut self.wanted);
        } else {
            self.lateness = Lateness::Predicting;
            self.want(x);
        }
    }

    /// A tick in which nothing may move: sensors are read and checked against the bounds, nothing is written.
    #[inline]
    pub fn idle(&mut self) -> Finding {
        self.parts.rig.read(&mut self.raw);
        self.status = self.parts.rig.status();
        self.show_sensors();
        self.parts.rig.rest();
        self.parts.gate.check_measured(&self.raw)
    }

    /// A tick on the slow way to the start position, in strokes. Also tells whether it has been reached.
    #[inline]
    pub fn centre(&mut self) -> (Finding, bool) {
        self.parts.rig.read(&mut self.raw);
        self.status = self.parts.rig.status();
        // A piston that has left its stroke must be able to come back: the command itself cannot leave it.
        let found = self.parts.gate.check_measured(&self.raw);
        let found = found.filter(|(_, trip)| trip.limit != Limit::Stroke);
        if acts(found) {
            self.parts.gate.hold(&mut self.command);
            self.parts.rig.rest();
            return (found, false);
        }
        for i in 0..self.start.len() {
            let from = self.parts.gate.safe()[i];
            let way = self.start[i] - from;
            self.command.displacement[i] =
                from + way.clamp(-self.centering_step, self.centering_step);
            self.command.velocity[i] = 0.0;
            self.command.acceleration[i] = 0.0;
        }
        self.wanted.copy_from(&self.command);
        let found = stricter(found, self.parts.gate.pass(&self.wanted, &mut self.command));
        self.show_sensors();
        self.parts.rig.write(&self.command);
        (found, self.is_at_start())
    }

    /// Whether the last command is the start position.
    #[inline]
    pub fn is_at_start(&self) -> bool {
        let safe = self.parts.gate.safe();
        self.start
            .iter()
            .zip(safe)
            .all(|(a, b)| (a - b).abs() < 1e-12)
    }

    /// How fast the way to the start position is, m/s; 0.5 mm/s by default.
    pub fn set_centering_speed(&mut self, speed: f64) {
        self.centering_step = speed * self.timing.period;
    }

    /// Takes the pistons' position before anything has moved for the present command: where they stand, they stay.
    pub fn find_position(&mut self) {
        let found = &mut self.command.displacement;
        if self.parts.rig.found_at(found) && found.iter().all(|x| x.is_finite()) {
            self.parts.gate.start_at(found);
        }
        self.status = self.parts.rig.status();
    }

    /// Whether the driver has its first target. May be asked before the test runs.
    #[inline]
    pub fn driver(&mut self) -> Readiness {
        if !self.pending {
            return Readiness::Ready;
        }
        let readiness = self.parts.integrator.poll();
        if readiness == Readiness::Ready {
            #[allow(clippy::cast_precision_loss)]
            self.new_way(self.tick as f64, self.tick as f64);
        }
        readiness
    }

    /// Sleeps until the driver has its target, at most this long. In stepped time only.
    pub fn wait_for_driver(&mut self, at_most: Duration) -> Readiness {
        self.parts.integrator.wait(at_most)
    }

    /// What the rig said about itself at the last tick.
    #[inline]
    pub fn status(&self) -> Status {
        self.status
    }

    /// What the command does while a target is late.
    #[inline]
    pub fn lateness(&self) -> Lateness {
        self.lateness
    }

    /// Stops the hydraulics; whether they are off.
    pub fn stop_hydraulics(&mut self, what: Hydraulics) -> bool {
        self.parts.rig.hydraulics(what)
    }

    /// The sensors' values into the row that a watcher sees, while no row is recorded. Conditioning begins with the test: a replay knows
    /// nothing of what was before.
    #[inline]
    fn show_sensors(&mut self) {
        let n = self.raw.force.len();
        let (command, displacement, force) = (1 + n, 1 + 2 * n, 1 + 3 * n);
        copy_few(&mut self.row[command..command + n], self.parts.gate.safe());
        copy_few(
            &mut self.row[displacement..displacement + n],
            &self.raw.motion.displacement,
        );
        copy_few(&mut self.row[force..force + n], &self.raw.force);
    }

    /// The values of the last tick, in the order of [`HybridLoop::channels`].
    #[inline]
    pub fn row(&self) -> &[f64] {
        &self.row
    }

    /// Wanted motion at fraction `x` of the way to the target.
    #[inline]
    fn want(&mut self, x: f64) {
        // The time that the step asks for, not that of the whole ticks: targets stand evenly where steps are even.
        let duration = self.share * self.timing.period;
        self.parts.command.wanted(x, duration, &mut self.wanted);
    }

    /// Whether the target of this way is not there yet. Then the command goes on by prediction as far as its method allows, slows
    /// down and holds; beyond that point the clock of the structure stands still.
    #[inline]
    fn wait_for_target(&mut self, now: f64) -> bool {
        self.late.new_hold = false;
        let Some(comes) = self.late.awaited else {
            return false;
        };
        if now >= comes {
            self.late.awaited = None;
            self.late.holding = false;
            self.parts.command.target(&self.asked);
            return false;
        }
        let gone = now + 1.0 - self.way_start;
        let x = (gone + self.late.waited) / self.way_length;
        self.wanted.copy_from(&self.target);
        let duration = self.share * self.timing.period;
        let command = &mut self.parts.command;
        let state = command.waiting(x, duration, &mut self.wanted);
        self.lateness = state;
        if state == Lateness::Holding {
            self.wanted.velocity.fill(0.0);
            self.wanted.acceleration.fill(0.0);
            self.late.new_hold = !self.late.holding;
            self.late.holding = true;
        }
        if gone > command.late_limit() * self.way_length {
            self.way_start += 1.0;
            self.due += 1.0;
            self.late.waited += 1.0;
            self.late.lost += 1.0;
        }
        true
    }

    /// Where the actuators' strokes put the interface, and the force there: as measured in this tick and as it goes back, or (within
    /// the tick) as the answer to a question.
    #[inline]
    fn resolve(&mut self, within_tick: bool) -> Finding {
        let kinematics = self.parts.kinematics.as_mut()?;
        let node = &mut self.node;
        kinematics.to_interface(&self.target, &mut node.target);
        // Forces are taken over in the position seen last.
        let mut resolve = |strokes: &Measured, at: &mut Measured| {
            let found = kinematics.to_interface(&strokes.motion, &mut at.motion);
            kinematics.force_to_interface(&strokes.force, &mut at.force);
            (!found).then(|| strokes.motion.displacement[0])
        };
        let lost = if within_tick {
            resolve(&self.answer, &mut node.answer)
        } else {
            let lost = resolve(&self.measured, &mut node.measured);
            let conditioning = self.parts.conditioning.as_ref();
            if conditioning.is_some_and(Chain::has_feedback) {
                lost.or(resolve(&self.answer, &mut node.answer))
            } else {
                node.answer.copy_from(&node.measured);
                lost
            }
        };
        let value = lost?;
        self.parts.gate.finding(Limit::Linkage, 0, value, 0.0)
    }

    /// Copies the integrator's target in wall time: a slow test moves λ times slower, so that velocity shrinks by λ and
    /// acceleration by λ². Everything between the target and the sensors lives in wall time.
    #[inline]
    fn take_target(&mut self) {
        let asked = match &self.parts.kinematics {
            Some(_) => &mut self.node.asked,
            None => &mut self.asked,
        };
        asked.copy_from(self.parts.integrator.target());
        let slow = 1.0 / self.timing.time_scale;
        asked.velocity.iter_mut().for_each(|v| *v *= slow);
        asked
            .acceleration
            .iter_mut()
            .for_each(|a| *a *= slow * slow);
        if let Some(kinematics) = &mut self.parts.kinematics {
            kinematics.to_actuators(&self.node.asked, &mut self.asked);
        }
    }

    /// Gives the integrator what came back.
    ///
    /// A slow test (λ > 1) feels only C_e v/λ and M_e a/λ² of the specimen's damping and inertia; what is known of the rest is
    /// added, so that the integrator gets the force of a test in real time.
    #[inline]
    fn feed_back(&mut self, within_tick: bool) -> bool {
        let conditioned = within_tick || self.parts.conditioning.is_some();
        let measured = if self.parts.kinematics.is_some() {
            &self.node.answer
        } else if conditioned {
            &self.answer
        } else {
            &self.measured
        };
        let Parts {
            integrator,
            loading,
            ..
        } = &mut self.parts;
        // Observers see the force of the step, not that of a question on the way to the next one.
        let force = if within_tick {
            &mut self.inner_force
        } else {
            &mut self.force
        };
        copy_few(force, &measured.force);
        #[allow(clippy::float_cmp)] // exactly one is real time
        if self.timing.time_scale != 1.0 {
            let slow = 1.0 / self.timing.time_scale;
            let (specimen, target) = (&integrator.problem().specimen, integrator.target());
            Impedance::mul_add(&specimen.damping, 1.0 - slow, &target.velocity, force);
            Impedance::mul_add(
                &specimen.mass,
                1.0 - slow * slow,
                &target.acceleration,
                force,
            );
        }
        let answer = Answer {
            displacement: &measured.motion.displacement,
            force,
        };
        integrator.feed(answer, loading.as_ref())
    }

    /// A question that a rig without transfer system answers before time goes on.
    #[inline]
    fn ask_at_once(&mut self) -> Progress {
        self.take_target();
        self.command.copy_from(&self.asked);
        self.wanted.copy_from(&self.asked);
        if let Some((verdict, trip)) = self.parts.gate.pass(&self.wanted, &mut self.command) {
            // A question that may not be asked has no answer: a milder action than holding makes no sense here.
            return Progress::Act(verdict.max(Verdict::Hold), Cause::Limit(trip));
        }
        self.parts.rig.write(&self.command);
        self.parts.rig.read(&mut self.answer);
        if let Some((verdict, trip)) = self.resolve(true) {
            return Progress::Act(verdict.max(Verdict::Hold), Cause::Limit(trip));
        }
        self.feed_back(true);
        Progress::Running
    }

    /// The way to the integrator's next target begins at tick `start`, where the clock of the structure says `due` (the same up to
    /// a part of a tick).
    #[inline]
    fn new_way(&mut self, start: f64, due: f64) {
        let reach = self.parts.integrator.reach();
        let share = if reach == 0.0 {
            1.0
        } else {
            reach - self.reached
        };
        self.reached = if reach == 0.0 || reach >= 1.0 {
            0.0
        } else {
            reach
        };
        self.way_start = start;
        self.pending = false;
        // A way takes at least one tick, however short its share of the step; its end is the first whole tick that is due.
        self.share = (share * self.ticks_per_step).max(1.0);
        self.due = due + self.share;
        self.way_length = (self.due - 1e-6).ceil().max(start + 1.0) - start;
        self.take_target();
        self.late.waited = 0.0;
        if self.late.answer > 0.0 && self.tick > 0 && reach > 0.0 {
            let chance = self.late.jitter.as_mut().map_or(0.0, WhiteNoise::next);
            self.late.awaited = Some(start + self.late.answer + chance.abs());
        } else {
            self.parts.command.target(&self.asked);
        }
    }

    /// The way to a target that is not there yet begins at tick `start`.
    #[inline]
    fn wait_on_the_way(&mut self, start: f64) {
        self.pending = true;
        self.way_start = start;
        self.share = self.ticks_per_step.max(1.0);
        self.due = start + self.share;
        self.way_length = self.share.ceil();
    }

    /// Returns the strictest verdict above a warning, and whose it is.
    #[inline]
    fn observe(&mut self, step_complete: bool) -> Option<(Verdict, usize)> {
        if step_complete && !self.parts.monitors.is_empty() {
            self.parts.loading.force(self.time(), &mut self.load);
        }
        let (target, measured) = match &self.parts.kinematics {
            Some(_) => (&self.node.target, &self.node.measured.motion),
            None => (&self.target, &self.measured.motion),
        };
        let frame = Frame {
            time: self.time(),
            step_complete,
            target,
            measured,
            force: &self.force,
            load: &self.load,
            response: self.parts.integrator.response(),
        };
        let mut stop = None;
        let mut strictest = Verdict::Warn;
        // An alarm that is over can be given again. It is over after a while of quiet: a figure that swings about its bound
        // would otherwise fill the list of events.
        let mut warning = self.warning;
        for (i, (_, monitor)) in self.parts.monitors.iter_mut().enumerate() {
            let verdict = monitor.observe(&frame);
            let bit = 1 << i.min(63);
            if verdict >= Verdict::Warn {
                warning |= bit;
                self.warned_at[i] = self.tick;
            } else if warning & bit != 0 {
                #[allow(clippy::cast_precision_loss)]
                let ticks = self.tick.saturating_sub(self.warned_at[i]) as f64;
                if ticks * self.timing.period >= QUIET {
                    warning &= !bit;
                }
            }
            if verdict > strictest {
                strictest = verdict;
                stop = Some((verdict, i));
            }
        }
        self.changed = warning ^ self.warning;
        self.warning = warning;
        stop
    }

    #[inline]
    fn record(&mut self, block: &mut Block) {
        let time = self.time();
        let response = self.parts.integrator.response();
        let mut at = 0;
        let mut put = |values: &[f64]| {
            copy_few(&mut self.row[at..at + values.len()], values);
            at += values.len();
        };
        put(&[(self.parts.ground)(time)]);
        put(&self.target.displacement);
        put(&self.command.displacement);
        put(&self.measured.motion.displacement);
        put(&self.measured.force);
        if self.accelerometers {
            put(&self.measured.motion.acceleration);
        }
        let conditioning = self.parts.conditioning.as_ref();
        if conditioning.is_some_and(Chain::has_readings) {
            put(&self.raw.motion.displacement);
            put(&self.raw.force);
        }
        if self.parts.kinematics.is_some() {
            put(&self.node.target.displacement);
            put(&self.node.measured.motion.displacement);
            put(&self.node.measured.force);
        }
        put(&response.displacement);
        put(&response.velocity);
        put(&response.acceleration);
        if self.assumes {
            put(&self.unbalanced);
        }
        if let Some(tangent) = self.parts.integrator.tangent() {
            let n = self.force.len();
            put(&[tangent.confidence]);
            for i in 0..n {
                put(&[tangent.stiffness[i * n + i]]);
            }
            if self.knows {
                self.parts.rig.tangent(&mut self.true_stiffness);
                for i in 0..n {
                    put(&[self.true_stiffness[i * n + i]]);
                }
            }
        }
        for i in 0..self.parts.rig.actuators() {
            put(self.parts.compensator.coefficients(i));
        }
        for (_, monitor) in &self.parts.monitors {
            let count = monitor.figures().len();
            monitor.values(&mut self.row[at..at + count]);
            at += count;
        }
        block.push(time, &self.row);
    }

    /// The channels of the record, in the order of the row.
    pub fn channels(&self) -> Vec<Channel> {
        let problem = self.parts.integrator.problem();
        let mut channels = vec![Channel::new(
            "ground_acceleration",
            "m/s^2",
            Role::Excitation,
            "Ground acceleration.",
        )];
        let per_actuator: [(&str, &str, Role, &str); 7] = [
            (
                "target",
                "m",
                Role::Target,
                "Where actuator {} should be at this tick.",
            ),
            (
                "command",
                "m",
                Role::Command,
                "Command sent to actuator {} at this tick, after compensation and gate.",
            ),
            (
                "measured_displacement",
                "m",
                Role::Measured,
                "Displacement measured at actuator {}.",
            ),
            (
                "measured_force",
                "N",
                Role::Measured,
                "Force measured at actuator {}.",
            ),
            (
                "measured_acceleration",
                "m/s^2",
                Role::Measured,
                "Acceleration measured at actuator {}, in wall time.",
            ),
            (
                "raw_displacement",
                "m",
                Role::Other,
                "What the displacement transducer of actuator {} said, before [conditioning].",
            ),
            (
                "raw_force",
                "N",
                Role::Other,
                "What the load cell of actuator {} said, before [conditioning].",
            ),
        ];
        // Where nothing is made of the sensors' values, they are the measured ones.
        let conditioning = self.parts.conditioning.as_ref();
        let readings = conditioning.is_some_and(Chain::has_readings);
        let there = |name: &str| match name {
            "measured_acceleration" => self.accelerometers,
            "raw_displacement" | "raw_force" => readings,
            _ => true,
        };
        for (name, unit, role, text) in per_actuator.iter().filter(|kind| there(kind.0)) {
            for i in 1..=self.parts.rig.actuators() {
                // Without a linkage every actuator is one degree of freedom.
                let unit = match problem.interface.get(i - 1) {
                    Some(dof) if self.parts.kinematics.is_none() => {
                        problem.structure.unit_at(*dof, unit)
                    }
                    _ => *unit,
                };
                channels.push(Channel::new(
                    format!("{name}/{i}"),
                    unit,
                    *role,
                    text.replace("{}", &i.to_string()),
                ));
            }
        }
        if self.parts.kinematics.is_some() {
            for (name, unit, role, text) in AT_INTERFACE {
                for i in 0..problem.interface.len() {
                    let dof = problem.interface[i];
                    let text = text.replace("{}", &problem.structure.label(dof));
                    let unit = problem.structure.unit_at(dof, unit);
                    channels.push(Channel::new(format!("{name}/{}", i + 1), unit, role, text));
                }
            }
        }
        for (name, unit, text) in [
            ("displacement", "m", "Displacement"),
            ("velocity", "m/s", "Velocity"),
            ("acceleration", "m/s^2", "Acceleration"),
        ] {
            for i in 0..problem.structure.dof() {
                let text = format!(
                    "{text} of {} of the numerical substructure, relative to the ground.",
                    problem.structure.label(i)
                );
                channels.push(Channel::new(
                    format!("response_{name}/{}", i + 1),
                    problem.structure.unit_at(i, unit),
                    Role::Response,
                    text,
                ));
            }
        }
        if self.assumes {
            for (i, dof) in problem.interface.iter().enumerate() {
                let text = format!(
                    "Force at {} that the method assumed beyond what it asked: the asked forces are out of balance by it.",
                    problem.structure.label(*dof)
                );
                channels.push(Channel::new(
                    format!("unbalanced_force/{}", i + 1),
                    problem.structure.unit_at(*dof, "N"),
                    Role::Other,
                    text,
                ));
            }
        }
        if self.estimates {
            channels.push(Channel::new(
                "estimate_confidence",
                "1",
                Role::Other,
                "Share of the last increments of force that the estimated stiffness foretold.",
            ));
            let kinds = [
                ("estimated_stiffness", "estimated on the run"),
                ("true_stiffness", "of the model"),
            ];
            for (name, text) in &kinds[..1 + usize::from(self.knows)] {
                for i in 1..=self.parts.rig.actuators() {
                    channels.push(Channel::new(
                        format!("{name}/{i}"),
                        "N/m",
                        Role::Other,
                        format!("Tangent stiffness of the specimen at interface degree of freedom {i}, {text}."),
                    ));
                }
            }
        }
        for i in 0..self.parts.rig.actuators() {
            for k in 0..self.parts.compensator.coefficients(i).len() {
                channels.push(Channel::new(
                    format!("coefficient/{}/{k}", i + 1),
                    "SI",
                    Role::State,
                    format!("Coefficient {k} of the compensator of actuator {}.", i + 1),
                ));
            }
        }
        for (_, monitor) in &self.parts.monitors {
            for (name, unit, text) in monitor.figures() {
                channels.push(Channel::new(*name, *unit, Role::Monitor, *text));
            }
        }
        channels
    }

    /// Structural time of the present tick, s.
    #[inline]
    pub fn time(&self) -> f64 {
        #[allow(clippy::cast_precision_loss)]
        let tick = self.tick as f64 - self.late.lost;
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

    /// The same loop, at its beginning, with other tenants: a fault put around the rig, a driver around the integrator.
    #[must_use]
    pub fn with_parts(mut self, change: impl FnOnce(Parts) -> Parts) -> Self {
        let (answer, jitter) = (self.late.answer, self.late.jitter.take());
        let (speed, waits) = (self.centering_step, self.clock_waits);
        let never = self.never_waits;
        let mut this = Self::new(change(self.parts), self.timing);
        this.centering_step = speed;
        this.clock_waits = waits;
        this.never_waits = never;
        this.late.answer = answer;
        this.late.jitter = jitter;
        this
    }

    /// The tenants.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Whether the command began to be held in the last tick, because a target is late.
    pub fn began_to_hold(&self) -> bool {
        self.late.new_hold
    }

    /// Which monitors began or ceased to warn in the last tick, and which of them warn now: bit i for monitor i.
    #[inline]
    pub fn changed_warnings(&self) -> (u64, u64) {
        (self.changed, self.warning)
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

impl Snapshot for HybridLoop {
    fn save(&self, into: &mut Vec<f64>) {
        let p = &self.parts;
        p.integrator.save(into);
        if let Some(kinematics) = &p.kinematics {
            kinematics.save(into);
        }
        p.command.save(into);
        p.compensator.save(into);
        if let Some(conditioning) = &p.conditioning {
            conditioning.save(into);
        }
        p.gate.save(into);
        p.rig.save(into);
        for (_, monitor) in &p.monitors {
            monitor.save(into);
        }
        self.tick.save(into);
        for x in [
            self.way_start,
            self.way_length,
            self.share,
            self.due,
            self.reached,
            self.late.awaited.unwrap_or(f64::NAN),
            self.late.waited,
            self.late.lost,
        ] {
            x.save(into);
        }
        self.late.holding.save(into);
        if let Some(jitter) = &self.late.jitter {
            jitter.save(into);
        }
        self.asked.save(into);
        self.target.save(into);
        self.wanted.save(into);
        self.command.save(into);
        self.measured.save(into);
        self.warning.save(into);
        self.warned_at.save(into);
        self.pending.save(into);
    }

    fn restore(&mut self, from: &mut Words<'_>) -> Result<(), SnapshotError> {
        let p = &mut self.parts;
        p.integrator.restore(from)?;
        if let Some(kinematics) = &mut p.kinematics {
            kinematics.restore(from)?;
        }
        p.command.restore(from)?;
        p.compensator.restore(from)?;
        if let Some(conditioning) = &mut p.conditioning {
            conditioning.restore(from)?;
        }
        p.gate.restore(from)?;
        p.rig.restore(from)?;
        for (_, monitor) in &mut p.monitors {
            monitor.restore(from)?;
        }
        self.tick.restore(from)?;
        let mut awaited = f64::NAN;
        for x in [
            &mut self.way_start,
            &mut self.way_length,
            &mut self.share,
            &mut self.due,
            &mut self.reached,
            &mut awaited,
            &mut self.late.waited,
            &mut self.late.lost,
        ] {
            x.restore(from)?;
        }
        self.late.awaited = Some(awaited).filter(|tick| !tick.is_nan());
        self.late.holding.restore(from)?;
        if let Some(jitter) = &mut self.late.jitter {
            jitter.restore(from)?;
        }
        self.asked.restore(from)?;
        self.target.restore(from)?;
        self.wanted.restore(from)?;
        self.command.restore(from)?;
        self.measured.restore(from)?;
        self.warning.restore(from)?;
        self.warned_at.restore(from)?;
        self.pending.restore(from)
    }
}
