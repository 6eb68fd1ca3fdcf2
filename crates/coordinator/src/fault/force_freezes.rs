//! A load cell repeats its last value.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind {
    early: true,
    ..FaultKind::new(
        "force-freezes",
        "load cell freezes",
        "specimen_failure",
        Effect::Sensors(|_, said| *said.force = said.before[1]),
    )
};
