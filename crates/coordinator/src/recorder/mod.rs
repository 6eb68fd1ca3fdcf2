//! The run file `run.h5` and the event log `events.jsonl`.
//!
//! # Why the bytes of the run file are laid out here
//!
//! A run that is killed at any instant must leave a file that an ordinary HDF5 program opens, with
//! everything appended so far, and recording must cost little more than copying the numbers. A file
//! held open by a "single writer, multiple readers" session does not meet the first demand: its
//! superblock carries a mark that makes every plain open fail until someone clears it. A journal to
//! be converted afterwards does not either, and writes everything twice. So [`RunWriter`] lays out
//! a small, fixed subset of HDF5 itself and orders its writes such that the file is valid after
//! each of them:
//!
//! 1. space is added to the file before its superblock counts it,
//! 2. the index of the chunks points at space that exists before any row in it counts,
//! 3. values are written into chunks that the index already knows,
//! 4. the number of rows is stored last; it is eight aligned bytes without a checksum.
//!
//! A test replays every prefix of the writes, and each one again torn at every page, and reads the
//! file; another kills a process at random moments. [`RunReader`] reads through an independent HDF5
//! implementation, and tests read the same files with the reference library where it is at hand.
//!
//! Against a power cut, which may keep late writes and lose early ones, only [`RunWriter::sync`]
//! helps: the file then records how many rows were safe on the disk (`synced_rows`).
//!
//! # Contents of a run file
//!
//! | object | what |
//! |---|---|
//! | `/time` | structural time, s |
//! | `/channels/<name>` | one column of f64 per channel, `name` may contain `/` |
//! | attributes of a column | `unit`, `description`, `role`, `rate_hz`, `column` (position in a row) |
//! | attributes of the file | `format` ("tandem-run-1"), `tandem_version`, `plan`, `seed`, `created`, `time_scale`, `rate_hz`, `complete` (1 after `finish`), `synced_rows` |
//!
//! Columns of an interrupted run may differ in length by the rows of the last, unfinished append;
//! `/time` is published last, so its length is the number of rows that are whole.

mod block;
mod channel;
mod chunk_index;
mod error;
mod event_log;
mod file_layout;
mod image;
mod layout;
mod lookup3;
mod run_reader;
mod run_writer;
mod storage;
mod whole_file;

pub use block::RowBlock;
pub use channel::{Channel, Header, Role};
pub use error::{Damage, RecorderError};
pub use event_log::{Details, Event, EventLog, Level, nullable, read_events};
pub use layout::CHUNK_ROWS;
pub use run_reader::{ChannelInfo, RunReader};
pub use run_writer::RunWriter;
pub use storage::Storage;
pub use whole_file::whole_file;

/// What the attribute `format` of a run file says.
pub const FORMAT: &str = "tandem-run-1";

/// Name of the run file in the folder of a run.
pub const RUN_FILE: &str = "run.h5";

/// Name of the event log in the folder of a run.
pub const EVENT_FILE: &str = "events.jsonl";

#[cfg(test)]
mod tests;
