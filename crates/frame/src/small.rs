//! Small matrices as plain arrays, and the matrix of one element.

use std::array::from_fn;

/// `A x`.
#[inline]
pub(crate) fn times<const R: usize, const C: usize>(a: &[[f64; C]; R], x: &[f64; C]) -> [f64; R] {
    from_fn(|i| dot(&a[i], x))
}

/// `Σ a_i b_i`.
#[inline]
pub(crate) fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    let mut sum = 0.0;
    for i in 0..N {
        sum += a[i] * b[i];
    }
    sum
}

/// `a − b`.
#[inline]
pub(crate) fn minus<const N: usize>(a: &[f64; N], b: &[f64; N]) -> [f64; N] {
    from_fn(|i| a[i] - b[i])
}

/// `xᵀ A x`.
#[inline]
pub(crate) fn quadratic<const N: usize>(a: &[[f64; N]; N], x: &[f64; N]) -> f64 {
    dot(&times(a, x), x)
}

/// `into += weight × Bᵀ A B` for a symmetric A.
#[inline]
pub(crate) fn add_congruent<const R: usize, const C: usize>(
    into: &mut [[f64; C]; C],
    weight: f64,
    a: &[[f64; R]; R],
    b: &[[f64; C]; R],
) {
    for i in 0..C {
        let mut row = [0.0; R];
        for k in 0..R {
            let factor = weight * b[k][i];
            for l in 0..R {
                row[l] += factor * a[k][l];
            }
        }
        for j in i..C {
            let mut sum = 0.0;
            for l in 0..R {
                sum += row[l] * b[l][j];
            }
            into[i][j] += sum;
            if j > i {
                into[j][i] += sum;
            }
        }
    }
}

/// `into += weight × Bᵀ x`.
#[inline]
pub(crate) fn add_transposed<const R: usize, const C: usize>(
    into: &mut [f64; C],
    weight: f64,
    b: &[[f64; C]; R],
    x: &[f64; R],
) {
    for k in 0..R {
        for i in 0..C {
            into[i] += weight * b[k][i] * x[k];
        }
    }
}

/// The inverse of a symmetric matrix that need not be definite; none where a pivot is lost in
/// rounding.
#[inline]
pub(crate) fn inverse<const N: usize>(a: &[[f64; N]; N]) -> Option<[[f64; N]; N]> {
    match N {
        2 => inverse_of_two(a),
        3 => inverse_of_three(a),
        _ => inverse_by_gauss(a),
    }
}

#[inline]
fn inverse_of_two<const N: usize>(a: &[[f64; N]; N]) -> Option<[[f64; N]; N]> {
    let determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    let scale = a[0][0] * a[1][1];
    if !(determinant.abs() > 1e-15 * scale.abs() && determinant.is_finite()) {
        return None;
    }
    let factor = 1.0 / determinant;
    let mut inverse = [[0.0; N]; N];
    inverse[0][0] = a[1][1] * factor;
    inverse[0][1] = -a[0][1] * factor;
    inverse[1][0] = -a[1][0] * factor;
    inverse[1][1] = a[0][0] * factor;
    Some(inverse)
}

#[inline]
fn inverse_of_three<const N: usize>(a: &[[f64; N]; N]) -> Option<[[f64; N]; N]> {
    let minor = |i: usize, j: usize| {
        let (r, s) = ((i + 1) % 3, (i + 2) % 3);
        let (p, q) = ((j + 1) % 3, (j + 2) % 3);
        a[r][p] * a[s][q] - a[r][q] * a[s][p]
    };
    let determinant = a[0][0] * minor(0, 0) + a[0][1] * minor(0, 1) + a[0][2] * minor(0, 2);
    let scale = a[0][0] * a[1][1] * a[2][2];
    if !(determinant.abs() > 1e-15 * scale.abs() && determinant.is_finite()) {
        return None;
    }
    let factor = 1.0 / determinant;
    let mut inverse = [[0.0; N]; N];
    for (i, row) in inverse.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            *entry = minor(j, i) * factor;
        }
    }
    Some(inverse)
}

