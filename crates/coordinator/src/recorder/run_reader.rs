//! Reading a run file, complete or interrupted.

use super::FORMAT;
use super::channel::{Header, Role};
use super::error::{Damage, RecorderError};
use hdf5_pure::{AttrValue, Dataset, File, Group};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// What the file says about a column.
#[derive(Clone, Debug, PartialEq)]
pub struct ChannelInfo {
    /// Name such as `target/1`; the structural time is `time`.
    pub name: String,
    /// SI unit.
    pub unit: String,
    /// What the column holds.
    pub description: String,
    /// The part it plays in the test.
    pub role: Role,
    /// Rows per second of structural time.
    pub rate_hz: f64,
}

/// A run file opened for reading.
///
/// An interrupted run reads like a complete one: the rows are those that are whole in every column.
pub struct RunReader {
    path: PathBuf,
    header: Header,
    complete: bool,
    rows: u64,
    synced_rows: u64,
    length: u64,
    columns: Vec<Column>,
}

/// A column of the file.
struct Column {
    position: u64,
    info: ChannelInfo,
    dataset: Dataset,
    /// Set once the chunks were found to lie in the file.
    checked: OnceLock<()>,
}

impl std::fmt::Debug for RunReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunReader")
            .field("path", &self.path)
            .field("rows", &self.rows)
            .field("complete", &self.complete)
            .finish_non_exhaustive()
    }
}

type Attributes = HashMap<String, AttrValue>;

/// Deepest nesting of groups that is followed; ours have two levels, a damaged file may have a
/// loop.
const MOST_LEVELS: usize = 16;

impl RunReader {
    /// Opens a run file.
    ///
    /// # Errors
    /// A file that cannot be read, is not a run file, or is damaged.
    pub fn open(path: &Path) -> Result<Self, RecorderError> {
        let length = std::fs::metadata(path)
            .map_err(|source| RecorderError::File {
                path: path.into(),
                source,
            })?
            .len();
        guarded(path, || Self::read_structure(path, length))
    }

    fn read_structure(path: &Path, length: u64) -> Result<Self, Damage> {
        let file = File::open_streaming(path)?;
        let root = file.root();
        let attributes = root.attrs()?;
        let format = string(&attributes, "format")?;
        if format != FORMAT {
            return Err(Damage::Format { found: format });
        }
        let header = Header {
            tandem_version: string(&attributes, "tandem_version")?,
            plan: string(&attributes, "plan")?,
            seed: unsigned(&attributes, "seed")?,
            created: string(&attributes, "created")?,
            time_scale: real(&attributes, "time_scale")?,
            rate_hz: real(&attributes, "rate_hz")?,
        };

        let mut columns = vec![column("time".into(), root.dataset("time")?)?];
        let channels = root.group("channels")?;
        collect(&channels, "", 0, &mut columns)?;
        columns.sort_by_key(|column| column.position);

        let mut rows = u64::MAX;
        for column in &columns {
            let shape = column.dataset.shape()?;
            let [own] = shape[..] else {
                return Err(Damage::Shape {
                    column: column.info.name.clone(),
                });
            };
            rows = rows.min(own);
        }
        // Every value of a run has its place in the file. The check keeps a damaged length from
        // asking for more memory than there is.
        if rows.saturating_mul(8) > length {
            return Err(Damage::Rows { rows, length });
        }
        Ok(Self {
            path: path.into(),
            header,
            complete: unsigned(&attributes, "complete")? == 1,
            rows,
            synced_rows: unsigned(&attributes, "synced_rows")?.min(rows),
            length,
            columns,
        })
    }

    /// What the file says about the run.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// True when the writer finished the file; false when the run was interrupted or goes on.
    #[must_use]
    pub fn complete(&self) -> bool {
        self.complete
    }

    /// Rows that are whole in every column.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Rows that were known to be on the disk. After a power cut, rows behind these may read as
    /// zero.
    #[must_use]
    pub fn synced_rows(&self) -> u64 {
        self.synced_rows
    }

    /// The channels in the order of the writer, without the time.
    pub fn channels(&self) -> impl ExactSizeIterator<Item = &ChannelInfo> {
        self.columns().skip(1)
    }

    /// Structural time and channels, in the order of the writer.
    pub fn columns(&self) -> impl ExactSizeIterator<Item = &ChannelInfo> {
        self.columns.iter().map(|column| &column.info)
    }

    /// Whether there is a channel of this name.
    pub fn has(&self, name: &str) -> bool {
        self.columns().any(|column| column.name == name)
    }

    /// All rows of a channel; none where this run has not got it.
    ///
    /// # Errors
    /// A damaged file.
    pub fn read_if_there(&self, name: &str) -> Result<Option<Vec<f64>>, RecorderError> {
        self.has(name).then(|| self.read(name)).transpose()
    }

