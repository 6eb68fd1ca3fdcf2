//! A run in the formats of other programs: `tandem export`.
//!
//! Every format holds the structural time and all channels, bit for bit as recorded (a CSV file
//! cannot tell one NaN from another). Runs that were interrupted export like complete ones.

mod csv;
mod mat;
mod parquet;

use std::io;
use std::path::{Path, PathBuf};
use tandem_coordinator::recorder::{RUN_FILE, RecorderError, RunReader, whole_file};

/// A file format of another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values; the first line names the columns with their units.
    Csv,
    /// MATLAB 7.3: one column vector per channel, `target/1` becomes `target_1`.
    Mat,
    /// Apache Parquet: one column per channel, units in the metadata.
    Parquet,
}

impl Format {
    /// The usual ending of a file name.
    #[must_use]
    pub fn extension(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Mat => "mat",
            Format::Parquet => "parquet",
        }
    }
}

/// Why a run could not be exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The run file cannot be read.
    #[error(transparent)]
    Run(#[from] RecorderError),
    /// The operating system refused to write the file.
    #[error("cannot write {path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The CSV writer failed.
    #[error("cannot write the CSV file: {0}")]
    Csv(#[from] ::csv::Error),
    /// The MATLAB writer failed.
    #[error("cannot write the MATLAB file: {0}")]
    Mat(#[from] hdf5_pure::mat::MatError),
    /// The Parquet writer failed.
    #[error("cannot write the Parquet file: {0}")]
    Parquet(#[from] ::parquet::errors::ParquetError),
    /// The run has more rows than this machine can address.
    #[error("{rows} rows are more than this machine can address")]
    TooLong {
        /// Rows of the run.
        rows: u64,
    },
}

/// Rows that are held in memory at a time.
const WINDOW: u64 = 1 << 16;

/// Writes the run in `run_dir` as `out`, or as `run.<extension>` beside the run file; gives the path.
///
/// The file appears under its name only when it is whole.
///
/// # Errors
/// A run file that cannot be read, or a file that cannot be written.
pub fn export(run_dir: &Path, to: Format, out: Option<&Path>) -> Result<PathBuf, ExportError> {
    let run_path = run_dir.join(RUN_FILE);
    let run = RunReader::open(&run_path)?;
    let path = out.map_or_else(
        || run_path.with_extension(to.extension()),
        Path::to_path_buf,
    );
    let write = |part: &Path| match to {
        Format::Csv => csv::write(&run, part),
        Format::Mat => mat::write(run, part),
        Format::Parquet => parquet::write(&run, part),
    };
    whole_file(&path, write, |source| file_error(&path, source))?;
    Ok(path)
}

fn file_error(path: &Path, source: io::Error) -> ExportError {
    ExportError::File {
        path: path.into(),
        source,
    }
}

/// Reads `window` rows of every column from row `from` on, in the order of the run.
fn window(run: &RunReader, from: u64) -> Result<Vec<Vec<f64>>, RecorderError> {
    run.columns()
        .map(|info| run.read_rows(&info.name, from, WINDOW))
        .collect()
}

/// First rows of the windows of a run.
fn windows(run: &RunReader) -> impl Iterator<Item = u64> + use<> {
    let rows = run.rows();
    (0..rows.div_ceil(WINDOW)).map(|i| i * WINDOW)
}
