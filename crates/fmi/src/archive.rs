//! The archive of an FMU: unpacked into a folder of its own, which goes away with it.

use std::fs::File;
use std::io::BufReader;
use std::path::{Component, Path, PathBuf};

use crate::zip::{self, Entry};
use crate::{Description, FmuError, Result};

/// Nobody's FMU is larger; an archive that unfolds to more is a bomb.
const MOST_BYTES: u64 = 2 << 30;
const MOST_FILES: usize = 20_000;
/// Largest model description that is read, bytes.
const MOST_XML: u64 = 256 << 20;

/// An FMU on disk, unpacked.
pub struct Fmu {
    /// Where it came from.
    pub source: PathBuf,
    /// What it says of itself.
    pub description: Description,
    folder: Folder,
}

enum Folder {
    Temporary(tempfile::TempDir),
    Borrowed(PathBuf),
}

impl Fmu {
    /// Reads the description and unpacks the archive.
    pub fn open(path: &Path) -> Result<Self> {
        let mut archive = Archive::open(path)?;
        let description = archive.description()?;
        if let Some(problem) = description.contradictions().into_iter().next() {
            return Err(FmuError::description(problem));
        }
        let folder = archive.unpack()?;
        Ok(Self {
            source: path.into(),
            description,
            folder: Folder::Temporary(folder),
        })
    }

    /// An FMU that somebody else has unpacked and keeps.
    pub fn unpacked(folder: &Path) -> Result<Self> {
        let path = folder.join("modelDescription.xml");
        let bytes = std::fs::read(&path).map_err(FmuError::file("read", path))?;
        let xml = decode(&bytes, "modelDescription.xml")?;
        Ok(Self {
            source: folder.into(),
            description: Description::parse(&xml)?,
            folder: Folder::Borrowed(folder.into()),
        })
    }

    /// Where it is unpacked.
    pub fn folder(&self) -> &Path {
        match &self.folder {
            Folder::Temporary(folder) => folder.path(),
            Folder::Borrowed(folder) => folder,
        }
    }
}

/// An FMU's archive, not unpacked.
pub struct Archive {
    file: BufReader<File>,
    entries: Vec<Entry>,
}

impl Archive {
    /// Opens an archive and looks over its entries.
    pub fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(FmuError::file("read", path))?;
        let mut file = BufReader::new(file);
        let entries = zip::directory(&mut file, MOST_FILES).map_err(refuse)?;
        once(&entries)?;
        Ok(Self { file, entries })
    }

    /// Names of the files in it.
    pub fn files(&self) -> Vec<String> {
        let files = self.entries.iter().filter(|entry| !entry.is_folder());
        files.map(|entry| entry.name.clone()).collect()
    }

    /// Why it will not be unpacked, in sentences: what is seen without unpacking.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        let each = self.entries.iter().filter_map(|entry| placed(entry).err());
        let mut faults: Vec<String> = each.map(|error| error.to_string()).take(20).collect();
        let claimed = self.entries.iter().map(|entry| entry.size);
        if claimed.fold(0, u64::saturating_add) > MOST_BYTES {
            faults.push(too_large().to_string());
        }
        faults
    }

    /// Reads and checks the model description.
    pub fn description(&mut self) -> Result<Description> {
        Description::parse(&self.text("modelDescription.xml")?)
    }

    /// A text file of the archive.
    pub fn text(&mut self, name: &str) -> Result<String> {
        let entry = self.entries.iter().find(|entry| entry.name == name);
        let entry = entry.ok_or_else(|| FmuError::Archive(format!("{name} is not in it")))?;
        let mut bytes = Vec::new();
        zip::unpack(&mut self.file, entry, MOST_XML, &mut bytes).map_err(refuse)?;
        decode(&bytes, name)
    }

    /// Unpacks everything into a temporary folder. An entry that would leave it is an attack, not
    /// an FMU.
    pub fn unpack(&mut self) -> Result<tempfile::TempDir> {
        let folder = tempfile::Builder::new()
            .prefix("tandem-fmu-")
            .tempdir()
            .map_err(FmuError::file("make a folder in", std::env::temp_dir()))?;
        let mut left = MOST_BYTES;
        for entry in &self.entries {
            let target = folder.path().join(placed(entry)?);
            if entry.is_folder() {
                std::fs::create_dir_all(&target).map_err(FmuError::file("make", target))?;
                continue;
            }
            if let Some(parent) = target.parent() {
                std::fs::create_dir_all(parent).map_err(FmuError::file("make", parent))?;
            }
            let mut file =
                File::create(&target).map_err(FmuError::file("write", target.clone()))?;
            left -= zip::unpack(&mut self.file, entry, left, &mut file).map_err(
                |error| match error {
                    zip::ZipError::TooLarge { .. } => too_large(),
                    other => refuse(other),
                },
            )?;
        }
        // Many FMUs crash without the folder (they are told its place at instantiation).
        let resources = folder.path().join("resources");
        std::fs::create_dir_all(&resources).map_err(FmuError::file("make", resources))?;
        Ok(folder)
    }
}

