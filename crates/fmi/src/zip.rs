//! Zip archives as FMUs use them: stored or deflated entries, one file, no encryption.
//!
//! The little that is needed stands here: directory at the end, entries by their place in it,
//! checksums. Sizes in the archive are claims; nothing is allocated or written by them without a
//! bound. Format: APPNOTE.TXT 6.3.

use std::io::{Read, Seek, SeekFrom, Write};

use flate2::Crc;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

/// What is wrong with an archive.
#[derive(Debug, thiserror::Error)]
pub enum ZipError {
    /// Reading failed.
    #[error("it cannot be read: {0}")]
    Read(#[from] std::io::Error),
    /// Not a zip file, or a broken one.
    #[error("{0}")]
    Broken(&'static str),
    /// An entry is larger than is accepted.
    #[error("`{name}`: it unfolds to more than {most} bytes")]
    TooLarge {
        /// The entry.
        name: String,
        /// What is left for it, bytes.
        most: u64,
    },
    /// An entry cannot be unpacked.
    #[error("`{name}`: {problem}")]
    Entry {
        /// The entry.
        name: String,
        /// What is wrong.
        problem: String,
    },
}

/// One entry of the directory.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Path in the archive.
    pub name: String,
    method: u16,
    checksum: u32,
    packed: u64,
    /// Size unpacked as the directory claims it, bytes.
    pub size: u64,
    header: u64,
    /// Unix permissions and type, where the packer told them.
    mode: u32,
    encrypted: bool,
}

impl Entry {
    /// Whether it stands for a folder.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        self.name.ends_with(['/', '\\'])
    }

    /// Whether it is a symbolic link.
    #[must_use]
    pub fn is_link(&self) -> bool {
        self.mode & 0o170_000 == 0o120_000
    }
}

const END: u32 = 0x0605_4b50;
const CENTRAL: u32 = 0x0201_4b50;
const LOCAL: u32 = 0x0403_4b50;
/// The end record is the last 22 bytes, or lies before a comment of at most 64 kB.
const TAIL: u64 = 22 + 0xffff;

fn u16_at(bytes: &[u8], place: usize) -> Option<u16> {
    let bytes = bytes.get(place..place.checked_add(2)?)?;
    Some(u16::from_le_bytes(bytes.try_into().ok()?))
}

