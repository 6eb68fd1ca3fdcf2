//! A recorded ground motion: from the shelf or a file.

use super::Build;
use std::path::Path;
use tandem_plan::data_folder::{InDataFolder, VARIABLE, in_data_folder};
use tandem_quantity::{
    BuildError, Conditional, Dimension, Entry, Method, Range, Settings, Values, settings,
};
use tandem_signal::excitation::{Excitation, Unit};
use tandem_signal::record::{self, ReadHint, Record, RecordError};

/// What the plan writes.
pub const ENTRY: Entry<Build> = Entry {
    method: Method {
        name: "record",
        summary: "a recorded ground motion: shipped, or a file (AT2, V1, V2, COSMOS, K-NET, \
            columns, CSV, …)",
        reference: "formats: see the documentation of `record`",
        parameters: RecordSettings::PARAMETERS,
    },
    build: &|values, _| build_record(values),
};

settings! {
    struct RecordSettings {
        /// name of a shipped record, or a file; $TANDEM_DATA/ may stand in front
        record: String = path(),
        /// record to take when TANDEM_DATA is not set
        otherwise: Option<String> = path(),
        /// factor on the acceleration
        scale: Conditional<f64> = number(Dimension::NONE).or("1.0"),
        /// scale to this peak instead
        peak: Option<f64> = number(Dimension::ACCELERATION).positive(),
        /// time step, for files that do not state it
        dt: Option<f64> = number(Dimension::TIME).positive(),
        unit: Unit,
        /// channel of a file with several, counted from 1
        channel: Conditional<Option<usize>> = integer().within(Range::between(1.0, 1000.0)),
        /// quiet time put in front
        before: f64 = number(Dimension::TIME).or("\"0 s\"").not_negative(),
        /// quiet time put behind
        after: f64 = number(Dimension::TIME).or("\"0 s\"").not_negative(),
    }
}

fn build_record(values: &Values) -> Result<Excitation, BuildError> {
    let settings = RecordSettings::read(values)?;
    let mut notes = Vec::new();
    let mut key = "record";
    let mut written = settings.record;
    if let Some(InDataFolder { rest, path }) = in_data_folder(&written) {
        match path {
            Some(path) => written = path,
            None => {
                key = "otherwise";
                let other = settings.otherwise.ok_or_else(|| {
                    BuildError::new(
                        "record",
                        format!("{VARIABLE} is not set, so `{rest}` cannot be found"),
                        format!(
                            "set {VARIABLE} to the folder with the benchmark data, or give \
                            `otherwise`"
                        ),
                    )
                })?;
                notes.push(format!(
                    "{VARIABLE} is not set: `{other}` takes the place of `{rest}`."
                ));
                written = other;
            }
        }
    }
    let record = match record::shipped(&written) {
        Some(record) => record,
        None => {
            let hint = ReadHint {
                dt: settings.dt,
                unit: settings.unit.stated(),
                channel: settings.channel.read()?,
            };
            read_file(&hint, key, &written)?
        }
    };
    notes.extend(record.notes.iter().cloned());
    let scaled = match settings.peak {
        Some(peak) => record.scaled_to_peak(peak).map_err(|error| {
            BuildError::new("peak", error.to_string(), "give a record that is not zero")
        })?,
        None => record.scaled(settings.scale.read()?),
    };
    let padded = scaled
        .padded(settings.before, settings.after)
        .map_err(|error| {
            BuildError::new("before", error.to_string(), "give shorter quiet times")
        })?;
    Ok(Excitation {
        record: padded,
        notes,
    })
}

fn bytes(key: &str, written: &str) -> Result<Vec<u8>, BuildError> {
    let shelf = record::SHIPPED.join("`, `");
    std::fs::read(written).map_err(|error| {
        BuildError::new(
            key,
            format!("`{written}` cannot be read: {error}"),
            format!(
                "give the path of a record file relative to the plan, or one of the shipped \
                records: `{shelf}`"
            ),
        )
    })
}

fn read_file(hint: &ReadHint, key: &str, written: &str) -> Result<Record, BuildError> {
    record::read(&bytes(key, written)?, &file_name(written), hint)
        .map_err(|error| unreadable(key, written, &error))
}

fn unreadable(key: &str, written: &str, error: &RecordError) -> BuildError {
    BuildError::new(
        key,
        format!("`{written}`: {error}"),
        "mend the file, or give dt and unit beside it",
    )
}

fn file_name(written: &str) -> std::borrow::Cow<'_, str> {
    Path::new(written)
        .file_name()
        .map_or(written.into(), |n| n.to_string_lossy())
}

/// The time step that a file states itself, s; none where it states none, is a shipped record, or
/// lies in a data folder that is not there. `values` is the section of the plan.
///
/// # Errors
/// [`BuildError`] where the file cannot be read.
pub fn stated_step(values: &Values, written: &str) -> Result<Option<f64>, BuildError> {
    let path = match in_data_folder(written) {
        Some(found) => found.path,
        None => Some(written.to_owned()),
    };
    let Some(path) = path.filter(|path| record::shipped(path).is_none()) else {
        return Ok(None);
    };
    let settings = RecordSettings::read(values)?;
    let without = ReadHint {
        dt: None,
        unit: settings.unit.stated(),
        channel: settings.channel.read()?,
    };
    match record::read(&bytes("record", &path)?, &file_name(&path), &without) {
        Ok(record) => Ok(Some(record.dt)),
        Err(RecordError::StepMissing { .. }) => Ok(None),
        Err(error) => Err(unreadable("record", &path, &error)),
    }
}
