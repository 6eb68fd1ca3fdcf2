//! What happened during a run, in words: `events.jsonl`, one JSON object a line.

use super::error::RecorderError;
use serde::{Deserialize, Deserializer, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How much an event matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Something the operator would write in the lab book.
    Info,
    /// Degraded but going on.
    Warn,
    /// Data or safety lost.
    Error,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Tick of the coordinator.
    pub tick: u64,
    /// Structural time, s.
    #[serde(deserialize_with = "nullable")]
    pub time_s: f64,
    /// Wall time since the start of the run, s.
    #[serde(deserialize_with = "nullable")]
    pub wall_s: f64,
    /// How much it matters.
    pub level: Level,
    /// Short, stable word for programs, such as `limit.force`.
    pub code: String,
    /// A sentence for people.
    pub text: String,
    /// Whatever else belongs to this kind of event, such as `value` and `bound`.
    #[serde(flatten)]
    pub details: Details,
}

/// A number, or `null` for one that is none: JSON has no other word for it.
///
/// # Errors
/// What is neither.
pub fn nullable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

/// What else is told of an event, as it applies to its kind.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Details {
    /// What a limit or a monitor asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Whose limit, from one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actuator: Option<usize>,
    /// The bound that was passed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
    /// The limit or the monitor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The state before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// How late a deadline was met, s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late_s: Option<f64>,
    /// Deadlines missed so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missed: Option<u64>,
    /// Why the test was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whose thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// The value that passed the bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}

impl Event {
    /// An event without details.
    pub fn new(
        tick: u64,
        time_s: f64,
        wall_s: f64,
        level: Level,
        code: impl Into<String>,
        text: impl Into<String>,
    ) -> Self {
        Self {
            tick,
            time_s,
            wall_s,
            level,
            code: code.into(),
            text: text.into(),
            details: Details::default(),
        }
    }

    /// The same with what else is told of it.
    #[must_use]
    pub fn with(mut self, details: Details) -> Self {
        self.details = details;
        self
    }
}

/// Appends events to a file; each is handed to the operating system before `log` returns.
#[derive(Debug)]
pub struct EventLog {
    path: PathBuf,
    /// None: nobody reads them.
    file: Option<File>,
    line: Vec<u8>,
    /// Tick, structural time and wall time of the last event.
    last: (u64, f64, f64),
}

impl EventLog {
    /// A log that nobody reads: of a run in memory.
    #[must_use]
    pub fn nowhere() -> Self {
        Self {
            path: PathBuf::new(),
            file: None,
            line: Vec::new(),
            last: (0, 0.0, 0.0),
        }
    }

    /// Opens a log for appending; creates it if it does not exist.
    ///
    /// A last line torn by a kill is ended first, so that it cannot corrupt the next event.
    ///
    /// # Errors
    /// A file that cannot be opened.
    pub fn open(path: &Path) -> Result<Self, RecorderError> {
        let torn = match std::fs::read(path) {
            Ok(bytes) => bytes.last().is_some_and(|&last| last != b'\n'),
            Err(_) => false, // not there yet; a real obstacle shows when it is opened
        };
        let mut log = Self {
            path: path.into(),
            file: Some(
                OpenOptions::new()
                    .create(true)
                    .append(true)
                    .open(path)
                    .map_err(|source| RecorderError::File {
                        path: path.into(),
                        source,
                    })?,
            ),
            line: Vec::new(),
            last: (0, 0.0, 0.0),
        };
        if torn {
            log.write(b"\n")?;
        }
        Ok(log)
    }

    /// Appends one event. Ticks and times never go back: an event that another thread was late to
    /// tell stands where it was told.
    ///
    /// Times that are not finite are written as `null`, and read as what is no number.
    ///
    /// # Errors
    /// A full disk or another failure to write.
    pub fn log(&mut self, event: &Event) -> Result<(), RecorderError> {
        if self.file.is_none() {
            return Ok(());
        }
        let (tick, time_s, wall_s) = &mut self.last;
        *tick = event.tick.max(*tick);
        if event.time_s.is_finite() {
            *time_s = time_s.max(event.time_s);
        }
        if event.wall_s.is_finite() {
            *wall_s = wall_s.max(event.wall_s);
        }
        let event = Event {
            tick: *tick,
            time_s: if event.time_s.is_finite() {
                *time_s
            } else {
                event.time_s
            },
            wall_s: if event.wall_s.is_finite() {
                *wall_s
            } else {
                event.wall_s
            },
            ..event.clone()
        };
        let mut line = std::mem::take(&mut self.line);
        line.clear();
        serde_json::to_writer(&mut line, &event).map_err(|source| RecorderError::Event {
            code: event.code.clone(),
            source,
        })?;
        line.push(b'\n');
        let written = self.write(&line);
        self.line = line;
        written
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), RecorderError> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        file.write_all(bytes).map_err(|source| RecorderError::File {
            path: self.path.clone(),
            source,
        })
    }

    /// Returns once all events are safe against a power cut.
    ///
    /// # Errors
    /// Whatever the disk reports.
    pub fn sync(&mut self) -> Result<(), RecorderError> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        file.sync_data().map_err(|source| RecorderError::File {
            path: self.path.clone(),
            source,
        })
    }
}

/// The events of a log and the number of lines that could not be read, such as one torn by a kill.
///
/// # Errors
/// A file that cannot be read. A missing file is an empty log.
pub fn read_events(path: &Path) -> Result<(Vec<Event>, usize), RecorderError> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), 0)),
        Err(source) => {
            return Err(RecorderError::File {
                path: path.into(),
                source,
            });
        }
    };
    let mut events = Vec::new();
    let mut unreadable = 0;
    for line in bytes.split(|&byte| byte == b'\n') {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice(line) {
            Ok(event) => events.push(event),
            Err(_) => unreadable += 1,
        }
    }
    Ok((events, unreadable))
}
