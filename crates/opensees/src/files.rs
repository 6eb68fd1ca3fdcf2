//! The files of a model: the script itself, what it sources, the records it names. Nothing outside
//! its folder is opened.

use std::path::{Path, PathBuf};

use crate::copy::Copy;

/// Largest script.
const LARGEST_FILE: u64 = 16 << 20;
/// Most files of one model.
pub const MOST_FILES: usize = 200;

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
#[derive(Debug, Default)]
pub struct Files {
    root: Option<PathBuf>,
    /// Where a script ran that could write.
    copy: Option<Copy>,
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
            ..Self::default()
        })
    }

    /// From here on files are those of a copy of the folder; gives the folder of the copy.
    pub fn copy(&mut self) -> Result<PathBuf, FileError> {
        let root = self.root.as_deref().unwrap_or(Path::new("."));
        let told = |source| FileError::File {
            path: root.into(),
            source,
        };
        let copy = self.copy.insert(Copy::of(root).map_err(told)?);
        copy.folder().canonicalize().map_err(told)
    }

    /// How many files the copy does not hold.
    pub fn left_out(&self) -> usize {
        self.copy.as_ref().map_or(0, |copy| copy.left_out)
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

    /// Where a file that the script names is, if it lies within the folder; the copy's where the
    /// script has made or changed it.
    pub fn find(&self, name: &str) -> Result<PathBuf, FileError> {
        let root = self
            .root
            .as_deref()
            .ok_or_else(|| FileError::NoFolder(name.to_owned()))?;
        let Some(copy) = &self.copy else {
            return within(root, name);
        };
        let copied = copy.folder().canonicalize();
        let found = copied.ok().and_then(|copied| {
            let path = within(&copied, name).ok()?;
            let original = root.join(path.strip_prefix(&copied).ok()?);
            Some((path, original))
        });
        let Some((path, original)) = found else {
            return within(root, name);
        };
        let same = std::fs::read(&original)
            .is_ok_and(|own| std::fs::read(&path).is_ok_and(|copied| copied == own));
        Ok(if same { original } else { path })
    }

    /// Whether a file that was found is one that the script has made.
    pub fn is_made(&self, path: &Path) -> bool {
        self.copy
            .as_ref()
            .and_then(|copy| copy.folder().canonicalize().ok())
            .is_some_and(|copied| path.starts_with(copied))
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

/// A file by its name, if it lies within a folder.
fn within(root: &Path, name: &str) -> Result<PathBuf, FileError> {
    let path = root.join(name.replace('\\', "/")).canonicalize();
    let path = path.map_err(|source| FileError::Named {
        name: name.to_owned(),
        source,
    })?;
    if !path.starts_with(root) {
        return Err(FileError::Outside(name.to_owned()));
    }
    Ok(path)
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
