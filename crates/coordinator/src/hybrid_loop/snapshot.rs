//! The loop as flat words.

use super::HybridLoop;
use std::sync::atomic::Ordering;
use tandem_quantity::{Snapshot, SnapshotError, Words};

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
        self.way.save(into);
        self.asked.save(into);
        self.target.save(into);
        self.wanted.save(into);
        self.command.save(into);
        self.measured.save(into);
        self.alarms.save(into);
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
        self.clock.store(self.tick, Ordering::Relaxed);
        self.way.restore(from)?;
        self.asked.restore(from)?;
        self.target.restore(from)?;
        self.wanted.restore(from)?;
        self.command.restore(from)?;
        self.measured.restore(from)?;
        self.alarms.restore(from)
    }
}
