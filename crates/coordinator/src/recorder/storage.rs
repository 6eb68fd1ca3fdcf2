//! The three things that a run file asks of a disk.

use std::fs::File;
use std::io;

/// Where a run file is written: a [`File`], or memory in tests.
pub trait Storage {
    /// Stores `bytes` at `at`, all of them or an error.
    ///
    /// # Errors
    /// Whatever the operating system reports; some of the bytes may have been stored.
    fn write_at(&mut self, bytes: &[u8], at: u64) -> io::Result<()>;

    /// Makes the file `bytes` long; new space reads as zeros.
    ///
    /// # Errors
    /// Whatever the operating system reports.
    fn set_len(&mut self, bytes: u64) -> io::Result<()>;

    /// Returns once everything written is safe against a power cut.
    ///
    /// # Errors
    /// Whatever the operating system reports.
    fn sync(&mut self) -> io::Result<()>;
}

impl Storage for File {
    #[cfg(unix)]
    fn write_at(&mut self, bytes: &[u8], at: u64) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(self, bytes, at)
    }

    #[cfg(not(unix))]
    fn write_at(&mut self, bytes: &[u8], at: u64) -> io::Result<()> {
        use std::io::{Seek, SeekFrom, Write};
        self.seek(SeekFrom::Start(at))?;
        self.write_all(bytes)
    }

    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        File::set_len(self, bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}
