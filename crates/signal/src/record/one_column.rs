//! One value to a line, the first at t = 0. Step and unit come from a comment line or from the
//! hint.

use super::Record;
use super::draft::RecordBuilder;
use super::error::RecordError;
use super::plain::Rows;

pub(super) fn read(mut draft: RecordBuilder<'_>, rows: Rows) -> Result<Record, RecordError> {
    draft.one_channel()?;
    draft.source = "one column of values".to_owned();
    draft.record(rows.into_values())
}
