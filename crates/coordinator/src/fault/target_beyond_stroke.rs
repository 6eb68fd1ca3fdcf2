//! A target is 10 m away.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind::new(
    "target-beyond-stroke",
    "target 10 m away",
    "stroke",
    Effect::Target(|_, target| *target += 10.0),
);
