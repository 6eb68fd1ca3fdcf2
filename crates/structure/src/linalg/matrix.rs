//! A real square matrix.

use super::dense::{self, axpy};
use super::pattern::Pattern;
use super::sparse::Sparse;
use super::{Factor, LinalgError};

/// Up to this order a matrix that is not diagonal is dense.
const DENSE_ORDER: usize = 15;

/// Beyond it, a matrix with more entries than this part of all is dense.
const DENSE_PART: f64 = 0.35;

/// A real square matrix. Entries have the unit of what it stands for: kg, N s/m or N/m.
///
/// Storage follows size and pattern: a diagonal, dense rows, or compressed rows whose pattern is
/// symmetric. Vectors that are given to a matrix must have its order; longer or shorter ones are a
/// mistake of the caller.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    order: usize,
    storage: Storage,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Storage {
    /// The diagonal; everything else is zero.
    Diagonal(Vec<f64>),
    /// All entries by rows.
    Dense(Vec<f64>),
    /// The entries of a pattern.
    Sparse(Sparse),
}

impl Matrix {
    /// A zero matrix, kept as a diagonal until [`Matrix::add_at`] needs more.
    pub fn zeros(order: usize) -> Self {
        Self {
            order,
            storage: Storage::Diagonal(vec![0.0; order]),
        }
    }

    /// A diagonal matrix, such as lumped masses.
    pub fn diagonal(entries: &[f64]) -> Self {
        Self {
            order: entries.len(),
            storage: Storage::Diagonal(entries.to_vec()),
        }
    }

    /// A matrix from its rows.
    pub fn from_rows(rows: &[Vec<f64>]) -> Result<Self, LinalgError> {
        let order = rows.len();
        let mut triplets = Vec::with_capacity(order * order);
        for (i, row) in rows.iter().enumerate() {
            if row.len() != order {
                return Err(LinalgError::NotSquare {
                    rows: order,
                    row: i,
                    columns: row.len(),
                });
            }
            triplets.extend(
                row.iter()
                    .enumerate()
                    .filter(|(_, v)| **v != 0.0)
                    .map(|(j, v)| (i, j, *v)),
            );
        }
        Self::from_triplets(order, &triplets)
    }

    /// A matrix from all its entries by rows.
    pub fn from_dense(order: usize, entries: &[f64]) -> Result<Self, LinalgError> {
        if entries.len() != order * order {
            return Err(LinalgError::SizeMismatch {
                expected: order * order,
                got: entries.len(),
            });
        }
        let places = entries.iter().enumerate().filter(|(_, v)| **v != 0.0);
        let triplets: Vec<_> = places.map(|(k, v)| (k / order, k % order, *v)).collect();
        Self::from_triplets(order, &triplets)
    }

    /// A matrix from `(row, column, value)`; values at the same place are added. Both triangles of
    /// a symmetric matrix are needed. A zero value makes its place part of the pattern.
    pub fn from_triplets(
        order: usize,
        triplets: &[(usize, usize, f64)],
    ) -> Result<Self, LinalgError> {
        for &(row, column, value) in triplets {
            if row >= order || column >= order {
                return Err(LinalgError::OutOfRange { row, column, order });
            }
            if !value.is_finite() {
                return Err(LinalgError::NonFinite { row, column });
            }
        }
        let mut matrix = Self {
            order,
            storage: storage_for(order, triplets.iter().map(|t| (t.0, t.1))),
        };
        for &(i, j, v) in triplets {
            matrix.add_at(i, j, v);
        }
        Ok(matrix)
    }

    /// Number of rows and of columns.
    #[inline]
    pub fn order(&self) -> usize {
        self.order
    }

    pub(super) fn storage(&self) -> &Storage {
        &self.storage
    }

