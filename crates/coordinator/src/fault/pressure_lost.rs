//! The pressure is lost.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind::new(
    "pressure-lost",
    "pressure is lost",
    "hydraulics",
    Effect::Status(|status| status.pressure = false),
);
