//! Small dense systems.

/// Solves A X = B in place by elimination with row exchange: `a` is n × n, `b` is n × `columns`, row-major. B becomes X, A is
/// spent. `false` (and B without meaning) when A is singular to working precision.
#[inline]
pub(crate) fn solve(a: &mut [f64], b: &mut [f64], n: usize, columns: usize) -> bool {
    let largest = a[..n * n].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    for k in 0..n {
        let mut pivot = k;
        for i in k + 1..n {
            if a[i * n + k].abs() > a[pivot * n + k].abs() {
                pivot = i;
            }
        }
        let head = a[pivot * n + k];
        if head.is_nan() || head.abs() <= 1e-14 * largest {
            return false;
        }
        if pivot != k {
            for j in 0..n {
                a.swap(k * n + j, pivot * n + j);
            }
            for j in 0..columns {
                b.swap(k * columns + j, pivot * columns + j);
            }
        }
        for i in k + 1..n {
            let f = a[i * n + k] / head;
            if f != 0.0 {
                for j in k..n {
                    a[i * n + j] -= f * a[k * n + j];
                }
                for j in 0..columns {
                    b[i * columns + j] -= f * b[k * columns + j];
                }
            }
        }
    }
    for k in (0..n).rev() {
        for j in 0..columns {
            let mut sum = b[k * columns + j];
            for i in k + 1..n {
                sum -= a[k * n + i] * b[i * columns + j];
            }
            b[k * columns + j] = sum / a[k * n + k];
        }
    }
    true
}

/// The transpose of a rows × columns matrix.
pub(crate) fn transpose(a: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    (0..rows * columns)
        .map(|k| a[k % rows * columns + k / rows])
        .collect()
}
