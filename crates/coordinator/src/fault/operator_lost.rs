//! Nobody is heard at the desk any more.

use super::{Effect, FaultKind, WATCHED};
use tandem_safety::gate::SafetyGate;

pub(super) const FAULT: FaultKind = FaultKind {
    // An operator may be silent for longer than any sensor.
    watched: |limits| {
        let silent = limits.operator_timeout;
        WATCHED + silent.unwrap_or(SafetyGate::OPERATOR_TIMEOUT)
    },
    ..FaultKind::new(
        "operator-lost",
        "operator goes away",
        "operator_lost",
        Effect::Host(|gate, ticks, period| gate.check_operator(ticks * period, true)),
    )
};
