//! The device's clock jumps by a second.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind::new(
    "clock-jumps",
    "clock of the device jumps",
    "clock_jump",
    Effect::Status(|status| status.device_time += 1.0),
);
