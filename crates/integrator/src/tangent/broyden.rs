//! Broyden's update: the smallest change that explains the last increment.

use super::{Estimator, Secant, add_product, dot, secant};

secant!(Broyden);

/// K ← K + (Δr − K Δd) Δdᵀ / ΔdᵀΔd (Broyden 1965).
fn update(secant: &mut Secant, displacement: &[f64], force: &[f64]) {
    let square = dot(displacement, displacement);
    if square > 0.0 {
        secant.miss(displacement, force);
        add_product(
            &mut secant.current,
            1.0 / square,
            &secant.scratch,
            displacement,
        );
    }
}
