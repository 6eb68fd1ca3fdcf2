//! CSMIP (CDMG) volumes 1 and 2: uncorrected and corrected accelerograms, often several channels in
//! one file.
//!
//! A channel is text lines, integer lines and real lines, then a line that describes the data, as
//! `N Accelerogram points at 100 pts/sec in units of g. Format: (8f9.6)` (volume 1) or `13000
//! points of accel data equally spaced at 0.005 sec, in cm/sec2. (8f10.6)` (volume 2), then the
//! values. Velocity and displacement blocks of volume 2 are passed over. The number of header lines
//! differs between processing vintages, so the describing line is searched for.

use super::draft::RecordBuilder;
use super::error::{RecordError, excerpt_of};
use super::text::{Text, count, format_width, number_after, parse};
use super::{AccelerationUnit, ReadHint, Record};

/// The mark of a value that was not measured.
const MISSING: f64 = -999.0;

pub(super) fn recognise(text: &Text<'_>) -> bool {
    text.lines()
        .take(80)
        .any(|(_, line)| describes_acceleration(line))
}

fn describes_acceleration(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    lower.contains("points") && lower.contains("accel") && step_of(&lower).is_some()
}

/// Time step in a describing line, from its rate or its spacing.
fn step_of(line: &str) -> Option<f64> {
    if line.contains("pts/sec") {
        let rate = number_after(line, "points at")?;
        return (rate > 0.0).then(|| 1.0 / rate);
    }
    number_after(line, "spaced at")
}

struct Channel<'t> {
    line: usize,
    description: &'t str,
    name: String,
}

pub(super) fn read(text: &Text<'_>, hint: &ReadHint) -> Result<Record, RecordError> {
    let mut channels: Vec<Channel<'_>> = Vec::new();
    let mut name = String::new();
    for (line, row) in text.lines() {
        if row
            .trim_start()
            .get(..4)
            .is_some_and(|word| word.eq_ignore_ascii_case("chan"))
        {
            name = excerpt_of(row, 30);
        } else if describes_acceleration(row) {
            channels.push(Channel {
                line,
                description: row,
                name: std::mem::take(&mut name),
            });
        }
    }
    let chosen = super::choose(text.file, hint, &channels, |channel| &channel.name)?;
    let Channel {
        line, description, ..
    } = *chosen;
    let lower = description.to_ascii_lowercase();
    let bad = || {
        text.header(
            line,
            "the number of points first",
            description,
            "restore the line that describes the data",
        )
    };
    let points = lower
        .split_whitespace()
        .next()
        .and_then(parse)
        .and_then(count)
        .ok_or_else(bad)?;

    let mut draft = RecordBuilder::new(text.file, hint);
    draft.source = "CSMIP strong-motion file".to_owned();
    if !chosen.name.is_empty() {
        draft.note(format!("channel: {}", chosen.name));
    }
    draft.state_step(step_of(&lower).unwrap_or(f64::NAN), line)?;
    if let Some(unit) = unit_of(&lower) {
        draft.state_unit(unit, line)?;
    }
    draft.record(block(text, line, points, format_width(description))?)
}

/// Unit in a describing line: the word after "in units of" or after the last ", in".
fn unit_of(lower: &str) -> Option<AccelerationUnit> {
    let start = match lower.find("units of ") {
        Some(at) => at + "units of ".len(),
        None => lower.rfind(" in ")? + " in ".len(),
    };
    let word = lower[start..].split_whitespace().next()?;
    AccelerationUnit::parse(word.trim_end_matches(['.', ',']))
}

/// The `points` values that follow `line`, in fields of `width` or in free format.
pub(super) fn block(
    text: &Text<'_>,
    line: usize,
    points: usize,
    width: Option<usize>,
) -> Result<Vec<f64>, RecordError> {
    let mut values = Vec::new();
    for (at, row) in text.lines_after(line) {
        if values.len() >= points {
            break;
        }
        // Anything that is not a row of values ends the block too early.
        if row.trim().is_empty() || row.trim_start().starts_with(['/', '|']) {
            break;
        }
        let before = values.len();
        match width {
            Some(width) => text.fields(at, row, width, &mut values)?,
            None => text.numbers(at, row, &mut values)?,
        }
        if let Some(position) = values[before..]
            .iter()
            .position(|value| (value - MISSING).abs() < 1e-6)
        {
            let column = width.map_or(position + 1, |width| position * width + 1);
            return Err(RecordError::MissingValue {
                file: text.file.to_owned(),
                line: at,
                column,
            });
        }
    }
    if values.len() == points {
        Ok(values)
    } else {
        Err(RecordError::Count {
            file: text.file.to_owned(),
            line,
            expected: points,
            found: values.len(),
        })
    }
}
