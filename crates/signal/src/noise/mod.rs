//! What converters, sensors and amplifiers do to a signal.

mod quantiser;
mod rate_limiter;
mod saturation;
mod white;

pub use quantiser::Quantiser;
pub use rate_limiter::{RateLimiter, RateState};
pub use saturation::Saturation;
pub use white::WhiteNoise;
