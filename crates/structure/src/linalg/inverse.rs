//! Low eigenvalues by shift and inversion: those of `(K − σM)⁻¹ M` are `1/(λ − σ)`, so that the
//! lowest λ come out sharpest, however far above them the highest lies (Bathe 1996, §10.2.3).

use super::eigen_dense::{Eigen, cholesky, symmetric};
use super::{Factor, LinalgError, Matrix, axpy, dot};

/// Eigenvalues further below the highest than this are rounded away by a solution for all.
pub(crate) const BURIED: f64 = 1e-9;

/// Part of the stiffness over the mass by which a structure that moves as a rigid body is shifted.
const SHIFT: f64 = -1e-6;
/// Where the highest ratio of stiffness to mass is further above the mean than this, degrees of
/// freedom have next to no mass; it says nothing of the low modes then.
const NEXT_TO_NO_MASS: f64 = 1e6;

/// The factor of `K − σM`, where that is positive definite.
pub(super) fn shifted(
    mass: &Matrix,
    stiffness: &Matrix,
    shift: f64,
) -> Result<Option<Factor>, LinalgError> {
    let factor = if shift.abs() > 0.0 {
        Matrix::combine(&[(1.0, stiffness), (-shift, mass)]).factor()
    } else {
        stiffness.factor()
    };
    match factor {
        Ok(factor) => Ok(factor.is_positive_definite().then_some(factor)),
        Err(LinalgError::Singular { .. }) => Ok(None),
        Err(other) => Err(other),
    }
}

/// The factor without a shift or, for a structure that can move as a rigid body and has a singular
/// K, with a small negative one; none where K is indefinite.
pub(super) fn definite(
    mass: &Matrix,
    stiffness: &Matrix,
) -> Result<Option<(Factor, f64)>, LinalgError> {
    if let Some(factor) = shifted(mass, stiffness, 0.0)? {
        return Ok(Some((factor, 0.0)));
    }
    let n = mass.order();
    let ratios = (0..n).map(|i| stiffness.get(i, i).abs() / mass.get(i, i));
    let highest = ratios.filter(|r| r.is_finite()).fold(0.0, f64::max);
    let sum = |matrix: &Matrix| (0..n).map(|i| matrix.get(i, i).abs()).sum::<f64>();
    let mean = sum(stiffness) / sum(mass);
    let shift = SHIFT
        * if highest > NEXT_TO_NO_MASS * mean {
            mean
        } else {
            highest
        };
    Ok(shifted(mass, stiffness, shift)?.map(|factor| (factor, shift)))
}

/// Works out anew the eigenvalues that a solution for all has rounded away. Those of an unstable
/// structure stay as they are.
pub(crate) fn sharpen(
    eigen: &mut Eigen,
    mass: &Matrix,
    stiffness: &Matrix,
) -> Result<(), LinalgError> {
    let highest = eigen.values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    let buried = eigen
        .values
        .iter()
        .take_while(|v| v.abs() <= BURIED * highest);
    let buried = buried.count();
    if buried == 0 {
        return Ok(());
    }
    let Some((mut factor, shift)) = definite(mass, stiffness)? else {
        return Ok(());
    };
    // With M = L Lᵀ the symmetric matrix Lᵀ (K − σM)⁻¹ L has the same eigenvalues.
    let n = mass.order();
    let root = cholesky(n, mass.to_dense())?;
    let column = |j: usize| -> Vec<f64> {
        (0..n)
            .map(|i| if i >= j { root[i * n + j] } else { 0.0 })
            .collect()
    };
    let columns: Vec<Vec<f64>> = (0..n).map(column).collect();
    let images: Vec<Vec<f64>> = columns
        .iter()
        .map(|column| {
            let mut image = column.clone();
            factor.solve_in_place(&mut image);
            image
        })
        .collect();
    let entries: Vec<f64> = columns
        .iter()
        .flat_map(|column| images.iter().map(|image| dot(column, image)))
        .collect();
    let inverse = symmetric(n, &entries)?;
    for k in 0..buried {
        let value = inverse.values[n - 1 - k];
        if value > 0.0 {
            let mut shape = vec![0.0; n];
            for (image, weight) in images.iter().zip(&inverse.shapes[n - 1 - k]) {
                axpy(weight / value, image, &mut shape);
            }
            eigen.values[k] = shift + 1.0 / value;
            eigen.shapes[k] = shape;
        }
    }
    Ok(())
}
