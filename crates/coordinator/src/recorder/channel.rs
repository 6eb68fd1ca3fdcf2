//! What a run file says about itself and its columns.

use super::error::RecorderError;
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// The part that a channel plays in the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// Structural time.
    Time,
    /// Ground motion or load that drives the structure.
    Excitation,
    /// What the integration wants the specimen to do.
    Target,
    /// What is sent to the transfer system.
    Command,
    /// What sensors report.
    Measured,
    /// Response of the structure.
    Response,
    /// Indicator of a monitor.
    Monitor,
    /// State of the coordinator: modes, verdicts, counters.
    State,
    /// Clock readings and durations of the execution.
    Timing,
    /// Anything else.
    Other,
}

const ROLES: [(Role, &str); 10] = [
    (Role::Time, "time"),
    (Role::Excitation, "excitation"),
    (Role::Target, "target"),
    (Role::Command, "command"),
    (Role::Measured, "measured"),
    (Role::Response, "response"),
    (Role::Monitor, "monitor"),
    (Role::State, "state"),
    (Role::Timing, "timing"),
    (Role::Other, "other"),
];

impl Role {
    /// The word that stands in the file.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        ROLES
            .iter()
            .find(|(role, _)| *role == self)
            .map_or("other", |(_, word)| word)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Role {
    type Err = std::convert::Infallible;

    /// Words of later versions become [`Role::Other`].
    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Ok(ROLES
            .iter()
            .find(|(_, known)| *known == word)
            .map_or(Role::Other, |(role, _)| *role))
    }
}

/// One column of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Name such as `target/1`: letters, digits and `_` in parts separated by `/`.
    pub name: String,
    /// SI unit such as `m`, `N`, `m/s^2`; `1` for pure numbers.
    pub unit: String,
    /// One sentence for whoever opens the file in ten years.
    pub description: String,
    /// The part the channel plays in the test.
    pub role: Role,
}

impl Channel {
    /// A channel from its parts.
    pub fn new(
        name: impl Into<String>,
        unit: impl Into<String>,
        role: Role,
        description: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            unit: unit.into(),
            description: description.into(),
            role,
        }
    }
}

/// What the run file says about the run as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// Version of the program.
    pub tandem_version: String,
    /// Name of the plan.
    pub plan: String,
    /// Seed of everything random in the run.
    pub seed: u64,
    /// Date and time of creation, as the caller words it (the recorder reads no clock).
    pub created: String,
    /// Wall time over structural time: 1 in real time, 50 to 200 in a pseudo-dynamic test.
    pub time_scale: f64,
    /// Rows per second of structural time.
    pub rate_hz: f64,
}

/// Longest part of a channel name: the longest name MATLAB takes for a variable.
const PART_BYTES: usize = 63;

/// Checks names one by one and against each other.
pub(super) fn check_names(channels: &[Channel]) -> Result<(), RecorderError> {
    let mut names = BTreeSet::new();
    let mut groups = BTreeSet::new();
    for channel in channels {
        let name = channel.name.as_str();
        let parts_ok = name.split('/').all(|part| {
            (1..=PART_BYTES).contains(&part.len())
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        });
        if !parts_ok {
            return Err(RecorderError::ChannelName { name: name.into() });
        }
        let duplicate = !names.insert(name);
        groups.extend(name.match_indices('/').map(|(at, _)| &name[..at]));
        if duplicate {
            return Err(RecorderError::DuplicateChannel { name: name.into() });
        }
    }
    match names.intersection(&groups).next() {
        Some(name) => Err(RecorderError::DuplicateChannel {
            name: (*name).into(),
        }),
        None => Ok(()),
    }
}
