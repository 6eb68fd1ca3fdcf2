//! Bytes that outlive this process: a file that is mapped into its memory. To write there costs no
//! call of the system, and what was written is in the file when an FMU has brought the process
//! down.

use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{FmuError, Result};

/// Two numbers stand before the bytes: a mark, and how many bytes are valid.
pub const HEAD: usize = 16;

/// A list of bytes in a file, with a mark.
pub struct Kept {
    map: NonNull<u8>,
    /// Bytes of the map.
    size: usize,
    /// Valid bytes after the head.
    length: usize,
    // Stays open as long as the map.
    _file: File,
}

impl Kept {
    /// Makes the file, with room for `room` bytes. It must be this process's alone: whoever
    /// shortens it takes the memory away.
    pub fn create(path: &Path, room: usize) -> Result<Self> {
        let size = HEAD + room;
        let open = || {
            let mut options = File::options();
            let file = options
                .read(true)
                .write(true)
                .create(true)
                .truncate(true)
                .open(path)?;
            // Written, not only lengthened: a full disk is an error here, and not a signal later.
            (&file).write_all(&vec![0; size])?;
            // SAFETY: the file is open and has `size` bytes; the system chooses the place.
            let map = unsafe {
                libc::mmap(
                    std::ptr::null_mut(),
                    size,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_SHARED,
                    file.as_raw_fd(),
                    0,
                )
            };
            match NonNull::new(map.cast::<u8>()) {
                Some(map) if map.as_ptr().cast() != libc::MAP_FAILED => Ok((file, map)),
                _ => Err(std::io::Error::last_os_error()),
            }
        };
        let (file, map) = open().map_err(FmuError::file("keep rows in", path))?;
        Ok(Self {
            map,
            size,
            length: 0,
            _file: file,
        })
    }

    fn number(&self, place: usize) -> &AtomicU64 {
        // SAFETY: the map begins at a page, so that both places (0 and 8) are aligned, and is at
        // least `HEAD` long.
        unsafe { AtomicU64::from_ptr(self.map.as_ptr().add(8 * (place & 1)).cast()) }
    }

    /// Begins anew with this mark.
    pub fn begin(&mut self, mark: u64) {
        // Empty before the mark: nobody takes old bytes for new ones.
        self.length = 0;
        self.number(1).store(0, Ordering::Release);
        self.number(0).store(mark, Ordering::Release);
    }

    /// Adds bytes; they count when all of them are there. False: there is no room.
    #[inline]
    pub fn add(&mut self, bytes: &[u8]) -> bool {
        let from = HEAD + self.length;
        if self.size - from < bytes.len() {
            return false;
        }
        // SAFETY: from + bytes.len() ≤ size, as was just looked at; the map is this value's alone.
        unsafe {
            let place = self.map.as_ptr().add(from);
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len());
        }
        self.length += bytes.len();
        self.number(1).store(self.length as u64, Ordering::Release);
        true
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // SAFETY: mapped with this size in `create`, and not used any more.
        unsafe { libc::munmap(self.map.as_ptr().cast(), self.size) };
    }
}

/// What another process has kept under this mark; nothing where the mark is another, or the process
/// ended before it had made the file.
///
/// # Errors
/// A file that cannot be read, or that says it keeps more than it has.
pub fn read_kept(path: &Path, mark: u64) -> std::io::Result<Vec<u8>> {
    let bytes = match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        bytes => bytes?,
    };
    let Some((head, kept)) = bytes.split_first_chunk::<HEAD>() else {
        return Ok(Vec::new());
    };
    let number = |half: &[u8]| half.try_into().map_or(0, u64::from_ne_bytes);
    if number(&head[..8]) != mark {
        return Ok(Vec::new());
    }
    let length = usize::try_from(number(&head[8..])).unwrap_or(usize::MAX);
    match kept.get(..length) {
        Some(kept) => Ok(kept.to_vec()),
        None => Err(std::io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_was_kept_is_in_the_file_and_old_bytes_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows");
        assert!(read_kept(&path, 0).unwrap().is_empty());
        let mut kept = Kept::create(&path, 10).unwrap();
        kept.begin(3);
        assert!(kept.add(b"abcd") && kept.add(b"efgh") && !kept.add(b"ijkl"));
        assert_eq!(read_kept(&path, 3).unwrap(), b"abcdefgh");
        assert!(read_kept(&path, 2).unwrap().is_empty());
        kept.begin(4);
        assert!(read_kept(&path, 4).unwrap().is_empty());
        assert!(read_kept(&path, 3).unwrap().is_empty());
        assert!(kept.add(b"xy"));
        drop(kept);
        assert_eq!(read_kept(&path, 4).unwrap(), b"xy");
        std::fs::write(&path, b"short").unwrap();
        assert!(read_kept(&path, 4).unwrap().is_empty());
    }

    #[test]
    fn what_cannot_be_read_is_no_file_without_rows() {
        let folder = tempfile::tempdir().unwrap();
        assert!(read_kept(folder.path(), 0).is_err(), "a folder");
        let path = folder.path().join("rows");
        let mut kept = Kept::create(&path, 10).unwrap();
        assert!(kept.add(b"abcdefgh"));
        drop(kept);
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..HEAD + 5]).unwrap();
        let error = read_kept(&path, 0).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof);
    }
}
