//! Specimens of a virtual rig.
//!
//! Ports: imposed motion at the interface (m, m/s, m/s²) → restoring force in N, positive when it
//! resists a positive displacement.

mod materials;
mod members;
pub mod mr_damper;
mod none;
mod spring_dashpot_mass;
mod springs;

pub use members::Members;
pub use spring_dashpot_mass::SpringDashpotMass;

use tandem_quantity::{
    AsAttachment, Builder, Entry, ExternalModel, Motion, SlotOf, Snapshot, SpecimenMatrices,
};

/// A virtual specimen.
pub trait Specimen: Snapshot + Send {
    /// Number of interface degrees of freedom.
    fn dof(&self) -> usize;

    /// Restoring force at the imposed motion. A call is a commitment: time has passed.
    fn force(&mut self, motion: &Motion, force: &mut [f64]);

    /// Its linear description at the start: what goes into the reference structure and into methods
    /// that split the force.
    fn specimen_matrices(&self) -> &SpecimenMatrices;

    /// Writes the tangent stiffness at the last imposed motion (by rows, N/m). False: it is not
    /// known.
    fn tangent(&self, stiffness: &mut [f64]) -> bool {
        if self.is_linear() {
            stiffness.copy_from_slice(&self.specimen_matrices().stiffness);
        }
        self.is_linear()
    }

    /// Whether `specimen_matrices` is the whole truth.
    fn is_linear(&self) -> bool;

    /// Says how much time passes between two calls of [`Specimen::force`], s, before the first of
    /// them.
    fn set_period(&mut self, period: f64) {
        let _ = period;
    }

    /// The same specimen, untouched, as a part of the undivided structure. None: the reference
    /// takes `specimen_matrices`.
    fn as_attachment(&self) -> Option<AsAttachment> {
        None
    }

    /// Who computes it, where that is somebody else.
    fn external(&self) -> Option<&dyn ExternalModel> {
        None
    }
}

/// How a specimen is made, for so many degrees of freedom as the interface has.
pub type Build = Builder<Box<dyn Specimen>>;

/// All specimens. A new one is one file and one line here.
pub static METHODS: &[Entry<Build>] = &[
    spring_dashpot_mass::ENTRY,
    materials::ENTRY,
    mr_damper::ENTRY,
    none::ENTRY,
];

/// The slot in the plan.
pub static SLOT: SlotOf<Build> =
    SlotOf::new("specimen", "kind", Some("spring-dashpot-mass"), || METHODS);
