//! A servo controller of one axis.

use tandem_quantity::{Snapshot, SnapshotError, StateReader};
use tandem_transfer::servo::Servo;

use super::model::{FmuModel, Refused, Role, Variable};

/// A servo as a block.
///
/// Ports: `command` and `measured` displacement (m), measured `force` (N, where the controller
/// looks at it) → `drive`, the signal to the actuator until the next step.
pub struct ServoBlock {
    servo: Box<dyn Servo>,
    period: f64,
    variables: Vec<Variable>,
}

impl ServoBlock {
    /// A servo that works every `period` seconds.
    pub fn new(servo: Box<dyn Servo>, period: f64) -> Self {
        let one = |name, role, unit, about| Variable {
            name,
            dimensions: vec![1],
            role,
            start: 0.0,
            unit,
            about,
        };
        let mut variables = vec![
            one("command", Role::Input, "m", "commanded displacement"),
            one("measured", Role::Input, "m", "measured displacement"),
        ];
        if servo.uses_force() {
            variables.push(one("force", Role::Input, "N", "measured force"));
        }
        variables.push(one(
            "drive",
            Role::Output,
            "m",
            "drive signal to the actuator",
        ));
        Self {
            servo,
            period,
            variables,
        }
    }
}

impl FmuModel for ServoBlock {
    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn initialise(&mut self, values: &mut [f64]) -> Result<(), Refused> {
        if let [.., drive] = values {
            *drive = 0.0;
        }
        Ok(())
    }

    fn step_size(&self, _values: &[f64]) -> Option<f64> {
        Some(self.period)
    }

    fn step(&mut self, values: &mut [f64], _size: f64) -> Result<(), Refused> {
        match values {
            [command, measured, drive] => *drive = self.servo.drive(*command, *measured),
            [command, measured, force, drive] => {
                *drive = self.servo.drive_with_force(*command, *measured, *force);
            }
            _ => {}
        }
        Ok(())
    }
}

impl Snapshot for ServoBlock {
    fn save(&self, into: &mut Vec<f64>) {
        self.servo.save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        self.servo.restore(from)
    }
}
