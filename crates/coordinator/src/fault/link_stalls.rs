//! Nothing passes between coordinator and device.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind::new(
    "link-stalls",
    "link to the device stalls",
    "stale_feedback",
    Effect::Link(|_, _| true),
);
