//! Figures for a whole run beside the benchmark criteria.

use super::{Percent, SignalError, errors};

/// Global error: a response against its reference, NRMSE in %.
///
/// # Errors
/// [`SignalError`] where lengths differ or the reference is zero throughout.
pub fn global_error(response: &[f64], reference: &[f64]) -> Result<Percent, SignalError> {
    errors(response, reference).map(|(error, _)| error)
}

/// Damping ratio that the tracking errors add to a mode; negative: they put energy in.
///
/// The specimen's force f does work along the measured path, but the structure feels it along the
/// target: the difference is that of a dashpot c = ∫ f (dx_t − dx_m) / ∫ ẋ_t² dt, and ζ = c/(2 m
/// ω). A spring k that lags by τ gives c = −k τ, Horiuchi's negative damping (Horiuchi et al. 1999,
/// Eq. 7).
///
/// Ports: `target`, `measured` displacement (m) and restoring `force` (N) sampled every `period`
/// seconds; `mass` (kg) and `circular` frequency (rad/s) of the mode, referred to the interface.
/// Zero for a target that does not move; samples beyond the shortest signal are left out.
pub fn equivalent_damping_error(
    target: &[f64],
    measured: &[f64],
    force: &[f64],
    period: f64,
    mass: f64,
    circular: f64,
) -> f64 {
    let (mut work, mut squares) = (0.0, 0.0);
    for ((x, m), f) in target
        .windows(2)
        .zip(measured.windows(2))
        .zip(force.windows(2))
    {
        let dx = x[1] - x[0];
        work += 0.5 * (f[0] + f[1]) * (dx - (m[1] - m[0]));
        squares += dx * dx;
    }
    if squares > 0.0 {
        work * period / squares / (2.0 * mass * circular)
    } else {
        0.0
    }
}
