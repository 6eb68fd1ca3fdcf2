//! A force is not a number.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind::new(
    "force-nan",
    "force is not a number",
    "not-finite",
    Effect::Sensors(|_, said| *said.force = f64::NAN),
);