    /// The entry at row `i`, column `j`; zero outside the pattern and outside the matrix.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        if i >= self.order || j >= self.order {
            return 0.0;
        }
        match &self.storage {
            Storage::Diagonal(a) if i == j => a[i],
            Storage::Diagonal(_) => 0.0,
            Storage::Dense(a) => a[i * self.order + j],
            Storage::Sparse(a) => a.get(i, j),
        }
    }

    /// The entries that are not zero, by rows.
    pub fn triplets(&self) -> Vec<(usize, usize, f64)> {
        let n = self.order;
        let keep = |t: &(usize, usize, f64)| t.2 != 0.0;
        match &self.storage {
            Storage::Diagonal(a) => a
                .iter()
                .enumerate()
                .map(|(i, v)| (i, i, *v))
                .filter(keep)
                .collect(),
            Storage::Dense(a) => a
                .iter()
                .enumerate()
                .map(|(k, v)| (k / n, k % n, *v))
                .filter(keep)
                .collect(),
            Storage::Sparse(a) => a
                .pattern
                .places()
                .zip(&a.values)
                .map(|((i, j), v)| (i, j, *v))
                .filter(keep)
                .collect(),
        }
    }

    /// Whether nothing stands beside the diagonal.
    pub fn is_diagonal(&self) -> bool {
        match &self.storage {
            Storage::Diagonal(_) => true,
            Storage::Dense(a) => a
                .iter()
                .enumerate()
                .all(|(k, v)| k % (self.order + 1) == 0 || v.abs() <= 0.0),
            Storage::Sparse(a) => a.is_diagonal(),
        }
    }

    /// Whether the matrix equals its transpose, but for rounding (1e-12 of the entry or of the
    /// diagonal beside it).
    pub fn is_symmetric(&self) -> bool {
        match &self.storage {
            Storage::Diagonal(_) => true,
            Storage::Dense(a) => {
                let n = self.order;
                (0..n).all(|i| {
                    (0..i).all(|j| alike(a[i * n + j], a[j * n + i], a[i * n + i], a[j * n + j]))
                })
            }
            Storage::Sparse(a) => a.is_symmetric(),
        }
    }

    /// `y = A x`.
    #[inline]
    pub fn mul_into(&self, x: &[f64], y: &mut [f64]) {
        debug_assert!(x.len() == self.order && y.len() == self.order);
        match &self.storage {
            Storage::Diagonal(a) => {
                for ((y, x), a) in y.iter_mut().zip(x).zip(a) {
                    *y = a * x;
                }
            }
            Storage::Dense(a) => dense::mul_into(self.order, a, x, y),
            Storage::Sparse(a) => a.mul_into(x, y),
        }
    }

    /// Row `i` times `x`.
    #[inline]
    pub fn row_times(&self, i: usize, x: &[f64]) -> f64 {
        match &self.storage {
            Storage::Diagonal(a) => a[i] * x[i],
            Storage::Dense(a) => dense::dot(&a[i * self.order..(i + 1) * self.order], x),
            Storage::Sparse(a) => a.row_times(i, x),
        }
    }

    /// `y += alpha A x`.
    #[inline]
    pub fn mul_add(&self, alpha: f64, x: &[f64], y: &mut [f64]) {
        debug_assert!(x.len() == self.order && y.len() == self.order);
        match &self.storage {
            Storage::Diagonal(a) => {
                for ((y, x), a) in y.iter_mut().zip(x).zip(a) {
                    *y += alpha * (a * x);
                }
            }
            Storage::Dense(a) => dense::mul_add(self.order, a, alpha, x, y),
            Storage::Sparse(a) => a.mul_add(alpha, x, y),
        }
    }

    /// `xᵀ A y`.
    pub fn product(&self, x: &[f64], y: &[f64]) -> f64 {
        match &self.storage {
            Storage::Diagonal(a) => a.iter().zip(x).zip(y).map(|((a, x), y)| a * x * y).sum(),
            Storage::Dense(a) => a
                .chunks_exact(self.order.max(1))
                .zip(x)
                .map(|(row, x)| x * dense::dot(row, y))
                .sum(),
            Storage::Sparse(a) => a
                .pattern
                .places()
                .zip(&a.values)
                .map(|((i, j), v)| x[i] * v * y[j])
                .sum(),
        }
    }

    /// The sum of `factor × matrix` over all terms, which must be of one order.
    ///
    /// # Panics
    /// When the orders differ.
    pub fn combine(terms: &[(f64, &Matrix)]) -> Matrix {
        let mut sum = Self::zeros(terms.first().map_or(0, |t| t.1.order));
        sum.assign_combination(terms);
        sum
    }

    /// Overwrites the matrix with the sum of `factor × matrix` over all terms. Allocates only when
    /// its own pattern does not hold those of the terms.
    ///
    /// # Panics
    /// When the orders differ.
    pub fn assign_combination(&mut self, terms: &[(f64, &Matrix)]) {
        for (_, term) in terms {
            assert_eq!(term.order, self.order, "terms of one order");
        }
        if !terms.iter().all(|t| self.holds(t.1)) {
            self.storage = common_storage(self.order, terms);
        }
        match &mut self.storage {
            Storage::Diagonal(sum) | Storage::Dense(sum) => sum.fill(0.0),
            Storage::Sparse(sum) => sum.values.fill(0.0),
        }
        for &(factor, term) in terms {
            self.add_matrix(factor, term);
        }
    }

    /// Whether the pattern of `other` is part of this one.
    fn holds(&self, other: &Self) -> bool {
        match (&self.storage, &other.storage) {
            (Storage::Dense(_), _) | (_, Storage::Diagonal(_)) => true,
            (Storage::Sparse(own), Storage::Sparse(other)) => {
                own.same_pattern(other) || own.pattern.holds(&other.pattern)
            }
            _ => false,
        }
    }

    /// `self += factor × other`, where the pattern of `other` is part of this one.
    fn add_matrix(&mut self, factor: f64, other: &Self) {
        match (&mut self.storage, &other.storage) {
            (Storage::Diagonal(sum), Storage::Diagonal(a))
            | (Storage::Dense(sum), Storage::Dense(a)) => {
                axpy(factor, a, sum);
            }
            (Storage::Dense(sum), Storage::Diagonal(a)) => {
                for (sum, a) in sum.iter_mut().step_by(self.order + 1).zip(a) {
                    *sum += factor * a;
                }
            }
            (Storage::Dense(sum), Storage::Sparse(a)) => a.add_to_dense(factor, sum),
            (Storage::Sparse(sum), Storage::Diagonal(a)) => sum.add_diagonal(factor, a),
            (Storage::Sparse(sum), Storage::Sparse(a)) => sum.add(factor, a),
            (Storage::Diagonal(_), _) | (Storage::Sparse(_), Storage::Dense(_)) => {}
        }
    }

    /// Sets all entries to zero and keeps the pattern.
    pub fn clear(&mut self) {
        match &mut self.storage {
            Storage::Diagonal(a) | Storage::Dense(a) => a.fill(0.0),
            Storage::Sparse(a) => a.values.fill(0.0),
        }
    }

    /// Adds `value` at row `i`, column `j`. Where the pattern has no such entry it is enlarged,
    /// which allocates and is slow for large matrices: assemble those with
    /// [`Matrix::from_triplets`]. Places outside the matrix are ignored.
    pub fn add_at(&mut self, i: usize, j: usize, value: f64) {
        if i >= self.order || j >= self.order {
            return;
        }
        match &mut self.storage {
            Storage::Diagonal(a) if i == j => a[i] += value,
            Storage::Dense(a) => a[i * self.order + j] += value,
            Storage::Sparse(a) if a.pattern.find(i, j).is_some() => {
                if let Some(entry) = a.pattern.find(i, j) {
                    a.values[entry] += value;
                }
            }
            _ => {
                let mut triplets = self.triplets();
                triplets.push((i, j, 0.0));
                let mut larger = Self {
                    order: self.order,
                    storage: storage_for(self.order, triplets.iter().map(|t| (t.0, t.1))),
                };
                larger.add_matrix(1.0, self);
                *self = larger;
                self.add_at(i, j, value);
            }
        }
    }

    /// Where the entry at row `i`, column `j` stands among the stored values; none outside the
    /// pattern.
    pub fn place(&self, i: usize, j: usize) -> Option<usize> {
        match &self.storage {
            Storage::Diagonal(_) => (i == j).then_some(i),
            Storage::Dense(_) => Some(i * self.order + j),
            Storage::Sparse(a) => a.pattern.find(i, j),
        }
    }

    /// The stored values, where this matrix is stored as `like` is: their places are then the same.
    #[inline]
    pub fn values_like(&mut self, like: &Self) -> Option<&mut [f64]> {
        match (&mut self.storage, &like.storage) {
            (Storage::Diagonal(a), Storage::Diagonal(b))
            | (Storage::Dense(a), Storage::Dense(b))
                if a.len() == b.len() =>
            {
                Some(a)
            }
            (Storage::Sparse(a), Storage::Sparse(b)) if a.same_pattern(b) => Some(&mut a.values),
            _ => None,
        }
    }

    /// All entries by rows.
    pub fn to_dense(&self) -> Vec<f64> {
        let mut all = vec![0.0; self.order * self.order];
        self.write_dense(&mut all);
        all
    }

    /// Writes the entries by rows into a zeroed block.
    pub(super) fn write_dense(&self, into: &mut [f64]) {
        match &self.storage {
            Storage::Diagonal(a) => {
                for (entry, a) in into.iter_mut().step_by(self.order + 1).zip(a) {
                    *entry = *a;
                }
            }
            Storage::Dense(a) => into.copy_from_slice(a),
            Storage::Sparse(a) => a.write_dense(into),
        }
    }

    /// Factors the matrix for solving.
    pub fn factor(&self) -> Result<Factor, LinalgError> {
        Factor::new(self)
    }
}

