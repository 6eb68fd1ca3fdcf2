//! What can go wrong with the files of a run.

use super::FORMAT;
use std::io;
use std::path::PathBuf;

/// An error of the recorder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecorderError {
    /// The operating system refused to open, create or read a file.
    #[error("cannot access {path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Rows could not be written; everything appended before stays readable.
    #[error(
        "cannot record {rows} rows after row {recorded}: {source}{}",
        if source.kind() == io::ErrorKind::StorageFull { "; free some space, the rows recorded so \
            far are safe" } else { "" }
    )]
    Write {
        /// Rows that are safely in the file.
        recorded: u64,
        /// Rows that are not.
        rows: u64,
        /// What the operating system said.
        source: io::Error,
    },
    /// A replay would move something outside of the program.
    #[error(transparent)]
    Rehearsal(#[from] tandem_quantity::BuildError),
    /// Rows were pushed to a full block or with a wrong width and are lost.
    #[error(
        "{rows} rows were pushed to a full block or with the wrong number of values and are lost"
    )]
    RowsRefused {
        /// How many.
        rows: u64,
    },
    /// The block and the run file have different numbers of channels.
    #[error("the block has {got} channels, the run file has {expected}")]
    Width {
        /// Channels of the run file.
        expected: usize,
        /// Channels of the block.
        got: usize,
    },
    /// A channel name that HDF5 or MATLAB users could not work with.
    #[error(
        "channel name \"{name}\": use letters, digits and '_' in parts of 1 to 63 characters \
        separated by '/'"
    )]
    ChannelName {
        /// The name.
        name: String,
    },
    /// Two channels with the same name, or one named like the group of another.
    #[error(
        "channel name \"{name}\" is used twice, as a channel or as the group of other channels"
    )]
    DuplicateChannel {
        /// The name.
        name: String,
    },
    /// More channels, or longer texts, than one run file can describe.
    #[error("too many channels ({channels}) or too long descriptions for one run file")]
    TooManyChannels {
        /// Number of channels.
        channels: usize,
    },
    /// The file is not a run file, or is damaged.
    #[error("{path} is not a readable run file: {what}")]
    NotARun {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: Damage,
    },
    /// The run has no such channel.
    #[error("the run has no channel \"{name}\"")]
    NoChannel {
        /// The name asked for.
        name: String,
    },
    /// An event could not be turned into text; only a field that is not representable in JSON can
    /// do this.
    #[error("event \"{code}\" cannot be written: {source}")]
    Event {
        /// Code of the event.
        code: String,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

/// What is wrong with a file that should be a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// It is no HDF5 file, or a part of it is broken or not there.
    #[error(transparent)]
    Hdf5(#[from] hdf5_pure::Error),
    /// It panicked whoever read it.
    #[error("the file is damaged beyond what the reader understands")]
    BeyondReading,
    /// It is of another program, or another version.
    #[error("format is \"{found}\", expected \"{FORMAT}\"")]
    Format {
        /// What the file says it is.
        found: String,
    },
    /// An attribute is not there, or of another type.
    #[error("attribute {name} is {found}, expected {expected}")]
    Attribute {
        /// Its name.
        name: &'static str,
        /// What is there.
        found: String,
        /// What should be.
        expected: &'static str,
    },
    /// A column is a table.
    #[error("column {column} is not one-dimensional")]
    Shape {
        /// Its name.
        column: String,
    },
    /// It says that it has more rows than there is room for.
    #[error("{rows} rows do not fit into {length} bytes")]
    Rows {
        /// How many it says.
        rows: u64,
        /// Bytes of the file.
        length: u64,
    },
    /// A chunk says that it is larger than the file.
    #[error("{column}: a chunk exceeds the file")]
    Chunk {
        /// Name of its column.
        column: String,
    },
    /// Groups within groups without an end.
    #[error("groups are nested too deeply")]
    Nesting,
    /// Some of a column's values are missing.
    #[error("{column}: expected {expected} values, got {got}")]
    Values {
        /// Name of the column.
        column: String,
        /// Values asked for.
        expected: u64,
        /// Values found.
        got: usize,
    },
}
