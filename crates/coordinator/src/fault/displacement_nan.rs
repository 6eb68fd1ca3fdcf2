//! A displacement is not a number.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind::new(
    "displacement-nan",
    "displacement is not a number",
    "not-finite",
    Effect::Sensors(|_, said| *said.displacement = f64::NAN),
);
