//! Compressed rows.

use std::sync::Arc;

use super::dense::axpy;
use super::matrix::alike;
use super::pattern::Pattern;

/// Values on a shared pattern.
#[derive(Clone, Debug)]
pub(crate) struct Sparse {
    pub(crate) pattern: Arc<Pattern>,
    pub(crate) values: Vec<f64>,
}

impl PartialEq for Sparse {
    fn eq(&self, other: &Self) -> bool {
        self.same_pattern(other) && self.values == other.values
    }
}

impl Sparse {
    pub(crate) fn zeros(pattern: Pattern) -> Self {
        let values = vec![0.0; pattern.columns.len()];
        Self {
            pattern: Arc::new(pattern),
            values,
        }
    }

    pub(crate) fn same_pattern(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.pattern, &other.pattern) || self.pattern == other.pattern
    }

    pub(crate) fn get(&self, i: usize, j: usize) -> f64 {
        self.pattern.find(i, j).map_or(0.0, |k| self.values[k])
    }

    #[inline]
    pub(crate) fn row_times(&self, i: usize, x: &[f64]) -> f64 {
        let range = self.pattern.row_start[i]..self.pattern.row_start[i + 1];
        let columns = &self.pattern.columns[range.clone()];
        columns
            .iter()
            .zip(&self.values[range])
            .map(|(j, a)| a * x[*j])
            .sum()
    }

    #[inline]
    pub(crate) fn mul_into(&self, x: &[f64], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y = self.row_times(i, x);
        }
    }

    #[inline]
    pub(crate) fn mul_add(&self, alpha: f64, x: &[f64], y: &mut [f64]) {
        for (i, y) in y.iter_mut().enumerate() {
            *y += alpha * self.row_times(i, x);
        }
    }

    pub(crate) fn add_diagonal(&mut self, factor: f64, diagonal: &[f64]) {
        for (entry, a) in self.pattern.diagonal.iter().zip(diagonal) {
            self.values[*entry] += factor * a;
        }
    }

    /// Adds a matrix whose pattern this one holds.
    pub(crate) fn add(&mut self, factor: f64, other: &Self) {
        if Arc::ptr_eq(&self.pattern, &other.pattern)
            || self.pattern.columns.len() == other.pattern.columns.len()
        {
            axpy(factor, &other.values, &mut self.values);
            return;
        }
        for i in 0..self.pattern.order() {
            let mut own = self.pattern.row_start[i];
            for (k, j) in other.pattern.row(i).iter().enumerate() {
                while self.pattern.columns[own] < *j {
                    own += 1;
                }
                self.values[own] += factor * other.values[other.pattern.row_start[i] + k];
            }
        }
    }

    pub(crate) fn is_diagonal(&self) -> bool {
        self.pattern
            .places()
            .zip(&self.values)
            .all(|((i, j), v)| i == j || v.abs() <= 0.0)
    }

    pub(crate) fn is_symmetric(&self) -> bool {
        let Pattern {
            diagonal, mirrored, ..
        } = &*self.pattern;
        self.pattern.places().enumerate().all(|(k, (i, j))| {
            j >= i
                || alike(
                    self.values[k],
                    self.values[mirrored[k]],
                    self.values[diagonal[i]],
                    self.values[diagonal[j]],
                )
        })
    }

    /// Writes the entries by rows into a zeroed block.
    pub(crate) fn write_dense(&self, into: &mut [f64]) {
        let n = self.pattern.order();
        for ((i, j), v) in self.pattern.places().zip(&self.values) {
            into[i * n + j] = *v;
        }
    }

    /// `into += factor A`, by rows.
    pub(crate) fn add_to_dense(&self, factor: f64, into: &mut [f64]) {
        let n = self.pattern.order();
        for ((i, j), v) in self.pattern.places().zip(&self.values) {
            into[i * n + j] += factor * v;
        }
    }
}