#[allow(clippy::needless_pass_by_value)] // for `map_err`
fn refuse(error: zip::ZipError) -> FmuError {
    FmuError::Archive(error.to_string())
}

fn too_large() -> FmuError {
    FmuError::Archive(format!(
        "it unfolds to more than {} GB, the most that is accepted",
        MOST_BYTES >> 30
    ))
}

/// Where an entry is to be written, or why it is not.
fn placed(entry: &Entry) -> Result<PathBuf> {
    let path = inside(&entry.name)?;
    if entry.is_link() {
        return Err(FmuError::Archive(format!(
            "`{}` is a symbolic link",
            entry.name
        )));
    }
    Ok(path)
}

/// Refuses two files of one place: what is read of the description would not be what is unpacked.
fn once(entries: &[Entry]) -> Result<()> {
    let mut seen = std::collections::HashMap::new();
    for entry in entries.iter().filter(|entry| !entry.is_folder()) {
        // A name that leaves the folder is refused when it is unpacked.
        let Ok(path) = inside(&entry.name) else {
            continue;
        };
        if let Some(before) = seen.insert(path, &entry.name) {
            return Err(FmuError::Archive(format!(
                "the entries `{before}` and `{}` are one and the same file; pack the FMU anew, \
                with each file once",
                entry.name
            )));
        }
    }
    Ok(())
}

/// The path of an entry, if it stays inside the folder.
fn inside(name: &str) -> Result<PathBuf> {
    let refused = || {
        FmuError::Archive(format!(
            "the entry `{name}` would be written outside the FMU's folder"
        ))
    };
    // Some packers on Windows write backslashes.
    let name = name.replace('\\', "/");
    if name.contains('\0') || name.get(1..2) == Some(":") {
        return Err(refused());
    }
    let mut path = PathBuf::new();
    for component in Path::new(&name).components() {
        match component {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            _ => return Err(refused()),
        }
    }
    Ok(path)
}

/// Text of an XML file: UTF-8 with or without a byte-order mark; what declares another 8-bit coding
/// is read as Latin-1.
fn decode(bytes: &[u8], name: &str) -> Result<String> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.trim_start_matches('\u{feff}').to_owned()),
        Err(_)
            if bytes
                .get(..2)
                .is_some_and(|b| b == [0xff, 0xfe] || b == [0xfe, 0xff]) =>
        {
            let little = bytes.first() == Some(&0xff);
            let units = bytes
                .get(2..)
                .unwrap_or_default()
                .chunks_exact(2)
                .map(|pair| {
                    let pair = [
                        pair.first().copied().unwrap_or(0),
                        pair.get(1).copied().unwrap_or(0),
                    ];
                    if little {
                        u16::from_le_bytes(pair)
                    } else {
                        u16::from_be_bytes(pair)
                    }
                });
            Ok(char::decode_utf16(units)
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect())
        }
        Err(_) if bytes.starts_with(b"<?xml") => Ok(bytes.iter().map(|b| char::from(*b)).collect()),
        Err(error) => Err(FmuError::Archive(format!("{name} is not text ({error})"))),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// What the directory says is enough to refuse these; the limit is told.
    #[test]
    fn links_and_bombs_are_seen_without_unpacking() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.fmu");
        let mut writer = zip::Writer::new(Vec::new());
        writer.add("resources/a", b"a").unwrap();
        let fine = writer.finish().unwrap();
        let faults = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            Archive::open(&path).unwrap().faults()
        };
        assert!(faults(&fine).is_empty());
        let place = fine.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
        let mut link = fine.clone();
        link[place + 5] = 3;
        link[place + 38..place + 42].copy_from_slice(&(0o120_777_u32 << 16).to_le_bytes());
        let said = faults(&link);
        assert!(
            said.len() == 1 && said[0].contains("symbolic link"),
            "{said:?}"
        );
        let mut bomb = fine;
        bomb[place + 24..place + 28].copy_from_slice(&0xf000_0000_u32.to_le_bytes());
        let said = faults(&bomb);
        assert!(
            said.len() == 1 && said[0].contains("more than 2 GB"),
            "{said:?}"
        );
    }
}
