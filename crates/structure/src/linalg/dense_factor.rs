//! Factors of dense matrices, with all their memory taken beforehand.

use super::LinalgError;
use super::dense::{axpy, dot, mul_in_place};

/// Up to this order a solution is one product with the ready inverse.
const INVERSE_ORDER: usize = 15;

/// Largest condition number (after scaling to a unit diagonal) for which the inverse is trusted: a
/// product with it loses about as many digits.
const INVERSE_CONDITION: f64 = 1e6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `A = L D Lᵀ`, unit `L` below the diagonal, `D` on it.
    Symmetric,
    /// `P A = L U`.
    General,
    /// `A⁻¹` is in `inverse`.
    Inverse,
}

/// A factored dense matrix.
#[derive(Clone, Debug)]
pub(crate) struct DenseFactor {
    order: usize,
    form: Form,
    /// The factors, by rows.
    values: Vec<f64>,
    /// `exchanges[k]`: the row that changed places with row k.
    exchanges: Vec<usize>,
    /// The matrix itself, by rows; empty beyond [`INVERSE_ORDER`].
    matrix: Vec<f64>,
    /// Its inverse, likewise.
    inverse: Vec<f64>,
    scratch: Vec<f64>,
    definite: bool,
}

impl DenseFactor {
    pub(crate) fn new(order: usize) -> Self {
        let small = if order <= INVERSE_ORDER {
            order * order
        } else {
            0
        };
        Self {
            order,
            form: Form::General,
            values: vec![0.0; order * order],
            exchanges: vec![0; order],
            matrix: vec![0.0; small],
            inverse: vec![0.0; small],
            scratch: vec![0.0; order],
            definite: false,
        }
    }

    /// Factors the matrix that `fill` writes by rows into a zeroed block. Does not allocate.
    pub(crate) fn factor(
        &mut self,
        symmetric: bool,
        fill: impl Fn(&mut [f64]),
    ) -> Result<(), LinalgError> {
        self.values.fill(0.0);
        fill(&mut self.values);
        let small = self.matrix.len();
        self.matrix.copy_from_slice(&self.values[..small]);
        self.definite = symmetric && self.factor_symmetric();
        if self.definite {
            self.form = Form::Symmetric;
        } else {
            if symmetric {
                self.values.fill(0.0);
                fill(&mut self.values);
            }
            self.factor_general()?;
            self.form = Form::General;
        }
        if small > 0 {
            self.invert();
        }
        Ok(())
    }

    /// Whether the last matrix was symmetric and positive definite.
    pub(crate) fn is_definite(&self) -> bool {
        self.definite
    }

    /// Positive definite matrices only; says whether it was one.
    fn factor_symmetric(&mut self) -> bool {
        let n = self.order;
        let smallest = f64::EPSILON * (n as f64);
        for i in 0..n {
            let (above, row) = self.values.split_at_mut(i * n);
            let row = &mut row[..=i];
            let diagonal = row[i];
            let mut pivot = diagonal;
            // First row i of L D by forward substitution, then divide by D.
            for j in 0..i {
                let sum = row[j] - dot(&row[..j], &above[j * n..j * n + j]);
                row[j] = sum;
            }
            for j in 0..i {
                let scaled = row[j] / above[j * n + j];
                pivot -= scaled * row[j];
                row[j] = scaled;
            }
            if pivot <= smallest * diagonal || pivot.is_nan() {
                return false;
            }
            row[i] = pivot;
        }
        true
    }

