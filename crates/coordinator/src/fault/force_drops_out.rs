//! A load cell reads zero.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind {
    early: true,
    ..FaultKind::new(
        "force-drops-out",
        "load cell drops out",
        "specimen_failure",
        Effect::Sensors(|_, said| *said.force = 0.0),
    )
};
