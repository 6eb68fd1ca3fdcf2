//! Rigs: whatever stands behind the safety gate. A virtual plant, a replayed log and a real device look the same.
//!
//! Ports: command motion per actuator (m, m/s, m/s²) → measured motion and force (N) per actuator.

mod linked;
mod virtual_rig;

pub use virtual_rig::VirtualRig;

pub use tandem_safety::{
    Hydraulics, Measured, Rehearsal, Released, Rig, RigProperties, RigView, Status, forward_rig,
};

use crate::outside::Outside;
use tandem_frame::model::CondensedPart;
use tandem_quantity::{BuildError, Entry, Slot, Values};

/// What a rig must know besides its table.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// Number of actuators (interface degrees of freedom after the kinematics).
    pub actuators: usize,
    /// Number of interface degrees of freedom.
    pub interface: usize,
    /// The plan's table of the linkage between the two; none: one actuator for each degree of freedom.
    pub kinematics: Option<&'a Values>,
    /// Period of the coordinator in seconds of wall time.
    pub period: f64,
    /// Seed of everything random in the rig.
    pub seed: u64,
    /// Members of the frame that are the specimen of a virtual rig.
    pub members: Option<&'a CondensedPart>,
    /// Who builds the parts of a virtual rig that come from elsewhere; none: there are no such parts.
    pub outside: Option<&'a Outside>,
}

/// How a rig is made.
pub type Build = fn(&Values, &Context<'_>) -> Result<Box<dyn Rig>, BuildError>;

/// All rigs. A new one is one file and one line here.
pub static METHODS: &[Entry<Build>] = &[virtual_rig::ENTRY];

/// The slot in the plan.
pub static SLOT: Slot = Slot {
    selector: "kind",
    default: Some("virtual"),
    methods: || METHODS.iter().map(|entry| &entry.method).collect(),
};