    /// Gauss with row exchanges.
    fn factor_general(&mut self) -> Result<(), LinalgError> {
        let n = self.order;
        for (scale, row) in self
            .scratch
            .iter_mut()
            .zip(self.values.chunks_exact(n.max(1)))
        {
            *scale = row.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        }
        let smallest = f64::EPSILON * (n as f64);
        for k in 0..n {
            // The pivot is chosen relative to the size of its row, so mixed units do no harm.
            let mut best = (k, -1.0);
            for i in k..n {
                let size = self.values[i * n + k].abs();
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
                return Err(LinalgError::Singular { row: k });
            }
            self.exchanges[k] = best.0;
            if best.0 != k {
                let (upper, lower) = self.values.split_at_mut(best.0 * n);
                upper[k * n..(k + 1) * n].swap_with_slice(&mut lower[..n]);
                self.scratch.swap(k, best.0);
            }
            let (upper, lower) = self.values.split_at_mut((k + 1) * n);
            let pivot_row = &upper[k * n..];
            for row in lower.chunks_exact_mut(n) {
                let ratio = row[k] / pivot_row[k];
                row[k] = ratio;
                if ratio != 0.0 {
                    axpy(-ratio, &pivot_row[k + 1..], &mut row[k + 1..]);
                }
            }
        }
        Ok(())
    }

    /// Forms the inverse and keeps it when the matrix is well conditioned.
    fn invert(&mut self) {
        let n = self.order;
        let mut inverse = std::mem::take(&mut self.inverse);
        let mut work = std::mem::take(&mut self.scratch);
        for j in 0..n {
            work.fill(0.0);
            work[j] = 1.0;
            self.substitute(&mut work);
            for (row, v) in inverse.chunks_exact_mut(n).zip(&work) {
                row[j] = *v;
            }
        }
        // Condition number of S⁻¹ A S⁻¹, S = diag(√|a_ii|), in the row-sum norm: it does not depend
        // on units.
        for (i, (scale, row)) in work.iter_mut().zip(self.matrix.chunks_exact(n)).enumerate() {
            let size = if row[i].abs() > 0.0 {
                row[i].abs()
            } else {
                row.iter().fold(0.0, |m, v| v.abs().max(m))
            };
            *scale = size.sqrt();
        }
        let (mut norm, mut inverse_norm) = (0.0_f64, 0.0_f64);
        for (i, (row, inverse_row)) in self
            .matrix
            .chunks_exact(n)
            .zip(inverse.chunks_exact(n))
            .enumerate()
        {
            let (mut sum, mut inverse_sum) = (0.0, 0.0);
            for ((a, b), scale) in row.iter().zip(inverse_row).zip(&work) {
                sum += a.abs() / scale;
                inverse_sum += b.abs() * scale;
            }
            norm = norm.max(sum / work[i]);
            inverse_norm = inverse_norm.max(inverse_sum * work[i]);
        }
        if norm * inverse_norm < INVERSE_CONDITION {
            self.form = Form::Inverse;
        }
        self.inverse = inverse;
        self.scratch = work;
    }

    fn substitute(&self, b: &mut [f64]) {
        let n = self.order;
        match self.form {
            Form::Symmetric => {
                for i in 0..n {
                    b[i] -= dot(&self.values[i * n..i * n + i], &b[..i]);
                }
                for (b, pivot) in b.iter_mut().zip(self.values.iter().step_by(n + 1)) {
                    *b /= pivot;
                }
                for i in (0..n).rev() {
                    let (head, tail) = b.split_at_mut(i);
                    axpy(-tail[0], &self.values[i * n..i * n + i], head);
                }
            }
            Form::General => {
                for k in 0..n {
                    b.swap(k, self.exchanges[k]);
                }
                for i in 0..n {
                    b[i] -= dot(&self.values[i * n..i * n + i], &b[..i]);
                }
                for i in (0..n).rev() {
                    b[i] = (b[i] - dot(&self.values[i * n + i + 1..(i + 1) * n], &b[i + 1..n]))
                        / self.values[i * n + i];
                }
            }
            Form::Inverse => {}
        }
    }

    #[inline]
    pub(crate) fn solve_in_place(&mut self, b: &mut [f64]) {
        if self.form == Form::Inverse {
            mul_in_place(self.order, &self.inverse, b, &mut self.scratch);
        } else {
            self.substitute(b);
        }
    }
}
