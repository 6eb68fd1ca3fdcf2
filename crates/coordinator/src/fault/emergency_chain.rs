//! The hardware's emergency chain opens.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind::new(
    "emergency-chain",
    "emergency chain opens",
    "emergency_chain",
    Effect::Status(|status| status.emergency = true),
);
