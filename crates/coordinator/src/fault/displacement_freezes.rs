//! A displacement sensor repeats its last value.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind {
    early: true,
    ..FaultKind::new(
        "displacement-freezes",
        "displacement sensor freezes",
        "specimen_failure",
        Effect::Sensors(|_, said| *said.displacement = said.before[0]),
    )
};
