//! The one error with which a room refuses values that the plan gave it.

use std::fmt;

/// A value is readable but does not fit: which key of the plan, what is wrong, and what would help.
///
/// The program finds the line of `key` in the plan file and shows it with a caret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// Dotted path of the key in the plan, such as `structure.damping.ratio`. Relative to the
    /// table that was being built until an outer table prepends its own name.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: String,
}

impl BuildError {
    /// An error at `key`.
    pub fn new(
        key: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            key: key.into(),
            message: message.into(),
            help: help.into(),
        }
    }

    /// The same error, seen from the table that holds `table`.
    #[must_use]
    pub fn within(mut self, table: &str) -> Self {
        self.key = if self.key.is_empty() {
            table.to_owned()
        } else {
            format!("{table}.{}", self.key)
        };
        self
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.key, self.message, self.help)
    }
}

impl std::error::Error for BuildError {}
