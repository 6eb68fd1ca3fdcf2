//! What changes several times a second and is no channel.

use serde::{Deserialize, Serialize};

/// What an operator may ask for. Which of them are allowed is for the state machine to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Begin the test.
    Start,
    /// Move to the start position.
    Centering,
    /// On to the next state.
    Next,
    /// Hold the command; time stands still.
    Pause,
    /// Go on after a pause.
    Resume,
    /// End the test in order: ramp down, hydraulics off.
    Stop,
    /// Hydraulics off at once; from any state, by anybody who has the token.
    EmergencyStop,
}

impl Action {
    /// The word on the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Centering => "centering",
            Self::Next => "next",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Stop => "stop",
            Self::EmergencyStop => "emergency-stop",
        }
    }
}

/// How something shall be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A fact.
    #[default]
    Neutral,
    /// As it should be.
    Good,
    /// Look at it.
    Caution,
    /// Wrong.
    Bad,
}

/// Where the test stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Status {
    /// Name of the state: `PreCor`.
    pub state: String,
    /// What it means, for a person who is tense.
    pub meaning: String,
    /// How it shall be read.
    pub tone: Severity,
    /// What is allowed next.
    pub allowed: Vec<Action>,
    /// Set once the test has ended: how.
    pub outcome: Option<String>,
    /// Completed integration steps.
    pub step: u64,
    /// Structural time, s.
    pub time_s: f64,
    /// Wall time since the start, s.
    pub wall_s: f64,
    /// Wall time left, s, where it can be told.
    pub left_s: Option<f64>,
    /// Deadlines and jitter; none where the test runs as fast as it can.
    pub timing: Option<TimingStatus>,
    /// The recorder.
    pub recorder: Option<RecorderStatus>,
    /// The link to an integration side outside this program.
    pub link: Option<LinkStatus>,
    /// Lights of the coordinator itself, besides those of the indicators.
    pub lights: Vec<Light>,
    /// Rows that did not reach the screen because it was too slow.
    pub lost_rows: u64,
}

/// The clock of the loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimingStatus {
    /// Period, µs.
    pub period_us: f64,
    /// How far the time between two ticks was off the period, of the last thousands, µs: median, 99
    /// %, largest.
    pub jitter_us: [f64; 3],
    /// Deadlines that were missed; in a paced test, ticks that came a whole period late.
    pub missed: u64,
    /// Ticks so far.
    pub ticks: u64,
}

/// The recorder.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecorderStatus {
    /// Rows on their way or written.
    pub rows: u64,
    /// Their size, bytes.
    pub bytes: u64,
    /// Rows that were lost; anything but zero is an error.
    pub lost: u64,
}

/// The link to an outside integration side.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkStatus {
    /// Who is at the other end.
    pub peer: String,
    /// What it does, in words.
    pub text: String,
    /// How it shall be read.
    pub tone: Severity,
}

/// A traffic light of the coordinator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Light {
    /// What it watches.
    pub label: String,
    /// Its value in words.
    pub text: String,
    /// Its colour.
    pub tone: Severity,
}
