//! A whole rig: actuators, specimen, sensors.

use tandem_quantity::{BuildError, Motion, Snapshot, SnapshotError, StateReader};
use tandem_transfer::rig::{Measured, Rehearsal, Rig};

use super::model::{FmuModel, Refused, Role, Variable, places};

/// A rig as a block.
///
/// Ports, one value for each actuator: `command` (m), `command_velocity`, `command_acceleration` →
/// `displacement` (m), `velocity`, `acceleration`, `force` (N, positive where the specimen resists
/// a positive displacement) as the sensors say one step after the command.
pub struct RigBlock {
    rig: Box<dyn Rig>,
    rehearsal: Rehearsal,
    period: f64,
    variables: Vec<Variable>,
    command: Motion,
    measured: Measured,
}

impl RigBlock {
    /// A rig that is commanded every `period` seconds: a model.
    pub fn new(rig: Box<dyn Rig>, period: f64) -> Result<Self, BuildError> {
        let rehearsal = Rehearsal::of(rig.as_ref())?;
        let n = rig.properties().actuators;
        let vector = |name, role, unit, about| Variable {
            name,
            dimensions: vec![n],
            role,
            start: 0.0,
            unit,
            about,
        };
        let variables = vec![
            vector(
                "command",
                Role::Input,
                "m",
                "commanded displacement of each actuator",
            ),
            vector("command_velocity", Role::Input, "m/s", "commanded velocity"),
            vector(
                "command_acceleration",
                Role::Input,
                "m/s2",
                "commanded acceleration",
            ),
            vector("displacement", Role::Output, "m", "measured displacement"),
            vector("velocity", Role::Output, "m/s", "measured velocity"),
            vector(
                "acceleration",
                Role::Output,
                "m/s2",
                "measured acceleration",
            ),
            vector("force", Role::Output, "N", "measured force"),
        ];
        Ok(Self {
            command: Motion::at_rest(n),
            measured: Measured::at_rest(n),
            rig,
            rehearsal,
            period,
            variables,
        })
    }

    fn read(&mut self, values: &mut [f64]) {
        self.rig.read(&mut self.measured);
        let p = places(&self.variables);
        let motion = &self.measured.motion;
        let parts = [
            &motion.displacement,
            &motion.velocity,
            &motion.acceleration,
            &self.measured.force,
        ];
        for (place, part) in p.iter().skip(3).zip(parts) {
            values[place.clone()].copy_from_slice(part);
        }
    }
}

impl FmuModel for RigBlock {
    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn initialise(&mut self, values: &mut [f64]) -> Result<(), Refused> {
        // Sensors with noise draw at every reading; the start is rest, by definition.
        for place in places(&self.variables).into_iter().skip(3) {
            values[place].fill(0.0);
        }
        Ok(())
    }

    fn step_size(&self, _values: &[f64]) -> Option<f64> {
        Some(self.period)
    }

    fn step(&mut self, values: &mut [f64], _size: f64) -> Result<(), Refused> {
        let p = places(&self.variables);
        let command = &mut self.command;
        let parts = [
            &mut command.displacement,
            &mut command.velocity,
            &mut command.acceleration,
        ];
        for (place, part) in p.iter().zip(parts) {
            part.copy_from_slice(&values[place.clone()]);
        }
        let Some(command) = self.rehearsal.release(&self.command) else {
            return Err(Refused("a command is not a number".into()));
        };
        self.rig.write(command);
        self.read(values);
        Ok(())
    }
}

impl Snapshot for RigBlock {
    fn save(&self, into: &mut Vec<f64>) {
        self.rig.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.rig.restore(from)
    }
}
