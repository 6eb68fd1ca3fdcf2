//! Ticks in which no test runs: standing still, and the slow way to the start position.

use super::HybridLoop;
use super::cycle::acts;
use tandem_safety::Permit;
use tandem_safety::gate::{Limit, Violation, most_severe};

impl HybridLoop {
    /// A tick in which nothing may move: sensors are read and checked against the bounds, nothing
    /// is written.
    #[inline]
    pub fn idle(&mut self) -> Violation {
        self.read_sensors();
        self.show_sensors();
        self.parts.rig.idle();
        self.parts.gate.check_measured(&self.sensors.raw)
    }

    /// A tick on the slow way to the start position, in strokes. Also tells whether it has been
    /// reached. Without leave for it the command holds.
    #[inline]
    pub fn move_to_start(&mut self, permit: &Permit<'_>) -> (Violation, bool) {
        self.read_sensors();
        // A piston that has left its stroke must be able to come back: the command itself cannot
        // leave it.
        let found = self.parts.gate.check_measured(&self.sensors.raw);
        let found = found.filter(|(_, trip)| trip.limit != Limit::Stroke);
        if acts(found) {
            self.parts.gate.hold(&mut self.path.command);
            self.parts.rig.idle();
            return (found, false);
        }
        let (parts, path) = (&mut self.parts, &mut self.path);
        let (released, refused) = parts.gate.release_to_start(
            permit,
            &self.start.position,
            self.start.step,
            &mut path.next_reference,
            &mut path.command,
        );
        self.row.show_sensors(parts.gate.safe(), &self.sensors.raw);
        parts.rig.write(released);
        (most_severe(found, refused), self.is_at_start())
    }

    /// Whether the last command is the start position.
    #[inline]
    pub fn is_at_start(&self) -> bool {
        let safe = self.parts.gate.safe();
        let start = self.start.position.iter();
        start.zip(safe).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    /// How fast the way to the start position is, m/s; 0.5 mm/s by default.
    pub fn set_centering_speed(&mut self, speed: f64) {
        self.start.step = speed * self.timing.period;
    }

    /// Takes the pistons' position before anything has moved for the present command: where they
    /// stand, they stay.
    pub fn find_position(&mut self) {
        let found = &mut self.path.command.displacement;
        if self.parts.rig.initial_position(found) && found.iter().all(|x| x.is_finite()) {
            self.parts.gate.start_at(found);
        }
        self.sensors.status = self.parts.rig.status();
    }

    #[inline]
    fn read_sensors(&mut self) {
        self.parts.rig.read(&mut self.sensors.raw);
        self.sensors.status = self.parts.rig.status();
    }

    /// What a watcher sees while no row is recorded.
    #[inline]
    fn show_sensors(&mut self) {
        self.row
            .show_sensors(self.parts.gate.safe(), &self.sensors.raw);
    }
}
