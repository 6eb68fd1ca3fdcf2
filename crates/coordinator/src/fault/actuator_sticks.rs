//! The piston stands still whatever is commanded.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind {
    early: true,
    ..FaultKind::new(
        "actuator-sticks",
        "piston stands still",
        "stuck",
        Effect::Piston {
            speed: |_| 0.0,
            valve: None,
        },
    )
};
