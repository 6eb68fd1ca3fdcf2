//! Real square matrices as a structure gives them, and their factors.
//!
//! A [`Matrix`] chooses its storage by size and pattern: a diagonal, a dense block or compressed
//! rows. A [`Factor`] chooses its method: reciprocals, a ready inverse for small orders, `L D Lᵀ`
//! where the matrix is symmetric, Gauss with row exchanges otherwise. Numbering inside a factor is
//! its own affair; callers always see the numbering of the structure.

mod banded_lu;
mod blocks;
mod dense;
mod dense_factor;
pub(crate) mod eigen_dense;
mod factor;
pub(crate) mod inverse;
pub(crate) mod lanczos;
mod matrix;
mod ordering;
mod packed_profile;
mod pattern;
mod profile_factor;
pub mod small;
mod sparse;
mod sparse_factor;

pub(crate) use dense::axpy;

pub use blocks::Blocks;
pub use dense::dot;
pub use factor::Factor;
pub use matrix::Matrix;

/// What is wrong with a matrix or a system of equations. Rows and columns count from zero, in the
/// numbering of the structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinalgError {
    /// The equations have no unique solution.
    #[error("the matrix is singular at row {row}")]
    Singular {
        /// First row (degree of freedom) for which no pivot was left.
        row: usize,
    },
    /// A row is longer or shorter than the number of rows.
    #[error("row {row} has {columns} entries in a matrix of {rows} rows")]
    NotSquare {
        /// Number of rows.
        rows: usize,
        /// The row at fault.
        row: usize,
        /// Its length.
        columns: usize,
    },
    /// Two sizes that must agree do not.
    #[error("size {got} where {expected} was expected")]
    SizeMismatch {
        /// The size that would fit.
        expected: usize,
        /// The size that came.
        got: usize,
    },
    /// An entry is infinite or not a number.
    #[error("the entry at row {row}, column {column} is not finite")]
    NonFinite {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
    },
    /// An entry lies outside the matrix.
    #[error("row {row}, column {column} lies outside a matrix of order {order}")]
    OutOfRange {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// Order of the matrix.
        order: usize,
    },
    /// The matrix does not fit into memory.
    #[error("a matrix of order {order} does not fit into memory")]
    TooLarge {
        /// Order of the matrix.
        order: usize,
    },
    /// A large stiffness matrix has negative eigenvalues: the structure is unstable.
    #[error("the matrix is not positive definite")]
    Indefinite,
    /// An iteration for frequencies did not settle.
    #[error("the eigenvalue iteration did not converge")]
    NoConvergence,
}
