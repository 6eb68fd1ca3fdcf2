//! The integration side goes away.

use super::{Effect, FaultKind};
use tandem_integrator::Readiness;

pub(super) const FAULT: FaultKind = FaultKind::new(
    "driver-lost",
    "integration side goes away",
    "driver",
    Effect::Poll(Readiness::Lost),
);
