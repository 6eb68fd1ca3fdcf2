//! A copy of a script's folder, in which the script may write.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// Most files.
const MOST_FILES: usize = 5000;
/// Largest file.
const LARGEST_FILE: u64 = 64 << 20;
/// Most bytes in all.
const MOST_BYTES: u64 = 256 << 20;
/// Folders within folders.
const DEEPEST: usize = 8;
/// What no script reads.
const LEFT_OUT: &[&str] = &["__pycache__", "node_modules"];

/// A temporary folder that holds a copy, as far as it may grow.
#[derive(Debug)]
pub struct Copy {
    around: TempDir,
    name: PathBuf,
    /// Files that were left out since they are too large, too many or too deep.
    pub left_out: usize,
}

impl Copy {
    /// Copies a folder, what lies nearest first. Hidden files and folders are left out.
    ///
    /// # Errors
    /// The system refuses it.
    pub fn of(folder: &Path) -> io::Result<Self> {
        let around = tempfile::Builder::new()
            .prefix("tandem-import-")
            .tempdir()?;
        let name = folder.file_name().map_or("model".into(), PathBuf::from);
        let mut copy = Self {
            around,
            name,
            left_out: 0,
        };
        let (mut files, mut bytes) = (0, 0);
        let mut level = vec![(folder.to_path_buf(), copy.folder())];
        for _ in 0..DEEPEST {
            let mut deeper = Vec::new();
            for (from, to) in level {
                fs::create_dir(&to)?;
                // A folder that may not be read is empty to the script too.
                for entry in fs::read_dir(&from).into_iter().flatten().flatten() {
                    let name = entry.file_name();
                    let hidden = name.to_string_lossy().starts_with('.');
                    if hidden || LEFT_OUT.iter().any(|own| name == *own) {
                        continue;
                    }
                    let Ok(found) = fs::metadata(entry.path()) else {
                        continue;
                    };
                    let link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
                    if found.is_dir() && !link {
                        deeper.push((entry.path(), to.join(name)));
                    } else if found.is_file() {
                        let fits = files < MOST_FILES
                            && found.len() <= LARGEST_FILE
                            && bytes + found.len() <= MOST_BYTES;
                        if fits && fs::copy(entry.path(), to.join(name)).is_ok() {
                            files += 1;
                            bytes += found.len();
                        } else {
                            copy.left_out += 1;
                        }
                    }
                }
                if copy.left_out > MOST_FILES {
                    return Ok(copy);
                }
            }
            level = deeper;
        }
        copy.left_out += level.len();
        Ok(copy)
    }

    /// Where it is.
    pub fn folder(&self) -> PathBuf {
        self.around.path().join(&self.name)
    }
}
