//! Faults of sensors, actuators and of the link to the device.

use super::{Effect, Fault, Said, To};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tandem_quantity::{copy_few, snapshot};
use tandem_safety::{Following, Measured, Released, Rig, Status, forward_rig};

/// A rig with faults around it. What the loop reads and what reaches the rig are both changed, by
/// the clock of the test. It may stand in a thread with its rig.
pub struct FaultyRig {
    inner: Box<dyn Rig>,
    faults: Vec<Fault>,
    /// Ticks of the coordinator in a second of structural time, and in a second of wall time.
    rate: f64,
    wall_rate: f64,
    /// How often a command is written in a second of wall time: as `wall_rate`, or by the rig's own
    /// clock.
    write_rate: f64,
    /// Ticks of the test, which the loop counts.
    clock: Arc<AtomicU64>,
    /// Tick of the newest measurement.
    fresh_at: u64,
    /// What the rig last said, and what the loop was told.
    fresh: Measured,
    told: Measured,
    through: Following,
}

impl FaultyRig {
    /// Puts faults around a rig; `rate` is the number of ticks in a second of structural time,
    /// `wall_rate` in one of wall time; `clock` has the ticks of the test.
    pub fn new(
        inner: Box<dyn Rig>,
        faults: Vec<Fault>,
        rate: f64,
        wall_rate: f64,
        clock: Arc<AtomicU64>,
    ) -> Self {
        let n = inner.properties().actuators;
        Self {
            inner,
            faults,
            rate,
            wall_rate,
            write_rate: wall_rate,
            clock,
            fresh_at: 0,
            fresh: Measured::at_rest(n),
            told: Measured::at_rest(n),
            through: Following::at_rest(n),
        }
    }

    #[inline]
    fn tick(&self) -> u64 {
        self.clock.load(Ordering::Relaxed)
    }

    /// Ticks since the newest measurement.
    #[inline]
    fn age(&self) -> u64 {
        self.tick().saturating_sub(self.fresh_at)
    }

    /// Ticks since this fault began, where it is there now.
    #[inline]
    fn active(&self, fault: &Fault) -> Option<f64> {
        fault.ticks_into(self.tick(), self.rate)
    }

    /// Whether nothing passes at this tick.
    fn is_silent(&self, to: To) -> bool {
        self.faults.iter().any(|fault| match fault.kind.effect {
            Effect::Link(lost) => self.active(fault).is_some_and(|ticks| lost(ticks, to)),
            _ => false,
        })
    }

    /// What a fault makes of the measurement.
    #[inline]
    fn corrupt(&self, fault: &Fault, measured: &mut Measured) {
        let i = fault.actuator;
        if let (Effect::Sensors(corrupt), Some(ticks)) = (fault.kind.effect, self.active(fault)) {
            let said = Said {
                displacement: &mut measured.motion.displacement[i],
                force: &mut measured.force[i],
                before: [self.told.motion.displacement[i], self.told.force[i]],
                ticks,
                rate: self.wall_rate,
            };
            corrupt(fault, said);
        }
    }

    /// How far this actuator's faults let its piston go until the next command, m; none: wherever
    /// it is told to.
    #[inline]
    fn reach(&self, actuator: usize) -> Option<f64> {
        let own = self
            .faults
            .iter()
            .filter(|fault| fault.actuator == actuator && self.active(fault).is_some());
        let reaches = own.filter_map(|fault| match fault.kind.effect {
            Effect::Piston { speed, .. } => Some(speed(fault) / self.write_rate),
            _ => None,
        });
        reaches.reduce(f64::min)
    }

    /// Lets a period pass under the command that gets through.
    #[inline]
    fn pass(&mut self, command: Option<Released<'_>>) {
        let silent = self.is_silent(To::Device);
        let Some(command) = command.filter(|_| !silent) else {
            self.inner.idle();
            return;
        };
        let mut through = std::mem::replace(&mut self.through, Following::at_rest(0));
        let released = through.follow(command, |i| self.reach(i));
        self.inner.write(released);
        self.through = through;
    }
}

snapshot!(FaultyRig {
    inner,
    fresh_at,
    fresh,
    told,
    through
});

impl Rig for FaultyRig {
    forward_rig!(inner: properties, check_connection, initial_position, hydraulics, observe);

    fn read(&mut self, measured: &mut Measured) {
        if !self.is_silent(To::Coordinator) {
            self.inner.read(&mut self.fresh);
            self.fresh_at = self.tick();
        }
        measured.motion.copy_from(&self.fresh.motion);
        copy_few(&mut measured.force, &self.fresh.force);
        for fault in &self.faults {
            self.corrupt(fault, measured);
        }
        self.told.motion.copy_from(&measured.motion);
        copy_few(&mut self.told.force, &measured.force);
    }

    fn write(&mut self, command: Released<'_>) {
        self.pass(Some(command));
    }

    fn idle(&mut self) {
        self.pass(None);
    }

    fn free_run(&mut self) -> Option<f64> {
        let period = self.inner.free_run()?;
        self.write_rate = 1.0 / period;
        Some(period)
    }

    fn status(&self) -> Status {
        let mut status = self.inner.status();
        status.age = status.age.max(self.age());
        if status.device_time.is_nan() {
            let time = self.fresh_at as f64 / self.wall_rate;
            status.device_time = time;
        }
        for fault in &self.faults {
            if self.active(fault).is_none() {
                continue;
            }
            match fault.kind.effect {
                Effect::Piston { valve, .. } => status.valve = valve.unwrap_or(status.valve),
                Effect::Status(change) => change(&mut status),
                _ => {}
            }
        }
        status
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use tandem_quantity::Motion;
    use tandem_safety::{Rehearsal, RigProperties};

    /// Keeps what reaches it.
    struct Heard(Arc<Mutex<Vec<Vec<f64>>>>);

    snapshot!(Heard {});

    impl Rig for Heard {
        fn properties(&self) -> RigProperties {
            RigProperties {
                is_model: true,
                ..RigProperties::of(3)
            }
        }
        fn read(&mut self, _: &mut Measured) {}
        fn write(&mut self, command: Released<'_>) {
            self.0.lock().unwrap().push(command.displacement.clone());
        }
    }

    /// A piston that is stuck and one that crawls leave the others alone, and a saturated one at
    /// zero is a stuck one.
    #[test]
    fn a_fault_is_that_of_its_own_actuator() {
        let fault = |kind, actuator, displacement| Fault {
            kind,
            at: 0.0,
            duration: f64::INFINITY,
            actuator,
            displacement,
            force: 0.0,
            factor: 1.0,
        };
        let heard = Arc::new(Mutex::new(Vec::new()));
        let rig = Box::new(Heard(Arc::clone(&heard)));
        let faults = vec![
            fault(&super::super::actuator_sticks::FAULT, 1, 0.0),
            fault(&super::super::actuator_saturates::FAULT, 2, 0.2),
        ];
        let mut rig = FaultyRig::new(rig, faults, 100.0, 100.0, Arc::default());
        let mut rehearsal = Rehearsal::of(&rig).unwrap();
        let mut command = Motion::at_rest(3);
        for k in 1..=3 {
            command.displacement.fill(0.01 * f64::from(k));
            rig.write(rehearsal.release(&command).unwrap());
        }
        // 0.2 m/s in ticks of 10 ms are 2 mm each.
        let expected = [[0.01, 0.0, 0.002], [0.02, 0.0, 0.004], [0.03, 0.0, 0.006]];
        assert_eq!(*heard.lock().unwrap(), expected);
    }
}
