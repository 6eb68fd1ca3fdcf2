//! The table of a campaign: one row for each run, as text while it grows, as Parquet when it is
//! whole.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Encoding, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use tandem_coordinator::recorder::whole_file;

use super::CampaignError;
use tandem_quantity::index;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// All steps done.
    Completed,
    /// A limit stopped it on a way that was still that of the structure: it asked for more than the
    /// rig may give.
    Limit,
    /// It left the structure's way by more than the largest motion, a monitor stopped it, or it
    /// left the numbers.
    Unstable,
    /// The drawn plan was refused.
    Refused,
}

impl Status {
    /// In the table.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Limit => "limit",
            Self::Unstable => "unstable",
            Self::Refused => "refused",
        }
    }

    fn read(word: &str) -> Option<Self> {
        [Self::Completed, Self::Limit, Self::Unstable, Self::Refused]
            .into_iter()
            .find(|status| status.word() == word)
    }
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Number of the run, from one.
    pub run: usize,
    /// How it ended.
    pub status: Status,
    /// Why it was not completed; a line without commas.
    pub reason: String,
    /// One value for each column: drawn values, then figures. Figures of a run that was not
    /// completed are no numbers.
    pub values: Vec<f64>,
}

/// What a file of rows belongs to: its first two lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// SHA-256 of the resolved plan and the seed.
    pub identity: String,
    /// Names of the columns.
    pub columns: Vec<String>,
}

impl Heading {
    fn text(&self) -> String {
        format!(
            "# tandem campaign {}\nrun,status,reason,{}\n",
            self.identity,
            self.columns.join(",")
        )
    }
}

/// A row as text: every digit, so that it reads back to the same bits.
fn line(row: &Row) -> String {
    let mut out = format!("{},{},{}", row.run, row.status.word(), row.reason);
    for value in &row.values {
        let _ = write!(out, ",{value:?}");
    }
    out.push('\n');
    out
}

pub(super) fn file_error(path: &Path) -> impl Fn(std::io::Error) -> CampaignError + '_ {
    move |source| CampaignError::File {
        path: path.into(),
        source,
    }
}

/// Rows that grow, one line after the other; what is written survives a kill.
pub struct Growing {
    path: PathBuf,
    file: File,
}

impl Growing {
    /// Opens the file, or begins it. Gives the rows that are there already.
    ///
    /// # Errors
    /// [`CampaignError`] where the file belongs to another campaign or cannot be written.
    pub fn open(path: &Path, heading: &Heading) -> Result<(Self, Vec<Row>), CampaignError> {
        let there = if path.exists() {
            Some(read(path, heading)?)
        } else {
            None
        };
        let rows = there.unwrap_or_default();
        // A line that a kill cut in two is left out when the file is written anew.
        let mut text = heading.text();
        rows.iter().for_each(|row| text.push_str(&line(row)));
        let write = |part: &Path| std::fs::write(part, &text).map_err(file_error(path));
        whole_file(path, write, file_error(path))?;
        let file = OpenOptions::new()
            .append(true)
            .open(path)
            .map_err(file_error(path))?;
        Ok((
            Self {
                path: path.into(),
                file,
            },
            rows,
        ))
    }

    /// Adds a row.
    ///
    /// # Errors
    /// [`CampaignError`] where the disk is full or gone.
    pub fn add(&mut self, row: &Row) -> Result<(), CampaignError> {
        self.file
            .write_all(line(row).as_bytes())
            .map_err(file_error(&self.path))
    }
}

/// The rows of a file, those that are whole.
///
/// # Errors
/// [`CampaignError`] where the file belongs to another campaign or cannot be read.
pub fn read(path: &Path, heading: &Heading) -> Result<Vec<Row>, CampaignError> {
    // A disk that filled up or lost power leaves bytes that are no text: those lines are not whole.
    let bytes = std::fs::read(path).map_err(file_error(path))?;
    let text = String::from_utf8_lossy(&bytes);
    let wanted = heading.text();
    let Some(body) = text.strip_prefix(&wanted) else {
        return Err(CampaignError::Another { path: path.into() });
    };
    let whole = body.rfind('\n').map_or("", |end| &body[..end]);
    let rows = whole.lines().filter_map(|line| {
        let mut cells = line.split(',');
        let run = cells.next()?.parse().ok()?;
        let status = Status::read(cells.next()?)?;
        let reason = cells.next()?.to_owned();
        let values: Vec<f64> = cells.map(str::parse).collect::<Result<_, _>>().ok()?;
        (values.len() == heading.columns.len()).then_some(Row {
            run,
            status,
            reason,
            values,
        })
    });
    Ok(rows.collect())
}

