//! The safety gate: the last word before the rig. Nothing else writes to it.
//!
//! It looks at everything that comes from the rig and at everything that goes there. What a
//! detector finds becomes a verdict by the plan's `[limits.actions]`; the state machine does the
//! rest. Whatever the actions are, no command beyond stroke, velocity or acceleration leaves the
//! gate.

mod limit;
mod watch;

pub use limit::{Limit, Limits};

use crate::machine::Permit;
use crate::{Measured, Released, Status};
use limit::Actions;
use tandem_quantity::{BuildError, Motion, Settings, Values, Verdict, copy_few, snapshot, whole};
use watch::{SensorWatch, SpecimenWatch};

/// What a detector found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trip {
    /// Which limit.
    pub limit: Limit,
    /// Which actuator, from zero.
    pub actuator: usize,
    /// The value that was found.
    pub value: f64,
    /// The bound that it crossed.
    pub bound: f64,
}

/// A finding and what is to be done about it.
pub type Violation = Option<(Verdict, Trip)>;

/// The most_severe of two findings; of equals the first.
#[inline(always)]
pub fn most_severe(a: Violation, b: Violation) -> Violation {
    match b {
        // Almost always; nothing is moved about then.
        None => a,
        Some(_) => stricter_of_two(a, b),
    }
}

#[cold]
fn stricter_of_two(a: Violation, b: Violation) -> Violation {
    match (a, b) {
        (Some((x, _)), Some((y, _))) if y > x => b,
        (Some(_), _) => a,
        (None, _) => b,
    }
}

/// Checks everything that goes to the rig and everything that comes back.
#[derive(Clone, Debug)]
pub struct SafetyGate {
    stroke: f64,
    /// Largest change of the command in one tick, m, and of that change.
    travel: f64,
    bend: f64,
    velocity: f64,
    acceleration: f64,
    force: f64,
    tracking_error: f64,
    stale_target: f64,
    stale_feedback: u64,
    clock_jump: f64,
    valve: f64,
    valve_ticks: u64,
    missed_deadlines: u64,
    operator_timeout: Option<f64>,
    period: f64,
    actions: [Verdict; Limit::ALL.len()],
    /// Where the start position is in the rig's own stroke, m: displacements count from it, the
    /// stroke does not.
    start: Vec<f64>,
    /// Displacement of the last command that was let through, at rest.
    safe: Motion,
    /// What the command did in the tick before, m.
    pace: Vec<f64>,
    sensors: Vec<SensorWatch>,
    specimens: Vec<SpecimenWatch>,
    /// Ticks for which a valve has been saturated.
    saturated: u64,
    /// The device's clock at the tick before, s.
    device_time: f64,
}

snapshot!(SafetyGate {
    safe,
    pace,
    sensors,
    specimens,
    saturated,
    device_time
});

/// Ticks in a time, at least one; never for an infinite time.
fn ticks(time: f64, period: f64) -> u64 {
    whole((time / period).ceil().max(1.0))
}

impl SafetyGate {
    /// How long an operator who is expected may be silent where the plan says nothing, s: a reload
    /// takes less.
    pub const OPERATOR_TIMEOUT: f64 = 10.0;

    /// A gate with the plan's limits, for `actuators` actuators, at the coordinator's period in
    /// wall time, s.
    pub fn new(limits: &Values, actuators: usize, period: f64) -> Result<Self, BuildError> {
        let limits = Limits::read(limits)?;
        let bound = |bound: Option<f64>| bound.unwrap_or(f64::INFINITY);
        let (velocity, acceleration) = (bound(limits.velocity), bound(limits.acceleration));
        let default = Actions::default();
        let actions = limits.actions.as_ref().unwrap_or(&default);
        Ok(Self {
            stroke: bound(limits.stroke),
            travel: velocity * period,
            bend: acceleration * period * period,
            velocity,
            acceleration,
            force: bound(limits.force),
            tracking_error: bound(limits.tracking_error),
            stale_target: limits.stale_target,
            stale_feedback: limits.stale_feedback as u64,
            clock_jump: limits.clock_jump,
            valve: limits.valve,
            valve_ticks: ticks(limits.valve_time, period),
            missed_deadlines: limits.missed_deadlines as u64,
            operator_timeout: limits.operator_timeout,
            period,
            actions: Limit::ALL.map(|limit| limit.action(actions)),
            start: vec![0.0; actuators],
            safe: Motion::at_rest(actuators),
            pace: vec![0.0; actuators],
            sensors: vec![SensorWatch::new(&limits, period); actuators],
            specimens: vec![SpecimenWatch::new(&limits); actuators],
            saturated: 0,
            device_time: f64::NAN,
        })
    }

    /// What is done when this detector finds something.
    #[inline]
    pub fn action(&self, limit: Limit) -> Verdict {
        self.actions[limit as usize]
    }

