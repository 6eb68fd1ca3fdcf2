//! The shared library of an FMU.

use std::path::{Path, PathBuf};

use libloading::Library;

use crate::{FmuError, Result, Version};

/// Folder and ending of binaries for this machine.
fn platform(version: Version) -> (&'static str, &'static str) {
    let (two, three) = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => ("linux64", "x86_64-linux"),
        ("linux", "aarch64") => ("aarch64-linux", "aarch64-linux"),
        ("macos", "x86_64") => ("darwin64", "x86_64-darwin"),
        ("macos", "aarch64") => ("aarch64-darwin", "aarch64-darwin"),
        ("windows", "x86_64") => ("win64", "x86_64-windows"),
        _ => ("unknown", "unknown"),
    };
    let folder = match version {
        Version::Two => two,
        Version::Three => three,
    };
    (folder, std::env::consts::DLL_SUFFIX)
}

/// The binary for this machine, if there is one.
pub(super) fn path(folder: &Path, version: Version, identifier: &str) -> Option<PathBuf> {
    let (place, ending) = platform(version);
    let path = folder
        .join("binaries")
        .join(place)
        .join(format!("{identifier}{ending}"));
    path.is_file().then_some(path)
}

/// Loads the binary.
pub(super) fn open(folder: &Path, version: Version, identifier: &str) -> Result<Library> {
    let Some(path) = path(folder, version, identifier) else {
        let (place, ending) = platform(version);
        let there: Vec<String> = std::fs::read_dir(folder.join("binaries"))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        let there = if there.is_empty() {
            "there are none at all".to_owned()
        } else {
            format!("there are some for {}", there.join(", "))
        };
        return Err(FmuError::Binary(format!(
            "binaries/{place}/{identifier}{ending} is missing, the one for this machine; {there}"
        )));
    };
    load(&path).map_err(|error| {
        let why = error.to_string();
        // Such FMUs (of PythonFMU) are extensions of an interpreter that must be there before them.
        let remedy = if why.contains("undefined symbol: _Py")
            || why.contains(
                "undefined symbol: \
            Py",
            ) {
            "; it expects a Python in the process: set LD_PRELOAD to the libpython3 it was made \
            for, and PYTHONHOME to that Python"
        } else {
            ""
        };
        FmuError::Binary(format!(
            "{identifier}{}: {why}{remedy}",
            platform(version).1
        ))
    })
}

#[cfg(unix)]
fn load(path: &Path) -> std::result::Result<Library, libloading::Error> {
    use libloading::os::unix::{Library as Unix, RTLD_GLOBAL, RTLD_LAZY, RTLD_LOCAL, RTLD_NOW};
    // SAFETY: loading runs the library's initialisers. libm has none that matter; for the FMU see
    // the module's words.
    unsafe {
        // Some binaries use libm without saying so.
        if let Ok(libm) = Unix::open(Some("libm.so.6"), RTLD_NOW | RTLD_GLOBAL) {
            std::mem::forget(libm);
        }
        let library = match Unix::open(Some(path), RTLD_NOW | RTLD_LOCAL) {
            Ok(library) => library,
            // Symbols that are missing may be ones that are never called.
            Err(first) => Unix::open(Some(path), RTLD_LAZY | RTLD_LOCAL).map_err(|_| first)?,
        };
        Ok(library.into())
    }
}

#[cfg(not(unix))]
fn load(path: &Path) -> std::result::Result<Library, libloading::Error> {
    // SAFETY: loading runs the library's initialisers; see the module's words.
    unsafe { Library::new(path) }
}
