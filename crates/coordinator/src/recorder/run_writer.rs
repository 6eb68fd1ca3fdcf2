//! Writing a run file while the test runs.

use super::block::RowBlock;
use super::channel::{Channel, Header};
use super::chunk_index::{ChunkIndex, Patch};
use super::error::RecorderError;
use super::file_layout::FileLayout;
use super::layout::{CELL_BYTES, CHUNK_ROWS, CHUNK_ROWS_U64, CHUNK_STRIDE, LEAF_CHUNKS};
use super::storage::Storage;
use super::whole_file::whole_file;
use std::fs::File;
use std::io;
use std::path::Path;

/// Writes a run file; see the [module](super) for its contents and why it survives a kill.
///
/// Dropping the writer without [`finish`](Self::finish) leaves what a kill would leave: a readable
/// file with everything appended, marked as not complete.
pub struct RunWriter<M: Storage = File> {
    medium: M,
    skeleton: FileLayout,
    index: ChunkIndex,
    /// First chunk row of the last segment.
    chunks_at: u64,
    end: u64,
    rows: u64,
    synced_rows: u64,
    syncs: bool,
    /// A growth stopped while it changed existing nodes of the index.
    half_grown: bool,
}

impl RunWriter {
    /// Creates a run file; an existing one is replaced.
    ///
    /// The new file is prepared under another name and renamed, so `path` is a valid run file from
    /// the first instant.
    ///
    /// # Errors
    /// Unusable channel names or a file that cannot be written.
    pub fn create(
        path: &Path,
        channels: &[Channel],
        header: &Header,
    ) -> Result<Self, RecorderError> {
        let file_error = |source| RecorderError::File {
            path: path.into(),
            source,
        };
        let write = |part: &Path| {
            let file = File::create(part).map_err(file_error)?;
            Self::with_medium(file, channels, header)
        };
        whole_file(path, write, file_error)
    }
}

impl<M: Storage> RunWriter<M> {
    /// Starts a run file on an empty medium.
    ///
    /// # Errors
    /// Unusable channel names or a medium that cannot be written.
    pub fn with_medium(
        mut medium: M,
        channels: &[Channel],
        header: &Header,
    ) -> Result<Self, RecorderError> {
        let (skeleton, bytes) = FileLayout::new(channels, header)?;
        medium
            .write_at(&bytes, 0)
            .map_err(|source| RecorderError::Write {
                recorded: 0,
                rows: 0,
                source,
            })?;
        Ok(Self {
            index: ChunkIndex::new(skeleton.columns()),
            skeleton,
            medium,
            chunks_at: 0,
            end: bytes.len() as u64,
            rows: 0,
            synced_rows: 0,
            syncs: false,
            half_grown: false,
        })
    }

    /// Rows in the file.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Appends the rows of a block, full or not, and empties it.
    ///
    /// When this returns, the rows outlive the process. They reach the disk when the operating
    /// system sees fit, or at [`sync`](Self::sync). After a partial block the next one fills up at
    /// the end of the chunk, so that full blocks stay fast.
    ///
    /// # Errors
    /// A full disk or another failure to write. The file keeps all rows appended before and the
    /// block keeps its rows: append again once there is space. [`RecorderError::RowsRefused`] tells
    /// of rows that never got into the block; those that did are appended.
    pub fn append(&mut self, block: &mut RowBlock) -> Result<(), RecorderError> {
        if block.columns() != self.skeleton.columns() {
            return Err(RecorderError::Width {
                expected: self.skeleton.columns() - 1,
                got: block.channels(),
            });
        }
        if !block.is_empty() {
            let rows = self.rows + block.len() as u64;
            let written = self.write_rows(block).and_then(|()| {
                self.skeleton.set_rows(rows);
                self.medium.write_at(self.skeleton.head(), 0)
            });
            if let Err(source) = written {
                self.skeleton.set_rows(self.rows);
                return Err(RecorderError::Write {
                    recorded: self.rows,
                    rows: block.len() as u64,
                    source,
                });
            }
            self.rows = rows;
        }
        match block.reset(CHUNK_ROWS - in_chunk(self.rows)) {
            0 => Ok(()),
            rows => Err(RecorderError::RowsRefused { rows }),
        }
    }

