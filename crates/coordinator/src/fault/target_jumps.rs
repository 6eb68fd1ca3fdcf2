//! A target is off by `displacement`.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind::new(
    "target-jumps",
    "target jumps",
    "velocity",
    Effect::Target(|fault, target| *target += fault.displacement),
);
