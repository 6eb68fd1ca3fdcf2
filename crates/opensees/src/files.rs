//! The files of a model: the script itself, what it sources, the records it names. Nothing outside
//! its folder is opened.

use std::path::{Path, PathBuf};

/// Largest script.
const LARGEST_FILE: u64 = 16 << 20;
/// Most files of one model.
const MOST_FILES: usize = 200;

/// Why a file of a model is not opened.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// What the system says.
    #[error("{}: {source}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What it says.
        source: std::io::Error,
    },
    /// The same of one that the script names.
    #[error("`{name}` cannot be opened: {source}")]
    Named {
        /// Which.
        name: String,
        /// What it says.
        source: std::io::Error,
    },
    /// A script that came without a folder names another file.
    #[error("`{0}` cannot be opened: the model has no folder")]
    NoFolder(String),
    /// It could be any file of this machine.
    #[error("`{0}` lies outside the folder of the model and is not opened; copy it there")]
    Outside(String),
    /// A script that sources itself, perhaps.
    #[error("a model has at most {MOST_FILES} files")]
    TooMany,
    /// A folder, or a device.
    #[error("{} is not a file", .0.display())]
    NoFile(PathBuf),
    /// No script is that long.
    #[error("{} is larger than {} MB; a model script is not", .0.display(), LARGEST_FILE >> 20)]
    TooLarge(PathBuf),
}

/// Opens files within one folder.
#[derive(Clone, Debug, Default)]
pub struct Files {
    root: Option<PathBuf>,
    names: Vec<String>,
}

impl Files {
    /// Files of a model whose script is at `path`; its folder is the bound.
    pub fn around(path: &Path) -> Result<Self, FileError> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let root = folder.canonicalize().map_err(|source| FileError::File {
            path: folder.into(),
            source,
        })?;
        Ok(Self {
            root: Some(root),
            names: Vec::new(),
        })
    }

    /// Name of a file that was opened.
    #[must_use]
    pub fn name(&self, file: usize) -> &str {
        self.names.get(file).map_or("", String::as_str)
    }

    /// A script that is already at hand.
    pub fn given(&mut self, name: &str) -> usize {
        self.names.push(name.to_owned());
        self.names.len() - 1
    }

    /// Where a file that the script names is, if it lies within the folder.
    pub fn find(&self, name: &str) -> Result<PathBuf, FileError> {
        let root = self
            .root
            .as_deref()
            .ok_or_else(|| FileError::NoFolder(name.to_owned()))?;
        let slashed = name.replace('\\', "/");
        let path = root.join(&slashed).canonicalize();
        let path = path.map_err(|source| FileError::Named {
            name: name.to_owned(),
            source,
        })?;
        if !path.starts_with(root) {
            return Err(FileError::Outside(name.to_owned()));
        }
        Ok(path)
    }

    /// Reads a script. Texts that are not UTF-8 are taken as Latin-1, as old files are.
    pub fn read(&mut self, name: &str) -> Result<(usize, String), FileError> {
        if self.names.len() >= MOST_FILES {
            return Err(FileError::TooMany);
        }
        let path = self.find(name)?;
        let text = read_text(&path)?;
        Ok((self.given(name), text))
    }
}

/// Reads a script of bounded size.
pub fn read_text(path: &Path) -> Result<String, FileError> {
    let told = |source| FileError::File {
        path: path.into(),
        source,
    };
    let size = std::fs::metadata(path).map_err(told)?;
    if !size.is_file() {
        return Err(FileError::NoFile(path.into()));
    }
    if size.len() > LARGEST_FILE {
        return Err(FileError::TooLarge(path.into()));
    }
    std::fs::read(path).map_err(told).map(decode)
}

fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| {
        error
            .as_bytes()
            .iter()
            .map(|byte| char::from(*byte))
            .collect()
    })
}
