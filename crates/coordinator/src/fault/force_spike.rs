//! A load cell is off by `force` for one tick.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind {
    ticks: Some(1.0),
    ..FaultKind::new(
        "force-spike",
        "force spike of one tick",
        "force_rate",
        Effect::Sensors(|fault, said| *said.force += fault.force),
    )
};
