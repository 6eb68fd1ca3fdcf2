//! The machine wakes the loop too late, every time.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind::new(
    "deadlines-missed",
    "machine misses its deadlines",
    "missed_deadlines",
    Effect::Host(|gate, ticks, period| {
        #[allow(clippy::cast_possible_truncation)] // of one second
        let missed = (ticks + 1.0).min(1.0 / period) as u64;
        gate.check_deadlines(missed)
    }),
);
