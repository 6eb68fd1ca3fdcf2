//! What every method of a slot keeps to, for methods of one's own as for ours: ticks take no
//! memory, a state that was saved goes on to the bit, finite values give finite ones, targets stand
//! where `target_fraction` says, and what is at rest stays there.
//!
//! ```
//! use tandem::conformance;
//! use tandem::registry::standard;
//! use tandem_quantity::{Context, Value, Values};
//!
//! // With the allocator of the test, such as `assert_no_alloc`, this counts or ends it.
//! let guard = |run: &mut dyn FnMut()| {
//!     run();
//!     0
//! };
//! let entry = standard().entry(&tandem_transfer::compensator::SLOT, "polynomial");
//! let table = Values::new()
//!     .with("delay", Value::Number(0.012))
//!     .with("order", Value::Integer(3))
//!     .with("gain", Value::Number(1.0));
//! let context = Context::of(1, 1.0 / 1024.0);
//! if let Some(entry) = entry {
//!     conformance::compensator(entry, &table, &context, &guard)?;
//! }
//! # Ok::<(), conformance::Violation>(())
//! ```

pub use tandem_integrator::conformance::integrator;
pub use tandem_monitor::conformance::monitor;
pub use tandem_quantity::conformance::{Guard, Row, TICKS, Violation, check, rests};
pub use tandem_transfer::conformance::{
    actuator, command_generator, compensator, conditioner, kinematics, plant, rig, servo, specimen,
};
