//! A factored matrix: the same equations for many right-hand sides.

use super::LinalgError;
use super::banded_lu::BandedLu;
use super::dense_factor::DenseFactor;
use super::matrix::{Matrix, Storage};
use super::ordering::Ordering;
use super::profile_factor::ProfileFactor;
use super::sparse::Sparse;
use super::sparse_factor::SparseFactor;

/// A profile longer than this is weighed against a fill-reducing sparse factor.
const LONG_PROFILE: usize = 60_000;

/// A factored matrix. [`Factor::solve_in_place`] never allocates.
#[derive(Clone, Debug)]
pub struct Factor {
    order: usize,
    method: Method,
    /// Gauss with row exchanges, made when a sparse matrix turns out not to be definite and kept
    /// from then on.
    exchanging: Option<BandedLu>,
    /// Whether the last matrix was factored by `exchanging`.
    exchanged: bool,
}

#[derive(Clone, Debug)]
enum Method {
    /// Reciprocals of the diagonal.
    Diagonal(Vec<f64>),
    Dense(DenseFactor),
    /// Symmetric, narrow.
    Profile(ProfileFactor),
    /// Symmetric, wide.
    Sparse(SparseFactor),
    /// Not symmetric: `exchanging` does it all.
    Unsymmetric,
}

impl Factor {
    pub(super) fn new(matrix: &Matrix) -> Result<Self, LinalgError> {
        let order = matrix.order();
        let method = match matrix.storage() {
            Storage::Diagonal(_) => Method::Diagonal(vec![0.0; order]),
            Storage::Dense(_) => Method::Dense(DenseFactor::new(order)),
            Storage::Sparse(sparse) => sparse_method(sparse)?,
        };
        let mut factor = Self {
            order,
            method,
            exchanging: None,
            exchanged: false,
        };
        factor.refactor(matrix)?;
        if let Method::Profile(profile) = &mut factor.method {
            profile.pack();
        }
        Ok(factor)
    }

    /// Number of equations.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Factors another matrix in the place of the first; one of the same pattern needs no new
    /// memory. (A large sparse matrix that is not positive definite, when the earlier ones were,
    /// needs some the first time.) Meant for a few solutions; a factor that is made anew is
    /// prepared for many.
    ///
    /// After an error the factor must not be used for solving until a later `refactor` succeeds.
    pub fn refactor(&mut self, matrix: &Matrix) -> Result<(), LinalgError> {
        if matrix.order() != self.order {
            return Err(LinalgError::SizeMismatch {
                expected: self.order,
                got: matrix.order(),
            });
        }
        match (&mut self.method, matrix.storage()) {
            (Method::Diagonal(reciprocals), Storage::Diagonal(entries)) => {
                reciprocate(entries, reciprocals)
            }
            (Method::Dense(dense), _) => {
                dense.factor(matrix.is_symmetric(), |block| matrix.write_dense(block))
            }
            (
                Method::Profile(_) | Method::Sparse(_) | Method::Unsymmetric,
                Storage::Sparse(sparse),
            ) => self.refactor_sparse(sparse, matrix),
            _ => {
                *self = Self::new(matrix)?;
                Ok(())
            }
        }
    }

    fn refactor_sparse(&mut self, sparse: &Sparse, matrix: &Matrix) -> Result<(), LinalgError> {
        self.exchanged = false;
        let symmetric = sparse.is_symmetric();
        let done = match &mut self.method {
            Method::Profile(profile) if symmetric => {
                if !profile.holds(sparse) {
                    *self = Self::new(matrix)?;
                    return Ok(());
                }
                profile.factor(sparse)
            }
            Method::Sparse(factor) if symmetric => {
                if !factor.fits(sparse) {
                    *self = Self::new(matrix)?;
                    return Ok(());
                }
                factor.factor(sparse)
            }
            _ => false,
        };
        if done {
            return Ok(());
        }
        let exchanging = match &mut self.exchanging {
            Some(exchanging) if exchanging.holds(sparse) => exchanging,
            other => {
                let ordering = Ordering::narrow(&sparse.pattern);
                let half = ordering.half_bandwidth(&sparse.pattern);
                other.insert(BandedLu::new(ordering, half))
            }
        };
        exchanging.factor(sparse)?;
        self.exchanged = true;
        Ok(())
    }

    /// Whether the matrix is symmetric and positive definite, as a stable structure's is.
    pub fn is_positive_definite(&self) -> bool {
        match &self.method {
            Method::Diagonal(reciprocals) => reciprocals.iter().all(|r| *r > 0.0),
            Method::Dense(dense) => dense.is_definite(),
            Method::Profile(profile) => !self.exchanged && profile.is_definite(),
            Method::Sparse(_) => !self.exchanged,
            Method::Unsymmetric => false,
        }
    }

    /// Replaces the right-hand side by the solution. Never allocates.
    #[inline]
    pub fn solve_in_place(&mut self, b: &mut [f64]) {
        debug_assert_eq!(b.len(), self.order);
        match &mut self.method {
            Method::Diagonal(reciprocals) => {
                for (b, r) in b.iter_mut().zip(reciprocals) {
                    *b *= *r;
                }
            }
            Method::Dense(dense) => dense.solve_in_place(b),
            Method::Profile(profile) if !self.exchanged => profile.solve_in_place(b),
            Method::Sparse(sparse) if !self.exchanged => sparse.solve_in_place(b),
            Method::Profile(_) | Method::Sparse(_) | Method::Unsymmetric => {
                if let Some(exchanging) = &mut self.exchanging {
                    exchanging.solve_in_place(b);
                }
            }
        }
    }
}

fn reciprocate(entries: &[f64], reciprocals: &mut [f64]) -> Result<(), LinalgError> {
    for (row, (reciprocal, entry)) in reciprocals.iter_mut().zip(entries).enumerate() {
        *reciprocal = 1.0 / entry;
        if !reciprocal.is_finite() {
            return Err(LinalgError::Singular { row });
        }
    }
    Ok(())
}

fn sparse_method(sparse: &Sparse) -> Result<Method, LinalgError> {
    if !sparse.is_symmetric() {
        return Ok(Method::Unsymmetric);
    }
    let ordering = Ordering::narrow(&sparse.pattern);
    let first = ordering.first_columns(&sparse.pattern);
    let length: usize = first
        .iter()
        .enumerate()
        .map(|(i, first)| i - first + 1)
        .sum();
    if length > LONG_PROFILE {
        let factor = SparseFactor::new(&sparse.pattern)?;
        // The profile's plain loops cost less per entry.
        if 2 * factor.entries() < length * 3 {
            return Ok(Method::Sparse(factor));
        }
    }
    Ok(Method::Profile(ProfileFactor::new(ordering, first)))
}
