//! The service manifold closes.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind::new(
    "manifold-closes",
    "service manifold closes",
    "hydraulics",
    Effect::Status(|status| status.manifold = false),
);
