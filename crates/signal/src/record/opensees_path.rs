//! Values of an OpenSees `timeSeries Path`: free format, any number to a line, the first at t = 0
//! (`-dt` with `-filePath`), or with a second file of times (`-fileTime` with `-filePath`).

use super::draft::RecordBuilder;
use super::error::RecordError;
use super::plain::{Rows, commented_draft, is_comment};
use super::text::Text;
use super::time_axis::TimeAxis;
use super::{ReadHint, Record};

pub(super) fn read(mut draft: RecordBuilder<'_>, rows: Rows) -> Result<Record, RecordError> {
    draft.one_channel()?;
    draft.source = "OpenSees Path file".to_owned();
    draft.record(rows.into_values())
}

/// Reads an OpenSees pair of files: `times` (s) and `values`, both in free format. The times must
/// be equally spaced.
///
/// # Errors
/// [`RecordError`] where a file cannot be read, the counts differ, or the times are uneven.
pub fn read_with_times(
    values: &[u8],
    name: &str,
    times: &[u8],
    times_name: &str,
    hint: &ReadHint,
) -> Result<Record, RecordError> {
    let value_text = Text::new(values, name)?;
    let time_text = Text::new(times, times_name)?;
    let mut draft = commented_draft(&value_text, hint)?;
    draft.one_channel()?;
    draft.source = format!("OpenSees Path file with times from {times_name}");
    let mut acceleration = Vec::new();
    for (line, row) in value_text.lines().filter(|(_, row)| !is_comment(row)) {
        value_text.numbers(line, row, &mut acceleration)?;
    }
    let mut axis = TimeAxis::new(times_name);
    let mut row_times = Vec::new();
    for (line, row) in time_text.lines().filter(|(_, row)| !is_comment(row)) {
        row_times.clear();
        time_text.numbers(line, row, &mut row_times)?;
        for &time in &row_times {
            axis.push(time, line);
        }
    }
    if axis.len() != acceleration.len() {
        let (line, _) = value_text.lines().last().unwrap_or((1, ""));
        let file = name.to_owned();
        return Err(RecordError::Count {
            file,
            line,
            expected: axis.len(),
            found: acceleration.len(),
        });
    }
    let acceleration = axis.apply(&mut draft, acceleration)?;
    draft.record(acceleration)
}
