//! The coordinator as a whole: driven, watched, drilled, replayed, killed, by the clock and with
//! devices.

mod chaos;
mod device;
mod drill;
mod driver;
mod interrupted;
mod realtime;
mod run_controls;

use tandem_coordinator::HybridLoop;
use tandem_test_support::plans::{self, QUICK_START};

/// The loop of the quick start with these overrides.
fn quick_start(overrides: &[&str]) -> HybridLoop {
    plans::hybrid(QUICK_START, overrides)
}
