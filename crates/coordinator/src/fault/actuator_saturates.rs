//! The valve is fully open and the piston makes `displacement` in a second at most.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind {
    // The piston crawls.
    displacement: |_, peak| 0.05 * peak,
    ..FaultKind::new(
        "actuator-saturates",
        "valve fully open",
        "valve",
        Effect::Piston {
            speed: |fault| fault.displacement.abs(),
            valve: Some(1.0),
        },
    )
};
