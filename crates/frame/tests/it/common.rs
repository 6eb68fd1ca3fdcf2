//! What tests of several files share.

use tandem_frame::model::StaticSettings;
use tandem_quantity::Snapshot;

/// A static analysis that goes on until nothing is left.
pub fn exact() -> StaticSettings {
    StaticSettings {
        tolerance: 1e-13,
        ..StaticSettings::default()
    }
}

/// What is saved of a state, to the bit.
pub fn words(state: &impl Snapshot) -> Vec<u64> {
    let mut words = Vec::new();
    state.save(&mut words);
    words.into_iter().map(f64::to_bits).collect()
}
