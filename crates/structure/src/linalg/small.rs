//! Small dense matrices as plain numbers, row-major: what is too small, or too seldom done, for a
//! [`Matrix`](super::Matrix). The order of operations is fixed, so that all machines give the same
//! bits.

/// Solves A X = B in place by elimination with row exchange: `a` is n × n, `b` is n × `columns`. B
/// becomes X, A is spent. `false` (and B without meaning) when A is singular to working precision.
#[inline]
#[must_use]
pub fn solve(a: &mut [f64], b: &mut [f64], n: usize, columns: usize) -> bool {
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
#[must_use]
pub fn transpose(a: &[f64], rows: usize, columns: usize) -> Vec<f64> {
    (0..rows * columns)
        .map(|k| a[k % rows * columns + k / rows])
        .collect()
}

/// A (rows × inner) times B (inner × columns).
#[must_use]
pub fn product(a: &[f64], b: &[f64], [rows, inner, columns]: [usize; 3]) -> Vec<f64> {
    let mut out = vec![0.0; rows * columns];
    product_into(a, b, &mut out, [rows, inner, columns]);
    out
}

/// The same in place of what stood in `out`.
#[inline]
pub fn product_into(a: &[f64], b: &[f64], out: &mut [f64], [rows, inner, columns]: [usize; 3]) {
    out.fill(0.0);
    for i in 0..rows {
        for k in 0..inner {
            let f = a[i * inner + k];
            for j in 0..columns {
                out[i * columns + j] += f * b[k * columns + j];
            }
        }
    }
}

/// Matrix exponential by scaling, a Taylor series and squaring; small matrices at set-up only.
#[must_use]
pub fn exponential(a: &[f64], n: usize) -> Vec<f64> {
    let norm = (0..n)
        .map(|i| a[i * n..(i + 1) * n].iter().map(|x| x.abs()).sum::<f64>())
        .fold(0.0, f64::max);
    // With a norm of at most 1/4, eighteen Taylor terms leave less than 1e-26.
    let mut squarings = 0;
    let mut scale = 1.0;
    while norm * scale > 0.25 && squarings < 1000 {
        scale *= 0.5;
        squarings += 1;
    }
    let small: Vec<f64> = a.iter().map(|x| x * scale).collect();
    let mut term = vec![0.0; n * n];
    let mut sum = vec![0.0; n * n];
    for i in 0..n {
        term[i * n + i] = 1.0;
        sum[i * n + i] = 1.0;
    }
    for k in 1..=18 {
        term = product(&term, &small, [n, n, n]);
        let inverse = 1.0 / f64::from(k);
        for (t, s) in term.iter_mut().zip(&mut sum) {
            *t *= inverse;
            *s += *t;
        }
    }
    for _ in 0..squarings {
        sum = product(&sum, &sum, [n, n, n]);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Closed forms: a nilpotent matrix ends its series, and a turn by π/2 is one.
    #[test]
    fn exponentials_have_closed_forms() {
        let nilpotent = exponential(&[0.0, 1.0, 2.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0], 3);
        for (x, y) in nilpotent
            .iter()
            .zip([1.0, 1.0, 3.5, 0.0, 1.0, 3.0, 0.0, 0.0, 1.0])
        {
            assert!((x - y).abs() < 1e-14, "{nilpotent:?}");
        }
        let quarter = std::f64::consts::FRAC_PI_2;
        let turned = exponential(&[0.0, -quarter, quarter, 0.0], 2);
        for (x, y) in turned.iter().zip([0.0, -1.0, 1.0, 0.0]) {
            assert!((x - y).abs() < 1e-14, "{turned:?}");
        }
    }

    /// The first pivot is zero: rows are exchanged. A singular matrix is told.
    #[test]
    fn systems_are_solved_with_row_exchange() {
        let mut x = [3.0, 1.0, 7.0, 2.0];
        assert!(solve(&mut [0.0, 1.0, 2.0, 1.0], &mut x, 2, 2));
        for (x, y) in x.iter().zip([2.0, 0.5, 3.0, 1.0]) {
            assert!((x - y).abs() < 1e-15, "{x} {y}");
        }
        assert!(!solve(&mut [1.0, 2.0, 2.0, 4.0], &mut [1.0, 1.0], 2, 1));
        assert_eq!(
            transpose(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2, 3),
            [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]
        );
    }
}
