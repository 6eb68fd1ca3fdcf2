//! A displacement sensor stands at `displacement`, the end of its range.

use super::{Effect, FaultKind, stroke};

pub(super) const FAULT: FaultKind = FaultKind {
    lacks: |limits| match limits.displacement_range {
        None => Some("limits.displacement_range is not given"),
        Some(_) => None,
    },
    displacement: |limits, peak| {
        let range = limits.displacement_range;
        range.unwrap_or(stroke(limits, peak))
    },
    ..FaultKind::new(
        "displacement-saturates",
        "displacement sensor at the end of its range",
        "stroke",
        Effect::Sensors(|fault, said| *said.displacement = fault.displacement),
    )
};
