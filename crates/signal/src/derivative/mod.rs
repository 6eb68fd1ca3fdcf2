//! Derivatives of sampled signals: streaming (backward difference, Lagrange) and offline (central).

mod backward;
mod gradient;
mod lagrange;

pub use backward::{BackwardDifference, BackwardState};
pub use gradient::{gradient, second_gradient};
pub use lagrange::{Derivative, Lagrange, LagrangeState, lagrange_weights};
