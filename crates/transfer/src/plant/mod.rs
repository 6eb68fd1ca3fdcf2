//! Plants: all axes of a virtual rig in one model, for actuators that act on each other or feel
//! their specimen.
//!
//! Ports: drive of every axis (m, or what a servo gives), held over one period → motion of all axes
//! (m, m/s, m/s²) and, where the plant contains its specimen, the force (N, positive when the
//! specimen resists a positive displacement).

mod axes;
mod benchmark_multi;
mod benchmark_single;
mod control_error;
mod transfer_matrix;

pub use axes::Axes;

use crate::LinearSystem;
use crate::actuator::Load;
use tandem_quantity::{
    BuildError, Builder, Entry, ExternalModel, Motion, Range, SlotOf, Snapshot, SpecimenMatrices,
    settings,
};
use tandem_safety::Measured;
use tandem_signal::noise::WhiteNoise;

/// A model of all axes, sampled with a fixed period.
pub trait Plant: Snapshot + Send {
    /// Number of axes.
    fn actuators(&self) -> usize;

    /// Holds `drive` for one period. Writes the motion at its end, and the force if the plant has a
    /// specimen.
    fn advance(&mut self, drive: &Motion, truth: &mut Measured);

    /// The specimen inside, with the numbers it was built with. `None`: the rig's own specimen
    /// gives the force.
    fn specimen(&self) -> Option<&SpecimenMatrices> {
        None
    }

    /// From drives to displacements, where the plant is linear: what a controller is designed for.
    fn linear(&self) -> Option<LinearSystem> {
        None
    }

    /// Whether the force of the rig's specimen (in `truth`, as of the start of the period) changes
    /// the motion.
    fn feels_force(&self) -> bool {
        false
    }

    /// Says what is known of the rig's specimen along one axis, before the first call.
    fn carry(&mut self, axis: usize, load: Load) {
        let _ = (axis, load);
    }

    /// Whether the axes stand at the command in the very instant it is written.
    fn is_instantaneous(&self) -> bool {
        false
    }

    /// What this plant was drawn with: by name the relative deviations from the plant that was
    /// written, zero for that one itself. Empty where nothing can be drawn.
    fn drawn(&self) -> &[(&'static str, f64)] {
        &[]
    }

    /// Who computes the axis of this number, where that is somebody else.
    fn external(&self, axis: usize) -> Option<&dyn ExternalModel> {
        let _ = axis;
        None
    }
}

/// How a plant is made: with an axis for each actuator.
pub type Build = Builder<Box<dyn Plant>>;

/// All plants. A new one is one file and one line here.
pub static METHODS: &[Entry<Build>] = &[
    benchmark_single::ENTRY,
    benchmark_multi::ENTRY,
    control_error::ENTRY,
    transfer_matrix::ENTRY,
];

/// The slot in the plan.
pub static SLOT: SlotOf<Build> = SlotOf::new("plant", "kind", None, || METHODS);

settings! {
    /// The key that asks for a plant other than the nominal one.
    struct Draw {
        /// which of the random plants with the published uncertainty: the same number gives the
        /// same plant; 0: the nominal one
        draw: u64 = integer().or("0").within(Range::between(0.0, 1e9)),
    }
}

/// Standard normal numbers of a draw; none for the nominal plant.
fn drawn(&Draw { draw }: &Draw) -> Result<Option<WhiteNoise>, BuildError> {
    if draw == 0 {
        return Ok(None);
    }
    WhiteNoise::new(1.0, draw)
        .map(Some)
        .map_err(|error| BuildError::new("draw", error.to_string(), "give a whole number"))
}

/// Refuses a rig with another number of axes.
fn require_axes(found: usize, wanted: usize) -> Result<(), BuildError> {
    if found == wanted {
        return Ok(());
    }
    Err(BuildError::new(
        "kind",
        format!("this plant has {wanted} axes, the rig {found}"),
        format!("give {wanted} interface degrees of freedom, or use `actuator`"),
    ))
}
