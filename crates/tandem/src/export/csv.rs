//! Comma-separated values.

use super::{Format, Written, file_error, window, windows};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use tandem_coordinator::recorder::RunReader;

/// What is chosen.
pub(super) const FORMAT: Format = Format {
    extension: "csv",
    summary: "comma-separated values; the first line names the columns with their units",
    write,
};

/// Writes a line with the names and units, then one line per row.
///
/// Numbers have as many digits as it takes to read the same number again.
fn write(run: &Arc<RunReader>, path: &Path) -> Written {
    let file = File::create(path).map_err(|source| file_error(path, source))?;
    let mut csv = csv::WriterBuilder::new()
        .buffer_capacity(1 << 20)
        .has_headers(false)
        .from_writer(file);
    csv.write_record(
        run.columns()
            .map(|info| format!("{} [{}]", info.name, info.unit)),
    )?;
    let mut row: Vec<f64> = Vec::with_capacity(run.columns().len());
    for from in windows(run) {
        let columns = window(run, from)?;
        let rows = columns.first().map_or(0, Vec::len);
        for i in 0..rows {
            row.clear();
            row.extend(columns.iter().filter_map(|column| column.get(i)));
            csv.serialize(&row)?;
        }
    }
    Ok(csv.flush().map_err(|source| file_error(path, source))?)
}
