//! A record in the making: what the file states, what the hint says, and whether the two agree.

use super::error::RecordError;
use super::{AccelerationUnit, ReadHint, Record};

pub(super) struct RecordBuilder<'a> {
    file: &'a str,
    hint: &'a ReadHint,
    unit: Option<AccelerationUnit>,
    step: Option<f64>,
    pub source: String,
    notes: Vec<String>,
}

impl<'a> RecordBuilder<'a> {
    pub fn new(file: &'a str, hint: &'a ReadHint) -> Self {
        Self {
            file,
            hint,
            unit: None,
            step: None,
            source: String::new(),
            notes: Vec::new(),
        }
    }

    /// The file states its unit on `line`.
    pub fn state_unit(&mut self, unit: AccelerationUnit, line: usize) -> Result<(), RecordError> {
        match self.hint.unit {
            Some(given) if given != unit => Err(RecordError::UnitConflict {
                file: self.file.to_owned(),
                line,
                stated: unit,
                given,
            }),
            _ => {
                self.unit = Some(unit);
                Ok(())
            }
        }
    }

    /// The values have been turned into m/s² already, from a unit that the file states on `line`.
    pub fn metres(&mut self, line: usize) -> Result<(), RecordError> {
        match self.hint.unit {
            Some(given) if given != AccelerationUnit::MetresPerSecondSquared => {
                Err(RecordError::UnitConflict {
                    file: self.file.to_owned(),
                    line,
                    stated: AccelerationUnit::MetresPerSecondSquared,
                    given,
                })
            }
            _ => {
                self.unit = Some(AccelerationUnit::MetresPerSecondSquared);
                Ok(())
            }
        }
    }

    /// The file states its time step on `line`.
    pub fn state_step(&mut self, step: f64, line: usize) -> Result<(), RecordError> {
        let file = || self.file.to_owned();
        if !is_step(step) {
            return Err(RecordError::StepInvalid {
                file: file(),
                line,
                found: step,
            });
        }
        match self.hint.dt {
            // Steps in files are rounded to a few digits.
            Some(given) if (given - step).abs() > 1e-3 * step => Err(RecordError::StepConflict {
                file: file(),
                line,
                stated: step,
                given,
            }),
            _ => {
                self.step = Some(step);
                Ok(())
            }
        }
    }

    /// The time step, from the file or else from the hint.
    pub fn step(&self) -> Result<f64, RecordError> {
        let file = || self.file.to_owned();
        match (self.step, self.hint.dt) {
            (Some(step), _) => Ok(step),
            (None, Some(given)) if is_step(given) => Ok(given),
            (None, Some(given)) => Err(RecordError::StepInvalid {
                file: file(),
                line: 0,
                found: given,
            }),
            (None, None) => Err(RecordError::StepMissing { file: file() }),
        }
    }

    /// The format holds one channel: the hint may ask for no other.
    pub fn one_channel(&self) -> Result<(), RecordError> {
        super::choose(self.file, self.hint, &["the only one".to_owned()], |name| {
            name
        })
        .map(|_| ())
    }

    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Keeps a line of the header as a note.
    pub fn describe(&mut self, line: &str) {
        let line = super::error::excerpt_of(line, 120);
        if !line.is_empty() {
            self.notes.push(line);
        }
    }

    /// The record, from values in the unit of the file.
    pub fn record(self, mut values: Vec<f64>) -> Result<Record, RecordError> {
        let dt = self.step()?;
        let unit = self.unit.or(self.hint.unit);
        let unit = unit.ok_or_else(|| RecordError::UnitMissing {
            file: self.file.to_owned(),
        })?;
        if values.len() < 2 {
            return Err(RecordError::TooShort {
                file: self.file.to_owned(),
                found: values.len(),
            });
        }
        for value in &mut values {
            *value *= unit.factor();
        }
        let leaf = self.file.rsplit(['/', '\\']).next().unwrap_or(self.file);
        let name = leaf.rsplit_once('.').map_or(leaf, |(stem, _)| stem);
        let mut record = Record::new(if name.is_empty() { leaf } else { name }, dt, values)?;
        record.source = if self.source.is_empty() {
            leaf.to_owned()
        } else {
            format!("{leaf}, {}", self.source)
        };
        record.notes = self.notes;
        Ok(record)
    }
}

/// Steps between a nanosecond and an hour: anything else is a misread header.
fn is_step(step: f64) -> bool {
    (1e-9..=3600.0).contains(&step)
}
