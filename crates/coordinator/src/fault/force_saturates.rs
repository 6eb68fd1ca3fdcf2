//! A load cell stands at `force`, the end of its range.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind {
    lacks: |limits| match limits.force_range {
        None => Some("limits.force_range is not given"),
        Some(_) => None,
    },
    force: |limits| limits.force_range.unwrap_or(f64::INFINITY),
    ..FaultKind::new(
        "force-saturates",
        "load cell at the end of its range",
        "force",
        Effect::Sensors(|fault, said| *said.force = fault.force),
    )
};
