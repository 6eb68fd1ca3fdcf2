//! One process at a time on a file: two that add rows to the same one would mix their lines.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use super::CampaignError;
use super::table::file_error;

/// Held as long as it lives. The system gives the lock of a process back however that process ends,
/// so that what a kill leaves behind is a file without a lock, which the next one takes over.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    _file: File,
}

impl Lock {
    /// Takes `NAME.lock` beside the file `NAME`.
    ///
    /// # Errors
    /// [`CampaignError::Busy`] where a living process holds it.
    pub fn take(beside: &Path) -> Result<Self, CampaignError> {
        let mut name = beside.as_os_str().to_owned();
        name.push(".lock");
        let path = PathBuf::from(name);
        loop {
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(file_error(&path))?;
            if let Err(TryLockError::WouldBlock) = file.try_lock() {
                let holder = std::fs::read_to_string(&path).unwrap_or_default();
                return Err(CampaignError::Busy {
                    holder: match holder.trim() {
                        "" => "another process".to_owned(),
                        pid => format!("process {pid}"),
                    },
                    path,
                });
            }
            // Other errors: a file system without locks. A campaign goes on without, as it would
            // alone.
            if is_still_there(&file, &path) {
                let text = std::process::id().to_string();
                let kept = file
                    .set_len(0)
                    .and_then(|()| file.write_all(text.as_bytes()));
                kept.map_err(file_error(&path))?;
                return Ok(Self { path, _file: file });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Whether the path still means the file: its last holder may have removed it between the opening
/// and the lock.
#[cfg(unix)]
fn is_still_there(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_still_there(_: &File, path: &Path) -> bool {
    path.exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_holder_and_a_dead_one_is_no_holder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.csv");
        let first = Lock::take(&path).unwrap();
        let refused = Lock::take(&path).unwrap_err().to_string();
        let me = format!("process {}", std::process::id());
        assert!(refused.contains(&me), "{refused}");
        drop(first);
        assert!(!folder.path().join("runs.csv.lock").exists());
        // What a kill leaves: the file with a number, and nobody who holds it.
        std::fs::write(folder.path().join("runs.csv.lock"), "1").unwrap();
        Lock::take(&path).unwrap();
    }
}
