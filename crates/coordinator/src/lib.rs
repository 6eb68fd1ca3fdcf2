#![doc = include_str!("../README.md")]

pub mod channels;
mod controls;
mod delayed_integrator;
pub mod device;
pub mod drill;
mod executor;
pub mod fault;
mod hybrid_loop;
mod live_feed;
mod notice;
mod operator;
pub mod realtime;
pub mod recorder;
mod reference;
pub mod replay;
mod shifted_rig;
mod stop;
mod supervisor;
mod system;

pub use controls::{Now, Outcome, Recording, RunControls};
pub use delayed_integrator::DelayedIntegrator;
pub use executor::{RowSink, log_told, run_virtual};
pub use hybrid_loop::{Cause, HybridLoop, Parts, Progress, TargetStatus, Timing};
pub use live_feed::{LiveFeed, Sample, Watch, tap};
pub use notice::{Notice, ThreadRole, What};
pub use operator::{Console, Orders, console};
pub use reference::{ReferenceRun, run_reference};
pub use shifted_rig::ShiftedRig;
pub use stop::Stop;
pub use tandem_safety::gate::{Limit, Limits, SafetyGate, Trip, Violation};
pub use tandem_safety::machine;
