//! Made motions: noise, sweeps, periodic waves, cyclic ramps, pulses.
//!
//! Every function is deterministic; the random ones take a seed. The random numbers are the same
//! bits on every platform; what is computed from them with sines and exponentials may differ in the
//! last bit between mathematics libraries.
//!
//! Values carry the unit of the amplitude that is given: m/s² for ground acceleration, m for a
//! displacement command.

mod band_noise;
mod cyclic;
mod envelope;
mod kanai_tajimi;
mod periodic;
mod pulse;
mod sampling;
mod sweep;

pub use band_noise::{Band, band_limited_noise, two_band_noise};
pub use cyclic::cyclic_ramps;
pub use envelope::{Envelope, cosine_taper};
pub use kanai_tajimi::KanaiTajimi;
pub use periodic::{sine, square_wave};
pub use pulse::{half_sine, ricker, step};
pub use sampling::Sampling;
pub use sweep::{ChirpLaw, chirp, linear_sweep, logarithmic_sweep};
