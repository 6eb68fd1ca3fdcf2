//! What a monitor or a limit wants to happen.

use crate::choice;

choice! {
    /// From harmless to strict; the strictest of all wins.
    #[derive(Default, PartialOrd, Ord)]
    pub enum Verdict {
        /// All is well.
        #[default]
        Continue = "none",
        /// Tell the operator, go on.
        Warn = "warn",
        /// Hold the command.
        Hold = "hold",
        /// Go back to the start slowly.
        RampDown = "ramp-down",
        /// Stop the test; the command is held at its value.
        Trip = "trip",
    }
}

impl Verdict {
    /// Its word in the plan and in the record.
    pub const fn name(self) -> &'static str {
        self.word()
    }
}