    /// The finding of a detector, by the plan's action.
    #[inline]
    pub fn finding(&self, limit: Limit, actuator: usize, value: f64, bound: f64) -> Violation {
        let verdict = self.action(limit);
        let trip = Trip {
            limit,
            actuator,
            value,
            bound,
        };
        (verdict > Verdict::Continue).then_some((verdict, trip))
    }

    /// Checks what the sensors say against the bounds: no memory, at any tick of any state.
    #[inline]
    pub fn check_measured(&self, measured: &Measured) -> Violation {
        let mut found = None;
        for (i, (x, f)) in measured
            .motion
            .displacement
            .iter()
            .zip(&measured.force)
            .enumerate()
        {
            if !(x.is_finite() && f.is_finite()) {
                let value = if x.is_finite() { *f } else { *x };
                return self.finding(Limit::NotFinite, i, value, 0.0);
            }
            let stroke = x + self.start[i];
            if stroke.abs() > self.stroke {
                found = most_severe(found, self.finding(Limit::Stroke, i, stroke, self.stroke));
            }
            if f.abs() > self.force {
                found = most_severe(found, self.finding(Limit::Force, i, *f, self.force));
            }
        }
        found
    }

    /// Checks how the sensors behave from tick to tick while the test runs, and what the rig says
    /// about itself.
    #[inline]
    pub fn check_behaviour(&mut self, measured: &Measured, status: &Status) -> Violation {
        let mut found = self.check_status(status);
        for i in 0..self.sensors.len() {
            let (x, f) = (measured.motion.displacement[i], measured.force[i]);
            if let Some((limit, value, bound)) = self.sensors[i].look(x, f, self.pace[i]) {
                found = most_severe(found, self.finding(limit, i, value, bound));
            }
        }
        found
    }

    /// Checks whether the specimen resists as it did, by the reading of this tick: displacement and
    /// force of the same instant.
    #[inline]
    pub fn check_specimen(&mut self, reading: &Measured) -> Violation {
        let mut found = None;
        for i in 0..self.specimens.len() {
            let (x, f) = (reading.motion.displacement[i], reading.force[i]);
            if let Some((share, bound)) = self.specimens[i].look(x, f) {
                let finding = self.finding(Limit::SpecimenFailure, i, share, bound);
                found = most_severe(found, finding);
            }
        }
        found
    }

    #[inline]
    fn check_status(&mut self, status: &Status) -> Violation {
        let mut found = None;
        if status.emergency {
            found = self.finding(Limit::EmergencyChain, 0, 0.0, 0.0);
        }
        if status.age > self.stale_feedback {
            let (age, bound) = (status.age as f64, self.stale_feedback as f64);
            found = most_severe(found, self.finding(Limit::StaleFeedback, 0, age, bound));
        }
        self.saturated = if status.valve >= self.valve {
            self.saturated + 1
        } else {
            0
        };
        if self.saturated >= self.valve_ticks {
            let finding = self.finding(Limit::Valve, 0, status.valve, self.valve);
            found = most_severe(found, finding);
        }
        // Only a fresh measurement tells something about the device's clock.
        if status.age == 0 {
            let step = status.device_time - self.device_time - self.period;
            if step.abs() > self.clock_jump {
                let finding = self.finding(Limit::ClockJump, 0, step, self.clock_jump);
                found = most_severe(found, finding);
            }
            self.device_time = status.device_time;
        } else {
            // The next fresh one is compared with what has passed by then.
            self.device_time += self.period;
        }
        found
    }

    /// Checks how long the target is overdue, s of wall time.
    #[inline]
    pub fn check_target(&self, overdue: f64) -> Violation {
        let stale = overdue > self.stale_target;
        stale
            .then(|| self.finding(Limit::StaleTarget, 0, overdue, self.stale_target))
            .flatten()
    }

    /// Checks the number of deadlines missed within the last second.
    #[inline]
    pub fn check_deadlines(&self, missed: u64) -> Violation {
        let (value, bound) = (missed as f64, self.missed_deadlines as f64);
        (missed > self.missed_deadlines)
            .then(|| self.finding(Limit::MissedDeadlines, 0, value, bound))
            .flatten()
    }

    /// Checks for how long the operator's desk has been silent, s of wall time; `expected`: the
    /// test waits for an operator.
    #[inline]
    pub fn check_operator(&self, silent: f64, expected: bool) -> Violation {
        let bound = match self.operator_timeout {
            Some(bound) => bound,
            None if expected => Self::OPERATOR_TIMEOUT,
            None => return None,
        };
        (silent > bound)
            .then(|| self.finding(Limit::OperatorLost, 0, silent, bound))
            .flatten()
    }

