//! Rigs: whatever stands behind the safety gate. A virtual plant, a replayed log and a real device
//! look the same.
//!
//! Ports: command motion per actuator (m, m/s, m/s²) → measured motion and force (N) per actuator.

mod linked;
mod virtual_rig;

pub use virtual_rig::{VirtualRig, first_servo};

pub use tandem_safety::{
    Hydraulics, Measured, Rehearsal, Released, Rig, RigProperties, RigView, Status, forward_rig,
};

use tandem_frame::model::CondensedPart;
use tandem_quantity::{BuildError, Context, Entry, SlotOf, Values};

/// What a rig must know besides its table.
#[derive(Clone, Copy, Debug)]
pub struct RigContext<'a> {
    /// What every part of the loop knows; the period is that of the coordinator.
    pub common: Context<'a>,
    /// The plan's table of the linkage between the two; none: one actuator for each degree of
    /// freedom.
    pub kinematics: Option<&'a Values>,
    /// Members of the frame that are the specimen of a virtual rig.
    pub members: Option<&'a CondensedPart>,
}

/// How a rig is made.
pub type Build =
    &'static (dyn Fn(&Values, &RigContext<'_>) -> Result<Box<dyn Rig>, BuildError> + Sync);

/// All rigs. A new one is one file and one line here.
pub static METHODS: &[Entry<Build>] = &[virtual_rig::ENTRY];

impl<'a> RigContext<'a> {
    /// An actuator at each degree of freedom, and no members of a frame.
    #[must_use]
    pub const fn direct(common: Context<'a>) -> Self {
        Self {
            common,
            kinematics: None,
            members: None,
        }
    }
}

/// The slot in the plan.
pub static SLOT: SlotOf<Build> = SlotOf::new("rig", "kind", Some("virtual"), || METHODS);
