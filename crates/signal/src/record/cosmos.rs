//! COSMOS strong-motion format (`.V1c`, `.V2c`).
//!
//! Text lines; `100 Integer-header values follow on 10 lines, Format= (10I8)`; `100 Real-header
//! values follow on 17 lines, Format= (6F13.6)`; comment lines that start with `|`; then `5372
//! acceleration pts, approx 53 secs, units=cm/sec2(04), Format=(8F10.3)` and the values. Formats
//! are read from the file. The time step is real-header value 62, in milliseconds (COSMOS format
//! 1.20, table of the real header).

use super::csmip::block;
use super::draft::RecordBuilder;
use super::error::{RecordError, excerpt_of};
use super::text::{Text, count, format_width, number_after, parse};
use super::{AccelerationUnit, ReadHint, Record};

/// Real-header value that holds the sample interval (counted from 1).
const SAMPLE_INTERVAL: usize = 62;

pub(super) fn recognise(text: &Text<'_>) -> bool {
    text.lines()
        .take(40)
        .any(|(_, line)| is_header_of(line, "integer"))
}

/// `100 Integer-header values follow on 10 lines, Format= (10I8)`.
fn is_header_of(line: &str, kind: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    lower.contains(kind) && lower.contains("header values follow")
}

struct Channel<'t> {
    line: usize,
    description: &'t str,
    /// Line number and text of the real header's first line.
    reals: Option<(usize, &'t str)>,
    name: String,
}

pub(super) fn read(text: &Text<'_>, hint: &ReadHint) -> Result<Record, RecordError> {
    let mut channels: Vec<Channel<'_>> = Vec::new();
    let mut reals = None;
    let mut name = String::new();
    for (line, row) in text.lines() {
        let lower = row.to_ascii_lowercase();
        if is_header_of(row, "real") {
            reals = Some((line, row));
        } else if lower.contains(" pts,") && lower.contains("accel") && lower.contains("units") {
            channels.push(Channel {
                line,
                description: row,
                reals: reals.take(),
                name: std::mem::take(&mut name),
            });
        } else if lower.contains("chan") && !row.starts_with('|') {
            name = excerpt_of(row, 30);
        }
    }
    if channels.is_empty() {
        let last = text.lines().last().unwrap_or((1, ""));
        let expected =
            "a line as 5372 acceleration pts, approx 53 secs, units=cm/sec2(04), Format=(8F10.3)";
        return Err(text.header(
            last.0,
            expected,
            last.1,
            "give the acceleration file (V1c or V2c) of the record",
        ));
    }
    let chosen = super::choose(text.file, hint, &channels, |channel| &channel.name)?;
    let Channel {
        line, description, ..
    } = *chosen;
    let bad = || {
        text.header(
            line,
            "the number of points first",
            description,
            "restore the line that describes the data",
        )
    };
    let points = description
        .split_whitespace()
        .next()
        .and_then(parse)
        .and_then(count)
        .ok_or_else(bad)?;

    let mut draft = RecordBuilder::new(text.file, hint);
    draft.source = "COSMOS strong-motion file".to_owned();
    if !chosen.name.is_empty() {
        draft.note(format!("channel: {}", chosen.name));
    }
    if let Some((at, header)) = chosen.reals
        && let Some(milliseconds) = sample_interval(text, at, header)?
    {
        draft.state_step(1e-3 * milliseconds, at)?;
    }
    if let Some(unit) = unit_of(description) {
        draft.state_unit(unit, line)?;
    }
    draft.record(block(
        text,
        line,
        points,
        format_width(after_format(description)),
    )?)
}

/// The part of the line from "Format" on, so that the unit's code in brackets is not taken for a
/// format.
fn after_format(line: &str) -> &str {
    line.to_ascii_lowercase()
        .find("format")
        .map_or(line, |at| &line[at..])
}

fn sample_interval(text: &Text<'_>, line: usize, header: &str) -> Result<Option<f64>, RecordError> {
    let expected = "100 Real-header values follow on 17 lines, Format= (6F13.6)";
    let bad = || {
        text.header(
            line,
            expected,
            header,
            "restore the head of the real header",
        )
    };
    let lines = number_after(header, "follow on")
        .and_then(count)
        .ok_or_else(bad)?;
    let width = format_width(after_format(header)).ok_or_else(bad)?;
    let mut values = Vec::new();
    for (at, row) in text.lines_after(line).take(lines) {
        if values.len() >= SAMPLE_INTERVAL {
            break;
        }
        text.fields(at, row, width, &mut values)?;
    }
    // The file's mark for "unknown" is −999.
    Ok(values
        .get(SAMPLE_INTERVAL - 1)
        .copied()
        .filter(|&value| value > 0.0))
}

fn unit_of(description: &str) -> Option<AccelerationUnit> {
    let lower = description.to_ascii_lowercase();
    let start = lower.find("units")? + "units".len();
    let rest = lower[start..].trim_start_matches([' ', '=']);
    AccelerationUnit::parse(rest.split(['(', ',', ' ']).next()?)
}
