//! What the tests of the recorder share.

use tandem_coordinator::recorder::Header;

/// The header of a run of this plan.
pub fn header(plan: &str) -> Header {
    Header {
        tandem_version: "0.1.0".into(),
        plan: plan.into(),
        seed: 1,
        created: String::new(),
        time_scale: 1.0,
        rate_hz: 1000.0,
    }
}
