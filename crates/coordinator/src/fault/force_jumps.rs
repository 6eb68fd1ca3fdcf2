//! A load cell is off by `force` from now on.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind::new(
    "force-jumps",
    "load cell jumps",
    "force_rate",
    Effect::Sensors(|fault, said| *said.force += fault.force),
);
