//! Time and value to a line (or time and several values: the hint chooses the channel).

use super::draft::RecordBuilder;
use super::error::RecordError;
use super::plain::Rows;
use super::time_axis::TimeAxis;
use super::{ReadHint, Record};

pub(super) fn read(
    file: &str,
    hint: &ReadHint,
    mut draft: RecordBuilder<'_>,
    rows: &Rows,
    columns: usize,
) -> Result<Record, RecordError> {
    let channels: Vec<(usize, String)> = (1..columns)
        .map(|index| (index, format!("column {}", index + 1)))
        .collect();
    let &(column, _) = super::choose(file, hint, &channels, |(_, name)| name)?;
    draft.source = "time and value columns".to_owned();
    let mut axis = TimeAxis::new(file);
    let mut values = Vec::new();
    for (line, row) in rows.iter() {
        axis.push(row[0], line);
        values.push(row[column]);
    }
    let values = axis.apply(&mut draft, values)?;
    draft.record(values)
}
