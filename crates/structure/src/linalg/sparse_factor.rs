//! Cholesky's method for large sparse matrices. The symbolic step and all memory are kept for later
//! matrices of the same pattern.

use std::fmt;
use std::sync::Arc;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side};

use super::LinalgError;
use super::pattern::Pattern;
use super::sparse::Sparse;

/// What depends on the pattern alone.
struct Symbolic {
    pattern: Arc<Pattern>,
    /// The pattern as columns: the same lists, for it is symmetric.
    columns: SymbolicSparseColMat<usize>,
    cholesky: SymbolicCholesky<usize>,
}

impl Symbolic {
    fn scratch(&self) -> MemBuffer {
        let factor = self
            .cholesky
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let solve = self.cholesky.solve_in_place_scratch::<f64>(1, Par::Seq);
        MemBuffer::new(factor.or(solve))
    }
}

/// A factored sparse positive definite matrix.
pub(crate) struct SparseFactor {
    symbolic: Arc<Symbolic>,
    values: Vec<f64>,
    memory: MemBuffer,
    trial: Vec<f64>,
}

impl Clone for SparseFactor {
    fn clone(&self) -> Self {
        Self {
            symbolic: Arc::clone(&self.symbolic),
            values: self.values.clone(),
            memory: self.symbolic.scratch(),
            trial: self.trial.clone(),
        }
    }
}

impl fmt::Debug for SparseFactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SparseFactor")
            .field("order", &self.trial.len())
            .field("entries", &self.values.len())
            .finish()
    }
}

impl SparseFactor {
    /// Orders and counts; no numbers yet.
    pub(crate) fn new(pattern: &Arc<Pattern>) -> Result<Self, LinalgError> {
        let order = pattern.order();
        let columns = SymbolicSparseColMat::new_checked(
            order,
            order,
            pattern.row_start.clone(),
            None,
            pattern.columns.clone(),
        );
        let params = CholeskySymbolicParams {
            // Dense blocks make a later factorisation two to three times faster, solutions no
            // slower.
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..Default::default()
        };
        let cholesky = factorize_symbolic_cholesky(
            columns.as_ref(),
            Side::Lower,
            SymmetricOrdering::Amd,
            params,
        )
        .map_err(|_| LinalgError::TooLarge { order })?;
        let symbolic = Symbolic {
            pattern: Arc::clone(pattern),
            columns,
            cholesky,
        };
        let memory = symbolic.scratch();
        let values = vec![0.0; symbolic.cholesky.len_val()];
        Ok(Self {
            symbolic: Arc::new(symbolic),
            values,
            memory,
            trial: vec![0.0; order],
        })
    }

    /// How many numbers the factor holds.
    pub(crate) fn entries(&self) -> usize {
        self.values.len()
    }

    /// Whether the matrix has the pattern of this factor.
    pub(crate) fn fits(&self, matrix: &Sparse) -> bool {
        Arc::ptr_eq(&self.symbolic.pattern, &matrix.pattern)
            || self.symbolic.pattern == matrix.pattern
    }

    /// Factors a symmetric matrix that fits. `false`: not positive definite, or nearly not. Does
    /// not allocate.
    pub(crate) fn factor(&mut self, matrix: &Sparse) -> bool {
        let numeric =
            SparseColMatRef::new(self.symbolic.columns.as_ref(), matrix.values.as_slice());
        let stack = MemStack::new(&mut self.memory);
        let done = self.symbolic.cholesky.factorize_numeric_llt(
            &mut self.values,
            numeric,
            Side::Lower,
            Default::default(),
            Par::Seq,
            stack,
            Default::default(),
        );
        done.is_ok() && self.recovers_ones(matrix)
    }

    /// A matrix that is singular but for rounding can pass as definite; its factor then fails on a
    /// known solution.
    fn recovers_ones(&mut self, matrix: &Sparse) -> bool {
        let mut trial = std::mem::take(&mut self.trial);
        for (row, entry) in trial.iter_mut().enumerate() {
            let range = matrix.pattern.row_start[row]..matrix.pattern.row_start[row + 1];
            *entry = matrix.values[range].iter().sum();
        }
        self.solve_in_place(&mut trial);
        let recovered = trial.iter().all(|x| (x - 1.0).abs() < 1e-3);
        self.trial = trial;
        recovered
    }

    #[inline]
    pub(crate) fn solve_in_place(&mut self, b: &mut [f64]) {
        let order = b.len();
        LltRef::new(&self.symbolic.cholesky, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(b, order, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
    }
}
