//! Plain rows of numbers, with comment lines (`#`, `%`, `//`, `!`) that may state `dt` and `unit`.
//!
//! This file reads the rows and decides what they are; [`super::one_column`], [`super::two_column`]
//! and [`super::opensees_path`] make the record.

use super::draft::RecordBuilder;
use super::error::RecordError;
use super::text::{Text, parse};
use super::{AccelerationUnit, ReadHint, Record, one_column, opensees_path, two_column};

/// Rows of numbers with the lines they stood on.
pub(super) struct Rows {
    values: Vec<f64>,
    /// Line number and index of the first value, one entry a row.
    starts: Vec<(usize, usize)>,
}

impl Rows {
    fn read(text: &Text<'_>) -> Result<Self, RecordError> {
        let mut rows = Self {
            values: Vec::new(),
            starts: Vec::new(),
        };
        for (line, row) in text.lines().filter(|(_, row)| !is_comment(row)) {
            let start = rows.values.len();
            text.numbers(line, row, &mut rows.values)?;
            if rows.values.len() > start {
                rows.starts.push((line, start));
            }
        }
        Ok(rows)
    }

    /// Line and values of each row.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[f64])> {
        self.starts
            .iter()
            .enumerate()
            .map(|(index, &(line, start))| {
                let end = self
                    .starts
                    .get(index + 1)
                    .map_or(self.values.len(), |&(_, next)| next);
                (line, &self.values[start..end])
            })
    }

    pub fn into_values(self) -> Vec<f64> {
        self.values
    }

    /// Columns of the first row, and the first row that has another number.
    fn columns(&self) -> (usize, Option<(usize, usize)>) {
        let columns = self.iter().next().map_or(0, |(_, row)| row.len());
        let odd = self.iter().find(|(_, row)| row.len() != columns);
        (columns, odd.map(|(line, row)| (line, row.len())))
    }

    fn first_column_rises(&self) -> bool {
        let mut previous = f64::NEG_INFINITY;
        self.iter().all(|(_, row)| {
            let rises = row[0] > previous;
            previous = row[0];
            rises
        })
    }
}

pub(super) fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with(['#', '%', '!']) || line.starts_with("//")
}

pub(super) fn recognise(text: &Text<'_>) -> bool {
    text.lines()
        .find(|(_, line)| !is_comment(line))
        .is_some_and(|(_, line)| starts_with_number(line))
}

pub(super) fn starts_with_number(line: &str) -> bool {
    let word = line
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';'))
        .find(|word| !word.is_empty());
    word.is_some_and(|word| {
        parse(word).is_some()
            || word
                .trim_start_matches(['+', '-'])
                .starts_with(|c: char| c.is_ascii_digit() || c == '.')
    })
}

pub(super) fn read(text: &Text<'_>, hint: &ReadHint) -> Result<Record, RecordError> {
    let rows = Rows::read(text)?;
    let draft = commented_draft(text, hint)?;
    let (columns, odd) = rows.columns();
    let single = rows.starts.len() < 2;
    match (columns, odd) {
        (1, None) => one_column::read(draft, rows),
        (_, None) if !single && rows.first_column_rises() => {
            two_column::read(text.file, hint, draft, &rows, columns)
        }
        // Two columns and no step from anywhere: it must have been meant as time and value.
        (2, None) if !single && draft.step().is_err() => {
            two_column::read(text.file, hint, draft, &rows, columns)
        }
        // A table of times that lost or gained a value in one line.
        (2, Some((line, found))) if draft.step().is_err() && rows.starts.len() > 2 => {
            Err(RecordError::Columns {
                file: text.file.to_owned(),
                line,
                expected: 2,
                found,
            })
        }
        _ => opensees_path::read(draft, rows),
    }
}

/// A draft with what the comment lines state: `dt`, `dt_s`, `unit` or `units`, as `key = value`,
/// split by `;` or `,`.
pub(super) fn commented_draft<'a>(
    text: &'a Text<'_>,
    hint: &'a ReadHint,
) -> Result<RecordBuilder<'a>, RecordError> {
    let mut draft = RecordBuilder::new(text.file, hint);
    for (line, row) in text.lines().filter(|(_, row)| is_comment(row)).take(40) {
        for pair in row
            .trim_start_matches(['#', '%', '!', '/', ' '])
            .split([';', ','])
        {
            let Some((key, value)) = pair.split_once(['=', ':']) else {
                continue;
            };
            match key.trim().to_ascii_lowercase().as_str() {
                "dt" | "dt_s" => {
                    let number = value
                        .split_whitespace()
                        .next()
                        .unwrap_or("")
                        .trim_end_matches('s');
                    if let Some(step) = parse(number) {
                        draft.state_step(step, line)?;
                    }
                }
                "unit" | "units" => {
                    if let Some(unit) = AccelerationUnit::parse(value) {
                        draft.state_unit(unit, line)?;
                    }
                }
                _ => {}
            }
        }
    }
    Ok(draft)
}
