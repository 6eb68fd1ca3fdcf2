//! Can a structure stand? Which degree of freedom is loose?

use tandem_structure::{LinalgError, Matrix};

/// A pivot below this part of the diagonal entry is what rounding leaves of nothing.
const LOOSE: f64 = 1e-10;
/// Beyond this order the plain elimination takes too long.
const LARGEST: usize = 1000;

/// The first degree of freedom at which a stiffness matrix is singular or negative: a mechanism, or
/// a frame that its constant loads make unstable. None where it is positive definite; large
/// matrices are only factored.
#[must_use]
pub fn loose_dof(stiffness: &Matrix) -> Option<usize> {
    let n = stiffness.order();
    if n > LARGEST {
        return match stiffness.factor() {
            Ok(_) => None,
            Err(LinalgError::Singular { row }) => Some(row),
            Err(_) => Some(0),
        };
    }
    // Symmetric elimination without exchanges: the pivots of a positive definite matrix are all
    // positive.
    let mut a = stiffness.to_dense();
    for k in 0..n {
        let pivot = a[k * n + k];
        if pivot.is_nan() || pivot <= LOOSE * stiffness.get(k, k).abs() {
            return Some(k);
        }
        for i in k + 1..n {
            let factor = a[i * n + k] / pivot;
            if factor.abs() > 0.0 {
                for j in k + 1..n {
                    a[i * n + j] -= factor * a[k * n + j];
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loose_one_is_found() {
        let rows = |rows: [[f64; 3]; 3]| Matrix::from_rows(&rows.map(|row| row.to_vec())).unwrap();
        let sound = rows([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]]);
        assert_eq!(loose_dof(&sound), None);
        // The last spring is gone; a chain that nothing holds; a negative spring.
        let loose = rows([[2.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 0.0]]);
        assert_eq!(loose_dof(&loose), Some(2));
        let adrift = rows([[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]]);
        assert_eq!(loose_dof(&adrift), Some(2));
        let falling = rows([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 0.6]]);
        assert_eq!(loose_dof(&falling), Some(2));
    }
}
