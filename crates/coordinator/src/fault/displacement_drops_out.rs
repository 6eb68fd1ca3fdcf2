//! A displacement sensor reads zero.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind {
    early: true,
    ..FaultKind::new(
        "displacement-drops-out",
        "displacement sensor drops out",
        "frozen_displacement",
        Effect::Sensors(|_, said| *said.displacement = 0.0),
    )
};
