//! A displacement sensor drifts away by `displacement` in a second.

use super::{Effect, FaultKind, stroke};

pub(super) const FAULT: FaultKind = FaultKind {
    displacement: |limits, peak| 0.5 * stroke(limits, peak),
    ..FaultKind::new(
        "displacement-drifts",
        "displacement sensor drifts",
        "specimen_failure",
        Effect::Sensors(|fault, said| {
            *said.displacement += fault.displacement * said.ticks / said.rate;
        }),
    )
};
