//! `[rig.specimen] kind = "fmu"`: a specimen that another tool has modelled, behind the actuators of a virtual rig.

use tandem_fmi::Ports;
use tandem_quantity::{
    BuildError, Guest, Impedance, Motion, Settings, Snapshot, SnapshotError, Values, Words,
};
use tandem_transfer::outside::FmuSpecimenSettings;
use tandem_transfer::specimen::Specimen;

use super::{Running, Way, write};

/// Ports: imposed motion at the interface (m, m/s, m/s²) → restoring force (N), one period later. Nothing is known of it beforehand;
/// what may be assumed says the plan (`interface.stiffness`).
struct FmuSpecimen {
    running: Running,
    period: f64,
    motion: [Option<Ports>; 3],
    force: Ports,
    nothing: Impedance,
}

/// A specimen from its table.
pub fn build(values: &Values, dof: usize) -> Result<Box<dyn Specimen>, BuildError> {
    let settings = FmuSpecimenSettings::read(values)?;
    let running = Running::start((&settings.file, &settings.host), "specimen", 1e-3)?;
    let taken =
        |names: &Option<Vec<String>>, key| running.optional(names.as_deref(), (key, Way::In), dof);
    Ok(Box::new(FmuSpecimen {
        motion: [
            Some(running.needed(
                settings.displacement.as_deref(),
                ("displacement", Way::In),
                dof,
            )?),
            taken(&settings.velocity, "velocity")?,
            taken(&settings.acceleration, "acceleration")?,
        ],
        force: running.needed(settings.force.as_deref(), ("force", Way::Out), dof)?,
        nothing: Impedance::none(dof),
        period: f64::NAN,
        running,
    }))
}

impl Specimen for FmuSpecimen {
    fn dof(&self) -> usize {
        self.nothing.dof
    }

    fn force(&mut self, motion: &Motion, force: &mut [f64]) {
        let (taken, given) = (&self.motion, &self.force);
        let parts = [&motion.displacement, &motion.velocity, &motion.acceleration];
        let there = self.running.step(
            self.period,
            |instance| {
                for (ports, values) in taken.iter().zip(parts) {
                    write(ports.as_ref(), instance, values)?;
                }
                Ok(())
            },
            |instance| given.read(instance, force),
        );
        if !there {
            force.fill(f64::NAN);
        }
    }

    fn impedance(&self) -> &Impedance {
        &self.nothing
    }

    fn is_linear(&self) -> bool {
        false
    }

    fn set_period(&mut self, period: f64) {
        self.period = period;
    }

    fn guest(&self) -> Option<&dyn Guest> {
        Some(&self.running.health)
    }
}

/// The state of an FMU is its own affair.
impl Snapshot for FmuSpecimen {
    fn save(&self, _into: &mut Vec<f64>) {}

    fn restore(&mut self, _from: &mut Words<'_>) -> Result<(), SnapshotError> {
        Ok(())
    }
}
