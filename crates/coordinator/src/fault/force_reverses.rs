//! A load cell has the wrong sign.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind {
    early: true,
    ..FaultKind::new(
        "force-reverses",
        "load cell with the wrong sign",
        "force_rate",
        Effect::Sensors(|_, said| *said.force = -*said.force),
    )
};
