//! The specimen keeps only `factor` of its force.

use super::{Effect, FaultKind};

pub(super) const FAULT: FaultKind = FaultKind {
    early: true,
    ..FaultKind::new(
        "specimen-fractures",
        "specimen fractures",
        "specimen_failure",
        Effect::Sensors(|fault, said| *said.force *= fault.factor),
    )
};
