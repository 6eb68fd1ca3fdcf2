//! `L D Lᵀ` within the profile of a symmetric matrix: each row from its first entry to the
//! diagonal.

use super::dense::{axpy, dot};
use super::ordering::Ordering;
use super::packed_profile::PackedProfile;
use super::sparse::Sparse;

/// Smallest pivot of an indefinite matrix relative to its diagonal entry: without row exchanges a
/// smaller one would let the rounding errors grow.
const INDEFINITE_PIVOT: f64 = 1e-6;

/// A factored symmetric matrix whose equations are renumbered inside.
#[derive(Clone, Debug)]
pub(crate) struct ProfileFactor {
    ordering: Ordering,
    /// First column of each row.
    first: Vec<usize>,
    /// Where each row starts in `values`; its last entry is the diagonal.
    start: Vec<usize>,
    values: Vec<f64>,
    scratch: Vec<f64>,
    definite: bool,
    packed: PackedProfile,
    /// Whether the last factor is in `packed`.
    is_packed: bool,
}

impl ProfileFactor {
    pub(crate) fn new(ordering: Ordering, first: Vec<usize>) -> Self {
        let mut start = Vec::with_capacity(first.len() + 1);
        let mut length = 0;
        for (i, first) in first.iter().enumerate() {
            start.push(length);
            length += i - first + 1;
        }
        start.push(length);
        let order = first.len();
        let packed = PackedProfile::new(&first);
        Self {
            ordering,
            first,
            start,
            values: vec![0.0; length],
            scratch: vec![0.0; order],
            definite: false,
            packed,
            is_packed: false,
        }
    }

    /// Whether all entries of the matrix lie inside the profile.
    pub(crate) fn holds(&self, matrix: &Sparse) -> bool {
        matrix.pattern.places().all(|(i, j)| {
            let (i, j) = (self.ordering.new[i], self.ordering.new[j]);
            j > i || j >= self.first[i]
        })
    }

    /// Factors a symmetric matrix that the profile holds. `false`: not safe without row exchanges.
    /// Does not allocate.
    pub(crate) fn factor(&mut self, matrix: &Sparse) -> bool {
        self.is_packed = false;
        self.values.fill(0.0);
        for ((i, j), v) in matrix.pattern.places().zip(&matrix.values) {
            let (i, j) = (self.ordering.new[i], self.ordering.new[j]);
            if j <= i {
                self.values[self.start[i] + j - self.first[i]] = *v;
            }
        }
        let n = self.first.len();
        let smallest = f64::EPSILON * (n as f64);
        let mut definite = true;
        let mut weakest = f64::INFINITY;
        for i in 0..n {
            let first = self.first[i];
            let (above, below) = self.values.split_at_mut(self.start[i]);
            let row = &mut below[..=i - first];
            for j in first..i {
                let from = self.first[j].max(first);
                let other =
                    &above[self.start[j] + from - self.first[j]..self.start[j] + j - self.first[j]];
                row[j - first] -= dot(&row[from - first..j - first], other);
            }
            let diagonal = row[i - first];
            let mut pivot = diagonal;
            for j in first..i {
                let scaled = row[j - first] / above[self.start[j + 1] - 1];
                pivot -= scaled * row[j - first];
                row[j - first] = scaled;
            }
            row[i - first] = pivot;
            let strength = pivot.abs() / diagonal.abs();
            definite &= pivot > 0.0 && strength > smallest;
            weakest = weakest.min(strength);
            if strength.is_nan() || !(definite || weakest > INDEFINITE_PIVOT) {
                return false;
            }
        }
        self.definite = definite;
        true
    }

    /// Whether all pivots of the last matrix were positive.
    pub(crate) fn is_definite(&self) -> bool {
        self.definite
    }

    /// Prepares for many solutions with the last factor: each is several times faster, and this
    /// costs a few. A factor that is not definite stays as it is.
    pub(crate) fn pack(&mut self) {
        if self.definite {
            let (first, start, values) = (&self.first, &self.start, &self.values);
            self.packed.pack(first.len(), |row| {
                (first[row], &values[start[row]..start[row + 1]])
            });
            self.is_packed = true;
        }
    }

    #[inline]
    pub(crate) fn solve_in_place(&mut self, b: &mut [f64]) {
        if self.is_packed {
            return self.packed.solve_in_place(&self.ordering.old, b);
        }
        let Self {
            ordering,
            first,
            start,
            values,
            scratch,
            ..
        } = self;
        for (x, old) in scratch.iter_mut().zip(&ordering.old) {
            *x = b[*old];
        }
        for i in 0..first.len() {
            let row = &values[start[i]..start[i + 1] - 1];
            scratch[i] -= dot(row, &scratch[first[i]..i]);
        }
        for (x, next) in scratch.iter_mut().zip(&start[1..]) {
            *x /= values[next - 1];
        }
        for i in (0..first.len()).rev() {
            let (head, tail) = scratch.split_at_mut(i);
            axpy(
                -tail[0],
                &values[start[i]..start[i + 1] - 1],
                &mut head[first[i]..],
            );
        }
        for (x, old) in scratch.iter().zip(&ordering.old) {
            b[*old] = *x;
        }
    }
}
