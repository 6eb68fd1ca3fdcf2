//! A transfer system as gain, delay, poles and zeros, fitted to command and measured motion.
//!
//! ```text
//! y(s) = Σ_j  g_j e^(−sτ_j) (1 + z₁ s + …) / Π (1 + 2ζ s/ω + s²/ω²) Π (1 + s/c)  u_j(s)
//! ```
//!
//! Commands are held from sample to sample, as a converter does; the delay counts from the instant
//! a command is written.

mod fit;
mod model;
mod rational;

pub use fit::{Candidate, Fit, Options, Uncertain, fit};
pub use model::{Path, Pole, Shape};
pub(crate) use model::{Realised, holding};
