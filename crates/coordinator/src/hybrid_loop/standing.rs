//! Ticks in which no test runs: standing still, and the slow way to the start position.

use super::{HybridLoop, acts};
use tandem_quantity::Motion;
use tandem_safety::Permit;
use tandem_safety::gate::{Finding, Limit, stricter};

impl HybridLoop {
    /// A tick in which nothing may move: sensors are read and checked against the bounds, nothing is written.
    #[inline]
    pub fn idle(&mut self) -> Finding {
        self.parts.rig.read(&mut self.raw);
        self.status = self.parts.rig.status();
        self.show_sensors();
        self.parts.rig.idle();
        self.parts.gate.check_measured(&self.raw)
    }

    /// A tick on the slow way to the start position, in strokes. Also tells whether it has been
    /// reached. Without leave for it the command holds.
    #[inline]
    pub fn centre(&mut self, permit: &Permit<'_>) -> (Finding, bool) {
        self.parts.rig.read(&mut self.raw);
        self.status = self.parts.rig.status();
        // A piston that has left its stroke must be able to come back: the command itself cannot leave it.
        let found = self.parts.gate.check_measured(&self.raw);
        let found = found.filter(|(_, trip)| trip.limit != Limit::Stroke);
        if acts(found) {
            self.parts.gate.hold(&mut self.command);
            self.parts.rig.idle();
            return (found, false);
        }
        let mut command = std::mem::replace(&mut self.command, Motion::at_rest(0));
        let (released, refused) = self.parts.gate.release_to_start(
            permit,
            &self.start,
            self.centering_step,
            &mut self.wanted,
            &mut command,
        );
        self.show_sensors();
        self.parts.rig.write(released);
        self.command = command;
        (stricter(found, refused), self.is_at_start())
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
        if self.parts.rig.initial_position(found) && found.iter().all(|x| x.is_finite()) {
            self.parts.gate.start_at(found);
        }
        self.status = self.parts.rig.status();
    }
}