/// Zeroed storage for the given places.
fn storage_for(order: usize, places: impl Iterator<Item = (usize, usize)> + Clone) -> Storage {
    if places.clone().all(|(i, j)| i == j) {
        return Storage::Diagonal(vec![0.0; order]);
    }
    if order > DENSE_ORDER {
        let pattern = Pattern::new(order, places);
        if (pattern.columns.len() as f64) < DENSE_PART * (order as f64) * (order as f64) {
            return Storage::Sparse(Sparse::zeros(pattern));
        }
    }
    Storage::Dense(vec![0.0; order * order])
}

/// Zeroed storage that holds all terms.
fn common_storage(order: usize, terms: &[(f64, &Matrix)]) -> Storage {
    let mut patterns = Vec::new();
    for (_, term) in terms {
        match &term.storage {
            Storage::Dense(_) => return Storage::Dense(vec![0.0; order * order]),
            Storage::Sparse(a) => patterns.push(a),
            Storage::Diagonal(_) => {}
        }
    }
    match patterns.as_slice() {
        [] => Storage::Diagonal(vec![0.0; order]),
        // One pattern that holds all others is shared, which makes later sums and factors quick.
        [first, rest @ ..]
            if rest
                .iter()
                .all(|other| first.same_pattern(other) || first.pattern.holds(&other.pattern)) =>
        {
            Storage::Sparse((*first).clone())
        }
        all => storage_for(order, all.iter().flat_map(|a| a.pattern.places())),
    }
}

/// Whether two mirrored entries are equal but for rounding, seen against the diagonal entries
/// beside them.
#[inline]
pub(super) fn alike(a: f64, b: f64, first: f64, second: f64) -> bool {
    let difference = (a - b).abs();
    difference <= 1e-12 * (a.abs() + b.abs())
        || difference * difference <= 1e-24 * (first * second).abs()
}