    /// Returns once everything appended is safe against a power cut; the file then says so.
    ///
    /// # Errors
    /// Whatever the disk reports.
    pub fn sync(&mut self) -> Result<(), RecorderError> {
        self.syncs = true;
        self.flush(false).map_err(|source| self.lost(source))
    }

    /// Cuts off the space not used and marks the run as complete; gives the number of rows.
    ///
    /// Waits for the disk only if [`sync`](Self::sync) was used before.
    ///
    /// # Errors
    /// Whatever the disk reports; the file then still holds all rows.
    pub fn finish(mut self) -> Result<u64, RecorderError> {
        match self.close() {
            Ok(()) => Ok(self.rows),
            Err(source) => Err(self.lost(source)),
        }
    }

    fn close(&mut self) -> io::Result<()> {
        // After a half growth the index may point beyond the last segment: leave that space in
        // place.
        if self.index.chunks() > 0 && !self.half_grown {
            let before = self.index.chunks() - LEAF_CHUNKS;
            let used = self.rows.div_ceil(CHUNK_ROWS_U64).saturating_sub(before);
            let used = used.clamp(1, LEAF_CHUNKS);
            self.apply(&self.index.trim(used))?;
            // First the end that the file admits to, then its real one: never the other way round.
            self.end = self.chunks_at + used * self.chunk_row_bytes();
            self.skeleton.set_end(self.end);
            self.medium.write_at(self.skeleton.head(), 0)?;
            self.medium.set_len(self.end)?;
        }
        self.flush(true)
    }

    /// Makes the rows safe, if wanted, and then tells so in the root group.
    fn flush(&mut self, complete: bool) -> io::Result<()> {
        if self.syncs {
            self.medium.sync()?;
            self.synced_rows = self.rows;
        }
        let root = self.skeleton.root(complete, self.synced_rows);
        self.apply(&[root])?;
        if self.syncs && complete {
            self.medium.sync()?;
        }
        Ok(())
    }

    fn lost(&self, source: io::Error) -> RecorderError {
        RecorderError::Write {
            recorded: self.rows,
            rows: 0,
            source,
        }
    }

    /// Writes the values of a block behind the rows that count; nothing refers to them yet.
    fn write_rows(&mut self, block: &RowBlock) -> io::Result<()> {
        let mut row = self.rows;
        let mut from = 0;
        while from < block.len() {
            let chunk = row / CHUNK_ROWS_U64;
            if chunk >= self.index.chunks() {
                self.grow()?;
            }
            let at = self.chunks_at + chunk % LEAF_CHUNKS * self.chunk_row_bytes();
            let start = in_chunk(row);
            let count = (CHUNK_ROWS - start).min(block.len() - from);
            if count == CHUNK_ROWS && block.capacity() == CHUNK_ROWS {
                self.medium.write_at(block.bytes(), at)?;
            } else {
                for column in 0..block.columns() {
                    let at = at + column as u64 * CHUNK_STRIDE + (start * CELL_BYTES) as u64;
                    self.medium
                        .write_at(block.column(column, from, count), at)?;
                }
            }
            row += count as u64;
            from += count;
        }
        Ok(())
    }

    /// Adds a segment of chunks. Each step leaves a valid file; the state here changes only when
    /// all are done, so that a failed growth can be tried again.
    fn grow(&mut self) -> io::Result<()> {
        let growth = self.index.grow(self.end);
        self.medium.set_len(growth.end)?;
        self.apply(&growth.fresh)?;
        self.skeleton.set_end(growth.end);
        self.medium.write_at(self.skeleton.head(), 0)?;
        self.half_grown = true;
        self.apply(&growth.links)?;
        self.skeleton.set_index(&growth.index);
        self.medium.write_at(self.skeleton.head(), 0)?;
        self.half_grown = false;
        self.index = growth.index;
        self.chunks_at = growth.chunks_at;
        self.end = growth.end;
        Ok(())
    }

    fn apply(&mut self, patches: &[Patch]) -> io::Result<()> {
        for patch in patches {
            self.medium.write_at(&patch.bytes, patch.at)?;
        }
        Ok(())
    }

    fn chunk_row_bytes(&self) -> u64 {
        self.skeleton.columns() as u64 * CHUNK_STRIDE
    }
}

/// Row within its chunk.
fn in_chunk(row: u64) -> usize {
    // The remainder is below CHUNK_ROWS.
    usize::try_from(row % CHUNK_ROWS_U64).unwrap_or_default()
}
