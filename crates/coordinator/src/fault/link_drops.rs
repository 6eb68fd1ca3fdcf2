//! Ten of twelve messages are lost both ways.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind::new(
    "link-drops",
    "link loses ten of twelve messages",
    "stale_feedback",
    Effect::Link(|ticks, _| ticks % 12.0 < 10.0),
);
