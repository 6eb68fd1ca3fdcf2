//! A target is not a number.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind::new(
    "target-nan",
    "target is not a number",
    "not-finite",
    Effect::Target(|_, target| *target = f64::NAN),
);
