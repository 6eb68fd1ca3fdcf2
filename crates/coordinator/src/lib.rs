//! The coordinator: the loop, the safety gate, who calls the loop, and the recorder.

mod executor;
mod gate;
mod hybrid_loop;
pub mod recorder;
mod reference;

pub use executor::{Outcome, Stop, run_virtual};
pub use gate::{Limit, PARAMETERS as LIMITS, SafetyGate, Trip};
pub use hybrid_loop::{HybridLoop, Parts, Progress, Timing};
pub use reference::{ReferenceRun, run_reference};
