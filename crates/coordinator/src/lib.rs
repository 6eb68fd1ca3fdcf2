//! The coordinator: the loop, who calls the loop, devices, faults, and the recorder.

pub mod channels;
mod conductor;
mod controls;
pub mod device;
pub mod drill;
mod executor;
pub mod fault;
mod hybrid_loop;
mod notice;
mod operator;
pub mod realtime;
pub mod recorder;
mod reference;
pub mod replay;
mod shifted_rig;
mod slow_driver;
mod stop;
mod system;
mod tap;

pub use controls::{Now, Outcome, Recording, Seams};
pub use executor::{RowSink, log_told, run_virtual};
pub use hybrid_loop::{Cause, HybridLoop, Parts, Progress, TargetStatus, Timing};
pub use notice::{Notice, What, Whose};
pub use operator::{Console, Orders, console};
pub use reference::{ReferenceRun, run_reference};
pub use shifted_rig::ShiftedRig;
pub use slow_driver::SlowDriver;
pub use stop::Stop;
pub use tandem_safety::gate::{Finding, Limit, Limits, SafetyGate, Trip};
pub use tandem_safety::machine;
pub use tap::{Frame, Tap, Watch, tap};
