//! Axes that know nothing of each other: one actuator model each.

use super::Plant;
use crate::actuator::{Actuator, Load};
use tandem_quantity::{ExternalModel, Motion, snapshot};
use tandem_safety::Measured;

/// Independent actuators; the force comes from the rig's specimen.
pub struct Axes {
    actuators: Vec<Box<dyn Actuator>>,
}

snapshot!(Axes { actuators });

impl Axes {
    /// One model an axis.
    pub fn new(actuators: Vec<Box<dyn Actuator>>) -> Self {
        Self { actuators }
    }
}

impl Plant for Axes {
    fn actuators(&self) -> usize {
        self.actuators.len()
    }

    #[inline]
    fn advance(&mut self, drive: &Motion, truth: &mut Measured) {
        let motion = &mut truth.motion;
        for (i, actuator) in self.actuators.iter_mut().enumerate() {
            let axis = [
                drive.displacement[i],
                drive.velocity[i],
                drive.acceleration[i],
            ];
            let [x, v, a] = actuator.advance_against(axis, truth.force[i]);
            motion.displacement[i] = x;
            motion.velocity[i] = v;
            motion.acceleration[i] = a;
        }
    }

    fn feels_force(&self) -> bool {
        self.actuators.iter().any(|a| a.feels_force())
    }

    fn carry(&mut self, axis: usize, load: Load) {
        if let Some(actuator) = self.actuators.get_mut(axis) {
            actuator.carry(load);
        }
    }

    fn is_instantaneous(&self) -> bool {
        self.actuators.iter().all(|a| a.is_instantaneous())
    }

    fn external(&self, axis: usize) -> Option<&dyn ExternalModel> {
        self.actuators.get(axis)?.external()
    }
}
