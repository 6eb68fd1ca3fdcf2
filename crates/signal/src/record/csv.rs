//! CSV with a header that names its columns and their units, as `time (s),acceleration (g)`.
//!
//! Columns are split by comma, semicolon, tab or blanks (as the header is). The time column may be
//! missing if the step is given. Where several columns are accelerations, the hint chooses the
//! channel. A decimal comma is understood between semicolons.

use super::draft::RecordBuilder;
use super::error::{RecordError, excerpt_of};
use super::plain::{commented_draft, is_comment, starts_with_number};
use super::text::Text;
use super::time_axis::TimeAxis;
use super::{AccelerationUnit, ReadHint, Record};

struct Column {
    index: usize,
    name: String,
    unit: Option<AccelerationUnit>,
}

pub(super) fn recognise(text: &Text<'_>) -> bool {
    header(text).is_some_and(|(_, line)| {
        !starts_with_number(line) && {
            let fields = split(line, delimiter(line));
            fields
                .iter()
                .any(|field| is_acceleration(field) || unit_of(field).is_some())
                || (fields.len() >= 2 && time_factor(&fields[0]).is_some())
        }
    })
}

fn header<'t>(text: &'t Text<'_>) -> Option<(usize, &'t str)> {
    text.lines().find(|(_, line)| !is_comment(line))
}

fn delimiter(header: &str) -> char {
    ['\t', ';', ',']
        .into_iter()
        .find(|&c| header.contains(c))
        .unwrap_or(' ')
}

/// The fields of a line; blanks as delimiter do not split what stands in brackets.
fn split(line: &str, delimiter: char) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut depth = 0_usize;
    for c in line.trim().chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let splits = if delimiter == ' ' {
            c.is_whitespace() && depth == 0
        } else {
            c == delimiter
        };
        if splits {
            fields.push(String::new());
        } else if let Some(field) = fields.last_mut() {
            field.push(c);
        }
    }
    if delimiter == ' ' {
        fields.retain(|field| !field.is_empty());
        // "time (s) acc (g)": the unit belongs to the word before it.
        let mut joined: Vec<String> = Vec::new();
        for field in fields {
            match joined.last_mut() {
                Some(before) if field.starts_with(['(', '[']) => before.push_str(&field),
                _ => joined.push(field),
            }
        }
        return joined;
    }
    fields
        .iter()
        .map(|field| field.trim().trim_matches('"').trim().to_owned())
        .collect()
}

/// The text in the last pair of brackets, or after the last underscore.
fn unit_text(field: &str) -> Option<&str> {
    let open = field.rfind(['(', '[']);
    match open {
        Some(at) => field[at + 1..].split([')', ']']).next(),
        None => field.rsplit_once('_').map(|(_, unit)| unit),
    }
}

fn unit_of(field: &str) -> Option<AccelerationUnit> {
    AccelerationUnit::parse(unit_text(field)?)
}

fn is_acceleration(field: &str) -> bool {
    let lower = field.to_ascii_lowercase();
    lower.starts_with("acc")
        || lower.contains("accel")
        || lower.contains("acc ")
        || lower.contains("acc(")
}

/// Factor to seconds, if this column is time.
fn time_factor(field: &str) -> Option<f64> {
    let lower = field.to_ascii_lowercase();
    let word: String = lower
        .chars()
        .take_while(char::is_ascii_alphabetic)
        .collect();
    if !matches!(word.as_str(), "t" | "time") {
        return None;
    }
    match unit_text(&lower).map(str::trim) {
        None | Some("s" | "sec" | "secs" | "second" | "seconds") => Some(1.0),
        Some("ms" | "msec") => Some(1e-3),
        Some(_) => None,
    }
}

pub(super) fn read(text: &Text<'_>, hint: &ReadHint) -> Result<Record, RecordError> {
    let (header_line, head) = header(text).unwrap_or((1, ""));
    let delimiter = delimiter(head);
    let fields = split(head, delimiter);
    let time = fields
        .iter()
        .enumerate()
        .find_map(|(index, field)| time_factor(field).map(|factor| (index, factor)));
    let named = |accept: &dyn Fn(&str) -> bool| -> Vec<Column> {
        let columns = fields
            .iter()
            .enumerate()
            .filter(|(index, field)| time.is_none_or(|(time, _)| time != *index) && accept(field));
        columns
            .map(|(index, field)| Column {
                index,
                name: excerpt_of(field, 30),
                unit: unit_of(field),
            })
            .collect()
    };
    let mut columns = named(&|field| unit_of(field).is_some() || is_acceleration(field));
    if columns.is_empty() {
        columns = named(&|_| true);
    }
    if columns.is_empty() {
        let expected = "a column of acceleration, as time (s),acceleration (g)";
        return Err(text.header(
            header_line,
            expected,
            head,
            "name the columns and their units in the header",
        ));
    }
    let chosen = super::choose(text.file, hint, &columns, |column| &column.name)?;

    let mut draft: RecordBuilder<'_> = commented_draft(text, hint)?;
    draft.source = format!("CSV column \"{}\"", chosen.name);
    if let Some(unit) = chosen.unit {
        draft.state_unit(unit, header_line)?;
    }
    let mut axis = TimeAxis::new(text.file);
    let mut values = Vec::new();
    for (line, row) in text
        .lines_after(header_line)
        .filter(|(_, row)| !is_comment(row))
    {
        let cells = split(row, delimiter);
        if cells.len() != fields.len() {
            let file = text.file.to_owned();
            return Err(RecordError::Columns {
                file,
                line,
                expected: fields.len(),
                found: cells.len(),
            });
        }
        let number = |index: usize| {
            let cell = cells.get(index).map_or("", String::as_str);
            let column = 1 + cells
                .iter()
                .take(index)
                .map(|cell| cell.chars().count() + 1)
                .sum::<usize>();
            if delimiter == ';' && cell.contains(',') && !cell.contains('.') {
                text.number(line, column, &cell.replace(',', "."))
            } else {
                text.number(line, column, cell)
            }
        };
        values.push(number(chosen.index)?);
        if let Some((index, factor)) = time {
            axis.push(factor * number(index)?, line);
        }
    }
    if time.is_some() {
        values = axis.apply(&mut draft, values)?;
    }
    draft.record(values)
}
