//! A run in the formats of other programs: `tandem export`.
//!
//! Every format holds the structural time and all channels, bit for bit as recorded (a CSV file
//! cannot tell one NaN from another). Runs that were interrupted export like complete ones.

mod csv;
mod mat;
#[cfg(feature = "parquet")]
mod parquet;

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tandem_coordinator::recorder::{RUN_FILE, RecorderError, RunReader, whole_file};

/// A file format of another program.
#[derive(Debug)]
pub struct Format {
    /// Its name for people who choose, and the usual ending of a file name.
    pub extension: &'static str,
    /// One line.
    pub summary: &'static str,
    /// Writes all of a run.
    write: fn(&Arc<RunReader>, &Path) -> Written,
}

/// What a writer says.
type Written = Result<(), Box<dyn Error + Send + Sync>>;

/// All formats. A new one is one file and one line here.
pub static FORMATS: &[Format] = &[
    csv::FORMAT,
    mat::FORMAT,
    #[cfg(feature = "parquet")]
    parquet::FORMAT,
];

impl Format {
    /// The format of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.extension == name)
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
    /// The writer of the format failed.
    #[error("cannot write the {format} file: {source}")]
    Format {
        /// The format.
        format: &'static str,
        /// What its writer said.
        source: Box<dyn Error + Send + Sync>,
    },
    /// The run has more rows than this machine can address.
    #[error("{rows} rows are more than this machine can address")]
    TooLong {
        /// Rows of the run.
        rows: u64,
    },
}

/// Rows that are held in memory at a time.
const WINDOW: u64 = 1 << 16;

/// Writes the run in `run_dir` as `out`, or as `run.<extension>` beside the run file; gives the
/// path.
///
/// The file appears under its name only when it is whole.
///
/// # Errors
/// A run file that cannot be read, or a file that cannot be written.
pub fn export(run_dir: &Path, to: &Format, out: Option<&Path>) -> Result<PathBuf, ExportError> {
    let run_path = run_dir.join(RUN_FILE);
    let run = Arc::new(RunReader::open(&run_path)?);
    let path = out.map_or_else(|| run_path.with_extension(to.extension), Path::to_path_buf);
    let write = |part: &Path| {
        (to.write)(&run, part).map_err(|source| match source.downcast::<ExportError>() {
            Ok(error) => *error,
            Err(source) => ExportError::Format {
                format: to.extension,
                source,
            },
        })
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
fn window(run: &RunReader, from: u64) -> Result<Vec<Vec<f64>>, ExportError> {
    run.columns()
        .map(|info| Ok(run.read_rows(&info.name, from, WINDOW)?))
        .collect()
}

/// First rows of the windows of a run.
fn windows(run: &RunReader) -> impl Iterator<Item = u64> + use<> {
    let rows = run.rows();
    (0..rows.div_ceil(WINDOW)).map(|i| i * WINDOW)
}
