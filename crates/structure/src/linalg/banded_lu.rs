//! Gauss with row exchanges inside a band, for matrices that are not symmetric or not definite.

use super::LinalgError;
use super::dense::dot;
use super::ordering::Ordering;
use super::sparse::Sparse;

/// A factored banded matrix whose equations are renumbered inside.
#[derive(Clone, Debug)]
pub(crate) struct BandedLu {
    ordering: Ordering,
    /// Half-bandwidth b. Row i holds the columns i − b … i + 2b: exchanges widen the upper part.
    half: usize,
    values: Vec<f64>,
    exchanges: Vec<usize>,
    scratch: Vec<f64>,
}

impl BandedLu {
    pub(crate) fn new(ordering: Ordering, half: usize) -> Self {
        let n = ordering.old.len();
        Self {
            ordering,
            half,
            values: vec![0.0; n * (3 * half + 1)],
            exchanges: vec![0; n],
            scratch: vec![0.0; n],
        }
    }

    #[inline]
    fn at(&self, i: usize, j: usize) -> usize {
        i * (3 * self.half + 1) + (j + self.half - i)
    }

    /// Whether all entries of the matrix lie inside the band.
    pub(crate) fn holds(&self, matrix: &Sparse) -> bool {
        matrix
            .pattern
            .places()
            .all(|(i, j)| self.ordering.new[i].abs_diff(self.ordering.new[j]) <= self.half)
    }

    /// Factors a matrix that the band holds. Does not allocate.
    pub(crate) fn factor(&mut self, matrix: &Sparse) -> Result<(), LinalgError> {
        self.values.fill(0.0);
        self.scratch.fill(0.0);
        for ((i, j), v) in matrix.pattern.places().zip(&matrix.values) {
            let (i, j) = (self.ordering.new[i], self.ordering.new[j]);
            let place = self.at(i, j);
            self.values[place] = *v;
            self.scratch[i] = self.scratch[i].max(v.abs());
        }
        let (n, b) = (self.ordering.old.len(), self.half);
        let smallest = f64::EPSILON * (n as f64);
        for k in 0..n {
            let last_row = (k + b).min(n - 1);
            let last_column = (k + 2 * b).min(n - 1);
            // The pivot is chosen relative to the size of its row, so mixed units do no harm.
            let mut best = (k, -1.0);
            for i in k..=last_row {
                let size = self.values[self.at(i, k)].abs();
                let relative = if self.scratch[i] > 0.0 {
                    size / self.scratch[i]
                } else {
                    0.0
                };
                if relative > best.1 {
                    best = (i, relative);
                }
            }
            if best.1 <= smallest {
                return Err(LinalgError::Singular {
                    row: self.ordering.old[k],
                });
            }
            self.exchanges[k] = best.0;
            if best.0 != k {
                for j in k..=last_column {
                    let (a, b) = (self.at(k, j), self.at(best.0, j));
                    self.values.swap(a, b);
                }
                self.scratch.swap(k, best.0);
            }
            let (from, to) = (self.at(k, k), self.at(k, last_column));
            let pivot = self.values[from];
            for i in k + 1..=last_row {
                let place = self.at(i, k);
                let ratio = self.values[place] / pivot;
                self.values[place] = ratio;
                if ratio != 0.0 {
                    let (upper, lower) = self.values.split_at_mut(place + 1);
                    super::dense::axpy(-ratio, &upper[from + 1..=to], &mut lower[..to - from]);
                }
            }
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn solve_in_place(&mut self, b: &mut [f64]) {
        let mut x = std::mem::take(&mut self.scratch);
        for (x, old) in x.iter_mut().zip(&self.ordering.old) {
            *x = b[*old];
        }
        let (n, half) = (x.len(), self.half);
        for k in 0..n {
            x.swap(k, self.exchanges[k]);
            let (head, tail) = x.split_at_mut(k + 1);
            for (below, x) in tail[..half.min(n - 1 - k)].iter_mut().enumerate() {
                *x -= self.values[self.at(k + 1 + below, k)] * head[k];
            }
        }
        for k in (0..n).rev() {
            let last = (k + 2 * half).min(n - 1);
            let row = &self.values[self.at(k, k)..=self.at(k, last)];
            x[k] = (x[k] - dot(&row[1..], &x[k + 1..=last])) / row[0];
        }
        for (x, old) in x.iter().zip(&self.ordering.old) {
            b[*old] = *x;
        }
        self.scratch = x;
    }
}
