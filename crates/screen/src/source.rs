//! Where rows and state come from, and where commands go.

use serde::{Deserialize, Serialize};

use crate::status::{Action, Severity, Status};

/// Something that happened, in words.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Happening {
    /// Structural time, s.
    pub time_s: f64,
    /// How grave.
    pub tone: Severity,
    /// Short word such as `monitor.warning`.
    pub code: String,
    /// A sentence.
    pub text: String,
}

/// Why a test does not do what an operator wants.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActionRefused {
    /// The state of the machine has no such arrow.
    #[error("not possible in the state \"{0}\"")]
    State(String),
    /// It was long ago.
    #[error("not possible now: this is a record")]
    Record,
    /// Somebody else has the controls.
    #[error("another browser holds the controls")]
    HeldElsewhere,
}

/// A test as the screen sees it. All calls come from the thread of the screen; none of them may
/// wait for the loop.
pub trait Source: Send {
    /// Hands over the rows that arrived since the last call: structural time (s) and one value for
    /// each channel of the scene.
    fn rows(&mut self, each: &mut dyn FnMut(f64, &[f64]));

    /// Where the test stands.
    fn status(&mut self) -> Status;

    /// Hands over what happened since the last call.
    fn happenings(&mut self, each: &mut dyn FnMut(Happening));

    /// Passes an operator's wish on. A refusal is shown to whoever asked.
    fn act(&mut self, action: Action) -> Result<(), ActionRefused>;

    /// Says whether somebody holds the controls and was heard of in the last second.
    fn operator_present(&mut self, present: bool);

    /// True when nothing will come any more.
    fn ended(&mut self) -> bool;
}
