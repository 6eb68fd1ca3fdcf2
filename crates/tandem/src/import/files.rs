//! The files of a model: the script itself, what it sources, the records it names. Nothing outside its folder is opened.

use std::path::{Path, PathBuf};

/// Largest script.
const LARGEST_FILE: u64 = 16 << 20;
/// Most files of one model.
const MOST_FILES: usize = 200;

/// Opens files within one folder.
#[derive(Clone, Debug, Default)]
pub struct Files {
    root: Option<PathBuf>,
    names: Vec<String>,
}

impl Files {
    /// Files of a model whose script is at `path`; its folder is the bound.
    pub fn around(path: &Path) -> Result<Self, String> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let root = folder
            .canonicalize()
            .map_err(|error| format!("{}: {error}", folder.display()))?;
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
    pub fn find(&self, name: &str) -> Result<PathBuf, String> {
        let root = self
            .root
            .as_deref()
            .ok_or_else(|| format!("`{name}` cannot be opened: the model has no folder"))?;
        let slashed = name.replace('\\', "/");
        let path = root
            .join(&slashed)
            .canonicalize()
            .map_err(|error| format!("`{name}` cannot be opened: {error}"))?;
        if !path.starts_with(root) {
            return Err(format!(
                "`{name}` lies outside the folder of the model and is not opened; copy it there"
            ));
        }
        Ok(path)
    }

    /// Reads a script. Texts that are not UTF-8 are taken as Latin-1, as old files are.
    pub fn read(&mut self, name: &str) -> Result<(usize, String), String> {
        if self.names.len() >= MOST_FILES {
            return Err(format!("a model has at most {MOST_FILES} files"));
        }
        let path = self.find(name)?;
        let text = read_text(&path)?;
        Ok((self.given(name), text))
    }
}

/// Reads a script of bounded size.
pub fn read_text(path: &Path) -> Result<String, String> {
    let told = |error: std::io::Error| format!("{}: {error}", path.display());
    let size = std::fs::metadata(path).map_err(told)?;
    if !size.is_file() {
        return Err(format!("{} is not a file", path.display()));
    }
    if size.len() > LARGEST_FILE {
        return Err(format!(
            "{} is larger than {} MB; a model script is not",
            path.display(),
            LARGEST_FILE >> 20
        ));
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
