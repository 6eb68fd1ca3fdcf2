//! The update of Broyden, Fletcher, Goldfarb and Shanno: symmetric, and positive definite while
//! work is positive.

use super::{Estimator, Secant, add_product, dot, secant, times};

secant!(Bfgs);

/// K ← K + Δr Δrᵀ/ΔrᵀΔd − K Δd ΔdᵀK/ΔdᵀK Δd. An increment without positive work (ΔrᵀΔd ≤ 0, a
/// negative tangent) would make K indefinite or infinite and is left out.
fn update(secant: &mut Secant, displacement: &[f64], force: &[f64]) {
    times(&secant.current, displacement, &mut secant.scratch);
    let work = dot(force, displacement);
    let expected = dot(&secant.scratch, displacement);
    if work > 1e-8 * expected && expected > 0.0 {
        let (k, stretched) = (&mut secant.current, &secant.scratch);
        add_product(k, -1.0 / expected, stretched, stretched);
        add_product(k, 1.0 / work, force, force);
    }
}
