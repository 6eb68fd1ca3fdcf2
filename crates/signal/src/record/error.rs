//! What can be wrong with a record: the place, what was expected, what was found, and the remedy.

use super::AccelerationUnit;

/// Why a record could not be read or changed. Every message names the file (and the line where
/// there is one) and says how to put it right.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The file holds no text.
    #[error("{file}: the file is empty; give a file with acceleration values")]
    Empty {
        /// Name of the file.
        file: String,
    },
    /// The bytes are not text.
    #[error(
        "{file}, line {line}: found a zero byte, expected text; unpack or convert the file to text \
        first"
    )]
    NotText {
        /// Name of the file.
        file: String,
        /// Line (from 1).
        line: usize,
    },
    /// No reader knows this file.
    #[error(
        "{file}, line {line}: the format is not known, found \"{found}\"; give PEER AT2, CSMIP \
        V1/V2, COSMOS, K-NET, \
         RSPMatch, a CSV with a header such as \"time (s),acceleration (g)\", or plain columns of \
         numbers"
    )]
    UnknownFormat {
        /// Name of the file.
        file: String,
        /// Line (from 1).
        line: usize,
        /// Start of that line.
        found: String,
    },
    /// A header line is not as the format demands.
    #[error("{file}, line {line}: expected {expected}, found \"{found}\"; {remedy}")]
    Header {
        /// Name of the file.
        file: String,
        /// Line (from 1).
        line: usize,
        /// What the format puts here.
        expected: &'static str,
        /// What stands there.
        found: String,
        /// How to put it right.
        remedy: &'static str,
    },
    /// Something that is not a number stands where a value should be.
    #[error(
        "{file}, line {line}, column {column}: expected a number, found \"{found}\"; correct or \
        remove it"
    )]
    NotANumber {
        /// Name of the file.
        file: String,
        /// Line (from 1).
        line: usize,
        /// Character in the line (from 1).
        column: usize,
        /// What stands there.
        found: String,
    },
    /// A value is infinite or not a number.
    #[error(
        "{file}, line {line}, column {column}: expected a finite value, found \"{found}\"; correct \
        or cut that part"
    )]
    NotFinite {
        /// Name of the file.
        file: String,
        /// Line (from 1).
        line: usize,
        /// Character in the line (from 1).
        column: usize,
        /// What stands there.
        found: String,
    },
    /// The file marks a value as missing (−999).
    #[error(
        "{file}, line {line}, column {column}: the value is marked as missing (-999), expected a \
        measured value; trim or repair the record"
    )]
    MissingValue {
        /// Name of the file.
        file: String,
        /// Line (from 1).
        line: usize,
        /// Character in the line (from 1).
        column: usize,
    },
    /// The header promises another number of values than the file holds.
    #[error(
        "{file}, line {line}: the header promises {expected} values, found {found}; fetch the \
        whole file again or correct the count"
    )]
    Count {
        /// Name of the file.
        file: String,
        /// Line of the header that states the count (from 1).
        line: usize,
        /// The count in the header.
        expected: usize,
        /// The values present.
        found: usize,
    },
    /// A line has another number of columns than the first.
    #[error(
        "{file}, line {line}: expected {expected} columns as in the first line, found {found}; \
        correct the line"
    )]
    Columns {
        /// Name of the file.
        file: String,
        /// Line (from 1).
        line: usize,
        /// Columns of the first line.
        expected: usize,
        /// Columns here.
        found: usize,
    },
    /// Neither the file nor the reader's hint says the unit.
    #[error(
        "{file}: the file does not state the unit of acceleration; give it, e.g. unit = \"g\", \
        \"cm/s2\" or \"m/s2\""
    )]
    UnitMissing {
        /// Name of the file.
        file: String,
    },
    /// File and hint disagree on the unit.
    #[error(
        "{file}, line {line}: the file states {stated}, but {given} was asked for; leave the unit \
        out, or correct the file"
    )]
    UnitConflict {
        /// Name of the file.
        file: String,
        /// Line that states the unit (from 1).
        line: usize,
        /// Unit in the file.
        stated: AccelerationUnit,
        /// Unit in the hint.
        given: AccelerationUnit,
    },
    /// Neither the file nor the hint says the time step.
    #[error("{file}: the file does not state its time step; give it, e.g. dt = \"0.01 s\"")]
    StepMissing {
        /// Name of the file.
        file: String,
    },
    /// The time step is not a positive, finite number.
    #[error(
        "{file}, line {line}: expected a time step above 0 s, found {found}; correct it (line 0: \
        it was given with the file)"
    )]
    StepInvalid {
        /// Name of the file.
        file: String,
        /// Line (from 1), or 0 where the hint gave it.
        line: usize,
        /// The step found, s.
        found: f64,
    },
    /// File and hint disagree on the time step.
    #[error(
        "{file}, line {line}: the file states a time step of {stated} s, but {given} s was asked \
        for; leave dt out, or correct the file"
    )]
    StepConflict {
        /// Name of the file.
        file: String,
        /// Line that states the step (from 1).
        line: usize,
        /// Step in the file, s.
        stated: f64,
        /// Step in the hint, s.
        given: f64,
    },
    /// The times are not equally spaced.
    #[error(
        "{file}, line {line}: expected time {expected} s (equal spacing), found {found} s; \
        resample the record to a constant step"
    )]
    UnevenTime {
        /// Name of the file.
        file: String,
        /// Line (from 1).
        line: usize,
        /// Time that equal spacing asks for, s.
        expected: f64,
        /// Time found, s.
        found: f64,
    },
    /// The file holds several channels and the hint chooses none of them.
    #[error("{file}: choose one of the {available} channels with channel = 1 to {available} \
        ({names}); {}", asked_for(*.asked))]
    Channel {
        /// Name of the file.
        file: String,
        /// Channels in the file.
        available: usize,
        /// Their names, in order.
        names: String,
        /// Channel asked for (from 1).
        asked: Option<usize>,
    },
    /// Too few values to make a record.
    #[error(
        "{file}: expected at least 2 acceleration values, found {found}; give the whole record"
    )]
    TooShort {
        /// Name of the file.
        file: String,
        /// Values found.
        found: usize,
    },
    /// An operation on a record was asked for something impossible.
    #[error("record {record}: {what} must be {expected}, found {found}; change {what}")]
    Argument {
        /// Name of the record.
        record: String,
        /// The argument.
        what: &'static str,
        /// What is allowed.
        expected: &'static str,
        /// What was given.
        found: f64,
    },
}

fn asked_for(asked: Option<usize>) -> String {
    asked.map_or_else(
        || "none was chosen".to_owned(),
        |channel| format!("channel {channel} was asked for"),
    )
}

/// The first characters of what was found, fit for a message: control characters shown as spaces,
/// length bounded.
pub(super) fn excerpt(text: &str) -> String {
    excerpt_of(text, 40)
}

/// The same with another bound.
pub(super) fn excerpt_of(text: &str, longest: usize) -> String {
    let text = text.trim();
    let mut short: String = text
        .chars()
        .take(longest)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.chars().nth(longest).is_some() {
        short.push('…');
    }
    short
}
