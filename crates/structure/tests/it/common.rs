//! What tests of several files share.

use tandem_quantity::Snapshot;
use tandem_structure::model::StaticSettings;

/// A value within this part of what is expected.
pub fn close(got: f64, expected: f64, tolerance: f64) {
    assert!(
        (got - expected).abs() <= tolerance * expected.abs(),
        "{got} instead of {expected}"
    );
}

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