    /// All rows of a channel, or of `time`.
    ///
    /// # Errors
    /// No such channel, or a damaged file.
    pub fn read(&self, name: &str) -> Result<Vec<f64>, RecorderError> {
        self.read_rows(name, 0, self.rows)
    }

    /// Rows `from .. from + count` of a channel, or of `time`; fewer at the end of the run.
    ///
    /// # Errors
    /// No such channel, or a damaged file.
    pub fn read_rows(&self, name: &str, from: u64, count: u64) -> Result<Vec<f64>, RecorderError> {
        let Some(column) = self.columns.iter().find(|column| column.info.name == name) else {
            return Err(RecorderError::NoChannel { name: name.into() });
        };
        let count = count.min(self.rows.saturating_sub(from));
        if count == 0 {
            return Ok(Vec::new());
        }
        guarded(&self.path, || {
            column.check(self.length)?;
            let values = column.dataset.read_f64_rows(from, count)?;
            if values.len() as u64 == count {
                Ok(values)
            } else {
                Err(Damage::Values {
                    column: name.into(),
                    expected: count,
                    got: values.len(),
                })
            }
        })
    }
}

impl Column {
    /// Refuses chunks that claim to be larger than the file: the HDF5 reader would ask for that
    /// much memory before it looks.
    fn check(&self, length: u64) -> Result<(), Damage> {
        if self.checked.get().is_some() {
            return Ok(());
        }
        let shape = self.dataset.chunk_shape()?;
        let mut sizes = shape
            .into_iter()
            .flatten()
            .map(|rows| rows.saturating_mul(8));
        let stored = self.dataset.chunks()?;
        let mut stored_sizes = stored.iter().map(|chunk| chunk.storage_size);
        if sizes.any(|size| size > length) || stored_sizes.any(|size| size > length) {
            return Err(Damage::Chunk {
                column: self.info.name.clone(),
            });
        }
        // Another thread may have found the same.
        let _ = self.checked.set(());
        Ok(())
    }
}

/// Runs a reading of the file, whose bytes may be anything.
///
/// The HDF5 reader is meant to return errors for damaged files, but it is large and not ours; a
/// panic in it must not take the program down. This is the only place where one is caught.
fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T, Damage>) -> Result<T, RecorderError> {
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or(Err(Damage::BeyondReading))
        .map_err(|what| RecorderError::NotARun {
            path: path.into(),
            what,
        })
}

fn column(name: String, dataset: Dataset) -> Result<Column, Damage> {
    let attributes = dataset.attrs()?;
    let info = ChannelInfo {
        unit: string(&attributes, "unit")?,
        description: string(&attributes, "description")?,
        role: string(&attributes, "role")?.parse().unwrap_or(Role::Other),
        rate_hz: real(&attributes, "rate_hz")?,
        name,
    };
    Ok(Column {
        position: unsigned(&attributes, "column")?,
        info,
        dataset,
        checked: OnceLock::new(),
    })
}

fn collect(
    group: &Group,
    prefix: &str,
    level: usize,
    columns: &mut Vec<Column>,
) -> Result<(), Damage> {
    if level > MOST_LEVELS {
        return Err(Damage::Nesting);
    }
    for name in group.datasets()? {
        let dataset = group.dataset(&name)?;
        columns.push(column(format!("{prefix}{name}"), dataset)?);
    }
    for name in group.groups()? {
        let inner = group.group(&name)?;
        collect(&inner, &format!("{prefix}{name}/"), level + 1, columns)?;
    }
    Ok(())
}

fn string(attributes: &Attributes, name: &'static str) -> Result<String, Damage> {
    match attributes.get(name) {
        Some(AttrValue::VarLenString(text) | AttrValue::String(text)) => Ok(text.clone()),
        other => Err(attribute(name, other, "a text")),
    }
}

fn unsigned(attributes: &Attributes, name: &'static str) -> Result<u64, Damage> {
    match attributes.get(name) {
        Some(AttrValue::U64(value)) => Ok(*value),
        Some(AttrValue::I64(value)) => Ok(u64::try_from(*value).unwrap_or_default()),
        other => Err(attribute(name, other, "a number")),
    }
}

fn real(attributes: &Attributes, name: &'static str) -> Result<f64, Damage> {
    match attributes.get(name) {
        Some(AttrValue::F64(value)) => Ok(*value),
        other => Err(attribute(name, other, "a number")),
    }
}

fn attribute(name: &'static str, found: Option<&AttrValue>, expected: &'static str) -> Damage {
    Damage::Attribute {
        name,
        found: format!("{found:?}"),
        expected,
    }
}
