//! Butterworth filters as cascades of second-order sections.
//!
//! ```
//! use tandem_signal::filter::{Butterworth, FilterKind};
//!
//! let sos = Butterworth { order: 4, kind: FilterKind::Lowpass(20.0), fs: 1000.0 }.design()?;
//! let mut state = sos.steady_state(1.0);
//! assert!((sos.step(&mut state, 1.0) - 1.0).abs() < 1e-9); // a constant passes from the first sample on
//! # Ok::<(), tandem_signal::SignalError>(())
//! ```

mod butterworth;
mod pairing;
mod sos;
mod zero_phase;

pub use butterworth::{Butterworth, FilterKind};
pub use sos::{Sos, SosState};
