//! How the columns of a run lie in its file.
//!
//! ```text
//! 0      superblock                         ┐ the "head": rewritten by one write when rows are
//! 64     object headers of /time, /channels ┘ published (number of rows) or the file grows (its end)
//!        global heap with the texts, attributes, groups, the root group
//!        segment 0: leaf of the chunk index for each column, then 64 chunk rows
//!        segment 1: …                       a chunk row is one chunk of every column, one behind the
//!                                           other, each followed by one cache line of padding
//! ```

/// Bytes of a stored value (little-endian f64).
pub(super) const CELL_BYTES: usize = 8;

/// Cells between two columns of a [`RowBlock`](super::RowBlock) and between two chunks of the file:
/// one cache line of 64 bytes.
pub(super) const COLUMN_PADDING: usize = 8;

/// Rows of one HDF5 chunk, and the best capacity of a [`RowBlock`](super::RowBlock).
pub const CHUNK_ROWS: usize = 1024;

/// Chunks of a column that one leaf of its index points to (the default of HDF5: K = 32).
pub(super) const LEAF_CHUNKS: u64 = 64;

/// Bytes of one chunk.
pub(super) const CHUNK_BYTES: u64 = (CHUNK_ROWS * CELL_BYTES) as u64;

/// Distance between the chunks of two columns in a chunk row.
pub(super) const CHUNK_STRIDE: u64 = ((CHUNK_ROWS + COLUMN_PADDING) * CELL_BYTES) as u64;

/// Rows of one chunk, as a file quantity.
pub(super) const CHUNK_ROWS_U64: u64 = CHUNK_ROWS as u64;

/// What HDF5 writes for "no address" and "no maximum".
pub(super) const UNDEFINED: u64 = u64::MAX;
