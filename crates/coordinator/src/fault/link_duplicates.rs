//! The device repeats one measurement.

use super::{Effect, FaultKind, To};

pub(super) const FAULT: FaultKind = FaultKind::new(
    "link-duplicates",
    "device repeats one measurement",
    "stale_feedback",
    Effect::Link(|_, to| to == To::Coordinator),
);
