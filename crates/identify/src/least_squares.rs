//! Linear least squares with standard errors and condition number.

use faer::Mat;
use faer::linalg::solvers::SolveLstsq;

use crate::error::check;
use crate::{IdentifyError, real};

/// Solution of A x ≈ y.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearFit {
    /// The unknowns.
    pub x: Vec<f64>,
    /// Standard error of each, for independent residuals of equal size.
    pub standard_error: Vec<f64>,
    /// Root mean square of what is left.
    pub residual_rms: f64,
    /// Largest over smallest singular value of A with columns of unit length: 1 is best, above
    /// about 1e4 nothing is certain.
    pub condition: f64,
}

/// Solves A x ≈ y by orthogonal factorisation. `columns` are the columns of A; they are scaled to
/// unit length first.
///
/// # Errors
/// [`IdentifyError`] for fewer rows than unknowns, values that are not finite, and columns that
/// depend on each other.
pub fn least_squares(columns: &[&[f64]], y: &[f64]) -> Result<LinearFit, IdentifyError> {
    const WHAT: &str = "least squares";
    let unknowns = columns.len();
    let mut all = vec![y];
    all.extend(columns);
    let rows = check(WHAT, &all, unknowns + 1)?;
    let norm: Vec<f64> = columns
        .iter()
        .map(|c| c.iter().map(|x| x * x).sum::<f64>().sqrt())
        .collect();
    if norm.iter().any(|n| *n <= 0.0) {
        return Err(IdentifyError::undetermined(
            WHAT,
            "a column is zero throughout: that signal does not move",
        ));
    }
    let a = Mat::from_fn(rows, unknowns, |i, j| columns[j][i] / norm[j]);
    let right = Mat::from_fn(rows, 1, |i, _| y[i]);
    let qr = a.qr();
    let r = qr.thin_R().to_owned();
    let singular = r
        .singular_values()
        .map_err(|_| IdentifyError::undetermined(WHAT, "no singular values were found"))?;
    let largest = singular.first().copied().unwrap_or(0.0);
    let smallest = singular.last().copied().unwrap_or(0.0);
    if smallest <= 1e-13 * largest {
        return Err(IdentifyError::undetermined(
            WHAT,
            "the columns depend on each other: excite more directions or a wider band",
        ));
    }
    let solution = qr.solve_lstsq(&right);
    let scaled: Vec<f64> = (0..unknowns).map(|j| solution[(j, 0)]).collect();
    let square: f64 = (0..rows)
        .map(|i| {
            let fit: f64 = (0..unknowns).map(|j| a[(i, j)] * scaled[j]).sum();
            (y[i] - fit).powi(2)
        })
        .sum();
    let variance = square / real(rows - unknowns);
    // (RᵀR)⁻¹ column by column.
    let inverse = upper_inverse(&r, unknowns);
    let standard_error = (0..unknowns)
        .map(|i| {
            let sum: f64 = inverse[i].iter().map(|x| x * x).sum();
            (variance * sum).sqrt() / norm[i]
        })
        .collect();
    Ok(LinearFit {
        x: scaled.iter().zip(&norm).map(|(x, n)| x / n).collect(),
        standard_error,
        residual_rms: (square / real(rows)).sqrt(),
        condition: largest / smallest,
    })
}

/// Rows of the inverse of an upper triangular matrix.
fn upper_inverse(r: &Mat<f64>, n: usize) -> Vec<Vec<f64>> {
    let mut inverse = vec![vec![0.0; n]; n];
    for j in 0..n {
        for i in (0..=j).rev() {
            let mut sum = if i == j { 1.0 } else { 0.0 };
            for k in i + 1..=j {
                sum -= r[(i, k)] * inverse[k][j];
            }
            inverse[i][j] = sum / r[(i, i)];
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A straight line through four points; the closed forms of slope, intercept and their standard
    /// errors.
    #[test]
    fn a_straight_line() {
        let x = [0.0, 1.0, 2.0, 3.0];
        let y = [1.0, 2.0, 4.0, 4.0];
        let fit = least_squares(&[&x, &[1.0; 4]], &y).unwrap();
        assert!((fit.x[0] - 1.1).abs() < 1e-12);
        assert!((fit.x[1] - 1.1).abs() < 1e-12);
        // s² = Σr²/(n − 2) = 0.7/2, Sxx = 5, mean 1.5.
        assert!((fit.standard_error[0] - (0.35_f64 / 5.0).sqrt()).abs() < 1e-12);
        let intercept = (0.35_f64 * (0.25 + 2.25 / 5.0)).sqrt();
        assert!((fit.standard_error[1] - intercept).abs() < 1e-12);
        assert!((fit.residual_rms - (0.7_f64 / 4.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn dependent_columns_are_refused() {
        let x = [0.0, 1.0, 2.0, 3.0];
        let twice = [0.0, 2.0, 4.0, 6.0];
        assert!(least_squares(&[&x, &twice], &[1.0; 4]).is_err());
        assert!(least_squares(&[&x], &[f64::NAN; 4]).is_err());
        assert!(least_squares(&[&x, &[1.0; 4]], &[1.0]).is_err());
    }
}
