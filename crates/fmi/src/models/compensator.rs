//! A compensator.

use tandem_quantity::{Motion, Snapshot, SnapshotError, StateReader};
use tandem_transfer::compensator::Compensator;

use super::model::{FmuModel, Refused, Role, Variable, places};

/// A compensator as a block.
///
/// Ports, one value for each actuator: wanted `target`, `target_velocity`, `target_acceleration`
/// and the `measured` displacement of the same instant (m, m/s, m/s²) → `command`,
/// `command_velocity`, `command_acceleration`.
pub struct Compensation {
    compensator: Box<dyn Compensator>,
    period: f64,
    variables: Vec<Variable>,
    wanted: Motion,
    measured: Motion,
    command: Motion,
}

impl Compensation {
    /// A compensator for some actuators that works every `period` seconds.
    pub fn new(compensator: Box<dyn Compensator>, actuators: usize, period: f64) -> Self {
        let vector = |name, role, unit, about| Variable {
            name,
            dimensions: vec![actuators],
            role,
            start: 0.0,
            unit,
            about,
        };
        let variables = vec![
            vector(
                "target",
                Role::Input,
                "m",
                "wanted displacement of each actuator",
            ),
            vector("target_velocity", Role::Input, "m/s", "wanted velocity"),
            vector(
                "target_acceleration",
                Role::Input,
                "m/s2",
                "wanted acceleration",
            ),
            vector("measured", Role::Input, "m", "measured displacement"),
            vector("measured_velocity", Role::Input, "m/s", "measured velocity"),
            vector(
                "measured_acceleration",
                Role::Input,
                "m/s2",
                "measured acceleration",
            ),
            vector("command", Role::Output, "m", "displacement to command"),
            vector(
                "command_velocity",
                Role::Output,
                "m/s",
                "velocity to command",
            ),
            vector(
                "command_acceleration",
                Role::Output,
                "m/s2",
                "acceleration to command",
            ),
        ];
        Self {
            compensator,
            period,
            variables,
            wanted: Motion::at_rest(actuators),
            measured: Motion::at_rest(actuators),
            command: Motion::at_rest(actuators),
        }
    }
}

/// The three parts of a motion, in the order of the ports.
fn parts(motion: &mut Motion) -> [&mut Vec<f64>; 3] {
    [
        &mut motion.displacement,
        &mut motion.velocity,
        &mut motion.acceleration,
    ]
}

impl FmuModel for Compensation {
    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn initialise(&mut self, values: &mut [f64]) -> Result<(), Refused> {
        for place in places(&self.variables).into_iter().skip(6) {
            values[place].fill(0.0);
        }
        Ok(())
    }

    fn step_size(&self, _values: &[f64]) -> Option<f64> {
        Some(self.period)
    }

    fn step(&mut self, values: &mut [f64], _size: f64) -> Result<(), Refused> {
        let p = places(&self.variables);
        let inputs = parts(&mut self.wanted)
            .into_iter()
            .chain(parts(&mut self.measured));
        for (place, part) in p.iter().zip(inputs) {
            part.copy_from_slice(&values[place.clone()]);
        }
        self.compensator
            .compensate(&self.wanted, &self.measured, &mut self.command);
        for (place, part) in p.iter().skip(6).zip(parts(&mut self.command)) {
            values[place.clone()].copy_from_slice(part);
        }
        Ok(())
    }
}

impl Snapshot for Compensation {
    fn save(&self, into: &mut Vec<f64>) {
        self.compensator.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.compensator.restore(from)
    }
}
