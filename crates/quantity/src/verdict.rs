//! What a monitor or a limit wants to happen.

/// From harmless to strict; the strictest of all wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// All is well.
    #[default]
    Continue,
    /// Tell the operator, go on.
    Warn,
    /// Hold the command.
    Hold,
    /// Go back to the start slowly.
    RampDown,
    /// Stop the test; the command is held at its value.
    Trip,
}

impl Verdict {
    /// The words for the plan.
    pub const CHOICES: &'static [&'static str] = &["none", "warn", "hold", "ramp-down", "trip"];

    /// The action of this name.
    pub fn from_choice(name: &str) -> Self {
        match name {
            "warn" => Self::Warn,
            "hold" => Self::Hold,
            "ramp-down" => Self::RampDown,
            "trip" => Self::Trip,
            _ => Self::Continue,
        }
    }

    /// Its word in the plan and in the record.
    pub fn name(self) -> &'static str {
        match self {
            Self::Continue => "none",
            Self::Warn => "warn",
            Self::Hold => "hold",
            Self::RampDown => "ramp-down",
            Self::Trip => "trip",
        }
    }
}
