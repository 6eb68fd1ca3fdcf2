//! Rows of one run, collected on the fast path until they are written.

use super::layout::{CELL_BYTES, COLUMN_PADDING};

/// A preallocated buffer of rows, filled by the loop and emptied by [`RunWriter::append`].
///
/// Ports: a structural time \[s\] and one value per channel, in the order of the channels given to
/// the writer and in their units.
///
/// Rows arrive one by one and the file wants columns, so `push` scatters each row over the columns.
/// Columns are padded by one cache line: with a power-of-two capacity they would otherwise all fall
/// into the same cache set and evict each other. The run file keeps the same padding between its
/// chunks, so that a full block reaches the file in one write without being rearranged.
///
/// [`RunWriter::append`]: super::RunWriter::append
#[derive(Clone, Debug)]
pub struct RowBlock {
    cells: Vec<[u8; CELL_BYTES]>,
    columns: usize,
    capacity: usize,
    limit: usize,
    len: usize,
    refused: u64,
}

impl RowBlock {
    /// A block for `channels` channels (the time not counted) and `capacity` rows, at least one.
    ///
    /// [`CHUNK_ROWS`](super::CHUNK_ROWS) is the capacity that the writer handles fastest.
    #[must_use]
    pub fn new(channels: usize, capacity: usize) -> Self {
        let capacity = capacity.max(1);
        let columns = channels + 1;
        Self {
            cells: vec![[0; CELL_BYTES]; columns * (capacity + COLUMN_PADDING)],
            columns,
            capacity,
            limit: capacity,
            len: 0,
            refused: 0,
        }
    }

    /// Stores one row; true when the block is now full and has to be appended to the run file.
    ///
    /// A row pushed to a full block, or one of the wrong width, is refused and counted; `append`
    /// then reports how many were refused, so that no loss goes unseen.
    #[inline]
    pub fn push(&mut self, time_s: f64, row: &[f64]) -> bool {
        if self.len >= self.limit || row.len() + 1 != self.columns {
            self.refused += 1;
            return self.len >= self.limit;
        }
        let mut place = self.len;
        if let Some(cell) = self.cells.get_mut(place) {
            *cell = time_s.to_le_bytes();
        }
        for value in row {
            place += self.capacity + COLUMN_PADDING;
            if let Some(cell) = self.cells.get_mut(place) {
                *cell = value.to_le_bytes();
            }
        }
        self.len += 1;
        self.len >= self.limit
    }

    /// Rows held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// True when nothing is waiting to be appended.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// True when the next row would be refused.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.len >= self.limit
    }

    /// Forgets the rows: for runs of which only the end matters.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Lets as many rows in as there is room for, after an append that had shortened it.
    pub fn reopen(&mut self) {
        self.len = 0;
        self.limit = self.capacity;
    }

    /// Channels of a row, the time not counted.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.columns - 1
    }

    /// What has been pushed of a channel (counted from zero, the time not counted): for runs that
    /// are kept in memory.
    pub fn channel(&self, channel: usize) -> impl Iterator<Item = f64> + '_ {
        let held = if channel + 1 < self.columns {
            self.len
        } else {
            0
        };
        let cells = self.column(channel + 1, 0, held).as_chunks().0;
        cells.iter().map(|cell| f64::from_le_bytes(*cell))
    }

    /// Columns including the time, which is the first.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Rows that fit between two appends at most.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// The whole buffer, columns and padding, as it lies in the file.
    pub(super) fn bytes(&self) -> &[u8] {
        self.cells.as_flattened()
    }

    /// Rows `from .. from + count` of a column, as little-endian bytes.
    pub(super) fn column(&self, column: usize, from: usize, count: usize) -> &[u8] {
        let start = column * (self.capacity + COLUMN_PADDING) + from;
        self.cells
            .get(start..start + count)
            .unwrap_or_default()
            .as_flattened()
    }

    /// Empties the block and lets at most `limit` rows in before it is full; gives the number of
    /// rows refused since the last time.
    pub(super) fn reset(&mut self, limit: usize) -> u64 {
        self.len = 0;
        self.limit = limit.clamp(1, self.capacity);
        std::mem::take(&mut self.refused)
    }
}
