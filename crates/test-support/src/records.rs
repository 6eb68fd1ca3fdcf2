//! Ground motion that reference solutions were made with.

use tandem_signal::STANDARD_GRAVITY;
use tandem_signal::record::el_centro_1940;

/// El Centro in g at any time: the shipped record as the reference programs read it.
///
/// Their copy has the other sign in the sample at 20.96 s (`crates/signal/data/README.md`) and a
/// zero more at its end; a test of `tandem-signal` holds both against each other.
pub fn el_centro() -> impl Fn(f64) -> f64 + Clone + Send {
    let mut record = el_centro_1940();
    for value in &mut record.acceleration {
        // Five decimals, so that the numbers are those of the file to the bit.
        *value = (*value / STANDARD_GRAVITY * 1e5).round() / 1e5;
    }
    record.acceleration[1048] *= -1.0;
    record.acceleration.push(0.0);
    move |time| record.at(time)
}
