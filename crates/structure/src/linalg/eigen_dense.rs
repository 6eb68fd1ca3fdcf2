//! Natural frequencies of small structures: all eigenvalues of `K φ = ω² M φ` at once.

use faer::{Mat, Side};

use super::{LinalgError, Matrix, axpy, dot};

/// Squares of the circular frequencies, ascending, and mass-normalised shapes. M must be positive
/// definite.
pub(crate) struct Eigen {
    pub(crate) values: Vec<f64>,
    pub(crate) shapes: Vec<Vec<f64>>,
}

/// With `M = L Lᵀ` the problem is that of the symmetric matrix `L⁻¹ K L⁻ᵀ` (Bathe 1996, §10.2.5).
pub(crate) fn all(mass: &Matrix, stiffness: &Matrix) -> Result<Eigen, LinalgError> {
    let n = mass.order();
    if n == 0 {
        return Ok(Eigen {
            values: Vec::new(),
            shapes: Vec::new(),
        });
    }
    let root = cholesky(n, mass.to_dense())?;
    let mut reduced = stiffness.to_dense();
    // Rows of K are columns of K, so two sweeps of forward substitution with a transposition
    // between them.
    for _ in 0..2 {
        for i in 0..n {
            let (done, rest) = reduced.split_at_mut(i * n);
            let row = &mut rest[..n];
            for (j, done) in done.chunks_exact(n).enumerate() {
                axpy(-root[i * n + j], done, row);
            }
            row.iter_mut().for_each(|v| *v /= root[i * n + i]);
        }
        transpose(n, &mut reduced);
    }
    let symmetric = Mat::from_fn(n, n, |i, j| 0.5 * (reduced[i * n + j] + reduced[j * n + i]));
    let eigen = symmetric
        .self_adjoint_eigen(Side::Lower)
        .map_err(|_| LinalgError::NoConvergence)?;
    let values = (0..n).map(|k| eigen.S()[k]).collect();
    let shapes = (0..n)
        .map(|k| {
            let mut shape: Vec<f64> = (0..n).map(|i| eigen.U()[(i, k)]).collect();
            for i in (0..n).rev() {
                shape[i] /= root[i * n + i];
                let (head, tail) = shape.split_at_mut(i);
                axpy(-tail[0], &root[i * n..i * n + i], head);
            }
            shape
        })
        .collect();
    Ok(Eigen { values, shapes })
}

/// Eigenvalues, ascending, and eigenvectors of a symmetric matrix given by rows.
pub(crate) fn symmetric(n: usize, entries: &[f64]) -> Result<Eigen, LinalgError> {
    let matrix = Mat::from_fn(n, n, |i, j| 0.5 * (entries[i * n + j] + entries[j * n + i]));
    let eigen = matrix
        .self_adjoint_eigen(Side::Lower)
        .map_err(|_| LinalgError::NoConvergence)?;
    Ok(Eigen {
        values: (0..n).map(|k| eigen.S()[k]).collect(),
        shapes: (0..n)
            .map(|k| (0..n).map(|i| eigen.U()[(i, k)]).collect())
            .collect(),
    })
}

/// The lower factor L of a positive definite matrix, by rows; above its diagonal stands what was
/// there.
pub(super) fn cholesky(n: usize, mut a: Vec<f64>) -> Result<Vec<f64>, LinalgError> {
    for i in 0..n {
        let (above, row) = a.split_at_mut(i * n);
        for j in 0..i {
            row[j] = (row[j] - dot(&row[..j], &above[j * n..j * n + j])) / above[j * n + j];
        }
        let diagonal = row[i];
        let pivot = diagonal - dot(&row[..i], &row[..i]);
        if pivot <= f64::EPSILON * (n as f64) * diagonal || pivot.is_nan() {
            return Err(LinalgError::Singular { row: i });
        }
        row[i] = pivot.sqrt();
    }
    Ok(a)
}

fn transpose(n: usize, a: &mut [f64]) {
    for i in 0..n {
        for j in 0..i {
            a.swap(i * n + j, j * n + i);
        }
    }
}
