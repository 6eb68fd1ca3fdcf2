//! Small dense matrices, by rows: singular values and eigenvalues in place by Jacobi's rotations,
//! which allocate nothing; Cholesky's factor.

use super::dot;

/// Rotation (c, s) that makes the off-diagonal `between` of [a between; between b] vanish; none
/// where it is small enough.
#[inline]
fn rotation(a: f64, b: f64, between: f64) -> Option<(f64, f64)> {
    if between.abs() <= 1e-16 * (a.abs() * b.abs()).sqrt() || between.abs() <= f64::MIN_POSITIVE {
        return None;
    }
    let zeta = (b - a) / (2.0 * between);
    let t = zeta.signum() / (zeta.abs() + zeta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    Some((c, c * t))
}

/// One-sided Jacobi (Hestenes 1958): turns the `m × n` matrix `a`, by rows, into U Σ, and `v` (n ×
/// n) into V, with a = U Σ Vᵀ.
pub(super) fn singular(a: &mut [f64], v: &mut [f64], n: usize) {
    identity(v, n);
    for _sweep in 0..60 {
        let mut turned = false;
        for p in 0..n {
            for q in p + 1..n {
                let (mut pp, mut qq, mut pq) = (0.0, 0.0, 0.0);
                for row in a.chunks_exact(n) {
                    pp += row[p] * row[p];
                    qq += row[q] * row[q];
                    pq += row[p] * row[q];
                }
                if let Some((c, s)) = rotation(pp, qq, pq) {
                    turned = true;
                    turn(a, n, p, q, c, s);
                    turn(v, n, p, q, c, s);
                }
            }
        }
        if !turned {
            break;
        }
    }
}

/// Columns p and q of a matrix by rows, rotated.
#[inline]
fn turn(matrix: &mut [f64], n: usize, p: usize, q: usize, c: f64, s: f64) {
    for row in matrix.chunks_exact_mut(n) {
        let (x, y) = (row[p], row[q]);
        row[p] = c * x - s * y;
        row[q] = s * x + c * y;
    }
}

/// Jacobi 1846: turns the symmetric matrix `a` into the diagonal of its eigenvalues, and `v` into
/// its eigenvectors by columns.
pub(super) fn symmetric(a: &mut [f64], v: &mut [f64], n: usize) {
    identity(v, n);
    for _sweep in 0..60 {
        let mut turned = false;
        for p in 0..n {
            for q in p + 1..n {
                if let Some((c, s)) = rotation(a[p * n + p], a[q * n + q], a[p * n + q]) {
                    turned = true;
                    turn(a, n, p, q, c, s);
                    for j in 0..n {
                        let (x, y) = (a[p * n + j], a[q * n + j]);
                        a[p * n + j] = c * x - s * y;
                        a[q * n + j] = s * x + c * y;
                    }
                    turn(v, n, p, q, c, s);
                }
            }
        }
        if !turned {
            break;
        }
    }
}

/// L of A = L Lᵀ; none where A is not positive definite.
pub(super) fn cholesky(a: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut root = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let known = dot(&root[i * n..i * n + j], &root[j * n..j * n + j]);
            let rest = a[i * n + j] - known;
            root[i * n + j] = if i != j {
                rest / root[j * n + j]
            } else if rest > 0.0 {
                rest.sqrt()
            } else {
                return None;
            };
        }
    }
    Some(root)
}

fn identity(v: &mut [f64], n: usize) {
    v.fill(0.0);
    for i in 0..n {
        v[i * n + i] = 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_multiply_to_the_matrix() {
        let (m, n) = (5, 3);
        let original: Vec<f64> = (0..m * n).map(|i| ((i * i) as f64).sin()).collect();
        let (mut a, mut v) = (original.clone(), vec![0.0; n * n]);
        singular(&mut a, &mut v, n);
        for i in 0..m {
            for j in 0..n {
                let product: f64 = (0..n).map(|k| a[i * n + k] * v[j * n + k]).sum();
                assert!((product - original[i * n + j]).abs() < 1e-14);
            }
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let inner: f64 = (0..m).map(|i| a[i * n + p] * a[i * n + q]).sum();
            assert!(inner.abs() < 1e-14);
        }
    }

    /// Eigenvalues of the second difference: 2 − 2 cos(kπ/(n+1)).
    #[test]
    fn eigenvalues_of_a_chain() {
        let n = 4;
        let mut a = vec![0.0; n * n];
        for i in 0..n {
            a[i * n + i] = 2.0;
            if i > 0 {
                a[i * n + i - 1] = -1.0;
                a[(i - 1) * n + i] = -1.0;
            }
        }
        let mut v = vec![0.0; n * n];
        symmetric(&mut a, &mut v, n);
        let mut found: Vec<f64> = (0..n).map(|i| a[i * n + i]).collect();
        found.sort_by(f64::total_cmp);
        for (k, value) in found.iter().enumerate() {
            let angle = std::f64::consts::PI * (k as f64 + 1.0) / 5.0;
            assert!((value - (2.0 - 2.0 * angle.cos())).abs() < 1e-14);
        }
    }
}