fn u32_at(bytes: &[u8], place: usize) -> Option<u32> {
    let bytes = bytes.get(place..place.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

/// Reads the directory, at most `most` entries of it.
pub fn directory(file: &mut (impl Read + Seek), most: usize) -> Result<Vec<Entry>, ZipError> {
    let size = file.seek(SeekFrom::End(0))?;
    let from = size.saturating_sub(TAIL);
    file.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    file.take(TAIL).read_to_end(&mut tail)?;
    let none = ZipError::Broken("it is no zip file; an FMU is one");
    let end = (0..tail.len().saturating_sub(21))
        .rev()
        .find(|at| u32_at(&tail, *at) == Some(END));
    let end = end.and_then(|at| tail.get(at..)).ok_or(none)?;
    let broken = || ZipError::Broken("its directory is broken");
    let count = usize::from(u16_at(end, 10).ok_or_else(broken)?);
    let length = u64::from(u32_at(end, 12).ok_or_else(broken)?);
    let start = u64::from(u32_at(end, 16).ok_or_else(broken)?);
    if count == 0xffff || start == 0xffff_ffff {
        return Err(ZipError::Broken(
            "it is of the kind for more than 4 GB (zip64), which is not read",
        ));
    }
    if count > most {
        return Err(ZipError::Broken("it has more entries than are accepted"));
    }
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(length.min(size)).read_to_end(&mut bytes)?;
    let mut entries = Vec::new();
    let mut at = 0_usize;
    for _ in 0..count {
        let (entry, next) = central(&bytes, at).ok_or_else(broken)?;
        entries.push(entry);
        at = next;
    }
    Ok(entries)
}

fn central(bytes: &[u8], at: usize) -> Option<(Entry, usize)> {
    let bytes = bytes.get(at..)?;
    if u32_at(bytes, 0)? != CENTRAL {
        return None;
    }
    let lengths = [28, 30, 32].map(|place| u16_at(bytes, place).map(usize::from));
    let [name, extra, comment] = lengths;
    let (name, extra, comment) = (name?, extra?, comment?);
    let unix = u16_at(bytes, 4)? >> 8 == 3;
    let entry = Entry {
        name: String::from_utf8_lossy(bytes.get(46..46 + name)?).into_owned(),
        method: u16_at(bytes, 10)?,
        checksum: u32_at(bytes, 16)?,
        packed: u64::from(u32_at(bytes, 20)?),
        size: u64::from(u32_at(bytes, 24)?),
        header: u64::from(u32_at(bytes, 42)?),
        mode: if unix { u32_at(bytes, 38)? >> 16 } else { 0 },
        encrypted: u16_at(bytes, 8)? & 1 != 0,
    };
    Some((entry, at.checked_add(46 + name + extra + comment)?))
}

/// Unpacks an entry, at most `most` bytes of it; more is an error. Returns how many it was.
pub fn unpack(
    file: &mut (impl Read + Seek),
    entry: &Entry,
    most: u64,
    into: &mut impl Write,
) -> Result<u64, ZipError> {
    let fault = |problem: String| ZipError::Entry {
        name: entry.name.clone(),
        problem,
    };
    if entry.encrypted {
        return Err(fault("it is encrypted".into()));
    }
    file.seek(SeekFrom::Start(entry.header))?;
    let mut header = [0_u8; 30];
    file.read_exact(&mut header)
        .map_err(|_| fault("the archive ends before it".into()))?;
    let lengths = u16_at(&header, 26).zip(u16_at(&header, 28));
    let (Some(LOCAL), Some((name, extra))) = (u32_at(&header, 0), lengths) else {
        return Err(fault("it is not where the directory says".into()));
    };
    let skip = i64::from(name) + i64::from(extra);
    file.seek(SeekFrom::Current(skip))?;
    let packed = file.take(entry.packed);
    let mut reader: Box<dyn Read + '_> = match entry.method {
        0 => Box::new(packed),
        8 => Box::new(DeflateDecoder::new(packed)),
        other => {
            return Err(fault(format!(
                "it is packed by method {other}; only deflate is read"
            )));
        }
    };
    let (mut crc, mut total, mut buffer) = (Crc::new(), 0_u64, vec![0_u8; 1 << 16]);
    loop {
        let count = reader
            .read(&mut buffer)
            .map_err(|error| fault(error.to_string()))?;
        let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else {
            break;
        };
        total += bytes.len() as u64;
        if total > entry.size && entry.size <= most {
            return Err(fault(format!(
                "it unfolds to more than the {} bytes that the directory says",
                entry.size
            )));
        }
        if total > most {
            return Err(ZipError::TooLarge {
                name: entry.name.clone(),
                most,
            });
        }
        crc.update(bytes);
        into.write_all(bytes)?;
    }
    if total != entry.size {
        return Err(fault(format!(
            "it unfolds to {total} bytes; the directory says {}",
            entry.size
        )));
    }
    if crc.sum() != entry.checksum {
        return Err(fault("its checksum is wrong".into()));
    }
    Ok(total)
}

/// An archive being written. All entries carry the same date: the same contents give the same
/// bytes.
pub struct Writer<W> {
    out: W,
    place: u64,
    directory: Vec<u8>,
    count: u16,
}

/// 1 January 1980, the beginning of the format's time.
const DATE: u16 = 0x0021;

impl<W: Write> Writer<W> {
    /// An empty archive.
    pub fn new(out: W) -> Self {
        Self {
            out,
            place: 0,
            directory: Vec::new(),
            count: 0,
        }
    }

    /// Adds a file.
    pub fn add(&mut self, name: &str, contents: &[u8]) -> std::io::Result<()> {
        let too_large = || std::io::Error::other("an archive of more than 4 GB");
        let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(contents)?;
        let packed = encoder.finish()?;
        let mut crc = Crc::new();
        crc.update(contents);
        let size = |bytes: usize| u32::try_from(bytes).map_err(|_| too_large());
        let place = u32::try_from(self.place).map_err(|_| too_large())?;
        let length = u16::try_from(name.len()).map_err(|_| too_large())?;
        // Version, flags (names in UTF-8), method, time, date, checksum, sizes, length of the name,
        // no extra field.
        let mut common = Vec::new();
        common.extend_from_slice(&20_u16.to_le_bytes());
        common.extend_from_slice(&0x0800_u16.to_le_bytes());
        common.extend_from_slice(&8_u16.to_le_bytes());
        common.extend_from_slice(&0_u16.to_le_bytes());
        common.extend_from_slice(&DATE.to_le_bytes());
        common.extend_from_slice(&crc.sum().to_le_bytes());
        common.extend_from_slice(&size(packed.len())?.to_le_bytes());
        common.extend_from_slice(&size(contents.len())?.to_le_bytes());
        common.extend_from_slice(&length.to_le_bytes());
        common.extend_from_slice(&0_u16.to_le_bytes());
        self.put(&LOCAL.to_le_bytes())?;
        self.put(&common)?;
        self.put(name.as_bytes())?;
        self.put(&packed)?;
        self.directory.extend_from_slice(&CENTRAL.to_le_bytes());
        self.directory.extend_from_slice(&0x0314_u16.to_le_bytes());
        self.directory.extend_from_slice(&common);
        // No comment, first disk, a binary file, permissions rwxr-xr-x of a plain file.
        self.directory.extend_from_slice(&[0; 6]);
        self.directory
            .extend_from_slice(&(0o100_755_u32 << 16).to_le_bytes());
        self.directory.extend_from_slice(&place.to_le_bytes());
        self.directory.extend_from_slice(name.as_bytes());
        self.count = self.count.checked_add(1).ok_or_else(too_large)?;
        Ok(())
    }

    fn put(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.place += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Writes the directory and gives the output back.
    pub fn finish(mut self) -> std::io::Result<W> {
        let too_large = || std::io::Error::other("an archive of more than 4 GB");
        let place = u32::try_from(self.place).map_err(|_| too_large())?;
        let length = u32::try_from(self.directory.len()).map_err(|_| too_large())?;
        let directory = std::mem::take(&mut self.directory);
        self.put(&directory)?;
        let mut end = Vec::new();
        end.extend_from_slice(&END.to_le_bytes());
        end.extend_from_slice(&[0; 4]);
        end.extend_from_slice(&self.count.to_le_bytes());
        end.extend_from_slice(&self.count.to_le_bytes());
        end.extend_from_slice(&length.to_le_bytes());
        end.extend_from_slice(&place.to_le_bytes());
        end.extend_from_slice(&[0; 2]);
        self.put(&end)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_out_again() {
        let mut writer = Writer::new(std::io::Cursor::new(Vec::new()));
        let long = vec![7_u8; 100_000];
        writer.add("a/one.txt", b"one").unwrap();
        writer.add("two.bin", &long).unwrap();
        let mut file = writer.finish().unwrap();
        let entries = directory(&mut file, 10).unwrap();
        let names: Vec<_> = entries.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names, ["a/one.txt", "two.bin"]);
        let mut out = Vec::new();
        unpack(&mut file, &entries[1], 1 << 20, &mut out).unwrap();
        assert!(out == long);
        assert!(unpack(&mut file, &entries[1], 99_999, &mut Vec::new()).is_err());
        let mut bytes = file.into_inner();
        bytes[40] ^= 1;
        let mut broken = std::io::Cursor::new(bytes);
        assert!(unpack(&mut broken, &entries[0], 1 << 20, &mut Vec::new()).is_err());
    }

    /// What was looked at before unpacking is what is unpacked.
    #[test]
    fn an_entry_of_another_size_than_claimed_is_refused() {
        let mut writer = Writer::new(std::io::Cursor::new(Vec::new()));
        writer.add("a", &vec![0_u8; 1 << 20]).unwrap();
        let mut file = writer.finish().unwrap();
        let mut entry = directory(&mut file, 10).unwrap().remove(0);
        for claim in [10, (1 << 20) - 1, (1 << 20) + 1] {
            entry.size = claim;
            let mut out = Vec::new();
            let said = unpack(&mut file, &entry, 1 << 30, &mut out).unwrap_err();
            assert!(said.to_string().contains(&claim.to_string()), "{said}");
            assert!(claim > 10 || out.is_empty(), "{}", out.len());
        }
    }

    #[test]
    fn every_cut_archive_is_refused_without_panic() {
        let mut writer = Writer::new(std::io::Cursor::new(Vec::new()));
        writer.add("modelDescription.xml", b"<xml/>").unwrap();
        let bytes = writer.finish().unwrap().into_inner();
        for end in 0..bytes.len() {
            assert!(directory(&mut std::io::Cursor::new(&bytes[..end]), 10).is_err());
        }
    }
}