    /// Checks how far the pistons are from where they should be at this tick.
    #[inline]
    pub fn check_tracking(&self, measured: &Measured, target: &Motion) -> Violation {
        for (i, (x, t)) in measured
            .motion
            .displacement
            .iter()
            .zip(&target.displacement)
            .enumerate()
        {
            let error = x - t;
            if error.abs() > self.tracking_error {
                return self.finding(Limit::TrackingError, i, error, self.tracking_error);
            }
        }
        None
    }

    /// The command of the test, for the rig: as it is where it is permitted and everything about it
    /// is within the limits, else the last safe one, at rest. Target and command are both held
    /// against the stroke.
    #[inline]
    pub fn release<'c>(
        &mut self,
        permit: &Permit<'c>,
        target: &Motion,
        command: &'c mut Motion,
    ) -> (Released<'c>, Violation) {
        if !permit.is_for_test() {
            return (self.hold(command), None);
        }
        let found = self.pass(target, command);
        (Released::new(command), found)
    }

    /// The next command on the slow way to the start position, for the rig: from the last safe one
    /// by at most `step`, m. It is also written to `target`, whatever becomes of it.
    #[inline]
    pub fn release_to_start<'c>(
        &mut self,
        permit: &Permit<'c>,
        start: &[f64],
        step: f64,
        target: &mut Motion,
        command: &'c mut Motion,
    ) -> (Released<'c>, Violation) {
        if !permit.is_to_start() {
            return (self.hold(command), None);
        }
        for i in 0..start.len() {
            let from = self.safe.displacement[i];
            let way = start[i] - from;
            command.displacement[i] = from + way.clamp(-step, step);
            command.velocity[i] = 0.0;
            command.acceleration[i] = 0.0;
        }
        target.copy_from(command);
        let found = self.pass(target, command);
        (Released::new(command), found)
    }

    #[inline]
    fn pass(&mut self, target: &Motion, command: &mut Motion) -> Violation {
        match self.check_command(target, command) {
            None => {
                for i in 0..self.pace.len() {
                    let x = command.displacement[i];
                    self.pace[i] = x - self.safe.displacement[i];
                    self.safe.displacement[i] = x;
                }
                None
            }
            Some((limit, actuator, value, bound)) => {
                self.hold(command);
                self.finding(limit, actuator, value, bound)
            }
        }
    }

    /// The last safe command, standing still: it needs no permit.
    #[inline]
    pub fn hold<'c>(&mut self, command: &'c mut Motion) -> Released<'c> {
        // The velocity and acceleration of `safe` are zero at all times.
        command.copy_from(&self.safe);
        self.pace.fill(0.0);
        Released::new(command)
    }

    /// Displacements of the last command that was let through, m.
    #[inline]
    pub fn safe(&self) -> &[f64] {
        &self.safe.displacement
    }

    /// The start position in the rig's own stroke, m: the stroke is judged there.
    pub fn set_start(&mut self, start: &[f64]) {
        copy_few(&mut self.start, start);
    }

    /// What each actuator's specimen is planned to resist with, N/m; zero where nothing is known.
    /// Without it the watch on the specimen knows only what it has seen, and one that was dead from
    /// the start never had any stiffness to lose.
    pub fn expect_stiffness(&mut self, stiffness: &[f64]) {
        for (watch, stiffness) in self.specimens.iter_mut().zip(stiffness) {
            watch.expect(*stiffness);
        }
    }

    /// The pistons were found here before any command was given: a first command continues from
    /// here.
    pub fn start_at(&mut self, displacement: &[f64]) {
        copy_few(&mut self.safe.displacement, displacement);
        self.pace.fill(0.0);
    }

    #[inline]
    fn check_command(&self, target: &Motion, command: &Motion) -> Option<(Limit, usize, f64, f64)> {
        for i in 0..command.len() {
            let (wanted, x) = (target.displacement[i], command.displacement[i]);
            let sum = wanted + x + command.velocity[i] + command.acceleration[i];
            if !sum.is_finite() {
                return Some((Limit::NotFinite, i, x, 0.0));
            }
            let (to, stroke) = (wanted + self.start[i], x + self.start[i]);
            if to.abs() > self.stroke || stroke.abs() > self.stroke {
                let value = if stroke.abs() > self.stroke {
                    stroke
                } else {
                    to
                };
                return Some((Limit::Stroke, i, value, self.stroke));
            }
            let travel = x - self.safe.displacement[i];
            if travel.abs() > self.travel {
                return Some((Limit::Velocity, i, travel / self.period, self.velocity));
            }
            let bend = travel - self.pace[i];
            if bend.abs() > self.bend {
                let value = bend / (self.period * self.period);
                return Some((Limit::Acceleration, i, value, self.acceleration));
            }
        }
        None
    }
}

#[cfg(test)]
mod exact_tests;
#[cfg(test)]
mod tests;
