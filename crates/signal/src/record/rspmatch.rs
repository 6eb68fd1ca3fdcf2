//! RSPMatch `.acc`: a title line, a line with the number of points and the step, then five values
//! to a line. The unit is not stated, so the hint must give it.

use super::draft::RecordBuilder;
use super::error::RecordError;
use super::text::{Text, count, parse};
use super::{ReadHint, Record};

pub(super) fn recognise(text: &Text<'_>) -> bool {
    if text.extension() == "acc" {
        return true;
    }
    let mut lines = text.lines();
    let title = lines
        .next()
        .is_some_and(|(_, line)| line.split_whitespace().next().and_then(parse).is_none());
    let Some((_, second)) = lines.next() else {
        return false;
    };
    title
        && !second.contains(',')
        && second.split_whitespace().count() == 2
        && counts(second).is_some()
}

/// Number of points and step in the second line.
fn counts(line: &str) -> Option<(usize, f64)> {
    let mut words = line
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty());
    let points = count(words.next().and_then(parse)?)?;
    let step = words.next().and_then(parse)?;
    (points >= 2 && step > 0.0 && step < 1.0).then_some((points, step))
}

pub(super) fn read(text: &Text<'_>, hint: &ReadHint) -> Result<Record, RecordError> {
    let (line, second) = text.lines().nth(1).unwrap_or((1, ""));
    let (points, step) = counts(second).ok_or_else(|| {
        text.header(
            line,
            "number of points and step, as 4096 0.01",
            second,
            "restore the two header lines",
        )
    })?;
    let values = text.numbers_after(line, points)?;
    let mut draft = RecordBuilder::new(text.file, hint);
    draft.one_channel()?;
    draft.source = "RSPMatch file".to_owned();
    if let Some((_, title)) = text.lines().next() {
        draft.describe(title);
    }
    draft.state_step(step, line)?;
    draft.record(values)
}
