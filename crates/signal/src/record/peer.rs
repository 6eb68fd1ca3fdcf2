//! PEER `.AT2` (acceleration), `.VT2` (velocity) and `.DT2` (displacement).
//!
//! Four header lines (banner; event and station; units; count and step), then values in Fortran
//! format, five or eight to a line. The count line comes as `NPTS=  5372, DT=   .0100 SEC,` or as
//! `4096    0.0100    NPTS, DT`.

use super::draft::RecordBuilder;
use super::error::RecordError;
use super::text::{Text, count, number_after, parse};
use super::{AccelerationUnit, ReadHint, Record};
use crate::derivative::gradient;

/// The header is searched, not counted: banners of four to six lines are about.
const HEADER_LINES: usize = 8;

pub(super) fn recognise(text: &Text<'_>) -> bool {
    matches!(text.extension().as_str(), "at2" | "vt2" | "dt2") || count_line(text).is_some()
}

fn count_line<'t>(text: &'t Text<'_>) -> Option<(usize, &'t str)> {
    text.lines().take(HEADER_LINES).find(|(_, line)| {
        let upper = line.to_ascii_uppercase();
        upper.contains("NPTS") && upper.contains("DT")
    })
}

#[derive(Clone, Copy)]
enum Quantity {
    Acceleration(AccelerationUnit),
    /// Factor to m/s.
    Velocity(f64),
    /// Factor to m.
    Displacement(f64),
}

pub(super) fn read(text: &Text<'_>, hint: &ReadHint) -> Result<Record, RecordError> {
    let Some((line, counts)) = count_line(text) else {
        let (line, found) = text
            .lines()
            .nth(3)
            .or_else(|| text.lines().next())
            .unwrap_or((1, ""));
        let expected =
            "a line with the number of points and the step, as NPTS=  5372, DT=   .0100 SEC";
        return Err(text.header(
            line,
            expected,
            found,
            "restore the four header lines of the PEER file",
        ));
    };
    let bad = || {
        text.header(
            line,
            "number of points and step",
            counts,
            "write it as NPTS=  5372, DT=   .0100 SEC",
        )
    };
    let mut words = counts
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty());
    let (points, step) = match number_after(counts, "NPTS") {
        Some(points) => (points, number_after(counts, "DT").ok_or_else(bad)?),
        None => (
            words.next().and_then(parse).ok_or_else(bad)?,
            words.next().and_then(parse).ok_or_else(bad)?,
        ),
    };
    let points = count(points).ok_or_else(bad)?;

    let mut values = text.numbers_after(line, points)?;

    let mut draft = RecordBuilder::new(text.file, hint);
    draft.one_channel()?;
    draft.state_step(step, line)?;
    let dt = draft.step()?;
    draft.source = "PEER ground-motion database file".to_owned();
    if let Some((_, event)) = text.lines().nth(1).filter(|&(at, _)| at < line) {
        draft.describe(event);
    }
    let (stated, unit_line) = quantity(text, line);
    match stated {
        Some(Quantity::Acceleration(unit)) => draft.state_unit(unit, unit_line)?,
        Some(Quantity::Velocity(factor)) => {
            let velocity: Vec<f64> = values.iter().map(|value| value * factor).collect();
            draft.metres(unit_line)?;
            draft.note(
                "acceleration differentiated from the velocity of the file (central differences)",
            );
            values = gradient(&velocity, dt);
        }
        Some(Quantity::Displacement(factor)) => {
            let displacement: Vec<f64> = values.iter().map(|value| value * factor).collect();
            draft.metres(unit_line)?;
            draft.note(
                "acceleration differentiated twice from the displacement of the file \
                (central differences)",
            );
            values = gradient(&gradient(&displacement, dt), dt);
        }
        None if matches!(text.extension().as_str(), "vt2" | "dt2") => {
            let expected = "a units line, as VELOCITY TIME SERIES IN UNITS OF CM/S";
            return Err(text.header(
                unit_line,
                expected,
                "no unit",
                "restore the units line of the PEER file",
            ));
        }
        None => {}
    }
    draft.record(values)
}

/// The unit that the header states, and its line.
fn quantity(text: &Text<'_>, count_line: usize) -> (Option<Quantity>, usize) {
    for (at, row) in text.lines().take(count_line.saturating_sub(1)) {
        let upper = row.to_ascii_uppercase();
        let Some(position) = upper.find("UNITS OF") else {
            continue;
        };
        let words = upper[position + "UNITS OF".len()..].trim_start();
        let unit = words
            .split(|c: char| c.is_whitespace() || c == ',')
            .next()
            .unwrap_or("")
            .trim_end_matches('.');
        let quantity = match unit {
            "CM/S" | "CM/SEC" => Some(Quantity::Velocity(0.01)),
            "M/S" | "M/SEC" => Some(Quantity::Velocity(1.0)),
            "CM" => Some(Quantity::Displacement(0.01)),
            "M" => Some(Quantity::Displacement(1.0)),
            other => AccelerationUnit::parse(other).map(Quantity::Acceleration),
        };
        return (quantity, at);
    }
    (None, count_line)
}
