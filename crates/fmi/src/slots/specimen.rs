//! `[rig.specimen] kind = "fmu"`: a specimen that another tool has modelled, behind the actuators
//! of a virtual rig.

use crate::Ports;
use tandem_quantity::{
    BuildError, Context, Entry, ExternalModel, Method, Motion, Settings, Snapshot, SnapshotError,
    SpecimenMatrices, StateReader, Values, settings,
};
use tandem_transfer::specimen::{self, Specimen};

use super::settings::{FmuFile, FmuHost, NAME, REFERENCE};

use super::{FmuSlot, Way, write};

/// A specimen, moved by the actuators of the rig.
pub const ENTRY: Entry<specimen::Build> = Entry {
    method: Method {
        name: NAME,
        summary: "a Functional Mock-up Unit: imposed motion in, restoring force out; \
            interface.stiffness says what may be assumed of it",
        reference: REFERENCE,
        parameters: FmuSpecimenSettings::PARAMETERS,
    },
    build: &build,
};

settings! {
    /// What the plan writes of a specimen.
    struct FmuSpecimenSettings {
        /// The FMU itself.
        file: FmuFile,
        /// inputs with the imposed displacements, m; default: displacement
        displacement: Option<Vec<String>> = texts(),
        /// inputs with the imposed velocities, m/s; default: velocity, if there is one
        velocity: Option<Vec<String>> = texts(),
        /// inputs with the imposed accelerations, m/s²; default: acceleration, if there is one
        acceleration: Option<Vec<String>> = texts(),
        /// outputs with the forces, N, positive where they resist; default: force
        force: Option<Vec<String>> = texts(),
        /// How it is run.
        host: FmuHost,
    }
}

/// Ports: imposed motion at the interface (m, m/s, m/s²) → restoring force (N), one period later.
/// Nothing is known of it beforehand; what may be assumed says the plan (`interface.stiffness`).
struct FmuSpecimen {
    running: FmuSlot,
    period: f64,
    motion: [Option<Ports>; 3],
    force: Ports,
    nothing: SpecimenMatrices,
}

fn build(
    values: &Values,
    &Context { interface: dof, .. }: &Context<'_>,
) -> Result<Box<dyn Specimen>, BuildError> {
    let settings = FmuSpecimenSettings::read(values)?;
    let running = FmuSlot::start((&settings.file, &settings.host), "specimen", 1e-3)?;
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
        nothing: SpecimenMatrices::none(dof),
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

    fn specimen_matrices(&self) -> &SpecimenMatrices {
        &self.nothing
    }

    fn is_linear(&self) -> bool {
        false
    }

    fn set_period(&mut self, period: f64) {
        self.period = period;
    }

    fn external(&self) -> Option<&dyn ExternalModel> {
        Some(&self.running.health)
    }
}

/// The state of an FMU is its own affair.
impl Snapshot for FmuSpecimen {
    fn save(&self, _into: &mut Vec<f64>) {}

    fn restore(&mut self, _from: &mut StateReader<'_>) -> Result<(), SnapshotError> {
        Ok(())
    }
}