/// What a column of the Parquet table holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Doubles.
    Numbers,
    /// Whole numbers.
    Counts,
    /// Texts: a row has the place of its own, from one.
    Texts(Vec<String>),
}

/// Writes the table as Apache Parquet, in the order of the runs: `run` and `status` and `reason`,
/// then the columns, each as `cells` says.
///
/// # Errors
/// [`CampaignError`] where the file cannot be written.
pub fn write_parquet(
    path: &Path,
    heading: &Heading,
    cells: &[Cells],
    rows: &[Row],
) -> Result<(), CampaignError> {
    let plain = |name: &str, kind: PhysicalType| {
        Type::primitive_type_builder(name, kind)
            .with_repetition(Repetition::REQUIRED)
            .build()
    };
    let text = |name: &str| {
        Type::primitive_type_builder(name, PhysicalType::BYTE_ARRAY)
            .with_logical_type(Some(LogicalType::String))
            .with_repetition(Repetition::REQUIRED)
            .build()
    };
    let mut fields = vec![
        Arc::new(plain("run", PhysicalType::INT64)?),
        Arc::new(text("status")?),
        Arc::new(text("reason")?),
    ];
    let kind = |at: usize| cells.get(at).unwrap_or(&Cells::Numbers);
    for (at, name) in heading.columns.iter().enumerate() {
        fields.push(Arc::new(match kind(at) {
            Cells::Numbers => plain(name, PhysicalType::DOUBLE)?,
            Cells::Counts => plain(name, PhysicalType::INT64)?,
            Cells::Texts(_) => text(name)?,
        }));
    }
    let schema = Type::group_type_builder("campaign")
        .with_fields(fields)
        .build()?;
    let properties = WriterProperties::builder()
        .set_created_by(format!("tandem {}", env!("CARGO_PKG_VERSION")))
        .set_dictionary_enabled(false)
        .set_encoding(Encoding::PLAIN)
        .set_key_value_metadata(Some(vec![KeyValue::new(
            "identity".into(),
            heading.identity.clone(),
        )]))
        .build();
    let file = File::create(path).map_err(file_error(path))?;
    let mut parquet = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
    let mut group = parquet.next_row_group()?;
    let mut at = 0;
    while let Some(mut column) = group.next_column()? {
        let texts = match at {
            1 => Some(rows.iter().map(|row| row.status.word().into()).collect()),
            2 => Some(rows.iter().map(|row| row.reason.as_str().into()).collect()),
            0 => None,
            _ => match kind(at - 3) {
                Cells::Texts(list) => Some(words(rows, at - 3, list)),
                Cells::Numbers | Cells::Counts => None,
            },
        };
        if let Some(texts) = texts {
            let texts: Vec<ByteArray> = texts;
            column
                .typed::<ByteArrayType>()
                .write_batch(&texts, None, None)?;
        } else if at == 0 || *kind(at - 3) == Cells::Counts {
            #[allow(clippy::cast_possible_truncation)] // below 2^53
            let count = |row: &Row| match at {
                0 => row.run as i64,
                _ => row.values[at - 3] as i64,
            };
            let counts: Vec<i64> = rows.iter().map(count).collect();
            column
                .typed::<Int64Type>()
                .write_batch(&counts, None, None)?;
        } else {
            let numbers: Vec<f64> = rows.iter().map(|row| row.values[at - 3]).collect();
            column
                .typed::<DoubleType>()
                .write_batch(&numbers, None, None)?;
        }
        column.close()?;
        at += 1;
    }
    group.close()?;
    parquet.close()?;
    Ok(())
}

/// The texts that the places of a column mean.
fn words(rows: &[Row], column: usize, list: &[String]) -> Vec<ByteArray> {
    let place = |row: &Row| index(row.values[column]).checked_sub(1);
    let word = |row: &Row| place(row).and_then(|at| list.get(at));
    rows.iter()
        .map(|row| ByteArray::from(word(row).map_or("", String::as_str)))
        .collect()
}
