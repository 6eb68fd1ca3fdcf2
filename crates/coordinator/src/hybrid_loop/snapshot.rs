//! The loop as flat words.

use super::HybridLoop;
use super::interface::Node;
use std::sync::atomic::Ordering;
use tandem_integrator::Readiness;
use tandem_quantity::{Snapshot, SnapshotError, StateReader, snapshot};
use tandem_transfer::command::LateMode;
use tandem_transfer::rig::Status;

snapshot!(Node {
    asked,
    target,
    measured,
    answer
});

/// What is saved as its place here.
const READINESS: [Readiness; 5] = [
    Readiness::Ready,
    Readiness::NotYet,
    Readiness::Delayed,
    Readiness::Finished,
    Readiness::Lost,
];
const LATENESS: [LateMode; 3] = [LateMode::Predicting, LateMode::Slowing, LateMode::Holding];

/// Whatever is not in the list is saved as a place that cannot be restored.
fn place<T: PartialEq>(all: &[T], one: &T) -> usize {
    let found = all.iter().position(|other| other == one);
    found.unwrap_or(all.len())
}

fn of_place<T: Copy>(all: &[T], from: &mut StateReader<'_>) -> Result<T, SnapshotError> {
    let mut place = 0_usize;
    place.restore(from)?;
    all.get(place).copied().ok_or(SnapshotError)
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
        self.segment.save(into);
        self.path.actuator_target.save(into);
        self.path.reference.save(into);
        self.path.next_reference.save(into);
        self.path.command.save(into);
        self.sensors.raw.save(into);
        self.sensors.measured.save(into);
        self.node.save(into);
        self.alarms.save(into);
        // Monitors see these in every tick, and they are new only with a step.
        self.forces.restoring.save(into);
        self.forces.load.save(into);
        self.forces.unbalanced.save(into);
        self.sensors.status.words().save(into);
        self.cycle.save(into);
        place(&READINESS, &self.segment.readiness).save(into);
        place(&LATENESS, &self.segment.lateness).save(into);
    }

    fn restore(&mut self, from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        let p = &mut self.parts;
        p.integrator.restore(from)?;
        self.steps_seen = p.integrator.steps();
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
        self.clock.store(self.tick, Ordering::Relaxed);
        self.segment.restore(from)?;
        self.path.actuator_target.restore(from)?;
        self.path.reference.restore(from)?;
        self.path.next_reference.restore(from)?;
        self.path.command.restore(from)?;
        self.sensors.raw.restore(from)?;
        self.sensors.measured.restore(from)?;
        self.node.restore(from)?;
        self.alarms.restore(from)?;
        self.forces.restoring.restore(from)?;
        self.forces.load.restore(from)?;
        self.forces.unbalanced.restore(from)?;
        let mut status = [0.0; 4];
        status.restore(from)?;
        self.sensors.status = Status::from_words(status);
        self.cycle.restore(from)?;
        self.segment.readiness = of_place(&READINESS, from)?;
        self.segment.lateness = of_place(&LATENESS, from)?;
        Ok(())
    }
}
