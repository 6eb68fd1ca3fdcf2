//! A displacement sensor is off by `displacement` from now on.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind::new(
    "displacement-jumps",
    "displacement sensor jumps",
    "displacement_rate",
    Effect::Sensors(|fault, said| *said.displacement += fault.displacement),
);
