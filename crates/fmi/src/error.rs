//! What can be wrong with an FMU.

use std::path::PathBuf;

/// Why an FMU cannot be used, or what went wrong while it ran.
#[derive(Debug, thiserror::Error)]
pub enum FmuError {
    /// A file or folder.
    #[error("cannot {what} {}: {source}", path.display())]
    File {
        /// What was tried: `read`, `write`, …
        what: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The archive is broken or hostile.
    #[error("the archive of the FMU is refused: {0}")]
    Archive(String),
    /// The model description is not fit for use.
    #[error("modelDescription.xml{place}: {problem}")]
    Description {
        /// Where, as ` line 3` or empty.
        place: String,
        /// What is wrong, and what was expected.
        problem: String,
    },
    /// The binary is missing or cannot be loaded.
    #[error("the FMU's binary cannot be used: {0}")]
    Binary(String),
    /// What was asked for is not in this FMU.
    #[error("{0}")]
    Missing(String),
    /// A call of the FMU failed.
    #[error("the FMU answered \"{status}\" to {function}{}", messages(log))]
    Call {
        /// The function of the standard.
        function: &'static str,
        /// What it answered.
        status: &'static str,
        /// The FMU's own messages before that.
        log: Vec<String>,
    },
    /// A value that is not a number came out.
    #[error("the FMU's variable `{name}` is {value} at t = {time} s; it is not used any further")]
    NotFinite {
        /// The variable.
        name: String,
        /// Its value.
        value: f64,
        /// Time, s.
        time: f64,
    },
    /// The FMU's process did not answer.
    #[error(
        "the FMU did not answer to {function} within {seconds} s and was ended; give it more time, \
        or look into the FMU"
    )]
    TimedOut {
        /// What it was asked.
        function: &'static str,
        /// How long was waited, s.
        seconds: f64,
    },
    /// The FMU's process came to an end by itself.
    #[error("the process of the FMU died in {function}: {how}{}", messages(log))]
    Died {
        /// What it was asked.
        function: &'static str,
        /// Signal or exit code.
        how: String,
        /// What it had said last.
        log: Vec<String>,
    },
    /// What went wrong, and when.
    #[error("in {phase}: {source}")]
    During {
        /// In which part of its life, with the time.
        phase: String,
        /// What happened.
        source: Box<FmuError>,
    },
    /// What the process of an FMU reported, in its words.
    #[error("{0}")]
    Reported(String),
    /// The input or the options do not fit.
    #[error("{0}")]
    Usage(String),
}

fn messages(log: &[String]) -> String {
    if log.is_empty() {
        String::new()
    } else {
        format!("; its messages: {}", log.join(" | "))
    }
}

impl FmuError {
    pub(crate) fn file(
        what: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { what, path, source }
    }

    /// The same loss of a process, where it is known better what that was busy with.
    pub(crate) fn busy_with(self, function: &'static str) -> Self {
        match self {
            Self::TimedOut { seconds, .. } => Self::TimedOut { function, seconds },
            Self::Died { how, log, .. } => Self::Died { function, how, log },
            other => other,
        }
    }

    pub(crate) fn description(problem: impl Into<String>) -> Self {
        Self::Description {
            place: String::new(),
            problem: problem.into(),
        }
    }
}

/// What FMI calls return here.
pub type Result<T> = std::result::Result<T, FmuError>;
