//! The integration side has no target in time.

use super::{Effect, FaultKind};
use tandem_integrator::Readiness;

pub(super) const FAULT: FaultKind = FaultKind::new(
    "target-late",
    "target stays away",
    "stale_target",
    Effect::Poll(Readiness::Delayed),
);
