//! Broyden's update together with its transpose: the smallest symmetric change that explains the
//! last increment.

use super::{Estimator, Secant, add_product, dot, secant};

secant!(Transpose);

/// With e = Δr − K Δd and s = Δd: K ← K + (e sᵀ + s eᵀ)/sᵀs − (eᵀs) s sᵀ/(sᵀs)² (Powell 1970).
fn update(secant: &mut Secant, displacement: &[f64], force: &[f64]) {
    let square = dot(displacement, displacement);
    if square > 0.0 {
        secant.miss(displacement, force);
        let (k, e) = (&mut secant.current, &secant.scratch);
        let along = dot(e, displacement);
        add_product(k, 1.0 / square, e, displacement);
        add_product(k, 1.0 / square, displacement, e);
        add_product(k, -along / (square * square), displacement, displacement);
    }
}