/// Gauss–Jordan with row exchanges.
fn inverse_by_gauss<const N: usize>(a: &[[f64; N]; N]) -> Option<[[f64; N]; N]> {
    let mut left = *a;
    let mut right: [[f64; N]; N] = from_fn(|i| from_fn(|j| f64::from(u8::from(i == j))));
    for column in 0..N {
        let pivot_row = (column..N)
            .max_by(|i, j| left[*i][column].abs().total_cmp(&left[*j][column].abs()))
            .unwrap_or(column);
        left.swap(column, pivot_row);
        right.swap(column, pivot_row);
        let pivot = left[column][column];
        if !(pivot.abs() > 1e-15 * a[column][column].abs() && pivot.is_finite()) {
            return None;
        }
        let factor = 1.0 / pivot;
        left[column].iter_mut().for_each(|v| *v *= factor);
        right[column].iter_mut().for_each(|v| *v *= factor);
        let (pivot_left, pivot_right) = (left[column], right[column]);
        for i in (0..N).filter(|i| *i != column) {
            let factor = left[i][column];
            for j in 0..N {
                left[i][j] -= factor * pivot_left[j];
                right[i][j] -= factor * pivot_right[j];
            }
        }
    }
    Some(right)
}

/// Most degrees of freedom that an element has: two nodes with six each.
pub const MOST_DOFS: usize = 12;

/// A matrix of one element (stiffness, mass or damping) over the degrees of freedom of its two
/// nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmallMatrix {
    order: usize,
    entries: [f64; MOST_DOFS * MOST_DOFS],
}

impl SmallMatrix {
    /// A zero matrix; `order` is 6 in a plane frame, 12 in a space frame.
    #[must_use]
    pub fn zeros(order: usize) -> Self {
        Self {
            order: order.min(MOST_DOFS),
            entries: [0.0; MOST_DOFS * MOST_DOFS],
        }
    }

    /// Number of rows and of columns.
    #[must_use]
    pub fn order(&self) -> usize {
        self.order
    }

    /// The entry at row `i`, column `j`.
    #[inline]
    #[must_use]
    pub fn get(&self, i: usize, j: usize) -> f64 {
        self.entries[i * self.order + j]
    }

    /// Adds to the entry at row `i`, column `j`.
    #[inline]
    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        self.entries[i * self.order + j] += value;
    }

    /// Sets all entries to zero.
    pub fn clear(&mut self) {
        self.entries[..self.order * self.order].fill(0.0);
    }

    /// The entries by rows.
    #[must_use]
    pub fn entries(&self) -> &[f64] {
        &self.entries[..self.order * self.order]
    }

    pub(crate) fn entries_mut(&mut self) -> &mut [f64] {
        &mut self.entries[..self.order * self.order]
    }

    /// Adds `weight × x yᵀ`.
    #[inline]
    pub(crate) fn add_outer(&mut self, weight: f64, x: &[f64], y: &[f64]) {
        let n = self.order;
        for (row, x) in self.entries.chunks_exact_mut(n).zip(&x[..n]) {
            let factor = weight * x;
            for (entry, y) in row.iter_mut().zip(&y[..n]) {
                *entry += factor * y;
            }
        }
    }

    /// `y += weight × A x`.
    #[inline]
    pub(crate) fn mul_add(&self, weight: f64, x: &[f64], y: &mut [f64]) {
        let n = self.order;
        for (row, y) in self.entries.chunks_exact(n).zip(&mut y[..n]) {
            let sum: f64 = row.iter().zip(&x[..n]).map(|(a, x)| a * x).sum();
            *y += weight * sum;
        }
    }
}

impl tandem_quantity::Snapshot for SmallMatrix {
    fn save(&self, into: &mut Vec<f64>) {
        into.extend_from_slice(self.entries());
    }
    fn restore(
        &mut self,
        from: &mut tandem_quantity::StateReader<'_>,
    ) -> Result<(), tandem_quantity::SnapshotError> {
        tandem_quantity::Snapshot::restore(self.entries_mut(), from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<const N: usize>(a: [[f64; N]; N]) {
        let inverse = inverse(&a).unwrap();
        for i in 0..N {
            for j in 0..N {
                let product: f64 = (0..N).map(|k| a[i][k] * inverse[k][j]).sum();
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn inverses_are_inverse() {
        check([[4.0, 1.0], [1.0, -3.0]]);
        check([[4.0, 1.0, 0.5], [1.0, 3.0, -2.0], [0.5, -2.0, 7.0]]);
        check([
            [4.0, 1.0, 0.5, 0.0],
            [1.0, 3.0, -2.0, 1.0],
            [0.5, -2.0, 7.0, 0.3],
            [0.0, 1.0, 0.3, 2.0],
        ]);
        assert!(inverse(&[[1.0, 1.0], [1.0, 1.0]]).is_none());
        assert!(inverse(&[[0.0; 4]; 4]).is_none());
    }
}
